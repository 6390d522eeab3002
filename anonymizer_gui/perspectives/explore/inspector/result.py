"""What a node means to somebody who releases it: three numbers, one record before and after, alternatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.perspectives.explore.inspector.line_grid import LineGrid
from anonymizer_gui.perspectives.explore.inspector.parts import LineButton
from anonymizer_gui.perspectives.explore.inspector.record import LINE, RecordPart
from anonymizer_gui.perspectives.explore.inspector.section import Section
from anonymizer_gui.theming import Text, font, paint_text, scaled
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from anonymizer_gui.widgets.drawn import Drawn, FitsRoom
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named, vbox
from anonymizer_gui.widgets.level_glyph import MIDDLE, SMALL, Glyph, draw_glyph, fitting, glyph_width

_ROW, _FIGURE, _CAPTION = 42, 30, 14  # px of an alternative, a number
_GLYPH = 96  # px of levels, at most
_WRAPPED = int(Qt.TextFlag.TextWordWrap)


@dataclass(frozen=True)
class Figure:
    """A number with what it is."""

    value: str
    caption: str


@dataclass(frozen=True)
class Choice:
    """An alternative, or a change of the requirement, in words.

    Attributes
    ----------
    target : object
        What is chosen: a node, or any other value the presenter knows.
    glyph : Glyph
        Levels of the node; empty for others.
    title, gain : str
        What it is, and what is gained and given for it.
    price : str
        Extra loss, or what a click does.
    """

    target: object
    glyph: Glyph
    title: str
    gain: str
    price: str


class ResultPart(FitsRoom, QWidget):
    """Parts from top to bottom; where the room is low, the record has its changed columns only.

    Attributes
    ----------
    record : RecordPart
    """

    shown = Signal()  # became visible
    chosen = Signal(object)  # target of a choice
    has_changes = False  # whether changes of the requirement are shown instead of a node

    def __init__(self) -> None:
        super().__init__()
        self.figures = [FigureLabel(key) for key in ("risk", "detail", "suppressed")]
        self.record = RecordPart("oneRecord")
        self.record.filled.connect(self._fit)
        self._choices = LineGrid(self._row, stretched=0)
        self._note = named(make_label("", Text.CELL, "text_3", wraps=True), "noAlternatives")
        record = Section(self.tr("One record"), self.record)
        record.add_tool(self.record.next_record)
        found = QWidget()
        vbox(self._note, self._choices, spacing=2, margins=0, of=found)
        self.sections = (record, Section("", found))
        self._head = QWidget()
        hbox(*((figure, 1) for figure in self.figures), spacing=8, margins=(12, 4, 12, 8), of=self._head)
        body = vbox(*self.sections, STRETCH, spacing=8, margins=(2, 4, 10, 4))
        vbox(self._head, (body, 1), spacing=0, margins=0, of=self)
        self.show_choices((), "")

    def show_figures(self, figures: Sequence[Figure]) -> None:
        """Show the highest risk, the detail kept and the suppressed records."""
        for label, figure in zip(self.figures, figures, strict=True):
            label.show_figure(figure)

    def show_choices(self, choices: Sequence[Choice], note: str) -> None:
        """Show alternatives, or why there are none."""
        self._show_list(self.tr("Alternatives"), choices, note, has_changes=False)

    def show_changes(self, changes: Sequence[Choice], note: str) -> None:
        """Show only what would let a node satisfy."""
        self._show_list(self.tr("No node satisfies"), changes, note, has_changes=True)

    def _show_list(self, title: str, choices: Sequence[Choice], note: str, *, has_changes: bool) -> None:
        self.has_changes = has_changes
        for part in (self._head, self.sections[0]):
            part.setVisible(not has_changes)
        self.sections[1].set_title(title)
        self._choices.show_lines([(choice,) for choice in choices])
        self._note.setText(note)
        self._note.setVisible(bool(note))
        self._fit()

    def rows(self) -> list[AlternativeRow]:
        """Return the alternatives shown."""
        return self._choices.widgets(hidden=False)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.shown.emit()

    def _fit(self) -> None:
        """Show all columns of the record if they fit without scrolling."""
        viewport = self.parentWidget()
        wanted = self.minimumSizeHint().height() + self.record.n_left_out * scaled(LINE)
        self.record.set_whole(viewport is None or wanted <= viewport.height())

    def _row(self) -> AlternativeRow:
        row = AlternativeRow()
        row.chosen.connect(self.chosen)
        return row


class FigureLabel(Drawn, QWidget):
    """A large number over its caption of two lines, or of more where it is narrow."""

    def __init__(self, key: str) -> None:
        super().__init__()
        self.figure = Figure("", "")
        self.setObjectName(f"figure.{key}")
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_figure(self, figure: Figure) -> None:
        """Show another number."""
        self.figure = figure
        self.setAccessibleName(f"{figure.value} {figure.caption}")
        self.setToolTip(figure.caption)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(scaled(70), self.heightForWidth(self.width()))

    def heightForWidth(self, width: int) -> int:
        metrics = QFontMetricsF(font(Text.CAPTION))
        wrapped = metrics.boundingRect(QRectF(0, 0, width, 1e4), _WRAPPED, self.figure.caption)
        return scaled(_FIGURE) + max(scaled(2 * _CAPTION), ceil(wrapped.height()))

    def draw(self, painter: ThemedPainter) -> None:
        value = QRectF(0, 0, self.width(), scaled(_FIGURE))
        paint_text(painter, value, self.figure.value, Text.FIGURE)
        painter.style(Text.CAPTION, "text_3")
        caption = QRectF(0, value.bottom(), self.width(), self.height() - value.bottom())
        painter.drawText(caption, _WRAPPED, self.figure.caption)


class AlternativeRow(LineButton):
    """An alternative in two lines; a click chooses it."""

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.choice: Choice | None = None
        self.clicked.connect(self._on_clicked)

    def sizeHint(self) -> QSize:
        return QSize(scaled(200), scaled(_ROW))

    def show_item(self, choice: Choice) -> None:
        """Show another alternative."""
        self.choice = choice
        spoken = "; ".join(filter(None, (choice.title, choice.gain, choice.price)))
        self.setText(choice.title)
        self.setAccessibleName(spoken)
        self.setToolTip(spoken.replace("; ", "\n"))
        self.update()

    def _on_clicked(self) -> None:
        if self.choice is not None:
            self.chosen.emit(self.choice.target)

    def draw(self, painter: ThemedPainter) -> None:
        choice, rect = self.choice, QRectF(self.rect())
        if choice is None:
            return
        self.draw_ground(painter)
        left, tone = 4.0, "accent_text"
        if choice.glyph.levels:
            glyph, size = fitting(choice.glyph, scaled(_GLYPH), (MIDDLE, SMALL))
            top = (rect.height() - scaled(size.height)) / 2
            draw_glyph(painter, QPointF(4, top), glyph, size, painter.theme)
            left, tone = 16.0 + max(glyph_width(len(glyph.levels), size), scaled(40)), "warn"
        painter.style(Text.CELL, tone, SEMI_BOLD)
        price = painter.fontMetrics().horizontalAdvance(choice.price) + 4
        line = rect.height() / 2 - 3
        upper = QRectF(left, 3, rect.width() - left - price - 8, line)
        paint_text(painter, upper, choice.title, Text.CELL_STRONG)
        ends = QRectF(rect.width() - price - 4, 3, price, line)
        paint_text(painter, ends, choice.price, Text.CELL, tone, is_right=True, weight=SEMI_BOLD)
        lower = QRectF(left, 3 + line, rect.width() - left - 4, line)
        paint_text(painter, lower, choice.gain, Text.CAPTION, "text_3")
