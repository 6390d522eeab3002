"""A dialog as high as its wrapped lines need."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog


class FittedDialog(QDialog):
    """Fits its content when it is shown, and whenever `fit` is told that lines have come."""

    def fit(self) -> None:
        """Grow where the content needs more room; a larger dialog stays as the person left it."""
        layout = self.layout()
        assert layout is not None
        layout.activate()
        self.resize(self.size().expandedTo(self.sizeHint()))

    def sizeHint(self) -> QSize:
        """A dialog's own hint takes wrapped lines for one line each."""
        layout = self.layout()
        assert layout is not None
        width = max(layout.sizeHint().width(), self.minimumWidth())
        return QSize(width, layout.totalHeightForWidth(width))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.fit()
