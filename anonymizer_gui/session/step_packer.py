"""Compression of the tables in undo steps, off the GUI thread after each edit."""

from __future__ import annotations

from PySide6.QtCore import QObject

from anonymizer_gui.session.session import Session
from anonymizer_gui.session.table_versions import LooseStep, Step, StoredTables
from anonymizer_gui.tasks import Task, TaskRunner
from engine.monitor import SILENT, Monitor

KEY = "undo"


class StepPacker(QObject):
    """Packs one step after another; a step that cannot be packed, as with a full disk, stays unpacked."""

    def __init__(self, session: Session, runner: TaskRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._runner = runner
        self._left: set[LooseStep] = set()  # could not be packed
        session.parts.table_changed.connect(self._pack_next)
        session.project_opened.connect(self._on_project_opened)

    def _on_project_opened(self) -> None:
        self._left.clear()
        self._runner.cancel(KEY)

    def _pack_next(self) -> None:
        if self._runner.running(KEY) is not None:
            return
        tables = self._session.tables
        self._left.intersection_update(tables.loose)
        loose = next((step for step in tables.loose if step not in self._left), None)
        if loose is None:
            return
        task = Task(_packed, loose, tables.stored)
        task.succeeded.connect(lambda packed: self._on_packed(loose, packed))
        task.cancelled.connect(lambda: self._left.add(loose))
        task.ended.connect(self._pack_next)
        self._runner.start(task, key=KEY)

    def _on_packed(self, loose: LooseStep, packed: Step | None) -> None:
        if packed is None:
            self._left.add(loose)
        else:
            self._session.tables.replace(loose, packed)


def _packed(loose: LooseStep, stored: StoredTables, monitor: Monitor = SILENT) -> Step | None:
    """Return the packed step, or None if there is no space for its files."""
    try:
        return loose.packed(stored, monitor)
    except OSError:
        return None
