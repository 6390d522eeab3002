"""What a recoding of distinct records would leave suppressed or alone, fast enough to try thousands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.frequency.measured import MeasuredClasses
from engine.hierarchies.hierarchy import SUPPRESSED
from engine.kernels.arrays import BoolArray, Codes, Keys
from engine.kernels.grouping import INT64_MAX, class_labels
from engine.privacy.table_wide import kept_table
from engine.recoding.base import RecodingTask
from engine.recoding.distinct import DistinctRecords

Levels = NDArray[np.int16]


@dataclass(frozen=True, eq=False)
class Judged:
    """What a recoding comes to.

    Attributes
    ----------
    missing : ndarray of bool, shape (n_rows,)
        Rows in classes that miss the requirement, and rows of stars beside such.
    alone : ndarray of bool, shape (n_rows,)
        Rows of one record that is alone in its class.
    n_missing, n_alone : int
        Records of these, and of rows of stars: a record of which all is hidden is as good as suppressed.
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
    start : Judged
        Of these levels.
    """

    def __init__(self, task: RecodingTask, records: DistinctRecords, levels: Levels) -> None:
        self._requirement, self._problem = task.requirement, task.problem
        self._allowed = task.requirement.allowed(task.problem.n_records)
        self._records, self._levels = records, levels
        hierarchies = [attribute.hierarchy for attribute in task.problem.attributes]
        self._spans = [len(hierarchy.texts) for hierarchy in hierarchies]
        self._stars = [h.texts.index(SUPPRESSED) if SUPPRESSED in h.texts else -1 for h in hierarchies]
        self._codes = [hierarchy.text_codes for hierarchy in hierarchies]
        self._texts = [self._texts_at(q, levels[:, q]) for q in range(len(hierarchies))]
        self._raised: dict[tuple[int, int], Codes] = {}
        self._strides = _strides(self._spans)
        self._keys = self._keys_of(self._texts)
        self.start = self.judged(self._keys, self._texts)

    def texts(self, raised: Sequence[tuple[int, int]], rows: BoolArray | None) -> dict[int, Codes]:
        """The texts of the columns that are raised, each to at least a level, in all rows or in some."""
        found = {}
        for q, level in raised:
            if (q, level) not in self._raised:
                self._raised[q, level] = self._texts_at(q, np.maximum(self._levels[:, q], level))
            texts = self._raised[q, level]
            found[q] = texts if rows is None else np.where(rows, texts, self._texts[q])
        return found

    def keys(self, texts: dict[int, Codes]) -> Keys | None:
        """A number per row, equal where rows read alike; None where numbers would be too large."""
        if self._keys is None or self._strides is None:
            return None
        keys = self._keys
        for q, new in texts.items():
            keys = keys + (new.astype(np.int64) - self._texts[q]) * self._strides[q]
        return keys

    def whole(self, texts: dict[int, Codes]) -> list[Codes]:
        """The texts of all columns."""
        return [texts.get(q, old) for q, old in enumerate(self._texts)]

    def touched(self, texts: dict[int, Codes]) -> tuple[int, int]:
        """Records and cells of which the text differs from what it was."""
        counts = self._records.counts
        changed = [new != self._texts[q] for q, new in texts.items()]
        records = int(counts[np.logical_or.reduce(changed)].sum())
        return records, sum(int(counts[cells].sum()) for cells in changed)

    def judged_at(self, levels: Levels) -> Judged:
        """Judge other levels of the same records."""
        texts = [self._texts_at(q, levels[:, q]) for q in range(len(self._spans))]
        return self.judged(self._keys_of(texts), texts)

    def judged(self, keys: Keys | None, texts: Sequence[Codes]) -> Judged:
        """Judge rows by their texts, as `make_local_release` will."""
        if keys is None:
            labels = class_labels(texts, self._spans)[0]
        else:
            labels = np.unique(keys, return_inverse=True)[1]
        classes = self._records.classes(labels)
        met = self._requirement.fulfilled(classes)
        missing = ~met[labels]
        stars = np.logical_and.reduce([codes == star for codes, star in zip(texts, self._stars, strict=True)])
        if missing.any():
            # Suppressed records become stars, from which a class of stars cannot be told.
            missing |= stars
            met[labels[stars]] = False
        counts = self._records.counts
        alone = (classes.sizes == 1)[labels]
        satisfies = int(counts[missing].sum()) <= self._allowed and self._holds(classes, met)
        n_missing, n_alone = (int(counts[rows | stars].sum()) for rows in (missing, alone))
        return Judged(missing, alone, n_missing, n_alone, satisfies)

    def _holds(self, classes: MeasuredClasses, kept: BoolArray) -> bool:
        """Whether the models that judge what is kept as a whole hold of it."""
        if not self._requirement.table_wide:
            return True
        figures, one = kept_table(self._problem, classes, kept), np.ones(1, dtype=np.bool_)
        return all(bool(model.holds(figures, one)[0]) for model in self._requirement.table_wide)

    def _texts_at(self, q: int, levels: NDArray[np.int16]) -> Codes:
        return self._codes[q][levels, self._records.leaves[:, q]]

    def _keys_of(self, texts: Sequence[Codes]) -> Keys | None:
        if self._strides is None:
            return None
        keys = np.zeros(self._records.n_rows, dtype=np.int64)
        for codes, stride in zip(texts, self._strides, strict=True):
            keys += codes.astype(np.int64) * stride
        return keys


def _strides(spans: Sequence[int]) -> list[int] | None:
    """What a text of each column counts in a key; None where keys would not fit into 64 bits."""
    strides, total = [], 1
    for span in spans:
        strides.append(total)
        total *= span
    return strides if total <= INT64_MAX else None
