"""The release ledger of a project: its file and attacker, its releases, and what a further one reveals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QListWidget, QWidget

from anonymizer_gui.forms.param_form import PairsForm
from anonymizer_gui.session import Session
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.fitted_dialog import AskingDialog
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named
from engine.errors import AnonymizerError
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.params import values_of
from engine.privacy.earlier import Earlier
from engine.words import _, ngettext

if TYPE_CHECKING:
    from engine.project.ledger.joint import Beside
    from engine.project.ledger.ledger_file import Entry

_WIDTH, _LIST = 560, 120
ENDING = ".ledger"


class LedgerDialog(AskingDialog):
    """Shows settings and releases of a ledger, and emits requests."""

    chosen = Signal(object)  # Earlier, or None to keep no ledger
    forget_requested = Signal(int)  # number of a release

    def __init__(self, earlier: Earlier, parent: QWidget | None = None) -> None:
        super().__init__("ledgerDialog", self.tr("Release ledger"), self.tr("Use"), _WIDTH, parent)
        self._earlier, self._numbers = earlier, list[int]()
        text = self.tr(
            "A ledger remembers all releases of the same people, so that a further one is measured beside "
            "them before it is written. It says who was in which release: keep it and its key where nobody "
            "else can read them. Without a path, none is kept."
        )
        self.form = PairsForm(Earlier, values_of(earlier))
        self.list = named(QListWidget(), "ledgerReleases", self.tr("Releases of the ledger"))
        self.list.setMinimumHeight(scaled(_LIST))
        self.forget_button = make_button(self.tr("Forget…"), "forgetRelease", small=True)
        self.forget_button.setToolTip(self.tr("Keep only the sizes of the classes of the chosen release"))
        self.forget_button.clicked.connect(self._ask_to_forget)
        self.list.currentRowChanged.connect(lambda row: self.forget_button.setEnabled(row >= 0))
        self.banner = ErrorBanner()
        self.lay_out(
            make_label(text, Text.CELL, "text_2", wraps=True),
            self.form,
            hbox(make_label(self.tr("Releases"), Text.CELL_STRONG), STRETCH, self.forget_button),
            self.list,
            self.banner,
        )
        self.show_entries((), ())

    def show_entries(self, numbers: Sequence[int], texts: Sequence[str]) -> None:
        """List the releases."""
        self._numbers = list(numbers)
        self.list.clear()
        self.list.addItems(texts or [self.tr("none so far")])
        self.list.setEnabled(bool(texts))
        self.list.setCurrentRow(-1)
        self.forget_button.setEnabled(False)

    def submit(self) -> bool:
        if not self.form.editor("path").value():
            self.chosen.emit(None)
            return True
        changed = self.form.applied_to(self._earlier)
        if changed is not None:
            self.chosen.emit(changed)
        return changed is not None

    def _ask_to_forget(self) -> None:
        number = self._numbers[self.list.currentRow()]
        self.banner.show_error(
            self.tr("Forget release {number}?").format(number=number),
            self.tr("Further releases are then not measured beside it. This cannot be undone."),
            self.tr("Forget"),
            lambda: self.forget_requested.emit(number),
            tone="warn",
        )
        self.fit()
        self.banner.focus_action()


class LedgerPresenter(QObject):
    """Opens the dialog above the export dialog, and sets the ledger of the project."""

    changed = Signal()  # releases were forgotten

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._runner = session, session.runner

    def show(self, near: Path, window: QWidget) -> None:
        """Open the dialog; by default a ledger is beside the project, else in the folder `near`."""
        project = self._session.project
        if project is None:
            return
        place = self._session.saved.path or near / project.name
        earlier = project.requirement.earlier or Earlier(str(place.with_suffix(ENDING)))
        dialog = LedgerDialog(earlier, window)
        dialog.chosen.connect(self._on_chosen)
        dialog.forget_requested.connect(lambda number: self._read(dialog, Path(earlier.path), number))
        self._read(dialog, Path(earlier.path))
        dialog.ask()

    def _read(self, dialog: LedgerDialog, path: Path, forgotten: int | None = None) -> None:
        def show(entries: Sequence[Entry]) -> None:
            dialog.banner.hide()
            dialog.show_entries([own.number for own in entries], [entry_text(own) for own in entries])
            if forgotten is not None:
                self.changed.emit()

        def fail(error: AnonymizerError) -> None:
            dialog.banner.show_error(error.problem, error.hint)
            dialog.fit()

        self._runner.run(_entries, path, forgotten, then=show, otherwise=fail, key="export.ledger")

    def _on_chosen(self, earlier: Earlier | None) -> None:
        project = self._session.project
        if project is None or earlier == project.requirement.earlier:
            return
        is_new = project.requirement.earlier is None and project.remote is None
        after = replace(project, requirement=replace(project.requirement, earlier=earlier))
        if is_new:  # by their order, releases could be joined
            after = replace(after, transformation=replace(after.transformation, shuffle=True))
        self._session.edit(self.tr("Set the release ledger"), after)


def entry_text(entry: Entry) -> str:
    """Return what a release was, in one line."""
    if entry.is_forgotten:
        text = _("Release {number}, {time}: {records} records, forgotten")
    elif entry.shuffled:
        text = _("Release {number}, {time}: {records} records, shuffled")
    else:
        text = _("Release {number}, {time}: {records} records, in the order of the input")
    records = as_exact_count(entry.n_records)
    return text.format(number=entry.number, time=entry.time.replace("T", " ")[:16], records=records)


def beside_text(beside: Beside) -> str:
    """Return which releases a further one is measured beside."""
    names = ", ".join(f"{own.number} ({own.time[:10]})" for own in beside.joined)
    return ngettext(
        "Beside the earlier release {names}:", "Beside the earlier releases {names}:", len(beside.joined)
    ).format(names=names)


def _entries(path: Path, forgotten: int | None, monitor: Monitor = SILENT) -> Sequence[Entry]:
    from engine.project.ledger.ledger_file import open_ledger, refuse_vanished

    refuse_vanished(path)
    if not path.exists():
        return ()
    book = open_ledger(path)
    return (book if forgotten is None else book.forget(forgotten)).entries
