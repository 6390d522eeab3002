"""Where a node is found by its vector; what cannot be read is explained right below."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.labels import make_label, set_style_property
from anonymizer_gui.widgets.search_field import SearchField

KEYS = "Ctrl+L"
_WIDTH, _LEAST_WIDTH, _WIDEST_PROBLEM = 150, 76, 340


class FindField(SearchField):
    """Enter asks for the node typed; Escape gives up."""

    find_requested = Signal(str)
    left = Signal()  # by Escape, the keyboard should go back to the nodes

    def __init__(self, home: QWidget) -> None:
        """`home` is the card over which a problem is explained, and within which the shortcut is heard."""
        super().__init__()
        self.setObjectName("findNode")
        self.setProperty("compact", "true")
        self.setPlaceholderText(self.tr("Find node, 0 3 0 …"))
        self.setAccessibleName(self.tr("Find a node by its levels"))
        self.setToolTip(self.tr("Levels in the order of the columns, then Enter ({0})").format(KEYS))
        self._home = home
        self._problem = make_label("", Text.CELL, "danger", wraps=True, parent=home)
        self._problem.setObjectName("findProblem")
        self._problem.setProperty("tag", "true")
        self._problem.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._problem.hide()
        self.textEdited.connect(lambda _text: self.show_problem(""))
        shortcut = QShortcut(QKeySequence(KEYS), home)
        shortcut.activated.connect(self._on_wanted)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_problem(self, problem: str) -> None:
        """Say below the field what is wrong with the text; empty takes it back."""
        set_style_property(self, "invalid", "true" if problem else "false")
        self.setAccessibleDescription(problem)
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        self._place_problem()

    @property
    def problem(self) -> str:
        """What is explained now."""
        return self._problem.text()

    def sizeHint(self) -> QSize:
        return QSize(scaled(_WIDTH), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(_LEAST_WIDTH), super().minimumSizeHint().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.text().strip():
                self.find_requested.emit(self.text())
        elif event.key() == Qt.Key.Key_Escape:
            self.clear()
            self.show_problem("")
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.ActiveWindowFocusReason:
            self.show_problem("")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_problem()

    def _on_wanted(self) -> None:
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.selectAll()

    def _place_problem(self) -> None:
        if not self._problem.isVisible():
            return
        room = min(scaled(_WIDEST_PROBLEM), self._home.width() - 16)
        self._problem.setFixedWidth(room)
        self._problem.setFixedHeight(self._problem.heightForWidth(room))
        below = self.mapTo(self._home, QPoint(0, self.height() + 6))
        self._problem.move(max(min(below.x(), self._home.width() - room - 8), 8), below.y())
        self._problem.raise_()
