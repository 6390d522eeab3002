"""Engine functions off the GUI thread: tasks, their runner, and garbage collection on the GUI thread."""

from __future__ import annotations

from anonymizer_gui.tasks.runner import GuiThreadCollector, TaskRunner
from anonymizer_gui.tasks.task import Task

__all__ = ["GuiThreadCollector", "Task", "TaskRunner"]
