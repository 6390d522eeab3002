"""Dialogs as tall as their wrapped text needs, within the screen, and questions with answers as buttons."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QLayout, QPushButton, QWidget
from shiboken6 import isValid

from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import STRETCH, Part, hbox, named, vbox
from anonymizer_gui.widgets.scroll_body import ScrollBody


class FittedDialog(QDialog):
    """Fits its height to the content when shown and on `fit`."""

    def fit(self) -> None:
        """Grow if the content needs more room; a larger dialog keeps its size."""
        if not self.isVisible():
            return  # it is fitted when shown; before, it has neither style nor fonts
        layout = self.layout()
        assert layout is not None
        for body in self.findChildren(ScrollBody):
            body.settle()
        layout.activate()
        self._grow()

    def sizeHint(self) -> QSize:
        """Return the size with wrapped lines, which Qt counts as one line each."""
        layout = self.layout()
        assert layout is not None
        width = max(layout.sizeHint().width(), self.minimumWidth())
        return QSize(width, layout.totalHeightForWidth(width))

    def setVisible(self, visible: bool) -> None:
        """Get style and fonts before Qt derives the first size from the content."""
        if visible and not self.isVisible():
            self.ensurePolished()
            for widget in self.findChildren(QWidget):
                widget.updateGeometry()
            for layout in self.findChildren(QLayout):
                layout.invalidate()
        super().setVisible(visible)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.fit()

    def event(self, event: QEvent) -> bool:
        is_handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest and self.isVisible():
            self._grow()  # cards inside measure changed texts only now
        return is_handled

    def _grow(self) -> None:
        self.resize(self.size().expandedTo(self.sizeHint()).boundedTo(room_for(self)))


class AskingDialog(FittedDialog):
    """Column of parts with Cancel and a button that accepts below them.

    It stays open if the input is not valid.
    """

    def __init__(self, name: str, title: str, accept_text: str, width: int, parent: QWidget | None) -> None:
        """Create the dialog; `name` is its object name and `width` its minimum at font scale 1."""
        super().__init__(parent)
        self.setObjectName(name)
        self.setWindowTitle(title)
        self.setMinimumWidth(scaled(width))
        self.accept_button = make_button(accept_text, "acceptButton", kind="primary")
        self.accept_button.setDefault(True)
        self.accept_button.clicked.connect(self._on_accept_clicked)

    def lay_out(self, *parts: Part, spacing: int = 12) -> None:
        """Lay out the parts; called once by the subclass."""
        cancel = make_button(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        buttons = button_row(cancel, self.accept_button)
        body = ScrollBody(vbox(*parts, STRETCH, spacing=spacing, margins=(16, 16, 16, 0)), is_fitted=True)
        vbox((body, 1), hbox(buttons, margins=(16, 0, 16, 16)), spacing=spacing, margins=0, of=self)

    def ask(self) -> None:
        """Open the dialog, which is deleted once it is closed."""
        self.finished.connect(self.deleteLater)
        self.open()

    def submit(self) -> bool:
        """Emit the input; return False if it is not valid, which the parts show."""
        raise NotImplementedError

    def _on_accept_clicked(self) -> None:
        if self.submit():
            self.accept()
        else:
            self.fit()  # the error text needs room


class ForeseeingDialog(AskingDialog):
    """Has a line for what its input would lead to, which the presenter shows when the input changes."""

    input_changed = Signal(object)  # None while it is not valid

    def __init__(self, name: str, title: str, accept: str, width: int, parent: QWidget | None = None) -> None:
        super().__init__(name, title, accept, width, parent)
        # its text keeps its place
        self.consequence = named(make_label("\u00a0", Text.CELL_STRONG, wraps=True), "consequenceLine")

    def wanted(self) -> object:
        """Return the input, or None if it is not valid."""
        raise NotImplementedError

    def show_consequence(self, text: str) -> None:
        """Show what the input would lead to."""
        self.consequence.setText(text or "\u00a0")
        self.consequence.show()
        self.fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._on_changed()

    def _on_changed(self) -> None:
        if self.isVisible():
            self.input_changed.emit(self.wanted())


_SMALLEST = QSize(1280, 720)  # of a usual window
_AROUND = 24  # of the window behind that stays visible


def room_for(dialog: QDialog) -> QSize:
    """Return the largest size of a dialog, which leaves some of the window behind visible."""
    behind = dialog.parentWidget()
    whole = _SMALLEST if behind is None else behind.window().size().expandedTo(_SMALLEST)
    return whole - QSize(2 * _AROUND, 2 * _AROUND)


def take_room(dialog: QDialog, wanted: QSize) -> None:
    """Give a dialog its preferred size, at most that of the window behind, at least its minimum."""
    dialog.resize(wanted.boundedTo(room_for(dialog)).expandedTo(dialog.minimumSize()))


_WIDTH = 460


class Question(FittedDialog):
    """Shows a question with one line of consequence; `ask` returns the chosen answer."""

    def __init__(self, name: str, title: str, question: str, consequence: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setWindowTitle(title)
        self.setMinimumWidth(scaled(_WIDTH))
        self.question, self.consequence = question, consequence
        self.answers: dict[str, QPushButton] = {}  # buttons by key
        self._chosen = ""

    def add_answer(self, key: str, text: str, *, kind: str = "", is_default: bool = False) -> None:
        """Add a button; the default one is chosen with Return."""
        button = make_button(text, f"{key}Answer", kind=kind)
        button.clicked.connect(lambda: self._choose(key))
        button.setDefault(is_default)
        self.answers[key] = button

    def ask(self) -> str:
        """Return the key of the chosen answer; empty if the user cancelled."""
        cancel = make_button(self.tr("Cancel"), "cancelAnswer")
        cancel.clicked.connect(self.reject)
        self.answers["cancel"] = cancel
        if not any(button.isDefault() for button in self.answers.values()):
            cancel.setDefault(True)
        vbox(
            make_label(self.question, Text.TITLE, wraps=True),
            make_label(self.consequence, Text.CELL, "text_2", wraps=True),
            button_row(*self.answers.values()),
            spacing=12,
            margins=16,
            of=self,
        )
        next(button for button in self.answers.values() if button.isDefault()).setFocus()
        self.exec()
        if isValid(self):  # else it was deleted with its parent
            self.deleteLater()
        return self._chosen

    def _choose(self, key: str) -> None:
        self._chosen = key
        self.accept()
