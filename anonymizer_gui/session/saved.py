"""What stands in the project file, and whether there is more than that."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.session.applied import Applied
from anonymizer_gui.session.history import History
from anonymizer_gui.session.remembered import Remembered
from engine.project.remembered import ProjectState


class Saved(QObject):
    """Compares edits and applied releases with the file."""

    modified_changed = Signal(bool)

    def __init__(
        self, history: History, applied: Applied, remembered: Remembered, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._history, self._applied, self._remembered = history, applied, remembered
        self._path: Path | None = None
        self._state = ProjectState()  # as it stands in the file, or came without one
        self._was_modified = False  # when it was last told
        for signal in (
            history.clean_changed,
            remembered.pins_changed,
            remembered.runs_changed,
            applied.changed,
            applied.stale_changed,
        ):
            signal.connect(self._tell)

    @property
    def path(self) -> Path | None:
        """The project file, once saved or opened from one."""
        return self._path

    @property
    def is_modified(self) -> bool:
        """Whether there are edits, or applied releases, since opening or saving."""
        if not self._history.is_clean or self._remembered.runs != self._state.runs:
            return True
        # A project that is opened has no release until it is made anew.
        return self._applied.node not in (None, self._state.applied)

    def take(self, path: Path | None, state: ProjectState) -> None:
        """Know another project as it came; who opens it says when it is told."""
        self._path, self._state, self._was_modified = path, state, False

    def mark(self, path: Path, state: ProjectState) -> None:
        """Note that the project now stands in a file."""
        self._path, self._state = path, state
        self._history.mark_saved()
        self._tell()

    def _tell(self) -> None:
        if self._was_modified != self.is_modified:
            self._was_modified = self.is_modified
            self.modified_changed.emit(self._was_modified)
