"""Cards over a window that stay or that go, and sheets at the right edge of a page."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QDialog, QFrame, QSplitter, QWidget
from shiboken6 import isValid

from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import make_icon_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.labels import ElidedLabel
from anonymizer_gui.widgets.layouts import STRETCH, Part, hbox, named, vbox


class PassingCard(Card):
    """Goes by Escape or its button."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """Create a hidden card; `name` begins its object names."""
        super().__init__(parent=parent)
        self.setObjectName(f"{name}Card")
        self.setAutoFillBackground(True)
        self._close = make_icon_button("x", self.tr("Close"), f"{name}Close")
        self._close.clicked.connect(self.leave)
        self.add_tool(self._close)
        self.hide()

    def leave(self) -> None:
        """Hide the card, as Escape does."""
        self.hide()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        else:
            super().keyPressEvent(event)


class FloatingCard(PassingCard):
    """Keeps its corner of the window."""

    def __init__(self, name: str, width: int, margin: int, parent: QWidget) -> None:
        """Create a hidden card; `width` is meant at font scale 1."""
        super().__init__(name, parent)
        self._wanted, self._margin = width, margin
        parent.installEventFilter(self)

    def show_on_top(self) -> None:
        """Show the card in its corner."""
        self.show()
        self._place()
        self.raise_()

    def corner(self, room: QSize, size: QSize) -> QPoint:
        """Return the upper left corner of a card of some size in a window."""
        raise NotImplementedError

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


_MARGIN = 8


class SideSheet(QDialog):
    """Covers the right edge of its page over the full height; Escape and the button close it.

    A page has one sheet at a time: showing another closes the first.
    """

    def __init__(self, name: str, title: str, width: int, page: QWidget) -> None:
        """Create the sheet; `name` is its object name and `width` its width at font scale 1."""
        super().__init__(page)
        self.setWindowFlags(Qt.WindowType.Widget)  # the constructor would make it a window
        self.setObjectName(name)
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setProperty("sheet", "true")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._page, self._wanted = page, width
        self._before: QWidget | None = None  # holder of the focus before the sheet opened
        self._title = ElidedLabel(title, Text.TITLE)
        self.close_button = make_icon_button("x", self.tr("Close"), f"close{name[:1].upper()}{name[1:]}")
        self.close_button.clicked.connect(self.reject)
        page.installEventFilter(self)

    def lay_out(self, *parts: Part) -> None:
        """Lay out the parts below the title; called once by the subclass."""
        head = hbox((self._title, 1), STRETCH, self.close_button, spacing=8)
        vbox(head, *parts, spacing=8, margins=(12, 8, 12, 12), of=self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._page and event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def showEvent(self, event: QShowEvent) -> None:
        if not event.spontaneous():
            self._close_others()
            self._before = QApplication.focusWidget()
        super().showEvent(event)
        self._place()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        before, self._before = self._before, None
        if before is not None and isValid(before) and before.isVisible():
            before.setFocus(Qt.FocusReason.OtherFocusReason)

    def _close_others(self) -> None:
        for other in self._page.findChildren(SideSheet, options=Qt.FindChildOption.FindDirectChildrenOnly):
            if other is not self and not other.isHidden():
                other.reject()

    def _place(self) -> None:
        room = self._page.rect()
        width = min(scaled(self._wanted), room.width() - 2 * _MARGIN)
        self.setGeometry(QRect(room.right() + 1 - width, room.top(), width, room.height()))
        self.raise_()


class Drawer(SideSheet):
    """Holds the last part of a splitter in a narrow page: a sheet that a button opens and Escape closes."""

    def __init__(
        self, name: str, title: str, width: int, page: QWidget, splitter: QSplitter, panel: QWidget
    ) -> None:
        """Create the closed drawer; see `SideSheet`. Its `button` belongs to the right of the splitter."""
        super().__init__(name, title, width, page)
        self._splitter, self._panel = splitter, panel
        self.lay_out()
        words = self.tr("Show: {title}").format(title=title)
        self.button = make_icon_button("chevron-left", words, f"open{name[:1].upper()}{name[1:]}")
        self.button.clicked.connect(self._open)
        self.button.hide()
        self.hide()

    def _open(self) -> None:
        self.show()
        self.close_button.setFocus(Qt.FocusReason.PopupFocusReason)

    def take_in(self, *, is_narrow: bool) -> None:
        """Put the panel into the drawer of a narrow page, or back into the splitter."""
        if is_narrow is self.isAncestorOf(self._panel):
            return
        self.button.setVisible(is_narrow)
        if is_narrow:
            layout = self.layout()
            assert layout is not None
            layout.addWidget(self._panel)
        else:
            self.reject()
            self._splitter.addWidget(self._panel)
        self._panel.show()
