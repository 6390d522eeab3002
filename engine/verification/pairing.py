"""Pairs of an original and a released record, counted and compared piece by piece."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from engine.verification.cells import STAR, Vocabularies
from engine.verification.claims import ReleaseClaim
from engine.verification.counted import (
    Due,
    Paired,
    TextColumn,
    Wrong,
    coded_columns,
    persons_of,
    unchanged_columns,
    unchanged_sets,
)
from engine.verification.tally import Alone, Tally

_ODD, _HIGH = 0x9E3779B97F4A7C15, 2**29

TUPLE, HIDDEN, NUMBER = "tuple", "hidden", "number"  # the columns of the data are numbered meanwhile


class Pairing:
    """Pairs of records, counted and compared."""

    def __init__(
        self,
        claim: ReleaseClaim,
        known: Vocabularies,
        names: list[str],
        released_names: list[str],
        secret: str,
        folder: Path | None,
    ) -> None:
        self._claim, self._known, self._secret = claim, known, secret
        self._places = {name: place for place, name in enumerate(names)}
        self._coded = [name for name in coded_columns(claim, names) if name in released_names]
        self._texts = [TextColumn(claim, name) for name in released_names if name not in self._coded]
        self._wrong = Wrong(claim, released_names)
        self._pairs, self._alone_released, self._is_paired = Tally(), Tally(), True
        self._sets = {
            columns: Alone(folder, with_persons=bool(claim.person))
            for columns in unchanged_sets(claim, released_names)
        }
        expected = claim.expected.unchanged
        unchanged = unchanged_columns(claim, released_names)
        self._dependencies: dict[tuple[str, str], list[pd.Series[int]]] = {
            (own, other): []
            for own, other in (expected.determines if expected else ())
            if own in unchanged and own not in self._coded and other in claim.quasi_identifying
        }

    def fix_texts(self, due: Due) -> None:
        """Take the expected texts that depend on all values of a column."""
        for column in self._texts:
            column.fixed = due.texts.get(column.name)

    def add(self, before: pd.DataFrame, after: pd.DataFrame, done: int) -> None:
        """Add records that belong together, the first of them number `done`."""
        own = before[[TUPLE]].join(after[self._coded].set_axis(range(len(self._coded)), axis=1))
        self._pairs.add(own, done)
        numbers = pd.Series(range(done, done + len(after)), dtype="int64")
        for column in self._texts:
            cells = before[self._places[column.name]]
            if column.is_constant:
                cells = pd.Series("", index=after.index)
            if column.moves is not None and not column.moves.has_key:
                whose = self._persons(before)
                cells = self._wrong.move(column, cells, after[column.name], before[HIDDEN], numbers, whose)
            self._wrong.compare(column, cells, after[column.name], before[HIDDEN], numbers)
        keys = {name: self._hashed(after[name]) for name in {n for names in self._sets for n in names}}
        persons = before[self._places[self._claim.person]] if self._claim.person else None
        for columns, alone in self._sets.items():
            whole = pd.Series(0, index=after.index, dtype="uint64")
            for name in columns:
                whole = (whole ^ whole // _HIGH) * _ODD + keys[name]
            alone.add(whole, persons)
        if self._dependencies:
            stars = before[HIDDEN].copy()
            for name in self._claim.quasi_identifying:
                stars &= after[name] == self._known[name].code(STAR)
            for (name, other), parts in self._dependencies.items():
                rows = pd.DataFrame(
                    {"own": keys[name], "before": before[self._places[other]], "label": after[other]}
                )
                parts.append(rows[~stars].groupby(list(rows.columns), sort=False).size())
                if len(parts) > _PARTS:
                    parts[:] = [_summed(parts)]

    def _persons(self, before: pd.DataFrame) -> pd.Series[str] | None:
        """Return the person of each record; None if every one is another person."""
        person = self._claim.person
        return persons_of(self._claim, self._known, before[self._places[person]]) if person else None

    def due(self, before: pd.DataFrame, labels: pd.DataFrame) -> pd.DataFrame:
        """Return the expected cells of some original records, given those of each tuple."""
        found = {name: labels[name].take(before[TUPLE].tolist()).reset_index(drop=True) for name in labels}
        for column in self._texts:
            cells = before[self._places[column.name]]
            if column.is_constant:
                cells = pd.Series("", index=before.index)
            found[column.name], _usual = column.cells(cells, before[HIDDEN])
        return pd.DataFrame(found, index=before.index, copy=False)

    def add_released(self, after: pd.DataFrame, done: int) -> None:
        """Add records of the file without an original one."""
        self._alone_released.add(after[self._coded].set_axis(range(len(self._coded)), axis=1), done)

    def close(self) -> None:
        """Remove what was counted, if it is not asked for."""
        for alone in self._sets.values():
            alone.close()

    def whole(self, n_released: int) -> Paired:
        """Return what was counted."""
        pairs, counts, numbers = self._pairs.whole() if self._pairs else _nothing(len(self._coded))
        released = pairs.drop(columns=TUPLE)
        tuples = pairs[TUPLE]
        if self._alone_released:
            more, more_counts, more_numbers = self._alone_released.whole()
            released = pd.concat([released, more], ignore_index=True)
            counts = pd.concat([counts, more_counts], ignore_index=True)
            numbers = pd.concat([numbers, more_numbers], ignore_index=True)
        for column in self._texts:
            column.refuse_equal_codes()
        return Paired(
            n_released,
            tuples,
            released.set_axis(self._coded, axis=1),
            counts,
            numbers,
            self._wrong,
            {columns: alone.count() for columns, alone in self._sets.items()},
            {pair: _share(_summed(parts)) if parts else 0.0 for pair, parts in self._dependencies.items()},
        )

    def _hashed(self, cells: pd.Series[int] | pd.Series[str]) -> pd.Series[int]:
        """Return a hash of 64 bits per cell, with the secret of this run."""
        if cells.dtype == object:
            found = pd.util.hash_array(cells.to_numpy(), hash_key=self._secret)
        else:
            found = pd.util.hash_array(cells.to_numpy())
        return pd.Series(found, index=cells.index)


_PARTS = 64


def _summed(parts: list[pd.Series[int]]) -> pd.Series[int]:
    whole = pd.concat(parts)
    return whole.groupby(level=list(range(whole.index.nlevels)), sort=False).sum()


def _share(counted: pd.Series[int]) -> float:
    """Return the share of a dependency, as `Recount.share`, from counts by own value, original and label."""
    rows = counted.rename("count").reset_index()
    covers = rows.groupby("label")["before"].transform("nunique") > 1
    fixed = rows.groupby("own")["before"].transform("nunique") == 1
    n_covered = int(rows["count"][covers].sum())
    return int(rows["count"][covers & fixed].sum()) / n_covered if n_covered else 0.0


def _nothing(n_columns: int) -> tuple[pd.DataFrame, pd.Series[int], pd.Series[int]]:
    none = pd.Series(range(0), dtype="int64")
    return pd.DataFrame(dict.fromkeys((TUPLE, *range(n_columns)), none)), none, none
