"""Equivalence classes of counted rows, in the database of the verification."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, combinations, pairwise

import pandas as pd

from engine.verification.claims import ReleaseClaim
from engine.verification.findings import UnverifiableError
from engine.verification.models.base import KeptPeople
from engine.verification.persons import Persons
from engine.verification.tables.database import Database
from engine.verification.tables.place import listed
from engine.words import _

_MOST_MEMBERS, _MOST_PAIRS = 1_000_000, 5_000_000  # pairs of person and class, and of classes of a person


@dataclass(frozen=True)
class Reference:
    """Sensitive column of the original, all records included.

    Attributes
    ----------
    counts : Series of int
        Records per value code, or their weight if persons count.
    order : tuple of int or None
        Value codes in order, if the column has one.
    levels : tuple of mapping of int to int
        Group of every value code per level of its hierarchy below the root, if it has one.
    """

    counts: pd.Series[int]
    order: tuple[int, ...] | None = None
    levels: tuple[Mapping[int, int], ...] = ()

    @cached_property
    def mass(self) -> int:
        """Records of the original, or their weight if persons count."""
        return int(self.counts.sum())

    def hierarchical(self, values: Sequence[int], counts: Sequence[int], mass: int) -> float:
        """Return the distance of a class from the original over the levels of the hierarchy."""
        total = 0
        for level in self.levels:
            inside, outside = _summed(level, values, counts), _summed(level, *self._whole)
            gaps = (inside[group] * self.mass - outside.get(group, 0) * mass for group in inside)
            total += sum(gap for gap in gaps if gap > 0)
        return total / (mass * self.mass * max(1, len(self.levels)))

    def ordered(self, values: Sequence[int], counts: Sequence[int], mass: int) -> float:
        """Return the earth mover's distance of a class from the original over the ranks of the values.

        Between two values that occur in a class its cumulative count stays the same while that of the
        original grows, so the difference changes sign once; both parts are sums of cumulative counts.
        """
        ranks, grown, before = self._grown
        held = sorted((ranks[value], count) for value, count in zip(values, counts, strict=True))
        starts, own = [rank for rank, _unused in held], accumulate(count for _unused, count in held)
        total = before[starts[0]] * mass
        for (start, end), below in zip(pairwise([*starts, len(grown)]), own, strict=True):
            crossing = min(max(bisect_right(grown, below * self.mass // mass), start), end)
            total += below * self.mass * (2 * crossing - start - end)
            total += (before[start] + before[end] - 2 * before[crossing]) * mass
        return total / (mass * self.mass * max(1, len(grown) - 1))

    @cached_property
    def _whole(self) -> tuple[list[int], list[int]]:
        return self.counts.index.tolist(), self.counts.tolist()

    @cached_property
    def _grown(self) -> tuple[dict[int, int], list[int], list[int]]:
        """Return the rank of each value, cumulative counts of the original, and their sums below a rank."""
        counts, order = dict(zip(*self._whole, strict=True)), self.order or ()
        grown = list(accumulate(counts.get(code, 0) for code in order))
        return {code: rank for rank, code in enumerate(order)}, grown, list(accumulate(grown, initial=0))


def _summed(groups: Mapping[int, int], values: Sequence[int], counts: Sequence[int]) -> dict[int, int]:
    found: dict[int, int] = {}
    for value, count in zip(values, counts, strict=True):
        found[groups[value]] = found.get(groups[value], 0) + count
    return found


@dataclass(frozen=True)
class Parts:
    """Values of groups of rows, in statements.

    Attributes
    ----------
    rows : str
        A row per value: `n` of a group have it, or have this weight, `holders` are records or persons, `size`
        and `mass` are those of the group, `whole` is what `n` is in the original.
    alike : str
        What is the same for all values of a group.
    words : mapping of str to str
        Words for what is computed of a group: `diversity`, `distance`, `total`, `n_values`.
    """

    rows: str
    alike: str
    words: Mapping[str, str]


class Classes:
    """Equivalence classes of some rows.

    Parameters
    ----------
    name : str
        Of their tables.
    labels, values : DataFrame
        Codes of the quasi-identifiers by which rows are in one class, and of the sensitive columns.
    counts : Series of int
        Records of each row.
    persons : Persons or None
        Of each row, if they are counted instead of records.
    weights : Series of int or None
        Code of the survey weight of each row.
    """

    def __init__(
        self,
        database: Database,
        name: str,
        labels: pd.DataFrame,
        values: pd.DataFrame,
        counts: pd.Series[int],
        persons: Persons | None = None,
        weights: pd.Series[int] | None = None,
    ) -> None:
        self._database, self.name, self._members = database, f"classes_{name}", f"members_{name}"
        self._label = {column: f"l{place}" for place, column in enumerate(labels.columns)}
        self._value = {column: f"s{place}" for place, column in enumerate(values.columns)}
        rows = {own: labels[column].array for column, own in self._label.items()}
        rows |= {own: values[column].array for column, own in self._value.items()}
        rows["n"] = counts.array
        if persons is not None:
            rows |= {"person": persons.codes.array, "mass": persons.weights.array}
        if weights is not None:
            rows["weight"] = weights.array
        frame = pd.DataFrame(rows, copy=False)
        database.send(self._members, frame.assign(everybody=0, number=range(len(frame))))
        self._are_persons = persons is not None
        self._holders = "count(DISTINCT person)" if self._are_persons else "sum(n)"
        self._mass = "mass" if self._are_persons else "n"
        database.make(
            self.name,
            f"SELECT {self.by}, {self._sizes}, min(number) AS earliest, "
            f"row_number() OVER (ORDER BY min(number)) - 1 AS class FROM {self._members} GROUP BY {self.by}",
        )
        ((self.n, self.least, self.least_records, self.records),) = database.rows(
            f"SELECT count(*), min(size), min(records), coalesce(sum(records), 0) FROM {self.name}"
        )

    def __len__(self) -> int:
        return int(self.n)

    @property
    def by(self) -> str:
        """Columns of the labels; without any, all rows are one class."""
        return listed(["everybody", *self._label.values()])

    @property
    def _sizes(self) -> str:
        return f"sum(n) AS records, {self._holders} AS size, sum({self._mass}) AS mass"

    def labelled(self, names: Iterable[str]) -> dict[str, str]:
        """Return what some labels are called, by their columns."""
        return {name: self._label[name] for name in names}

    def of_row(self) -> pd.Series[int]:
        """Return the class of each row."""
        query = f"SELECT class FROM {self._members} JOIN {self.name} USING ({self.by}) ORDER BY number"
        return self._database.frame(query)["class"]

    def first_row(self, number: int) -> int:
        """Return the first row of a class."""
        ((row,),) = self._database.rows(f"SELECT earliest FROM {self.name} WHERE class = {number}")
        return int(row)

    def failing(self, query: str, by: str = "class") -> set[int]:
        """Return the classes whose columns are among those of a query."""
        found = f"SELECT class FROM {self.name} SEMI JOIN ({query}) USING ({by})"
        return set(self._database.frame(found)["class"].tolist())

    def groups(self, known: Sequence[str] | None = None) -> str:
        """Return the table of the groups of rows that agree in some labels; by default the classes."""
        if known is None:
            return self.name
        return f"(SELECT {self.known(known)}, {self._sizes} FROM {self._members} GROUP BY ALL)"

    def known(self, columns: Iterable[str]) -> str:
        """Return some of the labels."""
        return listed(["everybody", *self.labelled(columns).values()])

    @property
    def weights(self) -> str:
        """The query of the codes of the survey weights of each class, with their records."""
        rows = f"FROM {self._members} JOIN {self.name} USING ({self.by})"
        each = f"SELECT class, weight, sum(n)::BIGINT AS n {rows} GROUP BY ALL"
        return f"SELECT class, list((weight, n) ORDER BY weight) AS weights FROM ({each}) GROUP BY class"

    def parts(self, column: str, reference: Reference, by: str, *, others: bool, distance: str = "") -> Parts:
        """Return the values of groups of rows, or of their parts that agree in the other sensitive columns.

        Parameters
        ----------
        reference : Reference
            The column in the original.
        by : str
            Labels that form the groups.
        others : bool
            Whether the groups are divided.
        """
        whole, own = f"whole_{self._value[column]}", self._value[column]
        counts, total = reference.counts, f"{reference.mass}::HUGEINT"
        self._database.send(whole, pd.DataFrame({"value": counts.index.array, "whole": counts.array}))
        further = (value for name, value in self._value.items() if others and name != column)
        part, rows = listed([by, *further]), f"FROM {self._members} GROUP BY ALL"
        values = f"SELECT {part}, {own} AS value, sum({self._mass}) AS n, {self._holders} AS holders {rows}"
        sized = self.name if part == self.by else f"(SELECT {part}, {self._sizes} {rows})"
        source = f"({values}) JOIN {sized} USING ({part}) LEFT JOIN {whole} USING (value)"
        diversity, alike = "count(*)", f"{part}, size, mass"
        if self._are_persons:
            # One person alone may bring several values; without that person, all but one of these are gone.
            only = f"SELECT {part}, {own}, min(person) AS person {rows} HAVING count(DISTINCT person) = 1"
            brought = f"SELECT {part}, person, count(*) AS n_brought FROM ({only}) GROUP BY ALL"
            most = f"SELECT {part}, max(n_brought) AS most FROM ({brought}) GROUP BY ALL"
            source += f" LEFT JOIN ({most}) USING ({part})"
            diversity = "least(count(*), 1 + count(*) - coalesce(most, 1))"
            alike += ", most"
        source = f"(SELECT * REPLACE (coalesce(whole, 0) AS whole) FROM {source})"
        words = {"diversity": diversity, "total": total, "n_values": str(len(counts))}
        if distance == "equal":
            words["distance"] = f"quotient(sum(greatest(n * {total} - whole * mass, 0)), {total} * mass)"
        elif distance:
            # Most of many parts have few values, as others have, for all of which Python is asked once.
            far = self._distance(column, reference, distance)
            held = "list(value ORDER BY value) AS held, list(n ORDER BY value) AS counts"
            lists = f"(SELECT {part}, {held}, mass FROM {source} GROUP BY ALL)"
            table = f"distances_{own}"  # or the condition of a model would be moved into this query
            distinct = f"SELECT DISTINCT held, counts, mass FROM {lists}"
            self._database.make(table, f"SELECT *, {far} AS distance FROM ({distinct})")
            found = f"(SELECT {part}, distance FROM {lists} JOIN {table} USING (held, counts, mass))"
            source, alike = f"({source} JOIN {found} USING ({part}))", f"{alike}, distance"
            words["distance"] = "distance"
        return Parts(source, alike, words)

    def figures(self, column: str, reference: Reference, distance: str, *, others: bool) -> tuple[int, float]:
        """Return the fewest distinct values of a class, and its largest distance from the original."""
        parts = self.parts(column, reference, self.by, others=others, distance=distance)
        found = "SELECT {diversity} AS l, {distance} AS t".format_map(parts.words)
        ((fewest, farthest),) = self._database.rows(
            f"SELECT min(l), max(t) FROM ({found} FROM {parts.rows} GROUP BY {parts.alike})"
        )
        return int(fewest), float(farthest)

    def _distance(self, column: str, reference: Reference, distance: str) -> str:
        """Return the distance of a part from the original, in a statement on lists of its values."""
        known: set[int] = set(reference.order or ())
        if distance == "hierarchical":
            known = set.intersection(*map(set, reference.levels)) if reference.levels else set()
        found = self._database.rows(f"SELECT DISTINCT {self._value[column]} FROM {self._members}")
        if (distance == "ordered" or reference.levels) and not {value for (value,) in found} <= known:
            raise UnverifiableError(
                _("A value is missing from the order of its column.")
                if distance == "ordered"
                else _("A value is missing from the hierarchy of its column.")
            )
        name = f"{distance}_{self._value[column]}"
        self._database.define(name, getattr(reference, distance), ["BIGINT[]", "HUGEINT[]", "HUGEINT"])
        return f"{name}(held, counts, mass)"

    def kept(self, people: Fraction | None) -> KeptPeople:
        """Return the kept records for models of the whole release."""
        sizes = dict(self._database.rows(f"SELECT size, count(*) FROM {self.name} GROUP BY size"))
        if not self._are_persons:
            return KeptPeople(sizes, {size: size * n for size, n in sizes.items()}, people)
        least = self._database.rows(
            f"SELECT least, count(*) FROM (SELECT min(size) AS least FROM {self._members} "
            f"JOIN {self.name} USING ({self.by}) GROUP BY person) GROUP BY least"
        )
        return KeptPeople(sizes, dict(least), people)

    def chained(self) -> dict[str, int | None]:
        """Return the fewest persons in two classes of a person, and in all of them; None if not counted."""
        pairs = f"SELECT DISTINCT class, person FROM {self._members} JOIN {self.name} USING ({self.by})"
        members = self._database.rows(f"{pairs} LIMIT {_MOST_MEMBERS + 1}")
        if len(members) > _MOST_MEMBERS:
            return {}
        classes_of: dict[int, set[int]] = {}
        persons_of: dict[int, set[int]] = {}
        for group, person in members:
            classes_of.setdefault(person, set()).add(group)
            persons_of.setdefault(group, set()).add(person)
        sets = sorted(set(map(frozenset, classes_of.values())), key=len, reverse=True)
        n_pairs = sum(math.comb(len(own), 2) for own in classes_of.values())
        both = (pair for own in sets for pair in combinations(sorted(own), min(2, len(own))))

        def fewest(parts: Iterable[Iterable[int]]) -> int | None:
            found: int | None = None
            for part in parts:
                n_persons = len(set.intersection(*(persons_of[group] for group in part)))
                found = n_persons if found is None else min(found, n_persons)
                if found == 1:
                    break
            return found

        return {"2": fewest(set(both)) if n_pairs <= _MOST_PAIRS else None, "all": fewest(sets)}


@dataclass(frozen=True)
class Original:
    """Distinct rows of the original in the columns that models read.

    Attributes
    ----------
    rows : DataFrame
        Codes, sensitive columns as released.
    counts : Series of int
        Records of each row.
    """

    claim: ReleaseClaim
    database: Database
    rows: pd.DataFrame
    counts: pd.Series[int]
    persons: Persons | None

    def classes(
        self,
        name: str,
        labels: pd.DataFrame,
        rows: pd.Index[int],
        counts: pd.Series[int],
        values: pd.DataFrame | None = None,
    ) -> Classes:
        """Return the classes of some rows by their labels; `values` replace their own sensitive ones."""
        sensitive, weight = list(self.claim.sensitive), self.claim.weight
        return Classes(
            self.database,
            name,
            labels,
            self.rows.loc[rows, sensitive] if values is None else values[sensitive],
            counts,
            None if self.persons is None else self.persons.at(rows, counts),
            self.rows.loc[rows, weight] if weight else None,
        )
