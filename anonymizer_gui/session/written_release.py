"""File of the exported release, with the result of its verification."""

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
    """A verified file.

    Attributes
    ----------
    path : Path
        Of a folder on a cluster as far as it is a path here.
    verification : Verification
        Includes the digest of the file at the time of verification, but not of a folder on a cluster.
    """

    path: Path
    verification: Verification

    @property
    def is_on_cluster(self) -> bool:
        """Return whether it is a folder on a cluster."""
        return not self.verification.file.sha256


class WrittenRelease(QObject):
    """Stores the last exported file of the applied release; a new release removes it."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._release: Release | None = None
        self._written: Written | None = None
        session.applied.changed.connect(self._on_release_changed)

    @property
    def now(self) -> Written | None:
        """Exported file of the applied release, or None."""
        return self._written

    def take(self, release: Release, written: Written) -> None:
        """Store the file of a release."""
        if release is self._session.applied.release:
            self._release, self._written = release, written
            self.changed.emit()

    def _on_release_changed(self, release: Release | None) -> None:
        if self._written is not None and release is not self._release:
            self._release = self._written = None
            self.changed.emit()
