"""Attack test by plain loops over texts: what the engine's arrays must give, with the same random numbers.

Nothing of the engine is used but the marks of suppressed records. Every number is drawn in the order in
which the definitions mention it, from one generator per attack.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

import numpy as np

Row = Mapping[str, str]
STAR = "*"


@dataclass(frozen=True)
class SlowTest:
    """A table, its control group, and the release of the others.

    Attributes
    ----------
    rows : sequence of mapping
        Original texts of every record by column.
    training, control : sequence of int
    suppressed : sequence of bool
        By training record.
    levels : mapping of str to sequence of mapping
        Label of each value on each level of the quasi-identifying columns.
    level_of : sequence of mapping
        Level by quasi-identifying column, for each training record.
    known : sequence of str
    values : mapping of str to sequence of str
        Values of each known column, in the order in which a number draws one.
    missing : str
    seed : int
    targets : int
    """

    rows: Sequence[Row]
    training: Sequence[int]
    control: Sequence[int]
    suppressed: Sequence[bool]
    levels: Mapping[str, Sequence[Mapping[str, str]]]
    level_of: Sequence[Mapping[str, int]]
    known: Sequence[str]
    values: Mapping[str, Sequence[str]]
    missing: str
    seed: int
    targets: int
    blanks: bool = False  # whether suppressed records lose their other cells too
    removes: bool = False  # whether they are removed

    def cell(self, place: int, column: str) -> str:
        """Return the released text of a training record."""
        text = self.rows[self.training[place]][column]
        if column in self.levels:
            return STAR if self.suppressed[place] else self.label(place, column, text)
        return self.missing if self.blanks and self.suppressed[place] else text

    def label(self, place: int, column: str, value: str) -> str:
        """Return how a value would be released in a training record."""
        return self.levels[column][self.level_of[place][column]][value] if column in self.levels else value

    def covers(self, place: int, column: str, text: str) -> bool:
        cell = self.cell(place, column)
        if column in self.levels:
            return cell in (STAR, self.label(place, column, text))
        return cell == text or (self.blanks and self.suppressed[place])

    @property
    def kept(self) -> list[int]:
        return [place for place, gone in enumerate(self.suppressed) if not gone]

    def uncovered(self, place: int, columns: Sequence[str], row: Row) -> int:
        return sum(not self.covers(place, column, row[column]) for column in columns)

    def drawn(self, group: Sequence[int], source: np.random.Generator) -> list[int]:
        n = min(self.targets, len(group))
        return [group[i] for i in source.choice(len(group), n, replace=False).tolist()] if n else []

    def singling_out(self, width: int) -> tuple[int, ...]:
        source = np.random.default_rng((self.seed, 1))
        size = min(len(self.training), len(self.control))
        groups = []
        for group in (self.training, self.control):
            chosen = set(source.choice(len(group), size, replace=False).tolist())
            groups.append([self.rows[record] for i, record in enumerate(group) if i in chosen])
        sets = list(combinations(self.known, min(width, len(self.known))))
        singles = []
        for columns in sets:
            cells = {place: tuple(self.cell(place, c) for c in columns) for place in self.kept}
            frequencies = Counter(cells.values())
            singles += [(columns, place) for place in self.kept if frequencies[cells[place]] == 1]
        counts = [0, 0, 0]
        if not singles:
            return (0,) * 6
        n = min(self.targets, len(singles))
        for number in source.choice(len(singles), n, replace=False).tolist():
            columns, place = singles[number]
            for side, group in enumerate(groups):
                covered = [row for row in group if not self.uncovered(place, columns, row)]
                counts[side] += len(covered) == 1
            naive = sets[int(source.integers(len(sets)))]
            alike = self.kept[int(source.integers(len(self.kept)))]  # its levels are those of the guess
            labels = {}
            for column in naive:
                value = self.values[column][int(source.integers(len(self.values[column])))]
                labels[column] = self.label(alike, column, value)
            covered = [
                row for row in groups[0] if all(labels[c] in self._stars(c, alike, row[c]) for c in naive)
            ]
            counts[2] += len(covered) == 1
        return (n, counts[0], n, counts[1], n, counts[2])

    def _stars(self, column: str, place: int, value: str) -> tuple[str, ...]:
        """Return the labels that cover a value on the levels of a training record."""
        label = self.label(place, column, value)
        return (STAR, label) if column in self.levels else (label,)

    def linkability(self, first: Sequence[str], second: Sequence[str], nearest: int) -> tuple[int, ...]:
        if not first or not second:
            return (0,) * 6
        source = np.random.default_rng((self.seed, 2))
        targets = self.drawn([self.training[place] for place in self.kept], source)
        control = self.drawn(self.control, source)
        found = []
        for group in (targets, control):
            n = 0
            for record in group:
                lists = [self._closest(part, self.rows[record], nearest, source) for part in (first, second)]
                n += bool(lists[0] & lists[1])
            found.append(n)
        size, naive = min(nearest, len(self.kept)), 0
        for _ in targets:
            pair = [set(source.choice(len(self.kept), size, replace=False).tolist()) for _ in range(2)]
            naive += bool(pair[0] & pair[1])
        return (len(targets), found[0], len(control), found[1], len(targets), naive)

    def _closest(
        self, columns: Sequence[str], row: Row, nearest: int, source: np.random.Generator
    ) -> set[int]:
        by_count: dict[int, list[int]] = {}
        for place in self.kept:
            by_count.setdefault(self.uncovered(place, columns, row), []).append(place)
        found: list[int] = []
        for count in sorted(by_count):
            room = nearest - len(found)
            ties = by_count[count]
            if len(self.kept) <= nearest:
                return set(self.kept)
            if room == 0:
                break
            if nearest == 1:
                return {ties[int(source.integers(len(ties)))]}
            if len(ties) < room:
                found += ties
                continue
            found += source.choice(ties, room, replace=False).tolist()
            break
        return set(found)

    def inference(self, secret: str, number: int, *, is_numeric: bool, leaves_out: bool) -> tuple[int, ...]:
        others = [name for name in self.known if name != secret]
        if not others:
            return (0,) * 6
        source = np.random.default_rng((self.seed, 3 + number))
        places = self.kept if leaves_out or self.removes else list(range(len(self.training)))
        targets = self.drawn(
            [r for r in (self.training[place] for place in places) if self.rows[r][secret] != self.missing],
            source,
        )
        control = self.drawn([r for r in self.control if self.rows[r][secret] != self.missing], source)
        if not targets or not control:
            return (0,) * 6
        found = []
        for group in (targets, control):
            n = 0
            for record in group:
                row = self.rows[record]
                counts = {place: self.uncovered(place, others, row) for place in places}
                least = min(counts.values())
                cells = [self.cell(place, secret) for place in places if counts[place] == least]
                n += self._is_right(self._guess(cells, is_numeric), row[secret], is_numeric)
            found.append(n)
        given = [cell for cell in (self.cell(place, secret) for place in places) if cell != self.missing]
        naive = 0
        if given:
            drawn = source.integers(len(given), size=len(targets)).tolist()
            naive = sum(
                self._is_right(self._guess([given[i]], is_numeric), self.rows[record][secret], is_numeric)
                for i, record in zip(drawn, targets, strict=True)
            )
        return (len(targets), found[0], len(control), found[1], len(targets), naive)

    def _guess(self, cells: Sequence[str], is_numeric: bool) -> str | float | None:
        known = [cell for cell in cells if cell != self.missing]
        if not known:
            return None
        if is_numeric:
            return median(float(cell) for cell in known)
        frequencies = Counter(known)
        return min(frequencies, key=lambda text: (-frequencies[text], text))

    def _is_right(self, guess: str | float | None, truth: str, is_numeric: bool) -> bool:
        if guess is None:
            return False
        if isinstance(guess, str):
            return guess == truth
        return abs(guess - float(truth)) <= 0.05 * abs(float(truth)) + 1e-9
