"""The file that the applied release was written to, with what the judge found in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.session.session import Session

if TYPE_CHECKING:
    from engine.recoding import Release
    from engine.report import Verification


@dataclass(frozen=True, eq=False)
class Written:
    """A file that was verified.

    Attributes
    ----------
    path : Path
    verification : Verification
        With the digest that the file had when it was verified.
    """

    path: Path
    verification: Verification


class WrittenRelease(QObject):
    """Knows the last file of the applied release; with another release there is none."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._release: Release | None = None
        self._written: Written | None = None
        session.applied.changed.connect(self._on_release_changed)

    @property
    def now(self) -> Written | None:
        """The file of the applied release; None while it was not written."""
        return self._written

    def take(self, release: Release, written: Written) -> None:
        """Remember where a release was written to."""
        if release is self._session.applied.release:
            self._release, self._written = release, written
            self.changed.emit()

    def _on_release_changed(self, release: Release | None) -> None:
        if self._written is not None and release is not self._release:
            self._release = self._written = None
            self.changed.emit()
