"""Disclosure rules of a report: small counts, and values that reveal them, are withheld."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from engine.findings.blocks import Block, Fact, Facts, Figure, FigureColumn, FigureTable, Source
from engine.findings.format_value import asked, format_value
from engine.findings.settings import ReportSettings
from engine.kernels.arrays import Counts
from engine.privacy import PrivacyModel
from engine.words import _

PEOPLE = ("records", "record", "people")  # units of counts of people
WITHHELD = "withheld"  # replaces a withheld value other than a count
_DIGITS = 3  # significant digits of values for the public


def _short(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")


@dataclass(frozen=True)
class Disclosure:
    """The rules of a report for one audience.

    Readers who may see the input get all values in full. The public gets no count of people from 1 up to the
    threshold minus one, and no values from which such a count can be derived. Readers are assumed to know the
    number of records of the input, and to add and subtract all published values:

    - a small count is "fewer than 5"; a count, or a share of a known total, is also withheld if the rest of
      the total is small;
    - a distribution is published in groups that were joined until no group has a small count on any side, or
      a small difference between the sides;
    - if the suppressed or the kept records are few, only k, the highest risk and the values of the models are
      published about classes, before or after: all other values change with each suppressed record;
    - if the smallest class is small, neither the largest nor the median size is published; if the sizes of
      small classes follow from their number, only their existence is;
    - values of all records together, such as losses and model values, are rounded to a step of at least as
      many records as the threshold, model values to the worse side; if that is more than a tenth of the
      records, they are withheld;
    - if the sizes of classes can be derived, that tenth is of the smallest class for model values;
    - how the node was chosen is only published if no record gains more by that than is accepted.

    Attributes
    ----------
    n_records : int
        Records of the input.
    smallest : int
        Size of the smallest kept class; 0 if no record is kept.
    hides_kept : bool
        Whether the numbers of suppressed and kept records are withheld.
    knows_sizes : bool
        Whether k, the number of classes and the number of records determine the size of every class up to
        a few records.
    hides_classes, hides_input : bool
        Whether values from the sizes of all classes, such as average risks and utility, are withheld, for
        the release and for the input.
    hides_people : bool
        Whether the population size is withheld because few of its people are not in the input.
    hides_choice : bool
        Whether it is withheld how the node was chosen: metric, limit, thresholds of sensitive columns, levels
        that are not used, and what is known of other nodes.
    """

    is_public: bool
    threshold: int
    n_records: int = 0
    smallest: int = 0
    hides_kept: bool = False
    knows_sizes: bool = False
    hides_classes: bool = False
    hides_input: bool = False
    hides_people: bool = False
    hides_choice: bool = False

    @classmethod
    def of(
        cls,
        settings: ReportSettings,
        n_records: int,
        n_suppressed: int,
        sizes: Counts,
        n_people: int | None = None,
        input_sizes: Counts | None = None,
        *,
        keeps_classes: bool = False,
        n_persons: int | None = None,
    ) -> Self:
        """Return the rules of a report on a release.

        Parameters
        ----------
        sizes : ndarray of int64
            Sizes of the kept classes in records, or in people if these may have several.
        n_people : int, optional
            Population size, if known.
        input_sizes : ndarray of int64, optional
            Sizes of the classes of the input.
        keeps_classes : bool
            Whether the classes of the release, suppressed ones included, are those of the input, so that
            the number of suppressed classes is known.
        n_persons : int, optional
            Distinct people of the input, if they may have several records; by default its records.
        """
        some = cls(settings.is_public, settings.threshold, n_records)
        smallest = int(sizes.min(initial=n_records)) if len(sizes) else 0
        beyond = int(sizes.sum()) - len(sizes) * smallest
        hides_kept = some.is_small(n_suppressed, n_records)
        knows_sizes = some.is_public and min(len(sizes), beyond) < some.threshold
        hides_classes = (knows_sizes and some.is_small(smallest)) or some._leave_no_choice(sizes)
        hides_input = input_sizes is not None and some._leave_no_choice(
            input_sizes, tells_number=keeps_classes
        )
        return replace(
            some,
            smallest=smallest,
            hides_kept=hides_kept,
            knows_sizes=knows_sizes,
            hides_classes=hides_kept or hides_classes,
            hides_input=hides_kept or hides_input or (hides_classes and keeps_classes),
            hides_people=n_people is not None
            and some.is_small(n_people - (n_records if n_persons is None else n_persons)),
        )

    def stricter(self, other: Self) -> Self:
        """Return the rules that withhold a value if one of both does."""
        names = ("hides_kept", "knows_sizes", "hides_classes", "hides_input", "hides_people")
        return replace(self, **{name: getattr(self, name) or getattr(other, name) for name in names})

    def _leave_no_choice(self, sizes: Counts, *, tells_number: bool = False) -> bool:
        """Return whether the sizes of small classes follow from their number and their records.

        `tells_number` is whether their number is published; it can also follow from the distribution if there
        are few others. It may be published that all classes have one record.
        """
        small = sizes[sizes < self.threshold]
        if not self.is_public or not len(small) or len(sizes) == sizes.sum():
            return False
        n_others = len(sizes) - len(small)
        if not tells_number and n_others >= 2 * self.threshold:
            return False
        beyond = int(small.sum()) - len(small)
        return min(beyond, (self.threshold - 1) * len(small) - int(small.sum())) < self.threshold

    @property
    def few(self) -> str:
        """Return the replacement of a small count."""
        return _("fewer than {threshold}").format(threshold=self.threshold)

    def is_small(self, count: int, total: int | None = None) -> bool:
        """Return whether a count, or the rest of a total, is withheld."""
        if not self.is_public:
            return False
        rest = 0 if total is None else total - count
        return 0 < count < self.threshold or 0 < rest < self.threshold

    def count(self, count: int | None, total: int | None = None) -> Figure:
        """Return a count of people for the readers, who can subtract it from `total`."""
        if count is None or not self.is_small(count, total):
            return count
        return self.few if count < self.threshold else _("all but {few}").format(few=self.few)

    def share(self, count: int, total: int) -> Figure:
        """Return a count as a share of a known total."""
        if not total:
            return None
        if not self.is_small(count, total):
            return self.figure(count / total)
        few = _("{few} records").format(few=self.few)
        return few if count < self.threshold else _("all but {few}").format(few=few)

    def total(self, total: int, part: int) -> Figure:
        """Return a total with a published part; withheld if the rest is a small count."""
        if self.is_small(part, total) and part != total:
            return _("{few} more").format(few=self.few)
        return self.count(total)

    def hides_before(self, before: int, after: int, n_suppressed: int) -> bool:
        """Return whether a count of the input reveals a small one together with that of the release."""
        gone = before - after
        return any(self.is_small(abs(count)) for count in (after, gone, n_suppressed - gone))

    def size(self, smallest: int | None) -> Figure:
        """Return the size of the smallest class, k."""
        if smallest is not None and self._tells_kept(smallest):
            return WITHHELD
        return self.count(smallest)

    def sizes(self, smallest: int, largest: int, median: float | None = None) -> tuple[Figure, ...]:
        """Return smallest, largest and median size of classes whose number and records are published."""
        if self.is_small(smallest):
            return (self.few, WITHHELD, WITHHELD)
        return (self.count(smallest), self.count(largest), self.figure(median))

    def highest(self, risk: float | None, of_records: float | None = None) -> Figure:
        """Return the highest risk of a side; `of_records` is that of its records if people are counted."""
        rounded = self.risk(risk)
        if isinstance(rounded, str) or not risk:
            return rounded
        others = round(1 / risk) - round(1 / (of_records or risk))
        return WITHHELD if self._tells_kept(self.smallest) or self.is_small(abs(others)) else rounded

    def people(self, count: int) -> Figure:
        """Return the smallest number of people of the population that match a record."""
        others = abs(count - self.smallest)
        hides = self.hides_people or self._tells_kept(self.smallest) or self.is_small(others)
        return WITHHELD if hides else self.count(count)

    def _tells_kept(self, smallest: int) -> bool:
        """Return whether the other kept records are too few for a second class, or almost."""
        second = self.n_records - self.threshold + 1 - smallest  # at fewest kept records
        return self.hides_kept and smallest >= self.threshold and second < smallest

    def risk(self, risk: float | None) -> Figure:
        """Return a risk, 1 / a number of people."""
        if risk is None or not self.is_public or risk * self.threshold <= 1 or not risk:
            return self.figure(risk)
        return _("more than 1 in {threshold}").format(threshold=self.threshold)

    def of_class(self, value: float | None, ratio: float = 0.0, *, is_least: bool = False) -> Figure:
        """Return a value of the distribution in the worst class, rounded to the worse side.

        Parameters
        ----------
        ratio : float
            Ratio of the frequency of a value to that of another, or to that among all records: above
            records / threshold it reveals a value that few records have.
        is_least : bool
            Whether larger is better, as for l.
        """
        if value is None or not self.is_public or math.isinf(value):
            return value
        if math.isfinite(ratio) and ratio * self.threshold > self.n_records:
            return WITHHELD
        n_records = self.smallest if self.knows_sizes else self.n_records
        return self.rounded(value, n_records, math.floor if is_least else math.ceil)

    def lost(self, value: float | None, low: float | None = None, high: float | None = None) -> Figure:
        """Return a loss of all records, on a scale from `low` to `high`.

        If the scale starts at no loss, a small loss is that of a few records: its step is one of the
        complete scale.
        """
        if value is None or not self.is_public:
            return value
        scale = high if low == 0 and high and math.isfinite(high) else 1.0
        return self.rounded(value, self.n_records, scale=scale)

    def rounded(
        self, value: float, n_records: int, to: Callable[[float], int] = round, scale: float = 1.0
    ) -> Figure:
        """Return a value of `n_records` records, rounded to a step of at least threshold / records.

        It is never rounded to an end of the scale, which would claim that nothing, or everything, is lost
        or known.
        """
        if not self.is_public or not math.isfinite(value):
            return value
        digits = next((d for d in range(_DIGITS, 0, -1) if self.threshold * 10**d <= n_records), 0)
        if not digits:
            return WITHHELD
        own = value / scale
        places = digits - (math.floor(math.log10(abs(own))) + 1 if abs(own) >= 1 else 0)
        step = 10.0**-places
        rounded = to(round(own / step, 6)) * step  # integers up to the last bits remain integers
        if math.isclose(rounded, own, abs_tol=1e-9) or not (
            math.isclose(rounded, 1) or math.isclose(rounded, 0, abs_tol=1e-9)
        ):
            return _short(rounded * scale)
        if rounded < own:
            return _("less than {number}").format(number=format_value(_short((rounded + step) * scale)))
        return _("more than {number}").format(number=format_value(_short((rounded - step) * scale)))

    def figure(self, value: float | None) -> Figure:
        """Return a value that is not a count and reveals no small count."""
        if value is None or not self.is_public or not math.isfinite(value) or isinstance(value, bool):
            return value
        if isinstance(value, int):
            return value
        return value if _short(value) == 1 else _short(value)

    def joined(self, sides: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
        """Group neighbours so that no group has a small count on a side, or a small difference of sides.

        Parameters
        ----------
        sides : sequence of sequences of int
            Counts at the same positions, such as before and after.

        Returns
        -------
        list of (int, int)
            First and last position of each group, inclusive; a single group if nothing else is possible.
        """
        groups = [(i, i) for i in range(len(sides[0]))]
        place = 0
        while place < len(groups) and len(groups) > 1:
            first, last = groups[place]
            sums = [sum(counts[first : last + 1]) for counts in sides]
            if any(map(self.is_small, (*sums, max(sums) - min(sums)))):
                low = min(place, len(groups) - 2)  # the last group is joined with the previous one
                groups[low : low + 2] = [(groups[low][0], groups[low + 1][1])]
                place = low
            else:
                place += 1
        return groups

    def shown(self, blocks: Iterable[Block]) -> tuple[Block, ...]:
        """Return blocks as the readers may see them, by what their columns and facts declare."""
        if not self.is_public:
            return tuple(blocks)
        return tuple(kept for block in blocks if (kept := self._seen(block)) is not None)

    def _seen(self, block: Block) -> Block | None:
        match block:
            case Source():
                return None
            case FigureTable():
                return None if block.is_by_record else self._table(block)
            case Facts():
                facts = (fact for fact in block.facts if self._is_shown(fact))
                return replace(
                    block, facts=tuple(replace(fact, value=self._cell(fact.value, fact)) for fact in facts)
                )
        return block

    def asked(self, model: PrivacyModel) -> str:
        """Return the threshold of a model, such as "k ≥ 5"."""
        return WITHHELD if self.hides_choice and model.columns else asked(model)

    def _is_shown(self, declared: FigureColumn | Fact) -> bool:
        return not declared.is_internal and not (declared.is_of_choice and self.hides_choice)

    def _table(self, table: FigureTable) -> FigureTable:
        places = [place for place, column in enumerate(table.columns) if self._is_shown(column)]
        shown = tuple(table.columns[place] for place in places)
        rows = [tuple(self._cell(row[place], table.columns[place]) for place in places) for row in table.rows]
        return replace(table, columns=shown, rows=rows)

    def _cell(self, value: Figure, declared: FigureColumn | Fact) -> Figure:
        if isinstance(value, int) and declared.unit in PEOPLE:
            return self.count(value, declared.total)
        return self.figure(value) if isinstance(value, float) else value
