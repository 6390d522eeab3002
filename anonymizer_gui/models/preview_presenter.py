"""Keeps the bar of a page that previews the selected node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.models.node_name import named_in
from anonymizer_gui.session.analyses import AnalysisDesk
from anonymizer_gui.widgets.results_stack import EmptyState, PreviewBar

if TYPE_CHECKING:
    from engine.recoding import Release

# what the button leads to
_OPTIMUM, _SCORE, _ROLES, _CONFIGURE, _EXPLORE = "optimum", "score", "roles", "configure", "explore"


class PreviewPresenter(QObject):
    """Asks for previews while its page is visible; without one the page leads on by its empty state."""

    apply_requested = Signal(object)  # node
    optimum_requested = Signal()
    scoring_requested = Signal()
    roles_requested = Signal()  # those that are suggested
    perspective_requested = Signal(str)

    def __init__(self, desk: AnalysisDesk, page: str, bar: PreviewBar, empty: EmptyState) -> None:
        """Create the presenter of a page; `empty` is shown there without a release."""
        super().__init__(bar)
        self._session, self._desk, self._page, self._bar, self._empty = desk.session, desk, page, bar, empty
        self._leads_to = _EXPLORE
        bar.apply_requested.connect(self._on_apply)
        empty.action_requested.connect(self._on_action)
        desk.subject_changed.connect(self.show)
        desk.preview.state_changed.connect(self.show)
        desk.session.results.evaluation_rested.connect(self.show)
        desk.session.results.problem_changed.connect(lambda _problem, _error: self.show())
        desk.session.parts.roles_changed.connect(self.show)
        desk.session.reading.changed.connect(lambda _is_provisional: self.show())
        self.show()

    @property
    def release(self) -> Release | None:
        """Release that the page describes."""
        subject = self._desk.subject
        return None if subject is None else subject.release

    def set_visible(self, is_visible: bool) -> None:
        """Make previews while the page is visible."""
        self._desk.preview.want(self._page, is_visible)

    def show(self) -> None:
        """Update the bar, or the empty state."""
        node = self._desk.preview.node
        found = named_in(node, self._session.results) if self._desk.is_preview else None
        if found is not None:
            self._bar.show_node(found.name, found.glyph, found.details)
            self._bar.set_can_apply(self._session.applied.why_undecided)
            return
        self._bar.hide()
        sentence, self._leads_to = self._obstacle()
        if self._desk.preview.is_pending:
            sentence = self.tr("The selected node is being previewed.")
        self._empty.set_sentence(sentence)
        actions = {
            _OPTIMUM: self.tr("Apply the optimum"),
            _SCORE: self.tr("Score again"),
            _ROLES: self.tr("Set suggested roles"),
            _CONFIGURE: self.tr("Go to Configure transformation"),
            _EXPLORE: self.tr("Go to Explore results"),
        }
        self._empty.set_action(actions[self._leads_to])

    def _obstacle(self) -> tuple[str, str]:
        """Return why there is no preview, and where the button leads."""
        results, undecided = self._session.results, self._session.applied.why_undecided
        words = self.tr("Select a node in Explore results for a preview of its release, or apply one.")
        if undecided:
            is_read = not self._session.reading.is_provisional
            return f"{undecided[:1].upper()}{undecided[1:]}.", _ROLES if is_read else _CONFIGURE
        if results.optimum is not None:
            return words, _OPTIMUM
        if (error := results.problem_error) is not None:
            return f"{error.problem} {error.hint}".strip(), _CONFIGURE
        if results.problem is not None and results.evaluation is None:
            return self.tr("No node is scored yet, so there is none to preview."), _SCORE
        return words, _EXPLORE

    def _on_apply(self) -> None:
        if (node := self._desk.preview.node) is not None:
            self.apply_requested.emit(node)

    def _on_action(self) -> None:
        asked = {
            _OPTIMUM: self.optimum_requested,
            _SCORE: self.scoring_requested,
            _ROLES: self.roles_requested,
        }
        if (signal := asked.get(self._leads_to)) is not None:
            signal.emit()
        else:
            self.perspective_requested.emit(self._leads_to)
