"""Files that do not fit in memory, read side by side piece by piece, their distinct pairs counted."""

from __future__ import annotations

import secrets
from collections import Counter as CountOfTexts
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pandas as pd

from engine.verification.cells import STAR, Vocabularies
from engine.verification.claims import ReleaseClaim
from engine.verification.counted import (
    Paired,
    TextColumn,
    Wrong,
    coded_columns,
    refuse_other_columns,
    unchanged_columns,
    unchanged_sets,
)
from engine.verification.findings import UnverifiableError
from engine.verification.reading import Progress, Reading, read_pieces
from engine.verification.release_check import reading_of_original, reading_of_release
from engine.verification.rules import rule_of
from engine.verification.tally import Alone, Numbering, Tally
from engine.words import _

_ODD, _HIGH = 0x9E3779B97F4A7C15, 2**29


class PieceCounter:
    """Counter of both files by the reader of the verification in memory.

    Parameters
    ----------
    claim : ReleaseClaim
    known : dict of str to Vocabulary
        Extended by the texts of the columns that models read.
    progress : callable
    folder : Path or None
        Private folder for what does not fit in memory; None for that of the system.
    """

    def __init__(
        self, claim: ReleaseClaim, known: Vocabularies, progress: Progress, folder: Path | None
    ) -> None:
        self._claim, self._known, self._progress, self._folder = claim, known, progress, folder
        self._secret = secrets.token_hex(8)
        self.names = self._names_of(claim.files[0])
        self._coded = coded_columns(claim, self.names)
        self.released = reading_of_release(claim, self.names)
        self.released_names = list(next(read_pieces(self.released, {}, _ignored, ())).columns)
        self._values: dict[str, CountOfTexts[str]] = {
            name: CountOfTexts()
            for name in self.names
            if name not in self._coded
            and (rule := rule_of(claim, name)) is not None
            and rule.coded is not None
        }

    def _names_of(self, path: Path) -> list[str]:
        return list(next(read_pieces(reading_of_original(self._claim, path), {}, _ignored, ())).columns)

    def tuples(self) -> tuple[pd.DataFrame, pd.Series[int]]:
        """Return the distinct original records in the columns that models read, and their counts."""
        tally = Tally()
        done = 0
        for piece in self._originals(0, 30, _("Reading the original")):
            tally.add(piece[self._coded], done)
            done += len(piece)
            for name, counted in self._values.items():
                counted.update(piece[name].tolist())
        rows, counts, _unused = tally.whole()
        self._numbering, self._n_records = Numbering(rows), done
        return rows, counts

    def values_of(self, name: str) -> Mapping[str, int]:
        """Return the distinct original texts of a column with coded values, with their counts."""
        return self._values[name]

    def pair(self, suppressed: pd.Series[bool]) -> Paired:
        """Compare the released records with the original ones, given which tuples are suppressed."""
        claim = self._claim
        pairing = _Pairing(claim, self._known, self.names, self.released_names, self._secret, self._folder)
        n_released = 0
        released = self._pieces_of(self.released, self._coded, lambda part: None)
        for before, after in _side_by_side(self._kept(suppressed), released):
            if before is not None and after is not None:
                pairing.add(before, after, n_released)
            elif after is not None:
                pairing.add_released(after, n_released)
            n_released += 0 if after is None else len(after)
        return pairing.whole(n_released)

    def _kept(self, suppressed: pd.Series[bool]) -> Iterator[pd.DataFrame]:
        """Yield the original records that the file is due to have, with their tuples and suppression."""
        is_removed = self._claim.suppressed_records == "remove"
        done = 0
        for piece in self._originals(45, 80, _("Comparing every cell")):
            done += len(piece)
            numbers = self._numbering.of(piece)
            hidden = suppressed.take(numbers.tolist()).reset_index(drop=True)
            whole = piece.set_axis(range(len(self.names)), axis=1).reset_index(drop=True)
            whole[_TUPLE], whole[_HIDDEN] = numbers, hidden
            yield whole[~hidden].reset_index(drop=True) if is_removed else whole
        if done != self._n_records:
            raise UnverifiableError(_("The original changed while it was read."))

    def _originals(self, start: int, end: int, text: str) -> Iterator[pd.DataFrame]:
        files = self._claim.files
        for number, path in enumerate(files):
            step = (end - start) / len(files)

            def report(part: float, begin: float = start + number * step, step: float = step) -> None:
                self._progress(int(begin + part * step), 100, text)

            reading = reading_of_original(self._claim, path)
            for piece in self._pieces_of(reading, self._coded, report):
                refuse_other_columns(files[0], self.names, path, list(piece.columns))
                yield piece

    def _pieces_of(
        self, reading: Reading, coded: list[str], report: Callable[[float], None]
    ) -> Iterator[pd.DataFrame]:
        return read_pieces(reading, self._known, report, coded)


_TUPLE, _HIDDEN = "tuple", "hidden"  # the columns of the data are numbered meanwhile


class _Pairing:
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

    def add(self, before: pd.DataFrame, after: pd.DataFrame, done: int) -> None:
        """Add records that belong together, the first of them number `done`."""
        own = before[[_TUPLE]].join(after[self._coded].set_axis(range(len(self._coded)), axis=1))
        self._pairs.add(own, done)
        numbers = pd.Series(range(done, done + len(after)), dtype="int64")
        for column in self._texts:
            cells = before[self._places[column.name]]
            if column.is_constant:
                cells = pd.Series("", index=after.index)
            self._wrong.compare(column, cells, after[column.name], before[_HIDDEN], numbers)
        keys = {name: self._hashed(after[name]) for name in {n for names in self._sets for n in names}}
        persons = before[self._places[self._claim.person]] if self._claim.person else None
        for columns, alone in self._sets.items():
            whole = pd.Series(0, index=after.index, dtype="uint64")
            for name in columns:
                whole = (whole ^ whole // _HIGH) * _ODD + keys[name]
            alone.add(whole, persons)
        if self._dependencies:
            stars = before[_HIDDEN].copy()
            for name in self._claim.quasi_identifying:
                stars &= after[name] == self._known[name].code(STAR)
            for (name, other), parts in self._dependencies.items():
                rows = pd.DataFrame(
                    {"own": keys[name], "before": before[self._places[other]], "label": after[other]}
                )
                parts.append(rows[~stars].groupby(list(rows.columns), sort=False).size())
                if len(parts) > _PARTS:
                    parts[:] = [_summed(parts)]

    def add_released(self, after: pd.DataFrame, done: int) -> None:
        """Add records of the file without an original one."""
        self._alone_released.add(after[self._coded].set_axis(range(len(self._coded)), axis=1), done)

    def whole(self, n_released: int) -> Paired:
        """Return what was counted."""
        pairs, counts, numbers = self._pairs.whole() if self._pairs else _nothing(len(self._coded))
        released = pairs.drop(columns=_TUPLE)
        tuples = pairs[_TUPLE]
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
    return pd.DataFrame(dict.fromkeys((_TUPLE, *range(n_columns)), none)), none, none


def _ignored(part: float) -> None:
    """Ignore progress."""


def _side_by_side(
    before: Iterator[pd.DataFrame], after: Iterator[pd.DataFrame]
) -> Iterator[tuple[pd.DataFrame | None, pd.DataFrame | None]]:
    """Yield pieces of equal length of both; at the end what only one of them has, None for the other."""
    own, other = next(before, None), next(after, None)
    while own is not None or other is not None:
        if own is None or other is None:
            yield own, other
            own = None if own is None else next(before, None)
            other = None if other is None else next(after, None)
            continue
        n = min(len(own), len(other))
        if n:
            yield own.iloc[:n].reset_index(drop=True), other.iloc[:n].reset_index(drop=True)
        own, other = own.iloc[n:], other.iloc[n:]
        own = next(before, None) if own.empty else own
        other = next(after, None) if other.empty else other
