"""Preparation in the background: imports file readers and compiles or loads the kernels."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.tasks import Task, TaskRunner
from engine.monitor import Monitor


class FastScoring(QObject):
    """Loads the compiled kernels after startup; the first time another process compiles them.

    It has its own runner, so that it takes no thread from other tasks.
    """

    changed = Signal()  # is_compiling
    ended = Signal()  # the kernels are loaded or not available

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.runner = TaskRunner(self)
        self.is_compiling = False  # whether kernels are being compiled, as no earlier run has done it

    def start(self, *, may_compile: bool = True) -> None:
        """Load the kernels; compile them first if needed and if `may_compile`."""
        task = Task(_prepare, may_compile)
        task.progressed.connect(self._on_progressed)
        task.ended.connect(self._on_ended)
        self.runner.start(task, key="prepare")

    def shutdown(self) -> None:
        """Stop; kernels compiled so far are kept for the next start."""
        self.runner.shutdown()

    def _on_progressed(self, done: int, total: int, _text: str) -> None:
        self._set_compiling(done < total)

    def _on_ended(self) -> None:
        self._set_compiling(False)
        self.ended.emit()

    def _set_compiling(self, is_compiling: bool) -> None:
        if is_compiling != self.is_compiling:
            self.is_compiling = is_compiling
            self.changed.emit()


def _prepare(may_compile: bool, monitor: Monitor) -> bool:
    # Imported here, because these imports take longer than opening the window.
    from engine.privacy.base import privacy_models
    from engine.records.text.reader import get_ready
    from engine.scoring.acceleration import IN_ORDER, is_compiled, warm_up_apart

    get_ready()
    len(privacy_models)  # imports the models, all of which the first project needs
    return warm_up_apart(monitor, [names for names in IN_ORDER if may_compile or is_compiled(names)])
