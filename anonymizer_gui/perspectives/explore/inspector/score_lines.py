"""Inspector parts for node words, requirement, metrics and neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QHelpEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from anonymizer_gui.models.node_name import LevelWords
from anonymizer_gui.perspectives.explore.inspector.line_grid import (
    CaptionedName,
    Item,
    LevelDots,
    LineGrid,
    bar,
    name,
    note,
    number,
    show_item,
)
from anonymizer_gui.perspectives.explore.inspector.values import ModelLine, Step, StepLine
from anonymizer_gui.perspectives.explore.metric_text import (
    has_unit_scale,
    is_shown_equal,
    metric_change,
    metric_exact,
    metric_name,
    metric_text,
    metric_title,
)
from anonymizer_gui.perspectives.explore.node_scores import NodeScores
from anonymizer_gui.theming import Text, follow_theme, font, paint_icon, paint_text, scaled
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.drawn import Drawn, FitsRoom, IconLabel
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import vbox
from anonymizer_gui.widgets.meter import Meter, draw_meter
from engine.numbers import as_exact_count
from engine.words import _

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.lattice import Node
    from engine.privacy import PrivacyModel


_NAME_WIDTH = 92
_LARGEST_GROWTH = 1.6
_BAR, _TICK = 8, 10  # px, of the bar of the optimized metric and the tick at the optimum
_ROOMY = 145  # px of width from which a meter is long


class WordLines(FitsRoom, LineGrid):
    """One line per attribute: its level as boxes, and its description."""

    def __init__(self) -> None:
        super().__init__(name(tone="text_2"), LevelDots, name(), stretched=2)

    def show_lines(self, lines: Sequence[Sequence[Item]]) -> None:
        super().show_lines(lines)
        self._fit()

    def _fit(self) -> None:
        # A name grows less than the text where the words need the room.
        width = min(scaled(_NAME_WIDTH), round(_LARGEST_GROWTH * _NAME_WIDTH))
        for widget in self.column(0):
            widget.setFixedWidth(width)


def requirement_grid() -> LineGrid:
    """Return lines of models: symbol, column and variant, measured value and threshold."""
    mark = partial(IconLabel, "check", 14, "ok")
    return LineGrid(mark, CaptionedName, number(), note, stretched=1, spacing=(4, 0))


class OneMetric(QWidget):
    """The metric that is optimized: a bar across its whole scale; the value is shown next to the title."""

    def __init__(self) -> None:
        super().__init__()
        self.value = make_label("", Text.CELL_STRONG)
        self._meter = Meter("", 24, bar=_BAR, tick=_TICK)
        self._meter.setMinimumWidth(0)
        self._meter.setMaximumWidth(_ANY_WIDTH)
        self._meter.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._meter.setFixedHeight(_TICK)
        vbox(self._meter, margins=0, of=self)

    def show_line(self, line: Sequence[Item]) -> None:
        """Show the metric of another node."""
        show_item(self._meter, line[1])
        show_item(self.value, replace(line[2], hint=line[0].hint))


class MetricLines(FitsRoom, LineGrid):
    """Metrics as bars over the range of the lattice, with the optimum as a tick."""

    def __init__(self) -> None:
        super().__init__(name(), bar, number(), stretched=0)

    def show_lines(self, lines: Sequence[Sequence[Item]]) -> None:
        super().show_lines(lines)
        self._fit()

    def _fit(self) -> None:
        width = scaled(24 if self.width() >= scaled(_ROOMY) else 16)
        for meter in self.column(1):
            meter.setFixedWidth(width)


_LONGEST = 7
_ANY_WIDTH = 16_777_215  # QWIDGETSIZE_MAX, which PySide6 does not export


MetricLine = tuple[Item, Item, Item]  # name, bar and value


def steps_from(
    node: Node,
    problem: Problem,
    scores: NodeScores,
    words: LevelWords,
    metric: str,
    optimum: Node | None = None,
) -> list[Step]:
    """Return all neighbours: predecessors first, then satisfying ones first, then by loss."""
    lattice = problem.lattice
    numbers = map(scores.scored_number, (node, *lattice.predecessors(node), *lattice.successors(node)))
    scores.know(number for number in numbers if number is not None)
    here, steps = scores.value(node), []
    for is_up, around in ((False, lattice.predecessors(node)), (True, lattice.successors(node))):
        for other in around:
            number, difference = scores.scored_number(other), scores.value(other) - here
            n_suppressed = None if number is None else int(scores.suppressed[number])
            q = next(i for i, (a, b) in enumerate(zip(node, other, strict=True)) if a != b)
            text = words.level(q, other[q])
            text = text if words.is_kept_or_hidden(q, other[q]) else _("to {level}").format(level=text)
            steps.append(
                Step(
                    other,
                    is_up,
                    f"{problem.attributes[q].name} {text}",
                    _("equal") if is_shown_equal(metric, difference) else metric_change(metric, difference),
                    _("not scored") if n_suppressed is None else as_exact_count(n_suppressed),
                    number is not None and bool(scores.satisfies[number]),
                    n_suppressed,
                    difference,
                    q,
                    other == optimum,
                )
            )
    return sorted(steps, key=_place)


def step_lines(node: Node, steps: Sequence[Step], problem: Problem, words: LevelWords) -> list[StepLine]:
    """Return one line per column, in their order."""
    found = {(step.attribute, step.is_up): step for step in steps}
    return [
        StepLine(
            attribute.name,
            found.get((q, False)),
            found.get((q, True)),
            words.level(q, node[q]) if not node[q] else _("not allowed"),
            words.level(q, node[q]) if words.is_hidden(q, node[q]) else _("not allowed"),
        )
        for q, attribute in enumerate(problem.attributes)
    ]


def metric_lines(
    node: Node,
    scores: NodeScores,
    metric: str,
    details: Mapping[str, Any] | None,
    where: str,
) -> list[MetricLine]:
    """Return the chosen metric, then the others if measured; `where` says which nodes the bars cover."""
    from engine.utility import utility_metrics

    arrays: dict[str, Any] = {metric: scores.values}
    arrays |= {key: values for key, values in (details or {}).items() if key in utility_metrics}
    number = scores.scored_number(node)
    lines = []
    for key, values in arrays.items():
        value = float("nan") if number is None else float(values[number])
        share, tick, low, high = _placed(values, number, scores.optimum)
        text = metric_text(key)
        among = _("{where} {low} to {high}").format(where=where, low=text(low), high=text(high))
        lines.append(metric_line(key, value, share or 0.0, tick, among))
    return lines


def optimized_line(node: Node, scores: NodeScores, metric: str) -> MetricLine:
    """Return the optimized metric on its whole scale: 0 to 1, without such a scale to the worst node."""
    number, known = scores.scored_number(node), scores.values[np.isfinite(scores.values)]
    worst = float(known.max()) if len(known) else 0.0
    top = 1.0 if has_unit_scale(metric) else worst or 1.0

    def share(of: int | None) -> float | None:
        value = float("nan") if of is None else float(scores.values[of])
        return value / top if np.isfinite(value) else None

    value = float("nan") if number is None else float(scores.values[number])
    ends = metric_text(metric)
    among = _("from {low} to {high}").format(low=ends(0.0), high=ends(top))
    return metric_line(metric, value, share(number), share(scores.optimum), among)


def metric_line(key: str, value: float, share: float | None, tick: float | None, among: str) -> MetricLine:
    """Return name, bar and value of a metric; `among` says which nodes its bar covers, or why it has none."""
    detail = f"{metric_title(key)}: {metric_exact(key, value)}; {among}"
    text = metric_text(key)(value)
    if len(text) > _LONGEST:  # large numbers without the decimals of a column
        text = as_exact_count(value)
    title = metric_name(key)
    return Item(title, detail), Item(caption=title, hint=detail, share=share, tick=tick), Item(text)


def with_bars(
    lines: Sequence[ModelLine],
    kinds: Sequence[tuple[type[PrivacyModel], str] | None],
    names: Mapping[tuple[type[PrivacyModel], str], str],
    node: Node,
    scores: NodeScores,
    details: Mapping[str, Any] | None,
) -> list[ModelLine]:
    """Add the position between the least and largest value to models measured at every node.

    Parameters
    ----------
    kinds : sequence of type and str, or None
        Model and sensitive column of each line; None for those without a value.
    names : mapping
        Names of the values in `details`, by model and column.
    """
    number = scores.scored_number(node)
    found = []
    for line, kind in zip(lines, kinds, strict=True):
        key = None if kind is None else names.get(kind)
        values = None if key is None or details is None else details.get(key)
        if values is None:
            found.append(line)
            continue
        share, tick, _best, _worst = _placed(values, number, scores.optimum)
        found.append(replace(line, share=share, tick=tick))
    return found


def _placed(
    values: Any, number: int | None, optimum: int | None
) -> tuple[float | None, float | None, float, float]:
    """Return positions of a node and the optimum between least and largest value, and these values."""
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)

    def share(of: int | None) -> float | None:
        value = float("nan") if of is None else float(values[of])
        if not np.isfinite(value):
            return None
        return (value - low) / (high - low) if high > low else 0.0

    return share(number), share(optimum), low, high


def _place(step: Step) -> tuple[bool, bool, float]:
    return step.is_up, not step.satisfies, float(np.nan_to_num(step.difference, nan=np.inf))


_LINE, _ICON, _GAP = 18, 13, 8
_METER, _METERS_FROM = 24, 290  # width in px of a bar, and of the table from which bars are shown
_Align = Qt.AlignmentFlag


class ModelTable(Drawn, QWidget):
    """Model, sensitive column and value; models of the requirement have a check mark."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: tuple[ModelLine, ...] = ()
        self.setObjectName("modelTable")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        follow_theme(self.updateGeometry)

    def show_lines(self, lines: Sequence[ModelLine]) -> None:
        """Show the models of another node."""
        if tuple(lines) == self.lines:
            return
        n_before, self.lines = len(self.lines), tuple(lines)
        self.setAccessibleName("; ".join(map(_spoken, self.lines)))
        if len(self.lines) != n_before:
            self.updateGeometry()
        self.update()

    def line_rect(self, place: int) -> QRectF:
        """Return the rectangle of a line."""
        return QRectF(0, place * scaled(_LINE), self.width(), scaled(_LINE))

    def sizeHint(self) -> QSize:
        return QSize(200, max(len(self.lines), 1) * scaled(_LINE))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            place = event.pos().y() // scaled(_LINE)
            line = self.lines[place] if 0 <= place < len(self.lines) else None
            QToolTip.showText(event.globalPos(), _tooltip(line) if line else "", self)
            return True
        return super().event(event)

    def draw(self, painter: ThemedPainter) -> None:
        theme = painter.theme
        left = scaled(_ICON) + 6.0
        values, columns = self._widths()
        right = self.width() - 2.0
        has_meters = self.width() >= scaled(_METERS_FROM) and any(
            line.share is not None for line in self.lines
        )
        for place, line in enumerate(self.lines):
            rect = self.line_rect(place)
            if line.is_required:
                side = scaled(_ICON)
                icon = QRectF(0, rect.center().y() - side / 2, side, side)
                paint_icon(painter, icon, "check", theme.ok)
            if line.reason:
                width = QFontMetrics(font(Text.CAPTION)).horizontalAdvance(line.reason) + 2.0
                place_of = QRectF(right - width, rect.top(), width, rect.height())
                paint_text(painter, place_of, line.reason, Text.CAPTION, "text_3", is_right=True)
                name = QRectF(left, rect.top(), right - width - _GAP - left, rect.height())
                paint_text(painter, name, line.name, Text.CELL, "text_3")
                continue
            paint_text(
                painter,
                QRectF(right - values, rect.top(), values, rect.height()),
                line.value,
                Text.CELL_STRONG,
                is_right=True,
            )
            end = right - values - _GAP
            if has_meters:
                end -= scaled(_METER)
                if line.share is not None:
                    place_of = QRectF(end, rect.top(), scaled(_METER), rect.height())
                    draw_meter(painter, place_of, theme, line.share, line.tick)
                end -= _GAP
            if columns:
                paint_text(
                    painter,
                    QRectF(end - columns, rect.top(), columns, rect.height()),
                    line.column,
                    Text.CELL,
                    "text_3",
                )
                end -= columns + _GAP
            paint_text(painter, QRectF(left, rect.top(), end - left, rect.height()), line.name, Text.CELL)

    def _widths(self) -> tuple[float, float]:
        """Return the widths of values and of columns; 0 if all lines have the same column."""
        strong, plain = QFontMetrics(font(Text.CELL_STRONG)), QFontMetrics(font(Text.CELL))
        values = max((strong.horizontalAdvance(line.value) for line in self.lines), default=0) + 2.0
        named = {line.column for line in self.lines if line.column}
        if len(named) < 2:
            return values, 0.0
        widest = max(plain.horizontalAdvance(name) for name in named) + 2.0
        return values, min(widest, self.width() * 0.3)


def _spoken(line: ModelLine) -> str:
    text = f"{_named(line)}: {line.reason or line.value}"
    return _("{text}, required").format(text=text) if line.is_required else text


def _named(line: ModelLine) -> str:
    return _("{model} of {column}").format(model=line.name, column=line.column) if line.column else line.name


def _tooltip(line: ModelLine) -> str:
    required = _("\nPart of the requirement.") if line.is_required else ""
    return f"{_named(line)}: {line.reason or line.value}\n{line.detail}{required}"
