"""Dates: the month, the quarter, the year of a date; weeks, weekdays and whole centuries too."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.errors import HierarchyError, ParameterError
from engine.hierarchies.builders.base import (
    NO_CONTEXT,
    BuilderContext,
    Group,
    HierarchyBuilder,
    assemble,
    builders,
    itself,
)
from engine.hierarchies.builders.date_formats import (
    PARTS,
    Dates,
    check_pattern,
    half_are_dates,
    n_parts,
    read_dates,
)
from engine.hierarchies.calendar import GRANULARITIES, coarsens, label_of, ordinals
from engine.hierarchies.hierarchy import Hierarchy
from engine.params import Choices, Configurable, Integer, Text, Texts, param
from engine.records import Column, Kind
from engine.words import N_, _, lazy


@builders.register("dates")
@dataclass(frozen=True, slots=True)
class DatesBuilder(HierarchyBuilder):
    """Let dates become their month, quarter, year, ...: 2024-03-07, 2024-03, 2024-Q1, 2024.

    Every granularity must be a coarsening of the one before: months are parts of quarters and these of years,
    but weeks are parts of neither months nor years. Weeks are those of ISO 8601: they begin on Monday, and
    belong to the year in which their Thursday lies. Decades, centuries and millennia begin with a
    year that ends in zeros. Times are taken as written, whatever their zone.

    A date with too few parts for a level stays unchanged there, as 2024 does if months are kept.
    Texts that are not dates are unchanged; one that is written like a group belongs to it, as 2024
    among full dates does where years are a level.
    """

    title: ClassVar[str] = lazy("Dates")
    summary: ClassVar[str] = lazy("Keeps the month, the quarter or the year of a date, level by level.")

    granularities: tuple[str, ...] = param(
        ("month", "year", "decade"),
        Choices(
            label=N_("Granularities"),
            options=GRANULARITIES,
            help=N_("What each level keeps of a date; each must be coarser than the previous one."),
            usual=(("month", "year", "decade"), ("month", "quarter", "year"), ("day", "week", "week_year")),
        ),
    )
    bottom: int | None = param(
        None,
        Integer(
            label=N_("Before the year"),
            minimum=1,
            maximum=9999,
            help=N_("All dates before this year are one group."),
            section=N_("Outside the range"),
            switch=N_("Before the year"),
        ),
    )
    top: int | None = param(
        None,
        Integer(
            label=N_("From the year"),
            minimum=1,
            maximum=9999,
            help=N_("All dates from this year on are one group."),
            section=N_("Outside the range"),
            switch=N_("From the year"),
        ),
    )
    input_formats: tuple[str, ...] | None = param(
        None,
        Texts(
            label=N_("Format of values"),
            help=N_(
                "Format of the values, such as %d/%m/%Y; several are tried in order. If absent, "
                "the format of the column type, or the usual formats of texts."
            ),
            usual=(("%Y-%m-%d",), ("%d/%m/%Y", "%d.%m.%Y")),
            section=N_("Formats"),
            is_advanced=True,
        ),
    )
    format: str | None = param(
        None,
        Text(
            label=N_("Format of days"),
            help=N_("How labels show a day, such as %d.%m.%Y; months and years follow."),
            usual=("%Y-%m-%d", "%d.%m.%Y", "%d %B %Y"),
            section=N_("Formats"),
            is_advanced=True,
        ),
    )

    def __post_init__(self) -> None:
        Configurable.__post_init__(self)
        _refuse_crossing(self.granularities)
        for pattern in self.input_formats or ():
            check_pattern(pattern, "input_formats", is_read=True)
        if self.input_formats is not None and not self.input_formats:
            raise ParameterError(
                _("Format of values cannot be empty."),
                hint=_("Give a format, such as %d/%m/%Y."),
                parameter="input_formats",
            )
        if self.format is not None:
            check_pattern(self.format, "format", is_read=False)
            self._refuse_finer(self.format, "", "format")
        if self.bottom is not None and self.top is not None and self.bottom >= self.top:
            raise ParameterError(
                _("The year {bottom} is not before {top}.").format(bottom=self.bottom, top=self.top),
                hint=_("Remove one of them, or move them apart."),
                parameter="bottom",
            )

    def accepts(self, column: Column) -> bool:
        """Dates, and texts of which at least half are dates."""
        if column.data_type.kind is Kind.DATE:
            return True
        if column.data_type.kind is not Kind.TEXT and self.input_formats is None:
            return False
        return half_are_dates(column, self.input_formats)

    def unplaced(self, column: Column, context: BuilderContext = NO_CONTEXT) -> tuple[str, ...]:
        """Return the values that are not dates in any of the formats."""
        dates = read_dates(column, self.input_formats).dates
        return tuple(value for value in column.known_labels if value not in dates)

    def build(self, column: Column, context: BuilderContext = NO_CONTEXT) -> Hierarchy:
        """Build one level per granularity, and `*`."""
        read = read_dates(column, self.input_formats)
        if not read.dates:
            raise _no_dates(column, read.tried)
        best = max(read.formats, key=n_parts)
        self._refuse_finer(best, column.name, "granularities")
        pattern = self.format or read.pattern
        levels = []
        alike: dict[str, str] = {}  # what is no date but written like a group, and a date of that group
        for granularity in self.granularities:
            groups = self._groups(read, granularity, pattern)
            dates = {label: value for value, (_unused, label) in groups.items()}
            for value in column.known_labels:
                if value not in groups and value in dates:
                    alike.setdefault(value, dates[value])
            levels.append(
                [groups.get(value) or groups.get(alike.get(value, "")) or itself(value)
                 for value in column.labels]
            )  # fmt: skip
        return assemble(column.labels, levels)

    def _groups(self, read: Dates, granularity: str, pattern: str) -> dict[str, Group]:
        labels: dict[int, str] = {}
        found: dict[str, Group] = {}
        needed = _needed(granularity)
        moments = np.array(list(read.dates.values()), dtype="datetime64[s]").astype(np.int64)
        periods = ordinals(moments, granularity).tolist()
        for (value, date), key in zip(read.dates.items(), periods, strict=True):
            if read.parts[value] < needed:
                continue
            if self.bottom is not None and date.year < self.bottom:
                found[value] = "bottom", f"<{self.bottom}"
            elif self.top is not None and date.year >= self.top:
                found[value] = "top", f">={self.top}"
            else:
                if key not in labels:
                    labels[key] = label_of(date, granularity, pattern, self.bottom, self.top)
                found[value] = key, labels[key]
        return found

    def _refuse_finer(self, pattern: str, column: str, parameter: str) -> None:
        """Refuse granularities that a format has no parts for: the month, of a year alone."""
        known = n_parts(pattern)
        for granularity in self.granularities:
            if _needed(granularity) > known:
                problem = (
                    _(
                        "Dates of '{column}' in the format {pattern} lack the {part}, which "
                        "'{granularity}' needs."
                    )
                    if column
                    else _(
                        "Labels of days in the format {pattern} lack the {part}, which '{granularity}' needs."
                    )
                )
                raise ParameterError(
                    problem.format(
                        column=column, pattern=pattern, part=PARTS[known], granularity=granularity
                    ),
                    hint=_("Choose coarser granularities, or a format with more parts."),
                    parameter=parameter,
                )


def _needed(granularity: str) -> int:
    """Return the number of parts of a date that must be known."""
    return next(n for n, part in enumerate(PARTS, start=1) if coarsens(part, granularity))


def _refuse_crossing(granularities: Sequence[str]) -> None:
    for fine, coarse in itertools.pairwise(granularities):
        if coarsens(fine, coarse):
            continue
        coarser = [key for key, _unused in GRANULARITIES if key != fine and coarsens(fine, key)]
        hint = (
            _("Coarser than '{fine}': {coarser}.").format(fine=fine, coarser=", ".join(coarser))
            if coarser
            else _("Use '{fine}' as the last one.").format(fine=fine)
        )
        raise ParameterError(
            _(
                "Granularities: '{coarse}' cannot follow '{fine}', because it does not contain whole ones."
            ).format(coarse=coarse, fine=fine),
            hint=_("Put '{coarse}' before '{fine}'.").format(coarse=coarse, fine=fine)
            if coarsens(coarse, fine)
            else hint,
            parameter="granularities",
        )


def _no_dates(column: Column, tried: Sequence[str]) -> HierarchyError:
    values = column.known_labels
    names = ", ".join(f"'{value}'" for value in values[:3]) + (", ..." if len(values) > 3 else "")
    formats = ", ".join(tried[:3]) + (", ..." if len(tried) > 3 else "")
    return HierarchyError(
        _("Column '{name}' has no dates: {names}.").format(name=column.name, names=names)
        if names
        else _("Column '{name}' has no dates, because it has no values.").format(name=column.name),
        hint=_("Values were read as {formats}; give their format, or choose another builder.").format(
            formats=formats
        ),
        column=column.name,
    )
