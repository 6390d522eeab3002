"""Gets ready beside everything else what reads files, and the compiled kernels, which scoring takes over."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.tasks import Task, TaskRunner
from engine.monitor import Monitor


class FastScoring(QObject):
    """Loads the kernels once the window is there, or lets another process compile them the first time.

    It has a runner of its own: nobody waits for it, and it takes no thread from what people wait for.
    """

    changed = Signal()  # is_compiling
    ended = Signal()  # the kernels are loaded, or cannot be

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = TaskRunner(self)
        self._is_compiling = False

    @property
    def is_compiling(self) -> bool:
        """Whether kernels are compiled, which no earlier run did."""
        return self._is_compiling

    @property
    def is_preparing(self) -> bool:
        """Whether kernels are compiled or loaded."""
        return self._runner.is_busy

    def start(self, *, may_compile: bool = True) -> None:
        """Load the kernels; compile them before, if nobody did and `may_compile`."""
        task = Task(_prepare, may_compile)
        task.progressed.connect(self._on_progressed)
        task.ended.connect(self._on_ended)
        self._runner.start(task, key="prepare")

    def shutdown(self) -> None:
        """Stop; what was compiled so far is of use the next time."""
        self._runner.shutdown()

    def _on_progressed(self, done: int, total: int, _text: str) -> None:
        self._set_compiling(done < total)

    def _on_ended(self) -> None:
        self._set_compiling(False)
        self.ended.emit()

    def _set_compiling(self, is_compiling: bool) -> None:
        if is_compiling != self._is_compiling:
            self._is_compiling = is_compiling
            self.changed.emit()


def _prepare(may_compile: bool, monitor: Monitor) -> bool:
    # Imported here: what scoring needs takes longer to import than the window to appear.
    from engine.privacy.base import privacy_models
    from engine.scoring.acceleration import is_compiled
    from engine.scoring.kernel_compilation import warm_up_apart
    from engine.table.text import get_ready

    get_ready()
    len(privacy_models)  # which imports them: the window asks for all with the first project
    return (may_compile or is_compiled()) and warm_up_apart(monitor)
