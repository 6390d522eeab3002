"""Files that do not fit in memory, read side by side piece by piece, their distinct pairs counted."""

from __future__ import annotations

import secrets
import tempfile
from collections import Counter as CountOfTexts
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd

from engine.verification.cells import Vocabularies
from engine.verification.claimed_files import reading_of_original, readings_of_release
from engine.verification.claims import ReleaseClaim
from engine.verification.counted import (
    Due,
    Paired,
    TextColumn,
    coded_columns,
    compared_of,
    moves_of,
    persons_of,
    refuse_other_columns,
)
from engine.verification.drawn_places import DrawnPlaces
from engine.verification.findings import UnverifiableError, refuse_many_values
from engine.verification.formats import has_keys
from engine.verification.multisets import Multiset
from engine.verification.pairing import HIDDEN, NUMBER, TUPLE, Pairing
from engine.verification.parts import check_counts, check_manifest
from engine.verification.reading import Progress, Reading, read_pieces
from engine.verification.rules import PSEUDONYM, rule_of
from engine.verification.tally import Numbering, Tally
from engine.words import _


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
        self._secrets = (secrets.token_hex(8), secrets.token_hex(8))
        self.names = self._names_of(claim.files[0])
        self.compared = compared_of(claim)
        self._coded = coded_columns(claim, self.names)
        found = {name: moves_of(claim, name) for name in self.names}
        self._moves = {name: own for name, own in found.items() if own is not None and own.has_key}
        check_manifest(claim.released, partial(progress, 0, 100, _("Reading the original")))
        self._parts = readings_of_release(claim, self.names)
        self.released = self._parts[0]
        self.released_names = list(next(read_pieces(self.released, {}, _ignored, ())).columns)
        self._values: dict[str, CountOfTexts[str]] = {
            name: CountOfTexts()
            for name in self.names
            if name not in self._coded
            and (rule := rule_of(claim, name)) is not None
            and (rule.coded is not None or rule.rule == PSEUDONYM)
        }

    def _names_of(self, path: Path) -> list[str]:
        return list(next(read_pieces(reading_of_original(self._claim, path), {}, _ignored, ())).columns)

    def tuples(self) -> tuple[pd.DataFrame, pd.Series[int]]:
        """Return the distinct original records in the columns that models read, and their counts."""
        tally = Tally()
        done = 0
        unread = [name for name in self.names if name not in self._coded and name not in self._values]
        for piece in self._originals(0, 30, _("Reading the original"), unread):
            tally.add(piece[self._coded], done)
            done += len(piece)
            for name, counted in self._values.items():
                counted.update(piece[name].tolist())
                refuse_many_values(name, len(counted))
        rows, counts, _unused = tally.whole()
        self._numbering, self._n_records = Numbering(rows), done
        return rows, counts

    def values_of(self, name: str) -> Mapping[str, int]:
        """Return the distinct original texts of a column with coded values, with their counts."""
        return self._values[name]

    def pair(self, due: Due) -> Paired:
        """Compare the released records with the original ones, given what is expected of each tuple."""
        with closing(self._pairing(due)) as pairing:
            if self.compared == "multiset":
                return self._pair_any_order(due, pairing)
            if due.start is not None:
                with closing(DrawnPlaces(due.start, self._n_records, self._folder)) as places:
                    return self._pair_any_order(due, pairing, places)
            n_released = 0
            for before, after in _side_by_side(self._kept(due.suppressed), self._released_pieces()):
                if before is not None and after is not None:
                    pairing.add(before, after, n_released)
                elif after is not None:
                    pairing.add_released(after, n_released)
                n_released += 0 if after is None else len(after)
            return pairing.whole(n_released)

    def _pairing(self, due: Due) -> Pairing:
        secret, folder = self._secrets[0], self._folder
        pairing = Pairing(self._claim, self._known, self.names, self.released_names, secret, folder)
        pairing.fix_texts(due)
        return pairing

    def _pair_any_order(self, due: Due, pairing: Pairing, places: DrawnPlaces | None = None) -> Paired:
        """Compare expected records with those of the file as multisets, and their order if it is drawn."""
        expected, found = self._multisets(due, pairing, pairing.add, places)
        if found.equals(expected):
            misplaced = () if places is None else places.problems()
            return replace(pairing.whole(found.n_records), misplaced=misplaced)
        with closing(self._pairing(due)) as alone:
            n_released = 0
            for after in self._released_pieces():
                alone.add_released(after, n_released)
                n_released += len(after)
            alone_counted = alone.whole(n_released)
        with ExitStack() as closed:
            expected, found = self._multisets(due, pairing, _not_added, keeps=closed)
            return replace(alone_counted, differing=found.unmatched(expected))

    def _multisets(
        self,
        due: Due,
        pairing: Pairing,
        add: Callable[[pd.DataFrame, pd.DataFrame, int], None],
        places: DrawnPlaces | None = None,
        keeps: ExitStack | None = None,
    ) -> tuple[Multiset, Multiset]:
        """Return the expected records and those of the file; the former are added to the pairs, too."""
        expected, found = (
            Multiset(self._known, due.labels.columns, self._secrets, self._file(keeps))
            for _unused in range(2)
        )
        for before in self._kept(due.suppressed):
            after = pairing.due(before, due.labels)[self.released_names]
            add(before, after, expected.n_records)
            keys = expected.add(after, before[NUMBER])
            if places is not None:
                places.expect(keys)
        for after in self._released_pieces():
            after = after.reset_index(drop=True)
            numbers = pd.Series(range(found.n_records, found.n_records + len(after)), dtype="int64")
            keys = found.add(after, numbers)
            if places is not None:
                places.find(keys)
        return expected, found

    def _file(self, closed: ExitStack | None) -> BinaryIO | None:
        """Return a file that nobody else can open, removed with the stack; None without one."""
        folder = None if self._folder is None else str(self._folder)
        return None if closed is None else closed.enter_context(tempfile.TemporaryFile(dir=folder))

    def _kept(self, suppressed: pd.Series[bool]) -> Iterator[pd.DataFrame]:
        """Yield the original records that the file is due to have, with their tuples and suppression."""
        is_removed = self._claim.suppressed_records == "remove"
        done = 0
        texts = {
            name
            for name in self.released_names
            if name not in self._coded and not TextColumn(self._claim, name).is_constant
        }
        unread = [name for name in self.names if name not in self._coded and name not in texts]
        for piece in self._originals(45, 80, _("Comparing every cell"), unread):
            places = pd.Series(range(done, done + len(piece)), dtype="int64")
            done += len(piece)
            numbers = self._numbering.of(piece)
            hidden = suppressed.take(numbers.tolist()).reset_index(drop=True)
            whole = piece.set_axis(range(len(self.names)), axis=1).reset_index(drop=True)
            whole[TUPLE], whole[HIDDEN], whole[NUMBER] = numbers, hidden, places
            yield whole[~hidden].reset_index(drop=True) if is_removed else whole
        if done != self._n_records:
            raise UnverifiableError(_("The original changed while it was read."))

    def _originals(self, start: int, end: int, text: str, unread: list[str]) -> Iterator[pd.DataFrame]:
        files, done = self._claim.files, 0
        for number, path in enumerate(files):
            step = (end - start) / len(files)

            def report(part: float, begin: float = start + number * step, step: float = step) -> None:
                self._progress(int(begin + part * step), 100, text)

            reading = reading_of_original(self._claim, path)
            for piece in self._pieces_of(reading, self._coded, report, unread):
                if has_keys(path) and sorted(piece.columns) == sorted(self.names):
                    piece = piece[self.names]  # records of JSON have their keys in any order
                refuse_other_columns(files[0], self.names, path, list(piece.columns))
                yield self._moved(piece, done, unread)
                done += len(piece)

    def _moved(self, piece: pd.DataFrame, done: int, unread: Collection[str]) -> pd.DataFrame:
        """Return original records with the dates that a key moves as they are due in the file."""
        moves = {name: own for name, own in self._moves.items() if name not in unread}
        if not moves:
            return piece
        if self._claim.person:
            persons = persons_of(self._claim, self._known, piece[self._claim.person]).tolist()
        else:
            persons = [str(number) for number in range(done + 1, done + len(piece) + 1)]
        moved: dict[str, pd.Series[Any]] = {}
        for name, own in moves.items():
            if name in self._coded:
                known = self._known[name]
                before = [known.texts[code] for code in piece[name].tolist()]
                moved[name] = pd.Series(
                    [known.code(text) for text in own.due(before, persons)], dtype="int32"
                )
            else:
                moved[name] = pd.Series(own.due(piece[name].tolist(), persons), dtype=object)
        return piece.reset_index(drop=True).assign(**moved)

    def _released_pieces(self) -> Iterator[pd.DataFrame]:
        counts = []
        for reading in self._parts:
            counts.append(0)
            for piece in self._pieces_of(reading, self._coded, _ignored):
                refuse_other_columns(
                    self.released.path, self.released_names, reading.path, list(piece.columns)
                )
                counts[-1] += len(piece)
                yield piece
        check_counts(self._claim.released, counts)

    def _pieces_of(
        self,
        reading: Reading,
        coded: list[str],
        report: Callable[[float], None],
        unread: Collection[str] = (),
    ) -> Iterator[pd.DataFrame]:
        return read_pieces(reading, self._known, report, coded, unread)


def _ignored(part: float) -> None:
    """Ignore progress."""


def _not_added(before: pd.DataFrame, after: pd.DataFrame, done: int) -> None:
    """Count nothing."""


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
