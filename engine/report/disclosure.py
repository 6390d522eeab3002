"""What an audience may read of counts and figures: small counts, and whatever tells them, are withheld."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from engine.analysis import FigureTable
from engine.analysis.tables import Figure
from engine.report.content import Block, Fact, Facts, ReportSettings, Source

PEOPLE = ("records", "record", "people")  # units of counts of people
_DIGITS = 3  # that count, of figures for the public


@dataclass(frozen=True)
class Disclosure:
    """The rules of a report for one audience.

    For those who may see the input everything is told in full. For the public

    - a count of 1 up to the threshold less one is "fewer than 5"; so is the rest, where a total less the
      count is that small, since whoever knows the total could subtract ("complementary" disclosure);
    - a share of a known total is a count, and withheld alike;
    - a distribution is told in groups that were joined until each has as many records as the threshold;
    - where the suppressed or the kept records are that few, nothing is told from which their number could
      be worked out, such as mean class sizes or utility, to which each suppressed record adds;
    - figures are rounded to three digits that count, so that no count can be worked out of them.

    Attributes
    ----------
    is_public : bool
    threshold : int
    hides_kept : bool
        Whether the number of suppressed, and with it that of kept records, is withheld.
    """

    is_public: bool
    threshold: int
    hides_kept: bool = False

    @classmethod
    def of(cls, settings: ReportSettings, n_suppressed: int, n_records: int) -> Self:
        """The rules of a report on a release."""
        some = cls(settings.is_public, settings.threshold)
        return replace(some, hides_kept=some.is_small(n_suppressed, n_records))

    @property
    def few(self) -> str:
        """What is told instead of a small count."""
        return f"fewer than {self.threshold}"

    def is_small(self, count: int, total: int | None = None) -> bool:
        """Whether a count, or what is left of a total, is withheld."""
        if not self.is_public:
            return False
        rest = 0 if total is None else total - count
        return 0 < count < self.threshold or 0 < rest < self.threshold

    def count(self, count: int | None, total: int | None = None) -> Figure:
        """A count of people; `total` is what readers can subtract it from."""
        if count is None or not self.is_small(count, total):
            return count
        return self.few if count < self.threshold else f"all but {self.few}"

    def share(self, count: int, total: int) -> Figure:
        """A count as a share of a known total."""
        if not total:
            return None
        if not self.is_small(count, total):
            return self.figure(count / total)
        return self.few if count < self.threshold else f"all but {self.few}"

    def total(self, total: int, part: int) -> Figure:
        """A total of which a part is told: withheld where the rest is a small count."""
        return f"{self.few} more" if self.is_small(part, total) and part != total else self.count(total)

    def gain(self, value: float | None, ratio: float, n_records: int) -> Figure:
        """A figure that says by how much a value is more frequent in a class than among all records.

        `ratio` is how many times; nobody can have a value more often than all records by the share of its
        own, so a ratio beyond the records by the threshold tells of a value that few have.
        """
        if self.is_public and math.isfinite(ratio) and ratio * self.threshold > n_records:
            return "withheld"
        return self.figure(value)

    def risk(self, risk: float | None) -> Figure:
        """One over a number of people."""
        if risk is None or not self.is_public or risk * self.threshold <= 1 or not risk:
            return self.figure(risk)
        return f"more than 1 in {self.threshold}"

    def figure(self, value: float | None) -> Figure:
        """A figure that is no count."""
        if value is None or not self.is_public or not math.isfinite(value) or isinstance(value, bool):
            return value
        return value if isinstance(value, int) else float(f"{value:.{_DIGITS}g}")

    def of_kept(self, value: Figure) -> Figure:
        """A figure from which the number of kept records can be worked out."""
        if self.hides_kept:
            return "withheld"
        return self.figure(value) if isinstance(value, float) else value

    def joined(self, sides: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
        """Group neighbours so that on no side a group has a small count.

        Parameters
        ----------
        sides : sequence of sequences of int
            Counts of the same places, such as before and after.

        Returns
        -------
        list of (int, int)
            First and last place of each group, inclusive; a single one where there is no other way.
        """
        groups = [(i, i) for i in range(len(sides[0]))]
        place = 0
        while place < len(groups) and len(groups) > 1:
            first, last = groups[place]
            if any(self.is_small(sum(counts[first : last + 1])) for counts in sides):
                low = min(place, len(groups) - 2)  # the last one joins the one before it
                groups[low : low + 2] = [(groups[low][0], groups[low + 1][1])]
                place = low
            else:
                place += 1
        return groups

    def table(self, table: FigureTable, columns: Iterable[str]) -> FigureTable | None:
        """A table for its audience.

        Parameters
        ----------
        table : FigureTable
        columns : iterable of str
            Keys of the columns that the public may read; none of them holds a value of the data.
        """
        if not self.is_public:
            return table
        if table.is_by_record:
            return None
        allowed = set(columns)
        places = [i for i, column in enumerate(table.columns) if column.key in allowed]
        shown = tuple(table.columns[i] for i in places)
        rows = [tuple(self._cell(row[i], table.columns[i].unit) for i in places) for row in table.rows]
        return replace(table, columns=shown, rows=rows)

    def _cell(self, value: Figure, unit: str) -> Figure:
        if isinstance(value, int) and unit in PEOPLE:
            return self.count(value)
        return self.figure(value) if isinstance(value, float) else value

    def last_look(self, blocks: Iterable[Block]) -> tuple[Block, ...]:
        """Take out of a report for the public whatever slipped through: the last net, not the first."""
        if not self.is_public:
            return tuple(blocks)
        return tuple(kept for block in blocks if (kept := self._seen(block)) is not None)

    def _seen(self, block: Block) -> Block | None:
        if isinstance(block, Source):
            return None
        if isinstance(block, FigureTable):
            return self.table(block, [column.key for column in block.columns])
        if isinstance(block, Facts):
            return replace(block, facts=tuple(map(self._seen_fact, block.facts)))
        return block

    def _seen_fact(self, fact: Fact) -> Fact:
        return replace(fact, value=self._cell(fact.value, fact.unit))
