"""Inspector parts for node words, requirement and metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QToolTip, QWidget

from anonymizer_gui.models.node_name import LevelWords
from anonymizer_gui.perspectives.explore.inspector.parts import LevelDots
from anonymizer_gui.perspectives.explore.inspector.values import (
    MetricRow,
    ModelLine,
    RequirementRow,
    StepLine,
    StepRow,
    WordRow,
)
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
from anonymizer_gui.theming import Text, current_theme, font, paint_icon, scaled, theme_manager
from anonymizer_gui.widgets.fits_room import FitsRoom
from anonymizer_gui.widgets.icon_label import IconLabel
from anonymizer_gui.widgets.labels import ElidedLabel, make_label, set_tone
from anonymizer_gui.widgets.layouts import hbox, vbox
from anonymizer_gui.widgets.meter import Meter, draw_meter
from engine.numbers import as_exact_count
from engine.words import _

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.lattice import Node
    from engine.privacy import PrivacyModel


_Right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_NAME_WIDTH = 92
_LARGEST_GROWTH = 1.6
_BAR, _TICK = 8, 10  # px, of the bar of the optimized metric and the tick at the optimum
_ROOMY = 145  # px of width from which a meter is long


class _Lines(QWidget):
    """Grid whose lines are created on first use."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.grid = QGridLayout(self)
        self.grid.setContentsMargins(0, 0, 0, 0)
        self.grid.setHorizontalSpacing(6)
        self.grid.setVerticalSpacing(0)

    def add_line(self, line: int, widgets: Sequence[QWidget]) -> None:
        for column, widget in enumerate(widgets):
            self.grid.addWidget(widget, line, column)


def _name_width() -> int:
    """Return the width of a name, which grows less than the text where the words need the room."""
    return min(scaled(_NAME_WIDTH), round(_LARGEST_GROWTH * _NAME_WIDTH))


class WordLines(_Lines):
    """One line per attribute: its level as boxes, and its description."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.grid.setColumnStretch(2, 1)
        self._lines: list[tuple[ElidedLabel, LevelDots, ElidedLabel]] = []
        theme_manager().theme_changed.connect(self._on_theme_changed)

    def show_rows(self, rows: Sequence[WordRow]) -> None:
        """Show the levels of another node."""
        while len(self._lines) < len(rows):
            made = (ElidedLabel("", Text.CELL, "text_2"), LevelDots(), ElidedLabel("", Text.CELL))
            made[0].setFixedWidth(_name_width())
            self.add_line(len(self._lines), made)
            self._lines.append(made)
        for i, (name, dots, words) in enumerate(self._lines):
            _set_visible((name, dots, words), i < len(rows))
            if i < len(rows):
                row = rows[i]
                name.setText(row.name)
                dots.show_level(row.level, row.height)
                words.setText(row.words)

    def texts(self) -> dict[str, str]:
        """Return the description of every attribute."""
        return {name.text(): words.text() for name, _unused, words in self._lines if not name.isHidden()}

    def _on_theme_changed(self) -> None:
        for name, _bar, _words in self._lines:
            name.setFixedWidth(_name_width())


class RequirementLines(_Lines):
    """One line per model: symbol, column and variant, measured value and threshold."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.grid.setHorizontalSpacing(4)
        self.grid.setColumnStretch(1, 1)
        self._lines: list[tuple[IconLabel, QWidget, QLabel, QLabel]] = []
        self._names: list[tuple[QLabel, ElidedLabel]] = []

    def show_rows(self, rows: Sequence[RequirementRow]) -> None:
        """Show the values of another node."""
        while len(self._lines) < len(rows):
            symbol, about = make_label("", Text.CELL), ElidedLabel("", Text.CELL, "text_3")
            what = QWidget()
            hbox(symbol, (about, 1), spacing=6, margins=0, of=what)
            line = (
                IconLabel("check", 14, "ok"),
                what,
                make_label("", Text.CELL_STRONG),
                make_label("", Text.CAPTION, "text_3"),
            )
            line[2].setAlignment(_Right)
            self._names.append((symbol, about))
            self.add_line(len(self._lines), line)
            self._lines.append(line)
        for i, (icon, what, measured, threshold) in enumerate(self._lines):
            _set_visible((icon, what, measured, threshold), i < len(rows))
            if i < len(rows):
                row = rows[i]
                symbol, about = self._names[i]
                icon.set_icon("check" if row.is_met else "x", "ok" if row.is_met else "danger")
                icon.setAccessibleName(self.tr("met") if row.is_met else self.tr("not met"))
                symbol.setText(row.name)
                symbol.setToolTip(row.detail)
                about.setText(row.about)
                about.set_hint(row.detail)
                measured.setText(row.measured)
                set_tone(measured, "text" if row.is_met else "danger")
                threshold.setText(row.threshold)

    def texts(self) -> dict[str, tuple[str, str]]:
        """Return measured value and threshold by symbol, with column and variant or meaning."""
        return {
            f"{symbol.text()} {about.text()}": (measured.text(), threshold.text())
            for (_unused, what, measured, threshold), (symbol, about) in zip(
                self._lines, self._names, strict=True
            )
            if not what.isHidden()
        }


class OneMetric(QWidget):
    """The metric that is optimized: a bar across its whole scale; the value is shown next to the title."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.value = make_label("", Text.CELL_STRONG)
        self._meter = Meter("", 24, bar=_BAR, tick=_TICK)
        self._meter.setMinimumWidth(0)
        self._meter.setMaximumWidth(_ANY_WIDTH)
        self._meter.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._meter.setFixedHeight(_TICK)
        vbox(self._meter, margins=0, of=self)

    def show_row(self, row: MetricRow) -> None:
        """Show the metric of another node."""
        self.value.setText(row.text)
        self.value.setToolTip(row.detail)
        self._meter.setAccessibleName(row.name)
        self._meter.setToolTip(row.detail)
        self._meter.show_share(row.share or 0.0, row.tick)
        self._meter.setVisible(row.share is not None)


class MetricLines(FitsRoom, _Lines):
    """Metrics as bars over the range of the lattice, with the optimum as a tick."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.grid.setColumnStretch(0, 1)
        self._lines: list[tuple[ElidedLabel, Meter, QLabel]] = []

    def show_rows(self, rows: Sequence[MetricRow]) -> None:
        """Show the values of another node."""
        while len(self._lines) < len(rows):
            line = (ElidedLabel("", Text.CELL), Meter("", 24), make_label("", Text.CELL_STRONG))
            line[2].setAlignment(_Right)
            self.add_line(len(self._lines), line)
            self._lines.append(line)
        for i, (name, meter, value) in enumerate(self._lines):
            _set_visible((name, meter, value), i < len(rows))
            if i < len(rows):
                row = rows[i]
                name.setText(row.name)
                name.set_hint(row.detail)
                meter.setAccessibleName(row.name)
                meter.setToolTip(row.detail)
                meter.show_share(row.share or 0.0, row.tick)
                meter.setVisible(row.share is not None)
                value.setText(row.text)
        self._fit()

    def texts(self) -> dict[str, str]:
        """Return the values by name."""
        return {name.text(): value.text() for name, _unused, value in self._lines if not name.isHidden()}

    def _fit(self) -> None:
        width = scaled(24 if self.width() >= scaled(_ROOMY) else 16)
        for _name, meter, _value in self._lines:
            meter.setFixedWidth(width)


def _set_visible(widgets: Sequence[QWidget], visible: bool) -> None:
    for widget in widgets:
        widget.setVisible(visible)


_LONGEST = 7
_ANY_WIDTH = 16_777_215  # QWIDGETSIZE_MAX, which PySide6 does not export


@dataclass(frozen=True, slots=True)
class Step:
    """Neighbour of a node: one attribute one level up or down.

    Attributes
    ----------
    node : tuple of int
    attribute : int
        Index of the changed attribute.
    is_up : bool
    difference : float
        Change of the metric; nan if either node is not scored.
    suppressed : int or None
        None if the node is not scored.
    satisfies : bool
    """

    node: Node
    attribute: int
    is_up: bool
    difference: float
    suppressed: int | None
    satisfies: bool


def steps_from(node: Node, problem: Problem, scores: NodeScores) -> list[Step]:
    """Return all neighbours: predecessors first, then satisfying ones first, then by loss."""
    lattice = problem.lattice
    numbers = map(scores.scored_number, (node, *lattice.predecessors(node), *lattice.successors(node)))
    scores.know(number for number in numbers if number is not None)
    here = scores.value(node)
    steps = []
    for is_up, around in ((False, lattice.predecessors(node)), (True, lattice.successors(node))):
        for other in around:
            number = scores.scored_number(other)
            attribute = next(i for i, (a, b) in enumerate(zip(node, other, strict=True)) if a != b)
            steps.append(
                Step(
                    other,
                    attribute,
                    is_up,
                    scores.value(other) - here,
                    None if number is None else int(scores.suppressed[number]),
                    number is not None and bool(scores.satisfies[number]),
                )
            )
    return sorted(steps, key=_place)


def step_lines(
    node: Node, steps: Sequence[Step], rows: Sequence[StepRow], problem: Problem, words: LevelWords
) -> list[StepLine]:
    """Return one line per column, in their order."""
    found = {(step.attribute, step.is_up): row for step, row in zip(steps, rows, strict=True)}
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


def step_row(
    step: Step, problem: Problem, words: LevelWords, metric: str, optimum: Node | None = None
) -> StepRow:
    """Return the row of a neighbour."""
    q, level = step.attribute, step.node[step.attribute]
    text = words.level(q, level)
    text = text if words.is_kept_or_hidden(q, level) else _("to {level}").format(level=text)
    return StepRow(
        step.node,
        step.is_up,
        f"{problem.attributes[q].name} {text}",
        _("equal") if is_shown_equal(metric, step.difference) else metric_change(metric, step.difference),
        _("not scored") if step.suppressed is None else as_exact_count(step.suppressed),
        step.satisfies,
        step.suppressed is not None,
        step.difference,
        optimum is not None and step.node == optimum,
    )


def metric_rows(
    node: Node,
    scores: NodeScores,
    metric: str,
    details: Mapping[str, Any] | None,
    where: str,
) -> list[MetricRow]:
    """Return the chosen metric, then the others if measured; `where` says which nodes the bars cover."""
    from engine.utility import utility_metrics

    arrays: dict[str, Any] = {metric: scores.values}
    arrays |= {key: values for key, values in (details or {}).items() if key in utility_metrics}
    number = scores.scored_number(node)
    rows = []
    for key, values in arrays.items():
        value = float("nan") if number is None else float(values[number])
        share, tick, low, high = _placed(values, number, scores.optimum)
        text = metric_text(key)
        rows.append(
            metric_row(
                key,
                value,
                share or 0.0,
                tick,
                _("{where} {low} to {high}").format(where=where, low=text(low), high=text(high)),
            )
        )
    return rows


def optimized_row(node: Node, scores: NodeScores, metric: str) -> MetricRow:
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
    return metric_row(metric, value, share(number), share(scores.optimum), among)


def metric_row(key: str, value: float, share: float | None, tick: float | None, among: str) -> MetricRow:
    """Return one metric; `among` says which nodes its bar covers, or why it has none."""
    detail = f"{metric_title(key)}: {metric_exact(key, value)}; {among}"
    text = metric_text(key)(value)
    if len(text) > _LONGEST:  # large numbers without the decimals of a column
        text = as_exact_count(value)
    return MetricRow(metric_name(key), text, share, tick, detail)


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
    lines : sequence of ModelLine
    kinds : sequence of type and str, or None
        Model and sensitive column of each line; None for those without a value.
    names : mapping
        Names of the values in `details`, by model and column.
    """
    number = scores.scored_number(node)
    found = []
    for line, kind in zip(lines, kinds, strict=True):
        name = None if kind is None else names.get(kind)
        values = None if name is None or details is None else details.get(name)
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


class ModelTable(QWidget):
    """Model, sensitive column and value; models of the requirement have a check mark."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines: tuple[ModelLine, ...] = ()
        self.setObjectName("modelTable")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme_manager().theme_changed.connect(self.updateGeometry)

    def show_lines(self, lines: Sequence[ModelLine]) -> None:
        """Show the models of another node."""
        if tuple(lines) == self._lines:
            return
        n_before, self._lines = len(self._lines), tuple(lines)
        self.setAccessibleName("; ".join(map(_spoken, self._lines)))
        if len(self._lines) != n_before:
            self.updateGeometry()
        self.update()

    @property
    def lines(self) -> tuple[ModelLine, ...]:
        return self._lines

    def line_rect(self, place: int) -> QRectF:
        """Return the rectangle of a line."""
        return QRectF(0, place * scaled(_LINE), self.width(), scaled(_LINE))

    def sizeHint(self) -> QSize:
        return QSize(200, max(len(self._lines), 1) * scaled(_LINE))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            place = event.pos().y() // scaled(_LINE)
            line = self._lines[place] if 0 <= place < len(self._lines) else None
            QToolTip.showText(event.globalPos(), _tooltip(line) if line else "", self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = current_theme(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left = scaled(_ICON) + 6.0
        values, columns = self._widths()
        right = self.width() - 2.0
        has_meters = self.width() >= scaled(_METERS_FROM) and any(
            line.share is not None for line in self._lines
        )
        for place, line in enumerate(self._lines):
            rect = self.line_rect(place)
            if line.is_required:
                side = scaled(_ICON)
                icon = QRectF(0, rect.center().y() - side / 2, side, side)
                paint_icon(painter, icon, "check", theme.ok)
            if line.reason:
                width = QFontMetrics(font(Text.CAPTION)).horizontalAdvance(line.reason) + 2.0
                place_of = QRectF(right - width, rect.top(), width, rect.height())
                _write(painter, place_of, line.reason, Text.CAPTION, "text_3", _Align.AlignRight)
                name = QRectF(left, rect.top(), right - width - _GAP - left, rect.height())
                _write(painter, name, line.name, Text.CELL, "text_3")
                continue
            _write(
                painter,
                QRectF(right - values, rect.top(), values, rect.height()),
                line.value,
                Text.CELL_STRONG,
                "text",
                _Align.AlignRight,
            )
            end = right - values - _GAP
            if has_meters:
                end -= scaled(_METER)
                if line.share is not None:
                    place_of = QRectF(end, rect.top(), scaled(_METER), rect.height())
                    draw_meter(painter, place_of, theme, line.share, line.tick)
                end -= _GAP
            if columns:
                _write(
                    painter,
                    QRectF(end - columns, rect.top(), columns, rect.height()),
                    line.column,
                    Text.CELL,
                    "text_3",
                )
                end -= columns + _GAP
            _write(painter, QRectF(left, rect.top(), end - left, rect.height()), line.name, Text.CELL, "text")

    def _widths(self) -> tuple[float, float]:
        """Return the widths of values and of columns; 0 if all lines have the same column."""
        strong, plain = QFontMetrics(font(Text.CELL_STRONG)), QFontMetrics(font(Text.CELL))
        values = max((strong.horizontalAdvance(line.value) for line in self._lines), default=0) + 2.0
        named = {line.column for line in self._lines if line.column}
        if len(named) < 2:
            return values, 0.0
        widest = max(plain.horizontalAdvance(name) for name in named) + 2.0
        return values, min(widest, self.width() * 0.3)


def _write(
    painter: QPainter,
    rect: QRectF,
    text: str,
    use: Text,
    token: str,
    side: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
) -> None:
    painter.setFont(font(use))
    painter.setPen(current_theme().color(token))
    shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(rect.width()))
    painter.drawText(rect, int(side | _Align.AlignVCenter), shown)


def _spoken(line: ModelLine) -> str:
    text = f"{_named(line)}: {line.reason or line.value}"
    return _("{text}, required").format(text=text) if line.is_required else text


def _named(line: ModelLine) -> str:
    return _("{model} of {column}").format(model=line.name, column=line.column) if line.column else line.name


def _tooltip(line: ModelLine) -> str:
    required = _("\nPart of the requirement.") if line.is_required else ""
    return f"{_named(line)}: {line.reason or line.value}\n{line.detail}{required}"
