"""Cards over a window: one that stays, such as that of the tour, and one that a click outside closes."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QWidget

from anonymizer_gui.theming import scaled
from anonymizer_gui.widgets.buttons import make_icon_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.layouts import named


class FloatingCard(Card):
    """Keeps its corner of the window; Escape and a button leave it."""

    def __init__(self, name: str, width: int, margin: int, parent: QWidget) -> None:
        """Create a hidden card; `name` begins its object names, `width` is meant at font scale 1."""
        super().__init__(parent=parent)
        self.setObjectName(f"{name}Card")
        self.setAutoFillBackground(True)
        self._wanted, self._margin = width, margin
        self._close = make_icon_button("x", self.tr("Close"), f"{name}Close")
        self._close.clicked.connect(self.leave)
        self.add_tool(self._close)
        parent.installEventFilter(self)
        self.hide()

    def leave(self) -> None:
        """Hide the card, as Escape does."""
        self.hide()

    def show_on_top(self) -> None:
        """Show the card in its corner."""
        self.show()
        self._place()
        self.raise_()

    def corner(self, room: QSize, size: QSize) -> QPoint:
        """Return the upper left corner of a card of some size in a window."""
        raise NotImplementedError

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        parent, layout = self.parentWidget(), self.layout()
        assert parent is not None
        assert layout is not None
        width = min(scaled(self._wanted), parent.width() - 2 * self._margin)
        self.setFixedWidth(width)
        layout.activate()
        self.resize(width, self.heightForWidth(width))
        self.move(self.corner(parent.size(), self.size()))


class Popup(QFrame):
    """Escape or a click outside closes it."""

    def __init__(self, name: str, title: str, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("card", "true")
        named(self, name, title)

    def settle(self, width: int) -> None:
        """Take a width, and the height that the content needs."""
        layout = self.layout()
        assert layout is not None
        layout.activate()
        self.setFixedWidth(width)
        self.resize(width, self.sizeHint().height())
