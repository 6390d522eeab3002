"""Dialogs as high as their wrapped lines need, and those of them that ask for something."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QWidget

from anonymizer_gui.theming import scaled
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.layouts import STRETCH, Part, named, vbox


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


class AskingDialog(FittedDialog):
    """Parts one below the other, below them Cancel and the button that accepts.

    It stays open while something cannot be accepted.
    """

    def __init__(
        self, name: str, title: str, accept_text: str, width: int, parent: QWidget | None = None
    ) -> None:
        """`name` is that of the object; `width` is the least, at font scale 1."""
        super().__init__(parent)
        self.setObjectName(name)
        self.setWindowTitle(title)
        self.setMinimumWidth(scaled(width))
        self.accept_button = named(make_button(accept_text, kind="primary"), "acceptButton")
        self.accept_button.setDefault(True)
        self.accept_button.clicked.connect(self._on_accept_clicked)

    def lay_out(self, *parts: Part, spacing: int = 12) -> None:
        """Put the parts in; once, by the subclass."""
        cancel = make_button(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        buttons = button_row(cancel, self.accept_button)
        vbox(*parts, STRETCH, buttons, spacing=spacing, margins=16, of=self)

    def submit(self) -> bool:
        """Emit what is chosen; False where it cannot be accepted, which the parts say."""
        raise NotImplementedError

    def _on_accept_clicked(self) -> None:
        if self.submit():
            self.accept()
        else:
            self.fit()  # what is wrong takes room of its own
