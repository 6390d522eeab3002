"""Distribution of each quasi-identifier before and after, as charts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.assessment.base import analysis_of
from engine.assessment.utility.distribution import DistributionFound
from engine.findings.blocks import Block, Chart, Paragraph, Series
from engine.kernels.arrays import Counts, FloatArray
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.report.base import ReportSection, report_sections
from engine.report.format_value import format_value
from engine.report.report_input import ReportedRelease
from engine.words import _, lazy

_MOST_BARS = 60
_MOST_CHARTS = 40


@report_sections.register("distributions")
@dataclass(frozen=True, slots=True)
class Distributions(ReportSection):
    """Overlaid distributions, for those who may see the input: their axes hold its values."""

    title: ClassVar[str] = lazy("Distributions")
    place: ClassVar[int] = 150
    is_of_releases: ClassVar[bool] = True

    def blocks(self, material: ReportedRelease, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        if material.settings.is_public:
            return ()
        blocks: list[Block] = []
        names = material.subject.quasi_identifying
        for number, name in enumerate(names[:_MOST_CHARTS]):
            analysis = analysis_of("distribution", column=name)
            found = material.found(analysis, PartMonitor(monitor, number, len(names)))
            if isinstance(found, DistributionFound):
                blocks += [] if blocks else [Paragraph(analysis.summary)]
                blocks += _blocks(found)
        if len(names) > _MOST_CHARTS:
            words = _("The first {MOST_CHARTS} of {n} quasi-identifying columns are shown.").format(
                MOST_CHARTS=_MOST_CHARTS, n=format_value(len(names))
            )
            blocks.append(Paragraph(words, "note"))
        return tuple(blocks)


def _blocks(found: DistributionFound) -> Iterator[Block]:
    labels, before, after = _bars(found)
    yield Chart(
        f"distribution.{found.column}",
        found.column,
        "bars",
        _("values of {column}").format(column=found.column),
        _("records"),
        (
            Series(_("Input"), tuple(before), "input"),
            Series(
                _("Release, spread over the values of each cell") if found.is_estimated else _("Release"),
                tuple(after),
                "release",
            ),
        ),
        labels=tuple(labels),
        reading=_("Suppressed records are excluded from the release."),
    )


def _bars(found: DistributionFound) -> tuple[list[str], list[float], list[float]]:
    """Return one bar per value; if there are too many, neighbours share one."""
    n_values = len(found.values)
    each = -(-n_values // _MOST_BARS)
    if found.is_numeric or each == 1:
        chosen = np.arange(n_values)
    else:
        # Texts have no neighbours: the most frequent ones are drawn, the others together.
        chosen = np.argsort(-found.counts, kind="stable")
        each = 1
    firsts = list(range(0, n_values, each))
    if not found.is_numeric and n_values > _MOST_BARS:
        firsts = list(range(_MOST_BARS))
    ends = [*firsts[1:], n_values]
    labels = [
        _label(found, chosen[first:end].tolist(), is_rest=len(firsts) == _MOST_BARS and end - first > each)
        for first, end in zip(firsts, ends, strict=True)
    ]
    return labels, _sums(found.counts, chosen, firsts, ends), _sums(found.spread, chosen, firsts, ends)


def _label(found: DistributionFound, places: list[int], *, is_rest: bool) -> str:
    if is_rest and not found.is_numeric:
        return _("others")
    first, last = (found.values[place] or _("(missing)") for place in (places[0], places[-1]))
    return first if first == last else _("{first} to {last}").format(first=first, last=last)


def _sums(
    figures: Counts | FloatArray,
    chosen: np.ndarray[tuple[int], np.dtype[np.intp]],
    firsts: list[int],
    ends: list[int],
) -> list[float]:
    return [float(figures[chosen[first:end]].sum()) for first, end in zip(firsts, ends, strict=True)]
