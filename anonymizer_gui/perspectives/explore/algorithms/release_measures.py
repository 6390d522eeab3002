"""Values of a release before and after a recoding method, and the rows that compare them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Event
from typing import TYPE_CHECKING

from anonymizer_gui.perspectives.explore.metric_text import metric_text, metric_title
from anonymizer_gui.tables.rows_model import Cell, Heading
from engine.monitor import SILENT, Monitor, StoppableMonitor
from engine.numbers import DASH, MINUS, as_change, as_decimal, as_exact_count, as_percent, as_risk, with_unit
from engine.params import values_of
from engine.words import _, pgettext

if TYPE_CHECKING:
    from engine.findings.risk.narrowing import NarrowingFound
    from engine.frequency import Problem
    from engine.lattice import Node
    from engine.project import Project
    from engine.recoding import RecodingMethod, Release


@dataclass(frozen=True)
class ReleaseMeasures:
    """Measured values of a release.

    Attributes
    ----------
    k : int or None
        Records of the smallest class; None if all records are suppressed.
    l, t : mapping of str to value
        Per sensitive column; None if all records are suppressed.
    detail : float
        Detail over all quasi-identifying columns: 1 minus the loss, with equal weights.
    details : mapping of str to float
        The same per quasi-identifying column.
    metrics : mapping of str to float
        Natural values by key; nan if undefined.
    narrowing : NarrowingFound or None
        What who knows the method excludes from labels; None where cells are no labels.
    """

    n_records: int
    n_suppressed: int
    n_classes: int
    k: int | None
    l: Mapping[str, int | None]  # noqa: E741  the measure's name
    t: Mapping[str, float | None]
    detail: float
    details: Mapping[str, float]
    metrics: Mapping[str, float]
    narrowing: NarrowingFound | None

    @property
    def kept(self) -> float:
        """Share of the records that are kept."""
        return 1.0 - self.n_suppressed / max(self.n_records, 1)


@dataclass(frozen=True)
class Improvement:
    """One trial: a method with its release and values.

    Attributes
    ----------
    project : Project
        Project with the method set, from which the release was made.
    seconds : float
        Runtime of the method.
    """

    method: RecodingMethod
    release: Release
    measures: ReleaseMeasures
    project: Project
    seconds: float

    @property
    def why_not(self) -> str:
        """Reason why its release cannot be used, or empty."""
        release = self.release
        if release.missed:
            names = ", ".join(release.problem.counted.worded(model, "title") for model in release.missed)
            return _("Cannot be used: the kept records do not meet {names}.").format(names=names)
        if not release.is_within:
            losses = release.losses
            lost = _("it suppresses {count} records").format(count=as_exact_count(losses.count))
            if losses.are_people:
                lost = _("{count} people lose a record").format(count=as_exact_count(losses.count))
            return _("Cannot be used: {lost}, and the limit allows {allowed}.").format(
                lost=lost, allowed=as_exact_count(losses.allowed)
            )
        return ""


def measure_release(project: Project, release: Release, monitor: Monitor = SILENT) -> ReleaseMeasures:
    """Measure a release of a node or of a recoding, with the same code for both."""
    from engine.findings.risk.narrowing import Narrowing
    from engine.findings.subject import Subject
    from engine.project.run_settings import records_of
    from engine.utility import utility_metrics
    from engine.utility.loss import Loss

    problem = release.problem
    records = records_of(project, problem, release)
    metrics: dict[str, float] = {}
    wanted = [
        key for key, kind in utility_metrics.items() if problem.target is not None or not kind.needs_target
    ]
    for done, key in enumerate(wanted):
        monitor.step(done, len(wanted), _("Measuring"))
        metrics[key] = float(records.metric(key)[0])
    by_attribute = Loss().by_attribute(records)[0]
    narrowing, subject = Narrowing(), Subject(project, release)
    return ReleaseMeasures(
        release.n_records,
        release.n_suppressed,
        release.n_classes,
        release.k,
        release.l,
        release.t,
        1.0 - float(Loss().natural(records)[0]),
        {name: 1.0 - float(loss) for name, loss in zip(problem.names, by_attribute, strict=True)},
        metrics,
        None if narrowing.why_not(subject) else narrowing.run(subject, monitor),
    )


def try_method(
    project: Project,
    problem: Problem,
    method: RecodingMethod,
    node: Node | None,
    stop: Event,
    monitor: Monitor = SILENT,
) -> Improvement:
    """Apply a method and measure its release; the applied release is unchanged.

    Parameters
    ----------
    problem : Problem
        The compiled project.
    node : tuple of int or None
        Start of a method that improves a release.
    stop : Event
        Set to end the method with its best release so far; the trial's method then stops at the same step.

    Raises
    ------
    InputError
        If the method does not support the problem or the requirement.
    """
    from engine.pipeline import recode

    with_method = replace(project, recoding=method)
    started = time.perf_counter()
    start = node if method.needs_start else None
    release = recode(with_method, problem, method, start, StoppableMonitor(monitor, stop))
    seconds = time.perf_counter() - started
    if release.recoding is not None and release.recoding.stopped_after is not None:
        method = type(method)(**{**values_of(method), "steps": release.recoding.stopped_after})
        with_method = replace(project, recoding=method)
    measures = measure_release(with_method, release, monitor)
    return Improvement(method, release, measures, with_method, seconds)


def ranked(tries: Sequence[Improvement]) -> list[Improvement]:
    """Return trials by the detail kept, those that cannot be used last."""
    return sorted(tries, key=lambda made: (bool(made.why_not), -made.measures.detail))


def try_headings() -> list[Heading]:
    """Return the headings of the list of trials."""
    return [
        Heading(_("Release")),
        Heading(
            _("Detail kept"),
            True,
            _("Share of the detail kept in all quasi-identifying columns: 1 minus the loss"),
        ),
        Heading(_("Suppressed"), True, _("Records")),
        Heading(
            _("Narrowed"), True, _("Records with a label from which who knows the method excludes values")
        ),
        Heading(_("Time (s)"), True, _("Time (s)")),
    ]


def try_rows(now_name: str, now: ReleaseMeasures | None, tries: Sequence[Improvement]) -> list[list[Cell]]:
    """Return the applied release and all trials; the usable one with the most detail is marked."""
    best = max((t.measures.detail for t in tries if not t.why_not), default=float("nan"))
    if now is not None and now.detail >= best:
        best = float("nan")
    rows = [_try_row(now_name, now, DASH, is_best=False, why_not="")]
    for made in tries:
        is_best = not made.why_not and made.measures.detail == best
        seconds = as_decimal(made.seconds, 2)
        rows.append(
            _try_row(made.method.full_title, made.measures, seconds, is_best=is_best, why_not=made.why_not)
        )
    return rows


def _try_row(
    name: str, measures: ReleaseMeasures | None, seconds: str, *, is_best: bool, why_not: str
) -> list[Cell]:
    if measures is None:
        return [Cell(name, is_strong=True), *(Cell("measuring" if i == 0 else "") for i in range(4))]
    detail = share_text(measures.detail)
    tone = "danger" if why_not else "text"
    return [
        Cell(name, why_not, tone, is_strong=True, spoken=f"{name}. {why_not}" if why_not else ""),
        Cell(
            f"★ {detail}" if is_best else detail,
            _("The most detail of these") if is_best else "",
            is_strong=is_best,
            spoken=_("{detail}, the most of these").format(detail=detail) if is_best else "",
        ),
        Cell(as_exact_count(measures.n_suppressed), why_not, tone),
        _narrowed(measures.narrowing),
        Cell(seconds),
    ]


def _narrowed(found: NarrowingFound | None) -> Cell:
    """Return the records narrowed, with the share of wrong inferences if these mislead."""
    if found is None:
        return Cell(DASH, _("Some columns are released as aggregates, which are no labels of a hierarchy."))
    own, said = found.by_order, found.statement()
    text, tone = as_exact_count(own.records_narrowed), "warn" if own.records_narrowed else "ok"
    if own.misleads:
        text = _("{n}, misleads {share}").format(n=text, share=as_risk(own.cells_wrong / own.n_cells))
    return Cell(text, said.caption or said.sentence, tone)


def measure_headings() -> list[Heading]:
    """Return the headings of the comparison."""
    return [
        Heading(_("Value")),
        Heading(_("Current"), True),
        Heading(_("This try"), True),
        Heading(
            pgettext("noun", "Change"),
            True,
            _("Shares in percentage points; values worse than the current ones are named"),
        ),
    ]


def measure_rows(now: ReleaseMeasures, after: ReleaseMeasures | None) -> list[list[Cell]]:
    """Return every value before and after; less privacy or less utility than before is marked as worse."""
    return [_measure_row(line, now, after) for line in _lines(now)]


@dataclass(frozen=True)
class _Line:
    """One value: how it is read and formatted. `better` is the sign of an improvement, or 0."""

    name: str
    meaning: str
    read: Callable[[ReleaseMeasures], float | None]
    text: Callable[[float], str]
    better: int = 0

    def change(self, difference: float) -> str:
        """Return a difference of two values, with its sign."""
        if not difference:
            return "0"
        if self.text is share_text:  # shares differ by points: from 50 % to 60 % is not 10 % more
            return with_unit(as_change(100 * difference, 2), _("points"))
        return (MINUS if difference < 0 else "+") + self.text(abs(difference))


def _lines(now: ReleaseMeasures) -> Iterator[_Line]:
    yield _Line(_("Detail kept"), _("Share of detail over all columns"), lambda f: f.detail, share_text, 1)
    yield _Line(_("Suppressed records"), "", lambda f: f.n_suppressed, as_exact_count, -1)
    yield _Line(_("Classes"), _("Classes of equal records"), lambda f: f.n_classes, as_exact_count)
    if now.narrowing is not None:
        meaning = _("With a label from which values are excluded.")
        yield _Line(_("Records narrowed"), meaning, _n_narrowed, as_exact_count, -1)
    yield _Line(_("Smallest class (k)"), "", lambda f: f.k, as_exact_count, 1)
    for column in now.l:
        name = _("Distinct values (l), {column}").format(column=column)
        yield _Line(name, _("Fewest in a class"), _entry("l", column), as_exact_count, 1)
    for column in now.t:
        name = _("Distance (t), {column}").format(column=column)
        yield _Line(name, _("Of the class with the largest distance"), _entry("t", column), as_decimal, -1)
    for column in now.details:
        yield _Line(
            _("Detail of {column}").format(column=column),
            _("Detail kept (share)"),
            _entry("details", column),
            share_text,
            1,
        )
    for key in now.metrics:
        yield _Line(
            metric_title(key),
            _("Smaller is better"),
            _entry("metrics", key),
            metric_text(key),
            -1,
        )


def _n_narrowed(measures: ReleaseMeasures) -> float | None:
    return None if measures.narrowing is None else measures.narrowing.by_order.records_narrowed


def _entry(part: str, key: str) -> Callable[[ReleaseMeasures], float | None]:
    def read(measures: ReleaseMeasures) -> float | None:
        entries: Mapping[str, float | None] = getattr(measures, part)
        return entries.get(key)

    return read


def share_text(share: float) -> str:
    """Return a share of detail or records as percent, comparable in a column."""
    return as_percent(share, keep_zeros=True)


def _measure_row(line: _Line, now: ReleaseMeasures, after: ReleaseMeasures | None) -> list[Cell]:
    before, then = line.read(now), None if after is None else line.read(after)
    change, tone = "", "text"
    if before is not None and then is not None and math.isfinite(then - before):
        difference = then - before
        change = line.change(difference)
        if difference * line.better > 0:
            tone = "ok"
        elif difference * line.better < 0:
            change, tone = _("{change}, worse").format(change=change), "warn"
    none = pgettext("value", "none")
    return [
        Cell(line.name, line.meaning),
        Cell(none if before is None else line.text(before)),
        Cell("" if after is None else none if then is None else line.text(then), is_strong=True),
        Cell(change, tone=tone),
    ]
