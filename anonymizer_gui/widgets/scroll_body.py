"""Scrolling body for cards in a low window."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QLayout, QScrollArea, QWidget

from anonymizer_gui.theming import theme_manager

_BAR = 10


class ScrollBody(QScrollArea):
    """Scrolls vertically only and is never narrower than its content."""

    def __init__(self, layout: QLayout, least_width: int) -> None:
        super().__init__()
        self._least_width = least_width
        inside = QWidget()
        inside.setProperty("scrolled", "true")
        inside.setLayout(layout)
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        theme_manager().theme_changed.connect(self.updateGeometry)

    def minimumSizeHint(self) -> QSize:
        inside: QWidget | None = self.widget()
        width = inside.minimumSizeHint().width() if inside is not None else 0
        return QSize(max(width + _BAR, self._least_width), super().minimumSizeHint().height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest and watched is self.widget():
            self.updateGeometry()
        return super().eventFilter(watched, event)


def scrolled(layout: QLayout, least_width: int = 0) -> ScrollBody:
    """Return a layout in a scrolling body."""
    return ScrollBody(layout, least_width)
