"""Effects of recoding distinct records, computed without making the release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from engine.frequency.measured import MeasuredClasses
from engine.hierarchies.hierarchy import SUPPRESSED
from engine.kernels.arrays import BoolArray, Codes
from engine.privacy.limit import is_within
from engine.privacy.table_wide import kept_table
from engine.recoding.base import RecodingTask
from engine.recoding.distinct import DistinctRecords

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
    task : RecodingTask
    records : DistinctRecords
    levels : ndarray of int16, shape (n_rows, n_qi)
        As they are before anything is tried.

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
        """Judge other levels of the same records."""
        return self.outcome({q: self._texts_at(q, own) for q, own in enumerate(levels.T)})

    def outcome(self, texts: Mapping[int, Codes]) -> SingletonOutcome:
        """Judge rows by their texts, as `make_local_release` will, where some columns have new ones."""
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
            # Suppressed records become stars, from which a class of stars cannot be told.
            missing |= stars
            met[labels[stars]] = False
        counts = self._records.counts
        alone = (classes.sizes == 1)[labels]
        within = is_within(self._problem, self._requirement, classes, met)
        satisfies = within and self._holds(classes, met)
        n_missing, n_alone = (int(counts[rows | stars].sum()) for rows in (missing, alone))
        return SingletonOutcome(missing, alone, n_missing, n_alone, satisfies)

    def _holds(self, classes: MeasuredClasses, kept: BoolArray) -> bool:
        """Return whether the table-wide models are met."""
        if not self._requirement.table_wide:
            return True
        figures, one = kept_table(self._problem, classes, kept), np.ones(1, dtype=np.bool_)
        return all(bool(model.holds(figures, one)[0]) for model in self._requirement.table_wide)

    def _texts_at(self, q: int, levels: NDArray[np.int16]) -> Codes:
        return self._codes[q][levels, self._records.leaves[:, q]]


def _marks(spans: Sequence[int]) -> list[NDArray[np.uint64]]:
    """Return the contribution of each text of each column to the key of a row.

    Digits of one number where that has 64 bits. Else random words: two rows that differ have equal
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
