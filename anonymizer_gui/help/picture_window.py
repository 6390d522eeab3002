"""Window with a picture of the help in its full size."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QDialog, QFrame, QLabel, QScrollArea, QWidget

from anonymizer_gui.widgets.layouts import vbox


class PictureWindow(QDialog):
    """Shows one picture, scrolled if the screen is smaller, until Escape closes it."""

    def __init__(self, path: Path, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("helpPicture")
        self.setWindowTitle(title)
        self.setModal(False)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.picture = QLabel()
        self.picture.setPixmap(QPixmap(str(path)))
        self.picture.setAccessibleName(title)
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidget(self.picture)
        vbox(area, margins=0, of=self)
        size = self.picture.sizeHint()
        self.resize(size.boundedTo(self.screen().availableGeometry().size()))
