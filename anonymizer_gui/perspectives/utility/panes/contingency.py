"""Contingency of two columns: a heat map of their table, and their association."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QLinearGradient, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.utility.heat_table import Heat, HeatTable
from anonymizer_gui.theming import Text, current_theme, font, scaled
from anonymizer_gui.widgets.labels import CaptionLabel, ElidedLabel
from anonymizer_gui.widgets.layouts import hbox, named, vbox
from anonymizer_gui.widgets.value_text import value_text
from engine.numbers import DASH, as_change, as_decimal, as_exact_count, as_percent
from engine.words import _

if TYPE_CHECKING:
    from engine.assessment.utility.associations import AssociationsFound
    from engine.assessment.utility.contingency import ContingencyFound


_BAR, _LONGEST, _ROOM_FOR_STATEMENT = 10, 220, 150


class _Ramp(QWidget):
    """Meaning of the shades: from the least number, by zero, to the largest."""

    def __init__(self) -> None:
        super().__init__()
        self._low = self._high = ""
        self._is_signed = True

    def show_ends(self, low: str, high: str, *, is_signed: bool) -> None:
        self._low, self._high, self._is_signed = low, high, is_signed
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(scaled(_LONGEST), scaled(18))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = current_theme(), QPainter(self)
        painter.setFont(font(Text.TICK))
        painter.setPen(theme.color("text_3"))
        metrics = painter.fontMetrics()
        left, right = metrics.horizontalAdvance(self._low) + 8, metrics.horizontalAdvance(self._high) + 8
        whole = self.rect()
        painter.drawText(whole, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), self._low)
        wide = max(min(self.width(), scaled(_LONGEST)) - left - right, 10)
        room = QRectF(left, (self.height() - _BAR) / 2, wide, _BAR)
        low, middle, high = theme.color("series_4"), theme.color("sunken"), theme.color("series_2")
        ramp = QLinearGradient(room.topLeft(), room.topRight())
        ramp.setColorAt(0.0, low if self._is_signed else middle)
        ramp.setColorAt(0.5 if self._is_signed else 0.0, middle)
        ramp.setColorAt(1.0, high)
        painter.fillRect(room, ramp)
        after = whole.adjusted(int(room.right()) + 8, 0, 0, 0)
        painter.drawText(after, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), self._high)


class ContingencyView(QWidget):
    """The table with its description above and its measures below."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.statement = named(ElidedLabel("", Text.CELL, "text_3"), "contingencyStatement")
        self.measures = named(CaptionLabel("", Text.CELL_STRONG, "text"), "contingencyMeasures")
        self.table = named(HeatTable(self.tr("Contingency table")), "contingencyTable")
        self._ramp = _Ramp()
        vbox(
            hbox(self.statement, margins=(12, 4, 12, 0)),
            (self.table, 1),
            hbox((self.measures, 1), self._ramp, spacing=12, margins=(12, 0, 12, 4)),
            spacing=4,
            margins=0,
            of=self,
        )

    def show_heat(self, heat: Heat, statement: str, measures: str, unit: str, *, is_signed: bool) -> None:
        """Show another table; `unit` is the unit of its cells."""
        self.table.show_heat(heat)
        self.statement.setText(statement)
        self.measures.setText(measures)
        low = heat.text(-heat.most) if is_signed else "0"
        self._ramp.show_ends(low, f"{heat.text(heat.most)} {unit}".rstrip(), is_signed=is_signed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.statement.setVisible(self.height() >= scaled(_ROOM_FOR_STATEMENT))


BEFORE, AFTER, CHANGE, PAIRS = "before", "after", "change", "pairs"


def heat_of(found: ContingencyFound, which: str) -> Heat:
    """Return one of the three tables."""
    values = {BEFORE: found.before, AFTER: found.after, CHANGE: found.difference}[which]
    most = float(np.abs(values).max(initial=0.0))
    rows, columns = (tuple(map(value_text, labels)) for labels in (found.row_labels, found.column_labels))

    def words(row: int, column: int) -> str:
        lines = [
            f"{rows[row]} × {columns[column]}",
            _("input: {before} records, {shares_before}").format(
                before=count_text(found.before[row, column]),
                shares_before=as_percent(found.shares_before[row, column]),
            ),
            _("release: {after} records, {shares_after}").format(
                after=count_text(found.after[row, column]),
                shares_after=as_percent(found.shares_after[row, column]),
            ),
            _("change: {difference} percentage points").format(
                difference=as_change(found.difference[row, column], 2)
            ),
        ]
        return "\n".join(lines)

    text = points_text if which == CHANGE else count_text
    return Heat(rows, columns, values, text, words, most)


def heat_of_pairs(found: AssociationsFound) -> Heat:
    """Return the change of every pair's association; below the diagonal, since pairs are unordered."""
    names = found.columns
    place = {name: i for i, name in enumerate(names)}
    values = np.full((len(names), len(names)), np.nan)
    sentences: dict[tuple[int, int], str] = {}
    for pair in found.pairs:
        low, high = sorted((place[pair.first], place[pair.second]))
        if pair.before is not None and pair.after is not None:
            values[high, low] = pair.after - pair.before
        measure = _("correlation") if pair.measure == "correlation" else _("Cramer's V")
        sentences[high, low] = _("{first} × {second}: {measure} {before} before, {after} after").format(
            first=pair.first,
            second=pair.second,
            measure=measure,
            before=measure_text(pair.before),
            after=measure_text(pair.after),
        )
    most = float(np.nanmax(np.abs(values))) if np.isfinite(values).any() else 1.0
    return Heat(
        names,
        names,
        values,
        lambda value: as_change(value, 2),
        lambda row, column: sentences.get((row, column), ""),
        max(most, 0.1),
    )


def statement_of(found: ContingencyFound, which: str) -> str:
    """Return the meaning of the numbers in the cells."""
    pair = f"{found.row} × {found.column}"
    if which == CHANGE:
        return _("{pair}: change of each cell's share of records, in percentage points").format(pair=pair)
    if which == BEFORE:
        return _("{pair}: records of the input").format(pair=pair)
    about = _(", spread evenly if a cell covers several values") if found.is_estimated else ""
    return _("{pair}: records of the release{about}").format(pair=pair, about=about)


def association_of(found: ContingencyFound) -> str:
    """Return the association of both columns, before and after."""
    parts = [
        _("Cramer's V {cramers_v_before} → {cramers_v_after}").format(
            cramers_v_before=measure_text(found.cramers_v_before),
            cramers_v_after=measure_text(found.cramers_v_after),
        )
    ]
    if found.correlation_before is not None or found.correlation_after is not None:
        words = _("correlation {correlation_before} → {correlation_after}")
        parts.append(
            words.format(
                correlation_before=measure_text(found.correlation_before),
                correlation_after=measure_text(found.correlation_after),
            )
        )
    notes = [note for note in (found.row_note, found.column_note) if note]
    return " · ".join([*parts, *notes])


def count_text(records: float) -> str:
    """Return the records of a cell; with a decimal if they are estimated."""
    return as_exact_count(records) if records == round(records) else as_decimal(records, 1)


def points_text(points: float) -> str:
    """Return percentage points; a zero has no sign."""
    return as_decimal(0.0, 2) if abs(points) < 0.005 else as_change(points, 2)


def measure_text(measure: float | None) -> str:
    """Return an association, or a dash if there is none."""
    return DASH if measure is None else as_decimal(measure, 3)
