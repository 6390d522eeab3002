"""Texts of icicle and histogram about groups, values and cuts."""

from __future__ import annotations

import numpy as np

from engine.hierarchies.outline import DateCuts, Outline
from engine.numbers import (
    as_count,
    as_exact_count,
    as_groups,
    as_percent,
    as_records,
    as_values,
)
from engine.words import _

_MIDDLE_DOT = "·"


class IcicleWords:
    """Texts of one outline."""

    def __init__(self, outline: Outline, dates: DateCuts | None = None) -> None:
        self._outline, self._dates = outline, dates
        self._n_records = int(outline.records.sum())
        self._n_groups = [
            len(np.unique(entry.codes[outline.leaves])) if outline.closed.any() else len(spans.codes)
            for entry, spans in zip(outline.hierarchy.levels, outline.levels, strict=True)
        ]

    def level(self, level: int) -> str:
        """Return the name of a row: that of the level, or its number."""
        entry = self._outline.hierarchy.levels[level]
        return entry.name or entry.proposed or _("Level {level}").format(level=level)

    def n_groups(self, level: int) -> str:
        """Return the number of groups of a level as text."""
        return as_groups(self._n_groups[level])

    def groups(self, level: int, count: int) -> str:
        """Return a number of groups of a level as text."""
        if level == 0:
            return as_values(count)
        return as_groups(count)

    def label(self, level: int, group: int) -> str:
        """Return the label of a group, or a replacement for a missing one."""
        return self.shown(
            self._outline.hierarchy.levels[level].labels[int(self._outline.levels[level].codes[group])]
        )

    def shown(self, label: str) -> str:
        """Return a label as displayed."""
        return label or _("(missing)")

    def value(self, place: int) -> str:
        """Return the first value of a place."""
        outline = self._outline
        return self.shown(outline.hierarchy.values[int(outline.leaves[outline.starts[place]])])

    def place(self, place: int) -> str:
        """Return a value, or the label of the closed group at a place."""
        level = int(self._outline.closed[place])
        if not level:
            return self.value(place)
        return self.shown(self._outline.hierarchy.levels[level].labels[self._outline.code_at(level, place)])

    def counts(self, records: int) -> tuple[str, ...]:
        """Return a number of records in several forms, the longest first."""
        return (as_records(records), as_exact_count(records), as_count(records))

    def closed_counts(self, level: int, group: int) -> tuple[str, ...]:
        """Return the content of a closed group in several forms, the longest first."""
        spans = self._outline.levels[level]
        values = as_values(int(spans.n_values[group]))
        return (f"{values} {_MIDDLE_DOT} {self.counts(int(spans.records[group]))[0]}", values)

    def group(self, level: int, first: int, last: int) -> str:
        """Return a summary of groups of a level."""
        spans = self._outline.levels[level]
        n_records = int(spans.records[first:last].sum())
        parts = [self.level(level)]
        if last - first > 1:
            parts.append(self.groups(level, last - first))
            parts.append(
                _("from {level} to {level_2}").format(
                    level=self.label(level, first), level_2=self.label(level, last - 1)
                )
            )
        else:
            parts.append(self.label(level, first))
        if level > 0:
            parts.append(as_values(int(spans.n_values[first:last].sum())))
        if (self._outline.closed[spans.starts[first:last]] >= max(level, 1)).all():
            parts.append(_("collapsed"))
        parts.append(self.counts(n_records)[0])
        if self._n_records:
            parts.append(_("{n_records} of all").format(n_records=as_percent(n_records / self._n_records, 1)))
        return ", ".join(parts)

    def border(self, level: int, boundary: int, place: int) -> str:
        """Return the position of a cut before a place: a period of dates, else the value there."""
        period = self._dates.border(level, boundary, place) if self._dates is not None else ""
        return period or self.place(place)

    def cut(self, level: int, boundary: int, place: int, left: int, right: int) -> tuple[str, str]:
        """Return the position of a cut, and the records on both sides of it."""
        where = _("Cut of level {level} at {level_2}").format(
            level=level, level_2=self.border(level, boundary, place)
        )
        sides = _("{left} records left, {right} right").format(
            left=as_exact_count(left), right=as_exact_count(right)
        )
        return where, sides
