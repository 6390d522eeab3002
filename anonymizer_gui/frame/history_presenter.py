"""List of undo steps, from which the user selects the step to return to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QIcon, QKeyEvent, QPainter, QPixmap
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QWidget

from anonymizer_gui.frame.perspective_bar import PerspectiveBar
from anonymizer_gui.models.node_name import named_in, node_name
from anonymizer_gui.session import Session
from anonymizer_gui.theming import Text, current_theme, font, icon, scaled, theme_manager
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import named, vbox
from anonymizer_gui.widgets.level_glyph import SMALL, Glyph, draw_glyph, glyph_width

if TYPE_CHECKING:
    from engine.project.pins_and_runs import Choice


class HistoryPresenter(QObject):
    """Connects the steps of the session with their list."""

    def __init__(self, window: QWidget, bar: PerspectiveBar, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._bar = session, bar
        self._list = HistoryList(window)
        self._list.step_requested.connect(self._on_step_requested)

    def actions(self) -> Mapping[str, Callable[[], object]]:
        """Handlers of menu entries by id."""
        return {"history": self.show_list}

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

    def _step(self, text: str, choice: Choice | None) -> StepLine:
        """Return a step with the name of its node, and its glyph if the lattice still has it."""
        if choice is None or choice.node is None:
            return StepLine(text)
        name, results = node_name(choice.node, choice.columns), self._session.results
        words = text if name in text else self.tr("{step}: {node}").format(step=text, node=name)
        problem = results.problem
        if problem is None or tuple(problem.names) != tuple(choice.columns):
            return StepLine(words)
        named = named_in(choice.node, results)
        return StepLine(words) if named is None else StepLine(words, named.details, named.glyph)

    def _on_step_requested(self, step: int) -> None:
        self._session.go_to_step(step)
        self._show()


WIDTH, ROW, MOST_ROWS = 320, 26, 14
MARK, GAP, MARGIN, PADDING = 14, 6, 12, 24


@dataclass(frozen=True)
class StepLine:
    """Text of a step; details and glyph of its node, if it has one."""

    text: str
    details: str = ""
    glyph: Glyph | None = None


class _Steps(QListWidget):
    """List view in which Enter works like a click."""

    taken = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.itemClicked.connect(lambda item: self.taken.emit(self.row(item)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.taken.emit(self.currentRow())
        else:
            super().keyPressEvent(event)


class HistoryList(QFrame):
    """Popup with the steps; Escape or a click outside closes it."""

    step_requested = Signal(int)  # number of steps to keep applied

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("historyList")
        self.setProperty("card", "true")
        self.setAccessibleName(self.tr("History"))
        self._steps = named(_Steps(), "historySteps", self.tr("Steps, oldest first"))
        self._steps.setFrameShape(QFrame.Shape.NoFrame)
        self._steps.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._steps.setTextElideMode(Qt.TextElideMode.ElideRight)
        self._steps.setProperty("focus_ring", "inside")
        self._steps.taken.connect(self.step_requested)
        self._title = make_label("", Text.TITLE)
        vbox(self._title, self._steps, spacing=8, margins=(MARGIN, 10, MARGIN, 10), of=self)
        theme_manager().theme_changed.connect(self.hide)

    def show_steps(self, title: str, steps: Sequence[StepLine], step: int, saved: int) -> None:
        """Show the steps; `step` are applied, `saved` are in the file (-1 for none)."""
        self._title.setText(title)
        theme = current_theme()
        glyphs = [line.glyph for line in steps if line.glyph is not None]
        room = max((glyph_width(len(glyph.levels), SMALL) + GAP for glyph in glyphs), default=0)
        self._steps.setIconSize(QSize(MARK + room, max(MARK, scaled(SMALL.height))))
        self._steps.clear()
        for number, line in enumerate((StepLine(self.tr("Start")), *steps)):
            words = self.tr("{text} (saved)").format(text=line.text) if number == saved else line.text
            item = QListWidgetItem(words)
            item.setToolTip(f"{words}\n{line.details}" if line.details else words)
            item.setSizeHint(QSize(0, scaled(ROW)))
            item.setFont(font(Text.CELL_STRONG if number == step else Text.CELL))
            item.setForeground(QColor(theme.text_3 if number > step else theme.text))
            item.setIcon(QIcon(self._marks(line.glyph, is_current=number == step)))
            self._steps.addItem(item)
        self._steps.setCurrentRow(step)
        rows = min(self._steps.count(), MOST_ROWS)
        self._steps.setFixedHeight(rows * scaled(ROW) + 2)
        self._steps.scrollToItem(self._steps.item(step))

    def _marks(self, glyph: Glyph | None, *, is_current: bool) -> QPixmap:
        """Return the mark of the current step beside the glyph of a node."""
        ratio, size = self.devicePixelRatioF(), self._steps.iconSize()
        picture = QPixmap(size * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        if is_current:
            place = QRect(0, (size.height() - MARK) // 2, MARK, MARK)
            icon("check", MARK, "accent").paint(painter, place)
        if glyph is not None:
            draw_glyph(
                painter, QPointF(MARK + GAP, (size.height() - scaled(SMALL.height)) // 2), glyph, SMALL
            )
        painter.end()
        return picture

    def _needed_width(self) -> int:
        """Return the width at which no step is elided."""
        rows = (self._steps.item(row) for row in range(self._steps.count()))
        text = max(QFontMetrics(item.font()).horizontalAdvance(item.text()) for item in rows)
        bar = self._steps.verticalScrollBar().sizeHint().width()
        return text + self._steps.iconSize().width() + bar + 2 * MARGIN + scaled(PADDING)

    def texts(self) -> list[str]:
        """Return the texts of the list."""
        return [self._steps.item(row).text() for row in range(self._steps.count())]

    def open_below(self, corner: QPoint) -> None:
        """Open with the upper right corner at a point."""
        layout = self.layout()
        assert layout is not None
        layout.activate()
        parent = self.parentWidget()
        assert parent is not None
        self.setFixedWidth(min(max(scaled(WIDTH), self._needed_width()), parent.width() - 2 * MARGIN))
        self.resize(self.width(), self.sizeHint().height())
        self.move(corner - QPoint(self.width(), 0))
        self.show()
        self._steps.setFocus(Qt.FocusReason.PopupFocusReason)
