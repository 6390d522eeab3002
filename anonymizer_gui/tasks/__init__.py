"""Engine functions off the GUI thread: a task, and the runner that owns the threads."""

from __future__ import annotations

from anonymizer_gui.tasks.runner import TaskRunner
from anonymizer_gui.tasks.task import Task

__all__ = ["Task", "TaskRunner"]
