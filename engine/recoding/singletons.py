"""Coarsening of the records that stand out, in the columns that leave fewest of them [1]."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.frequency import Problem
from engine.hierarchies.hierarchy import SUPPRESSED
from engine.kernels.arrays import BoolArray, Codes
from engine.monitor import Monitor, PartMonitor
from engine.numbers import as_exact_count
from engine.params import Choice, Flag, Integer, param
from engine.privacy import Requirement
from engine.privacy.limit import is_satisfied
from engine.recoding.base import Recoding, RecodingMethod, RecodingTask, recoded_records, recoding_methods
from engine.recoding.distinct import DistinctRecords
from engine.recoding.requirement_check import satisfies, strictest_needed
from engine.recoding.singleton_variants import choices, n_choices
from engine.words import N_, _, lazy

Levels = NDArray[np.int16]

_SEED = 20


@dataclass(frozen=True, eq=False)
class SingletonOutcome:
    """Effect of a recoding.

    Attributes
    ----------
    missing : ndarray of bool, shape (n_rows,)
        Rows in classes that miss the requirement, and rows of `*` next to such.
    alone : ndarray of bool, shape (n_rows,)
        Rows of one record that is alone in its class.
    n_missing, n_alone : int
        Records of these, and of rows of `*`: a record of which all is hidden is as good as suppressed.
    satisfies : bool
        Whether the release that is made of it meets the requirement.
    """

    missing: BoolArray
    alone: BoolArray
    n_missing: int
    n_alone: int
    satisfies: bool


class Trials:
    """Levels of distinct records, and what becomes of them when some are raised.

    Parameters
    ----------
    levels : ndarray of int16, shape (n_rows, n_qi)
        The levels before anything is tried.

    Attributes
    ----------
    start : SingletonOutcome
        Of these levels.
    """

    def __init__(self, task: RecodingTask, records: DistinctRecords, levels: Levels) -> None:
        self._requirement, self._problem = task.requirement, task.problem
        self._records, self._levels = records, levels
        hierarchies = [attribute.hierarchy for attribute in task.problem.attributes]
        self._stars = [h.texts.index(SUPPRESSED) if SUPPRESSED in h.texts else -1 for h in hierarchies]
        self._codes = [hierarchy.text_codes for hierarchy in hierarchies]
        self._texts = [self._texts_at(q, levels[:, q]) for q in range(len(hierarchies))]
        self._raised: dict[tuple[int, int], Codes] = {}
        self._marks = _marks([len(hierarchy.texts) for hierarchy in hierarchies])
        self._keys = np.zeros(records.n_rows, dtype=np.uint64)
        self._n_stars = np.zeros(records.n_rows, dtype=np.int64)
        for q, texts in enumerate(self._texts):
            self._keys += self._marks[q][texts]
            self._n_stars += texts == self._stars[q]
        self.start = self.outcome({})

    def texts(self, raised: Sequence[tuple[int, int]], rows: BoolArray | None) -> dict[int, Codes]:
        """The texts of the columns that are raised, each to at least a level, in all rows or in some."""
        found = {}
        for q, level in raised:
            if (q, level) not in self._raised:
                self._raised[q, level] = self._texts_at(q, np.maximum(self._levels[:, q], level))
            texts = self._raised[q, level]
            found[q] = texts if rows is None else np.where(rows, texts, self._texts[q])
        return found

    def touched(self, texts: Mapping[int, Codes]) -> tuple[int, int]:
        """Records and cells of which the text differs from what it was."""
        counts = self._records.counts
        changed = [new != self._texts[q] for q, new in texts.items()]
        records = int(counts[np.logical_or.reduce(changed)].sum())
        return records, sum(int(counts[cells].sum()) for cells in changed)

    def outcome_at(self, levels: Levels) -> SingletonOutcome:
        """Evaluate other levels of the same records."""
        return self.outcome({q: self._texts_at(q, own) for q, own in enumerate(levels.T)})

    def outcome(self, texts: Mapping[int, Codes]) -> SingletonOutcome:
        """Evaluate rows by their texts, as `make_local_release` will, if some columns have new ones."""
        keys, n_stars = self._keys, self._n_stars
        for q, new in texts.items():
            old, star = self._texts[q], self._stars[q]
            keys = keys + (self._marks[q][new] - self._marks[q][old])
            n_stars = n_stars + (new == star) - (old == star)
        labels = np.unique(keys, return_inverse=True)[1]
        classes = self._records.classes(labels)
        met = self._requirement.fulfilled(classes)
        missing, stars = ~met[labels], n_stars == len(self._texts)
        if missing.any():
            # Suppressed records become stars, and a class of stars cannot be distinguished from them.
            missing |= stars
            met[labels[stars]] = False
        counts = self._records.counts
        alone = (classes.sizes == 1)[labels]
        satisfies = is_satisfied(self._problem, self._requirement, classes, met)
        n_missing, n_alone = (int(counts[rows | stars].sum()) for rows in (missing, alone))
        return SingletonOutcome(missing, alone, n_missing, n_alone, satisfies)

    def _texts_at(self, q: int, levels: NDArray[np.int16]) -> Codes:
        return self._codes[q][levels, self._records.leaves[:, q]]


def _marks(spans: Sequence[int]) -> list[NDArray[np.uint64]]:
    """Return the contribution of each text of each column to the key of a row.

    Digits of one number if that has 64 bits. Else random words: two rows that differ have equal
    sums about once in 10**19 pairs, and the release is counted by its texts in any case.
    """
    if prod(spans) <= 2**64:
        starts = [prod(spans[:q]) for q in range(len(spans))]
        return [
            np.arange(span, dtype=np.uint64) * np.uint64(start)
            for span, start in zip(spans, starts, strict=True)
        ]
    random = np.random.default_rng(_SEED)
    return [random.integers(2**64, size=span, dtype=np.uint64) for span in spans]


UNMET, ALONE = "unmet", "singletons"
RECORDS = (
    (UNMET, N_("in classes that fail the requirement")),
    (ALONE, N_("unique in their values")),
)
LOCAL, GLOBAL, BOTH = "local", "global", "both"
SCOPES = (
    (LOCAL, N_("only in these records")),
    (GLOBAL, N_("in all records")),
    (BOTH, N_("whichever is better")),
)
_MOST_TIED = 50  # variants that tie and are compared by their loss


class _Merit(NamedTuple):
    """Sort key of the best variant, smallest first."""

    misses: bool
    n_left: int
    n_records: int
    n_cells: int


class _Variant(NamedTuple):
    """Columns, each with the level it is raised to at least; locally or globally."""

    raised: tuple[tuple[int, int], ...]
    is_local: bool


@recoding_methods.register("singletons")
@dataclass(frozen=True, slots=True)
class Singletons(RecodingMethod):
    """Try every combination of columns to coarsen and elect the one with the fewest singletons left.

    Each combination is tried locally, coarsening only the records that stand out, or globally, coarsening
    the columns in all records, or both ways. Elected is a variant that satisfies, if any does; then the one
    with fewest records that still stand out or of which all is hidden; then with fewest records changed,
    then fewest cells; then the one of least loss. What stands out in the end is suppressed. The
    unchanged release takes part in the election, so that it never gets worse.

    In the paper records stand out that are alone, which is a requirement of classes of two. Under another
    requirement these are, by default, the records of classes that miss it. Table-wide models single
    no record out: if one is not met, larger classes are required until it is.

    References
    ----------
    .. [1] Pastore, Pellegrino, Scarano: detection of quasi-identifiers by singletons, and their
       anonymization by local and global recoding.
    """

    title: ClassVar[str] = lazy("Singletons")
    summary: ClassVar[str] = lazy(
        "Generalizes the unique records in those columns where the fewest remain unique and the "
        "least changes."
    )
    weakness: ClassVar[str] = lazy(
        "A generalized record was unique before: an attacker who knows the method learns that too "
        "few other records, or none, had its original values."
    )
    needs_start: ClassVar[bool] = True
    source: ClassVar[str] = lazy("Pastore, Pellegrino and Scarano")

    records: str = param(
        UNMET,
        Choice(
            label=N_("Records"),
            options=RECORDS,
            help=N_("Records to generalize; for 2-anonymity, both are the same."),
        ),
    )
    scope: str = param(
        LOCAL,
        Choice(
            label=N_("Generalize cells"),
            options=SCOPES,
            help=N_("Generalizing all records changes far more, and is what a search of the lattice does."),
        ),
    )
    most_columns: int = param(
        3,
        Integer(
            label=N_("Columns at a time"),
            minimum=1,
            maximum=100,
            help=N_(
                "Largest number of columns that are generalized together; each further column "
                "takes several times as long."
            ),
            usual=(1, 2, 3),
        ),
    )
    levels: int = param(
        0,
        Integer(
            label=N_("Levels"),
            minimum=0,
            maximum=1000,
            help=N_("Largest number of levels by which a column is raised; 0 for no limit."),
            usual=(0, 1, 2),
        ),
    )
    rounds: int = param(
        5,
        Integer(
            label=N_("Rounds"),
            minimum=1,
            maximum=100,
            help=N_(
                "Number of repetitions, each with the records that are still unique; the paper uses one."
            ),
            usual=(1, 2, 5),
        ),
    )
    from_scratch: bool = param(
        False,
        Flag(
            label=N_("From scratch"),
            help=N_("Start with the lowest levels; the given release is used if that would not satisfy."),
        ),
    )

    def improve(self, task: RecodingTask, monitor: Monitor) -> Recoding:
        nobody = np.zeros(task.problem.n_records, dtype=np.bool_)
        lowest = Recoding.of_node(task.problem.lattice.minimum, nobody)
        begun = lowest if self.from_scratch or task.start is None else task.start
        found = self._recoded(task, begun, monitor)
        if satisfies(task.problem, task.requirement, found):
            return found
        if whole := task.requirement.table_wide:

            def recode(requirement: Requirement) -> Recoding:
                asked = replace(requirement, models=(*requirement.models, *whole))
                return self._recoded(replace(task, requirement=asked), begun, monitor)

            return strictest_needed(task, recode, task.start or found)
        if task.start is not None and satisfies(task.problem, task.requirement, task.start):
            return task.start
        return found

    def _recoded(self, task: RecodingTask, begun: Recoding, monitor: Monitor) -> Recoding:
        """The rounds of one requirement."""
        records = DistinctRecords(task.problem)
        levels = np.zeros(records.leaves.shape, dtype=np.int16)
        np.maximum.at(levels, records.row_of, begun.levels)  # alike records of a release may differ in levels
        for number in range(self.rounds):
            found = self._elected(task, records, levels, PartMonitor(monitor, number, self.rounds))
            if found is None:
                break
            levels = found
        return Recoding(levels[records.row_of], np.zeros(task.problem.n_records, dtype=np.bool_))

    def _elected(
        self, task: RecodingTask, records: DistinctRecords, levels: Levels, monitor: Monitor
    ) -> Levels | None:
        """The levels of the best variant; None if nothing is better than the present levels."""
        trials = Trials(task, records, levels)
        rows = self._standing_out(trials.start)
        if not rows.any():
            return None
        targets = self._targets(task.problem, levels)
        scopes = [
            is_local for is_local in (True, False) if self.scope in (BOTH, LOCAL if is_local else GLOBAL)
        ]
        total = sum(n_choices([len(own) for own in targets[local]], self.most_columns) for local in scopes)
        best = self._merit(trials.start, 0, 0)
        tied: list[_Variant] = []
        for number, variant in enumerate(self._variants(targets, scopes)):
            monitor.step(
                number,
                total,
                _("{n} of {total} variants").format(n=as_exact_count(number), total=as_exact_count(total)),
            )
            texts = trials.texts(variant.raised, rows if variant.is_local else None)
            touched = trials.touched(texts)
            if not touched[0]:
                continue
            merit = self._merit(trials.outcome(texts), *touched)
            if merit < best:
                best, tied = merit, [variant]
            elif merit == best and tied:
                tied.append(variant)
        return _least_loss(
            task, records, trials, [_raised(levels, variant, rows) for variant in tied[:_MOST_TIED]], monitor
        )

    def _standing_out(self, outcome: SingletonOutcome) -> BoolArray:
        return outcome.missing if self.records == UNMET else outcome.alone

    def _merit(self, outcome: SingletonOutcome, n_records: int, n_cells: int) -> _Merit:
        n_left = outcome.n_missing if self.records == UNMET else outcome.n_alone
        return _Merit(not outcome.satisfies, n_left, n_records, n_cells)

    def _targets(self, problem: Problem, levels: Levels) -> dict[bool, list[list[int]]]:
        """Per scope and column the levels to raise to; a cell may be hidden even if its column may not."""
        found: dict[bool, list[list[int]]] = {True: [], False: []}
        for attribute, own in zip(problem.attributes, levels.T, strict=True):
            lowest, top = int(own.min()), attribute.hierarchy.height
            allowed = list(range(lowest + 1, attribute.maximum + 1))
            hidden = [*allowed, *([top] if top > max(lowest, attribute.maximum) else [])]
            for is_local, targets in ((True, hidden), (False, allowed)):
                found[is_local].append(targets[: self.levels] if self.levels else targets)
        return found

    def _variants(self, targets: dict[bool, list[list[int]]], scopes: list[bool]) -> Iterator[_Variant]:
        for is_local in scopes:
            own = targets[is_local]
            for choice in choices([len(levels) for levels in own], self.most_columns):
                yield _Variant(tuple((q, own[q][way]) for q, way in choice), is_local)


def _raised(levels: Levels, variant: _Variant, rows: BoolArray) -> Levels:
    raised = levels.copy()
    for q, level in variant.raised:
        higher = np.maximum(raised[:, q], np.int16(level))
        raised[:, q] = np.where(rows, higher, raised[:, q]) if variant.is_local else higher
    return raised


def _least_loss(
    task: RecodingTask, records: DistinctRecords, trials: Trials, tied: list[Levels], monitor: Monitor
) -> Levels | None:
    """Of levels that tie those which lose least by the metric of the task; None if there are none."""
    losses = []
    for number, levels in enumerate(tied if len(tied) > 1 else ()):
        monitor.step(
            number,
            len(tied),
            _("Comparing variants with equal results: {number} of {n}").format(number=number, n=len(tied)),
        )
        suppressed = trials.outcome_at(levels).missing[records.row_of]
        recoding = Recoding(levels[records.row_of], suppressed)
        figures = recoded_records(task.problem, recoding, task.requirement.k, task.objective)
        losses.append(float(figures.metric(task.metric)[0]))
    if not losses:
        return tied[0] if tied else None
    return tied[int(np.argmin(np.nan_to_num(losses, nan=np.inf)))]
