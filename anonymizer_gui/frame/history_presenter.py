"""List of undo steps, from which the user selects the step to return to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QIcon, QKeyEvent, QPainter, QPixmap
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QWidget

from anonymizer_gui.frame.perspective_bar import PerspectiveBar
from anonymizer_gui.models.node_name import NamedNode, named_in, node_name
from anonymizer_gui.session import Session
from anonymizer_gui.theming import Text, current_theme, font, icon, scaled, theme_manager
from anonymizer_gui.widgets.floating_card import Popup
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import named, vbox
from anonymizer_gui.widgets.level_glyph import SMALL, draw_glyph, glyph_width

if TYPE_CHECKING:
    from engine.project.pins_and_runs import Choice


class HistoryPresenter(QObject):
    """Connects the steps of the session with their list."""

    def __init__(self, window: QWidget, bar: PerspectiveBar, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._bar = session, bar
        self._list = HistoryList(window)
        self._list.steps.taken.connect(self._on_step_requested)

    def show_list(self) -> None:
        """Open the list below its button; while a draft is edited it has the steps of the draft."""
        if self._session.project is None:
            return
        self._show()
        self._list.open_below(self._bar.history_corner())

    def _show(self) -> None:
        session = self._session
        title = self.tr("History of this draft") if session.history.is_drafting else self.tr("History")
        history = session.history
        steps = [
            self._step(text, choice) for text, choice in zip(history.texts, history.choices, strict=True)
        ]
        self._list.show_steps(title, steps, history.step, history.saved_step)

    def _step(self, text: str, choice: Choice | None) -> Step:
        """Return a step with the name of its node, and that itself if the lattice still has it."""
        if choice is None or choice.node is None:
            return text, None
        name, results = node_name(choice.node, choice.columns), self._session.results
        words = text if name in text else self.tr("{step}: {node}").format(step=text, node=name)
        problem = results.problem
        if problem is None or tuple(problem.names) != tuple(choice.columns):
            return words, None
        return words, named_in(choice.node, results)

    def _on_step_requested(self, step: int) -> None:
        self._session.go_to_step(step)
        self._show()


Step = tuple[str, NamedNode | None]  # its text, and its node
WIDTH, ROW, MOST_ROWS = 320, 26, 14
MARK, GAP, MARGIN, PADDING = 14, 6, 12, 24


class _Steps(QListWidget):
    """List view in which Enter works like a click."""

    taken = Signal(int)  # number of steps to keep applied

    def __init__(self) -> None:
        super().__init__()
        self.itemClicked.connect(lambda item: self.taken.emit(self.row(item)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.taken.emit(self.currentRow())
        else:
            super().keyPressEvent(event)


class HistoryList(Popup):
    """List of steps, each with the glyph of its node."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("historyList", self.tr("History"), parent)
        self.steps = named(_Steps(), "historySteps", self.tr("Steps, oldest first"))
        self.steps.setFrameShape(QFrame.Shape.NoFrame)
        self.steps.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.steps.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.steps.setProperty("focus_ring", "inside")
        self._title = make_label("", Text.TITLE)
        vbox(self._title, self.steps, spacing=8, margins=(MARGIN, 10, MARGIN, 10), of=self)
        theme_manager().theme_changed.connect(self.hide)

    def show_steps(self, title: str, steps: Sequence[Step], step: int, saved: int) -> None:
        """Show the steps; `step` are applied, `saved` are in the file (-1 for none)."""
        self._title.setText(title)
        theme = current_theme()
        glyphs = [node.glyph for _words, node in steps if node is not None]
        room = max((glyph_width(len(glyph.levels), SMALL) + GAP for glyph in glyphs), default=0)
        self.steps.setIconSize(QSize(MARK + room, max(MARK, scaled(SMALL.height))))
        self.steps.clear()
        for number, (text, node) in enumerate(((self.tr("Start"), None), *steps)):
            words = self.tr("{text} (saved)").format(text=text) if number == saved else text
            item = QListWidgetItem(words)
            item.setToolTip(words if node is None else f"{words}\n{node.details}")
            item.setSizeHint(QSize(0, scaled(ROW)))
            item.setFont(font(Text.CELL_STRONG if number == step else Text.CELL))
            item.setForeground(QColor(theme.text_3 if number > step else theme.text))
            item.setIcon(QIcon(self._marks(node, is_current=number == step)))
            self.steps.addItem(item)
        self.steps.setCurrentRow(step)
        rows = min(self.steps.count(), MOST_ROWS)
        self.steps.setFixedHeight(rows * scaled(ROW) + 2)
        self.steps.scrollToItem(self.steps.item(step))

    def _marks(self, node: NamedNode | None, *, is_current: bool) -> QPixmap:
        """Return the mark of the current step next to the glyph of a node."""
        ratio, size = self.devicePixelRatioF(), self.steps.iconSize()
        picture = QPixmap(size * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        if is_current:
            place = QRect(0, (size.height() - MARK) // 2, MARK, MARK)
            icon("check", MARK, "accent").paint(painter, place)
        if node is not None:
            corner = QPointF(MARK + GAP, (size.height() - scaled(SMALL.height)) // 2)
            draw_glyph(painter, corner, node.glyph, SMALL)
        painter.end()
        return picture

    def _needed_width(self) -> int:
        """Return the width at which no step is elided."""
        rows = (self.steps.item(row) for row in range(self.steps.count()))
        text = max(QFontMetrics(item.font()).horizontalAdvance(item.text()) for item in rows)
        bar = self.steps.verticalScrollBar().sizeHint().width()
        return text + self.steps.iconSize().width() + bar + 2 * MARGIN + scaled(PADDING)

    def texts(self) -> list[str]:
        """Return the texts of the list."""
        return [self.steps.item(row).text() for row in range(self.steps.count())]

    def open_below(self, corner: QPoint) -> None:
        """Open with the upper right corner at a point."""
        parent = self.parentWidget()
        assert parent is not None
        self.settle(min(max(scaled(WIDTH), self._needed_width()), parent.width() - 2 * MARGIN))
        self.move(corner - QPoint(self.width(), 0))
        self.show()
        self.steps.setFocus(Qt.FocusReason.PopupFocusReason)
