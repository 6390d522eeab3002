"""A dialog in which something is tried: one job at a time, its errors, and results beside it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QDialog, QWidget

from anonymizer_gui.theming import scaled
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.job_strip import JobStrip

_SIZE, _LEAST, _AROUND = (1180, 760), (880, 560), 24


class TrialDialog(QDialog):
    """Holds the banner and the job strip; what is laid out around them is up to the dialog."""

    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModal(True)
        self.banner = ErrorBanner()
        self.job = JobStrip()
        self.job.cancel_requested.connect(self.cancel_requested)
        self._fit(parent)

    @property
    def is_running(self) -> bool:
        """Whether a job is under way."""
        return not self.job.isHidden()

    def show_busy(self, text: str) -> None:
        """A job begins, or with an empty text has ended."""
        if text:
            self.banner.hide()
            self.job.start(text)
        else:
            self.job.finish()

    def reject(self) -> None:
        """Closing takes a job under way with it."""
        self.cancel_requested.emit()
        super().reject()

    def _fit(self, parent: QWidget | None) -> None:
        """As large as the window behind allows."""
        self.setMinimumSize(scaled(_LEAST[0]), scaled(_LEAST[1]))
        wanted = QSize(scaled(_SIZE[0]), scaled(_SIZE[1]))
        if parent is not None:
            room = parent.window().size() - QSize(2 * _AROUND, 2 * _AROUND)
            self.setMinimumSize(self.minimumSize().boundedTo(room))
            wanted = wanted.boundedTo(room)
        self.resize(wanted)
