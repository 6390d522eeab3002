"""A body that scrolls, around content that is higher where it is wider."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.widgets.scroll_body import ScrollBody


class Restless(QWidget):
    """Needs the bar without it, and not with it."""

    def minimumSizeHint(self) -> QSize:
        return QSize(50, 500 if self.width() > 290 else 150)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.updateGeometry()


def test_content_that_never_comes_to_rest_is_fitted_a_few_times(qtbot: QtBot) -> None:
    layout = QVBoxLayout()
    layout.setContentsMargins(0, 0, 0, 0)
    layout.addWidget(Restless())
    body = ScrollBody(layout)
    qtbot.addWidget(body)
    body.resize(300, 200)
    body.show()
    qtbot.wait(50)
    body.resize(300, 600)
    qtbot.waitUntil(lambda: body.widget().height() == 600)
