"""Card with the result of *Get a first release*: four lines, or the reason for no release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QGridLayout, QPushButton, QWidget

from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.icon_label import IconLabel
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named, vbox
from engine.words import _

_WIDTH, _MARGIN, _TOP = 460, 12, 84


@dataclass(frozen=True)
class CardLine:
    """One line: icon, colour token, subject and text."""

    icon: str
    token: str
    title: str
    text: str


class FirstReleaseCard(Card):
    """Card at the top right of the window; closed by the user or when it is out of date."""

    explore_requested = Signal()
    risk_requested = Signal()
    export_requested = Signal()
    undo_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent=parent)
        self.setObjectName("firstReleaseCard")
        self.setAutoFillBackground(True)
        self.lines: tuple[CardLine, ...] = ()  # lines of the card
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(2, 1)
        self.explore_button = self._button(self.tr("Explore"), _("Explore"), self.explore_requested)
        self.risk_button = self._button(self.tr("Analyze risk"), _("Risk"), self.risk_requested)
        self.export_button = self._button(self.tr("Export…"), _("Export"), self.export_requested)
        self.undo_button = self._button(self.tr("Undo"), _("Undo"), self.undo_requested)
        buttons = hbox(
            self.explore_button, self.risk_button, self.export_button, STRETCH, self.undo_button, spacing=8
        )
        self.set_body(vbox(self._grid, STRETCH, buttons, spacing=12))
        close = named(make_icon_button("x", self.tr("Close")), "firstReleaseClose")
        close.clicked.connect(self.hide)
        self.add_tool(close)
        parent.installEventFilter(self)
        self.hide()

    def show_lines(self, title: str, lines: Sequence[CardLine], *, has_release: bool) -> None:
        """Show the result; without a release the buttons for export and results are hidden."""
        self.set_title(title)
        self.lines = tuple(lines)
        while self._grid.count():
            item = self._grid.takeAt(0)
            if item is not None and (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for row, line in enumerate(lines):
            words = make_label(line.text, Text.CELL)
            words.setWordWrap(True)
            words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            top = Qt.AlignmentFlag.AlignTop
            self._grid.addWidget(IconLabel(line.icon, 16, line.token), row, 0, top)
            self._grid.addWidget(make_label(line.title, Text.CELL_STRONG), row, 1, top)
            self._grid.addWidget(words, row, 2, top)
        for button in (self.explore_button, self.risk_button, self.export_button):
            button.setVisible(has_release)
        self.show()
        self._place()
        self.raise_()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def _button(self, text: str, name: str, wish: object) -> QPushButton:
        button = named(make_button(text, small=True), f"firstRelease{name}")
        button.clicked.connect(wish)
        return button

    def _place(self) -> None:
        parent = self.parentWidget()
        assert parent is not None
        width = min(scaled(_WIDTH), parent.width() - 2 * _MARGIN)
        layout = self.layout()
        assert layout is not None
        self.setFixedWidth(width)
        layout.activate()
        height = self.heightForWidth(width)
        self.setGeometry(parent.width() - width - _MARGIN, scaled(_TOP), width, height)
