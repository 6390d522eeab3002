"""Content of the project file, and whether there are unsaved changes."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.session.applied import Applied
from anonymizer_gui.session.history import History
from anonymizer_gui.session.remembered import Remembered
from engine.project.pins_and_runs import ProjectState


class Saved(QObject):
    """Compares the session with its file."""

    modified_changed = Signal(bool)

    def __init__(
        self, history: History, applied: Applied, remembered: Remembered, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._history, self._applied, self._remembered = history, applied, remembered
        self._path: Path | None = None
        self._state = ProjectState()  # as in the file, or as opened without a file
        self._was_modified = False  # as last announced
        for signal in (
            history.clean_changed,
            remembered.pins_changed,
            remembered.runs_changed,
            applied.changed,
            applied.stale_changed,
        ):
            signal.connect(self._announce)

    @property
    def path(self) -> Path | None:
        """Path of the project file, once saved or opened."""
        return self._path

    @property
    def is_modified(self) -> bool:
        """Return whether there are changes or applied releases since opening or saving."""
        if not self._history.is_clean or self._remembered.runs != self._state.runs:
            return True
        # An opened project has no release until it has been recomputed.
        return self._applied.node not in (None, self._state.applied)

    def take(self, path: Path | None, state: ProjectState) -> None:
        """Set the state of another project; the caller announces it."""
        self._path, self._state, self._was_modified = path, state, False

    def mark(self, path: Path, state: ProjectState) -> None:
        """Mark the project as saved in a file."""
        self._path, self._state = path, state
        self._history.mark_saved()
        self._announce()

    def _announce(self) -> None:
        if self._was_modified != self.is_modified:
            self._was_modified = self.is_modified
            self.modified_changed.emit(self._was_modified)
