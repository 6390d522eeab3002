"""What helps against selection leak: each change that was tried, with a button that makes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.models.node_name import own_name
from anonymizer_gui.session.analyses import AnalysisDesk
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.labels import make_label, set_tone
from anonymizer_gui.widgets.layouts import clear, hbox, named, vbox
from engine.words import _

if TYPE_CHECKING:
    from engine.findings.base import Analysis
    from engine.findings.selection_gate import LeakRemedy
    from engine.project import Project

_KEY = "risk.leak_remedies"


class LeakRemediesView(QWidget):
    """Changes with their effects, found on request."""

    requested = Signal()
    chosen = Signal(int)  # place of a change

    def __init__(self) -> None:
        super().__init__()
        self.button = make_button(self.tr("Find what helps"), "findLeakRemedies", small=True)
        self.button.clicked.connect(self.requested)
        self.state = named(make_label("", Text.CAPTION, "text_2", wraps=True), "leakRemedies.state")
        self._rows = vbox(spacing=8, margins=0)
        vbox(hbox(self.button, 1), self.state, self._rows, spacing=8, margins=(0, 12, 0, 0), of=self)

    def show_rows(self, rows: Sequence[tuple[str, str, str, bool]], state: str) -> None:
        """Show key, title and effect of each change, and whether it is within the accepted gain."""
        clear(self._rows)
        self.state.setText(state)
        self.state.setVisible(bool(state))
        for place, (key, title, effect, helps) in enumerate(rows):
            use = make_button(self.tr("Use"), f"leakRemedy.{key}", small=True)
            use.setAccessibleName(f"{self.tr('Use')}, {title}")
            use.clicked.connect(lambda _checked=False, place=place: self.chosen.emit(place))
            words = make_label(effect, Text.CAPTION, wraps=True)
            set_tone(words, "ok" if helps else "text_2")
            line = QWidget()
            vbox(
                hbox((make_label(title, Text.CELL, wraps=True), 1), use, spacing=8), words, margins=0, of=line
            )
            self._rows.addWidget(line)


class LeakRemediesPresenter(QObject):
    """Tries the changes for the release that is shown; each one is an edit of the project."""

    def __init__(self, view: LeakRemediesView, desk: AnalysisDesk, make: Callable[[], Analysis]) -> None:
        """Create the presenter; `make` returns the analysis with the accepted gain."""
        super().__init__(view)
        self._view, self._desk, self._session, self._make = view, desk, desk.session, make
        self._accepted = 0.0
        self._tried_with: Project | None = None
        self._found: tuple[LeakRemedy, ...] = ()
        view.requested.connect(self._find)
        view.chosen.connect(self._use)
        desk.subject_changed.connect(self._forget)

    def _forget(self) -> None:
        self._session.runner.cancel(_KEY)
        self._tried_with, self._found = None, ()
        self._view.show_rows((), "")

    def _find(self) -> None:
        from engine.findings.risk.selection_leak import SelectionLeak
        from engine.findings.selection_gate import leak_remedies

        project, subject = self._session.project, self._desk.subject
        if project is None or subject is None:
            return
        analysis = self._make()
        assert isinstance(analysis, SelectionLeak), "it is the test of this page"
        self._tried_with, self._accepted = project, analysis.accepted
        self._session.runner.run(
            leak_remedies,
            project,
            subject.release,
            self._accepted,
            then=self._show,
            key=_KEY,
            label=self.tr("Trying what helps against selection leak"),
        )

    def _show(self, found: tuple[LeakRemedy, ...]) -> None:
        self._found = found
        rows = []
        for own in found:
            node = "" if own.release.node is None else own_name(own.release.node, own.release.problem)
            is_within = own.gain is not None and own.gain <= self._accepted
            rows.append((own.key, own.title, own.effect(node), is_within))
        self._view.show_rows(rows, "" if rows else _("Nothing that was tried can be released."))

    def _use(self, place: int) -> None:
        """Make a change, and select its node, which then has to be applied."""
        if self._session.project is not self._tried_with or self._tried_with is None:
            self._view.show_rows((), _("The settings have changed; find again what helps."))
            return
        own, problem = self._found[place], self._session.results.problem
        self._session.edit(self.tr("Give less away by the choice"), own.project)
        if own.release.node is not None and problem is not None and own.release.node in problem.lattice:
            self._session.selection.select(own.release.node)
        self._view.show_rows((), _("Changed. Apply the node in Explore results, then measure it again."))
