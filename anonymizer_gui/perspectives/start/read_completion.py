"""Completes a table whose first records are open already, and reports differences from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.models.column_summary import type_words
from anonymizer_gui.perspectives.start.table_opening import OpenFlow, TableOpening
from anonymizer_gui.session import Session
from anonymizer_gui.tasks import Task
from anonymizer_gui.widgets.error_banner import ErrorBanner
from engine.errors import AnonymizerError
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.project import Project
from engine.records import Table

if TYPE_CHECKING:
    from anonymizer_gui.perspectives.start.reading import TypeChange
    from anonymizer_gui.perspectives.start.table_opening import BackgroundReading
    from engine.records.reading import Reading

COMPARE = "open.compare"
MOST_NAMED = 4  # columns with another type, or short records, that are named


class ReadCompletion(QObject):
    """One table at a time; edits of the project made meanwhile are kept.

    Parameters
    ----------
    banner : ErrorBanner
        Shows the messages.
    """

    state_changed = Signal(str, bool)  # what is being read, empty for nothing; whether it failed
    columns_requested = Signal(object)  # names of the columns with another type
    abandoned = Signal()  # the table was given up: return to the previous project

    def __init__(self, flow: OpenFlow, banner: ErrorBanner, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._flow, self._banner, self._session, self._runner = flow, banner, session, flow.runner
        self._whole: BackgroundReading | None = None
        self._message = ""  # text of the banner
        self._tables = TableOpening(flow, "open", opens_early=True)
        self._tables.begun.connect(self._on_chosen_again)
        self._tables.read.connect(self._on_read_again)
        self._tables.failed.connect(flow.runner.error_raised)
        session.reading.changed.connect(self._on_reading_changed)

    def follow(self, whole: BackgroundReading) -> None:
        """Follow the reading of a table whose first records are open."""
        self.shutdown()
        self._whole = whole
        whole.setParent(self)
        whole.succeeded.connect(lambda reading: self._take(whole.path, reading))
        whole.failed.connect(lambda error: self._report_failure(whole.path, error))
        whole.cancelled.connect(self.abandoned)
        self.state_changed.emit(whole.path.name, False)

    def choose_again(self) -> None:
        """Ask for other import settings, starting with the current ones."""
        if self._whole is not None:
            self._tables.open(self._whole.path, chosen=self._whole.chosen)

    def shutdown(self) -> None:
        """Stop reading without a message."""
        whole, self._whole = self._whole, None
        if whole is not None:
            whole.stop()
            whole.deleteLater()

    # Remaining records ----------------------------------------------------------------------------

    def _take(self, path: Path, reading: Reading) -> None:
        """Compare with the first records or the other columns, then show the complete table."""
        from anonymizer_gui.perspectives.start.reading import type_changes

        project = self._session.project
        if project is None or not self._session.reading.is_provisional:
            return
        if reading.table.names == project.table.names:
            head = project.table
            self._start(
                path,
                type_changes,
                head,
                reading.table,
                then=lambda changes: self._finish(path, reading, head, changes),
            )
        else:
            self._start(
                path,
                _carried_over,
                project,
                path,
                reading,
                then=lambda after: self._open_whole(path, reading, project, after),
            )

    def _finish(self, path: Path, reading: Reading, head: Table, changes: Sequence[TypeChange]) -> None:
        project = self._session.project
        if project is None or not self._session.reading.is_provisional or project.table is not head:
            return
        self.shutdown()
        self._session.finish_reading(
            replace(project, table=reading.table, options=reading.options, source=path)
        )
        self._report(path, reading, head, changes)

    def _open_whole(self, path: Path, reading: Reading, before: Project, after: Project) -> None:
        """Show the table with its columns by other choices; known facts about them are kept."""
        if not self._session.reading.is_provisional:
            return
        if self._session.project is before:
            self._show_carried_over(after, provisional=False)
        else:  # edited meanwhile
            self._take(path, reading)

    def _report(self, path: Path, reading: Reading, head: Table, changes: Sequence[TypeChange]) -> None:
        lines = [self._words(change) for change in changes[:MOST_NAMED]]
        if (more := len(changes) - MOST_NAMED) > 0:
            lines.append(self.tr("… and {more} more.").format(more=as_exact_count(more)))
        if reading.encoding_is_guessed:
            lines.append(self.tr("The encoding is a guess: check letters with accents."))
        if filled := reading.filled:
            named = ", ".join(as_exact_count(record + 1) for record in filled[:MOST_NAMED])
            text = self.tr("Short records were padded with missing cells: {n} records, such as {named}.")
            lines.append(text.format(n=as_exact_count(len(filled)), named=named))
        if not lines:
            return
        problem = self.tr(
            "“{name}” has been read completely. Some columns differ from what the first "
            "{n_records} records suggested."
        )
        names = tuple(change.name for change in changes)
        self._show(
            problem.format(name=path.name, n_records=as_exact_count(head.n_records)),
            "\n".join(lines),
            self.tr("Show columns") if names else "",
            lambda: self.columns_requested.emit(names),
            tone="warn",
        )

    def _words(self, change: TypeChange) -> str:
        now, before = type_words(change.after), type_words(change.before)
        text = self.tr("“{column}” is now “{now}” instead of “{before}”.")
        if change.n_cells:
            text = self.tr("“{column}” is now “{now}” instead of “{before}”: record {record} is “{value}”.")
        words = text.format(
            column=change.name,
            now=now,
            before=before,
            record=as_exact_count(change.record + 1),
            value=change.value,
        )
        if change.n_cells > 1:
            words += " " + self.tr("{n_cells} cells are invalid.").format(
                n_cells=as_exact_count(change.n_cells)
            )
        return words

    # Failures -------------------------------------------------------------------------------------

    def _report_failure(self, path: Path, error: Exception) -> None:
        """Report why the table is incomplete; edits made on its first records are kept."""
        if not self._session.reading.is_provisional:
            return
        self.state_changed.emit(path.name, True)
        if isinstance(error, AnonymizerError):
            self._show(error.problem, error.hint, self.tr("Change import settings…"), self.choose_again)
        else:
            self._flow.runner.error_raised.emit(error)

    def _on_chosen_again(self, reading: Reading, whole: BackgroundReading) -> None:
        project = self._session.project
        if project is None or not self._session.reading.is_provisional:
            whole.stop()
            return
        after = project
        if reading.table.names != project.table.names:
            try:
                after = _carried_over(project, whole.path, reading)
            except AnonymizerError as error:
                whole.stop()
                self._report_failure(whole.path, error)
                return
        if after is not project:
            self._show_carried_over(after, provisional=True)
        self._dismiss()
        self.follow(whole)

    def _show_carried_over(self, after: Project, *, provisional: bool) -> None:
        """Show the completed project, whose earlier edits cannot be undone but are unsaved."""
        was_modified = self._session.saved.is_modified
        self._session.open_project(after, provisional=provisional)
        if was_modified:
            self._session.history.own.resetClean()

    def _on_read_again(self, path: Path, reading: Reading) -> None:
        self._dismiss()
        self._take(path, reading)

    def _on_reading_changed(self, is_provisional: bool) -> None:
        if not is_provisional:
            self.shutdown()
            self.state_changed.emit("", False)

    # Banner and tasks -----------------------------------------------------------------------------

    def _show(
        self, problem: str, hint: str, action: str, act: Callable[[], object], *, tone: str = "danger"
    ) -> None:
        def dismiss_and_act() -> None:
            self._dismiss()
            act()

        self._message = problem
        self._banner.show_error(problem, hint, action, dismiss_and_act, tone=tone)

    def _dismiss(self) -> None:
        """Hide the banner, unless another message has replaced the one about the table."""
        if self._message and self._banner.problem() == self._message:
            self._banner.dismiss()
        self._message = ""

    def _start(
        self, path: Path, function: Callable[..., Any], *args: Any, then: Callable[[Any], None]
    ) -> None:
        task = Task(function, *args)
        task.succeeded.connect(then)
        task.failed.connect(lambda error: self._report_failure(path, error))
        task.cancelled.connect(self._on_comparing_cancelled)
        self._runner.start(task, label=self.tr("Comparing with the first records"), key=COMPARE)

    def _on_comparing_cancelled(self) -> None:
        """Give up the table, unless another reading has replaced this one."""
        is_superseded = self._runner.running(COMPARE) is not None or (
            self._whole is not None and self._whole.is_running
        )
        if self._session.reading.is_provisional and not is_superseded:
            self.abandoned.emit()


def _carried_over(project: Project, path: Path, reading: Reading, monitor: Monitor = SILENT) -> Project:
    """Return the project with the complete table; its columns may differ, its types are the current ones."""
    from engine.project.reimport import reimport

    table, options = reading.table, reading.options
    if set(table.names).isdisjoint(project.table.names):
        return Project(project.name, path, options, table)
    return reimport(project, table, options, path, monitor, chosen=table.names)[0]
