"""Equivalence classes of coded records, and their exact size, distinct values and distances."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations

import pandas as pd

from engine.verification.findings import UnverifiableError
from engine.verification.grouping import joined, numbered, span_of, summed
from engine.verification.persons import Persons
from engine.words import _

# Products below this bound cannot overflow 64 bits; larger ones use Python's integers.
INT64_BOUND = 2**62
_MOST_MEMBERS, _MOST_PAIRS = 1_000_000, 5_000_000  # pairs of person and class, and of classes of a person
_DOUBLE_BOUND = 2**53  # below it every integer is a double, and a division rounds only once


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

    def of(self, values: pd.Series[int]) -> pd.Series[int]:
        """Return the exact count of each value in the original, 0 if absent."""
        return self.counts.reindex(values.tolist(), fill_value=0).set_axis(values.index)


class Classes:
    """Equivalence classes of some records.

    Attributes
    ----------
    of_record : Series of int
        Class per row.
    sizes : Series of int
        Distinct persons per class, or records if persons are not counted.
    mass : Series of int
        Sum of the weights of its records, or their number if persons are not counted.
    """

    def __init__(
        self,
        quasi_identifiers: pd.DataFrame,
        persons: Persons | None = None,
        counts: pd.Series[int] | None = None,
    ) -> None:
        """Group records, given their codes on the quasi-identifiers.

        Every row is one record, or as many equal ones as `counts` says.
        """
        columns = [quasi_identifiers[name] for name in quasi_identifiers.columns]
        everybody = pd.Series(0, index=range(len(quasi_identifiers)), dtype="int64")
        self.of_record: pd.Series[int] = numbered(joined(columns)) if columns else everybody
        self._counts = None if counts is None else counts.reset_index(drop=True)
        self.records: pd.Series[int] = self._summed(self.of_record)
        self.sizes, self.mass, self._persons = self.records, self.records, persons
        if persons is not None:
            self._members = pd.DataFrame({"group": self.of_record, "person": persons.codes.tolist()})
            weights = persons.weights.reset_index(drop=True)
            self.sizes = self._members.drop_duplicates().groupby("group").size()
            self.mass = weights.groupby(self.of_record).sum()

    def __len__(self) -> int:
        return len(self.sizes)

    def split_by(self, values: pd.DataFrame) -> Classes:
        """Return the parts of the classes whose records agree in further columns."""
        further = values.reset_index(drop=True).set_axis(range(len(values.columns)), axis=1)
        both = pd.concat([self.of_record.rename(-1), further], axis=1)
        return Classes(both, self._persons, self._counts)

    def where_all(self, parts: Classes, met: pd.Series[bool]) -> pd.Series[bool]:
        """Return whether all parts of each class are met, given whether each part is."""
        return parts.of_record.map(met).groupby(self.of_record).all()

    def labels_of(self, labels: pd.DataFrame) -> dict[int, list[int]]:
        """Return the codes of the labels of each class, given those of the records."""
        first = (~self.of_record.duplicated()).tolist()
        return dict(zip(self.of_record[first].tolist(), labels[first].to_numpy().tolist(), strict=True))

    def first_record_of(self, number: int) -> int:
        """Return the position of the first record of a class."""
        return self.of_record.tolist().index(number)

    def distinct(self, values: pd.Series[int]) -> pd.Series[int]:
        """Count the distinct values of a sensitive column per class."""
        return self.pairs(values).groupby("group").size()

    def diversity(self, values: pd.Series[int]) -> pd.Series[int]:
        """Count the distinct values per class, less those beyond the first that one person alone brings.

        Without the records of any one person, at least this number minus one remains.
        """
        distinct = self.distinct(values)
        if self._persons is None:
            return distinct
        held = self._members.assign(value=values.tolist()).drop_duplicates()
        alone = held[~held.duplicated(["group", "value"], keep=False)]
        most = alone.groupby(["group", "person"]).size().groupby("group").max()
        return (1 + distinct - most.reindex(distinct.index, fill_value=1)).clip(upper=distinct)

    def known_by(self, labels: pd.DataFrame) -> Classes:
        """Return the classes of the same records by other labels, such as those an attacker knows."""
        return Classes(labels, self._persons, self._counts)

    def most_holders(self, values: pd.Series[int], among: Collection[int] = ()) -> pd.Series[int]:
        """Count the persons (or records) of the most common value of each class, of all or some values."""
        if self._persons is None:
            held = self.pairs(values)
        else:
            held = self._members.assign(value=values.tolist()).drop_duplicates()
            held = held.groupby(["group", "value"]).size().rename("count").reset_index()
        if among:
            held = held[held["value"].isin(list(among))]
        return held.groupby("group")["count"].max().reindex(self.sizes.index, fill_value=0)

    def chained(self) -> dict[str, int | None]:
        """Return the fewest persons in two classes of a person, and in all of them; None if not counted."""
        members = self._members.drop_duplicates()
        if len(members) > _MOST_MEMBERS:
            return {}
        classes_of: dict[int, set[int]] = {}
        persons_of: dict[int, set[int]] = {}
        for group, person in zip(members["group"].tolist(), members["person"].tolist(), strict=True):
            classes_of.setdefault(person, set()).add(group)
            persons_of.setdefault(group, set()).add(person)
        sets = sorted(set(map(frozenset, classes_of.values())), key=len, reverse=True)
        n_pairs = sum(math.comb(len(own), 2) for own in classes_of.values())
        pairs = (pair for own in sets for pair in combinations(sorted(own), min(2, len(own))))

        def fewest(parts: Iterable[Iterable[int]]) -> int | None:
            found: int | None = None
            for part in parts:
                n_persons = len(set.intersection(*(persons_of[group] for group in part)))
                found = n_persons if found is None else min(found, n_persons)
                if found == 1:
                    break
            return found

        return {"2": fewest(set(pairs)) if n_pairs <= _MOST_PAIRS else None, "all": fewest(sets)}

    def by_least_class(self) -> dict[int, int]:
        """Count persons (or records) by the size of the smallest class that each is in."""
        if self._persons is None:
            counted = self._summed(self.of_record.map(self.sizes))
        else:
            sizes = self._members["group"].map(self.sizes)
            counted = sizes.groupby(self._members["person"]).min().value_counts()
        return dict(zip(map(int, counted.index.tolist()), map(int, counted.tolist()), strict=True))

    def distances(self, values: pd.Series[int], reference: Reference, distance: str) -> Ratios:
        """Return the distance of each class from the original distribution.

        Parameters
        ----------
        values : Series of int, one per record
        reference : Reference
        distance : {"equal", "ordered", "hierarchical"}

        Raises
        ------
        UnverifiableError
            If a value is missing from the order, or from the hierarchy.
        """
        n, sizes = reference.mass, self.mass
        if n * n * (2 + max(len(reference.counts), len(reference.levels))) >= INT64_BOUND:
            sizes = sizes.astype(object)
        if distance == "equal":
            return Ratios(_half_l1(self.pairs(values), sizes, reference), 2 * n * sizes)
        if distance == "ordered":
            order, pairs = reference.order or (), self.pairs(values)
            return Ratios(_earth_mover(pairs, sizes, reference, order), n * sizes * max(1, len(order) - 1))
        total = sizes * 0
        for level in reference.levels:
            if not values.isin(list(level)).all():
                raise UnverifiableError(_("A value is missing from the hierarchy of its column."))
            counts = reference.counts.rename(index=level).groupby(level=0).sum()
            total = total + _half_l1(self.pairs(values.map(level)), sizes, Reference(counts))
        return Ratios(total, 2 * n * sizes * max(1, len(reference.levels)))

    def pairs(self, values: pd.Series[int]) -> pd.DataFrame:
        """Return the count (or weight) of each value in each class where it occurs, sorted by class."""
        keys, span = joined([self.of_record, values]), span_of(values)
        if self._persons is None:
            counts = self._summed(keys)
        else:
            counts = self._persons.weights.reset_index(drop=True).groupby(keys).sum()
        found = counts.rename_axis("key").rename("count").reset_index()
        groups, own = found["key"] // span, found["key"] % span
        return pd.DataFrame({"group": groups, "value": own, "count": found["count"]})

    def _summed(self, keys: pd.Series[int]) -> pd.Series[int]:
        """Count the records of each key, given that of every row."""
        return summed(keys, self._counts)


@dataclass(frozen=True)
class Ratios:
    """Exact fractions, one per class or per value of a class; the index counts from 0.

    They are compared as the nearest doubles with the double of a threshold, so that a class meets the
    printed value of its own fraction.
    """

    numerators: pd.Series[int]
    denominators: pd.Series[int]

    def at_most(self, threshold: Fraction) -> pd.Series[bool]:
        """Return whether each fraction is at most a threshold."""
        return self.rounded <= float(threshold)

    def below(self, threshold: Fraction) -> pd.Series[bool]:
        """Return whether each fraction is less than a threshold."""
        return self.rounded < float(threshold)

    @cached_property
    def rounded(self) -> pd.Series[float]:
        """Return each fraction as the nearest double, as Python divides integers."""
        found = (self.numerators / self.denominators).astype("float64").tolist()
        is_large = (self.numerators >= _DOUBLE_BOUND) | (self.denominators >= _DOUBLE_BOUND)
        pairs = zip(self.numerators[is_large], self.denominators[is_large], strict=True)
        places = (place for place, large in enumerate(is_large.tolist()) if large)
        for place, (n, d) in zip(places, pairs, strict=True):
            found[place] = int(n) / int(d)
        return pd.Series(found, index=self.numerators.index, dtype="float64")


def _half_l1(pairs: pd.DataFrame, sizes: pd.Series[int], reference: Reference) -> pd.Series[int]:
    """Return half the L1 distance times 2 * n * size, per class."""
    whole = reference.of(pairs["value"]) * pairs["group"].map(sizes)
    n, counts = reference.mass, pairs["count"].astype(sizes.dtype)
    # A value absent from the class adds its share of the original; start from all values and correct.
    return ((counts * n - whole).abs() - whole).groupby(pairs["group"]).sum() + n * sizes


def _earth_mover(
    pairs: pd.DataFrame, sizes: pd.Series[int], reference: Reference, order: Sequence[int]
) -> pd.Series[int]:
    """Return the sum over the ranks of |cumulative difference|, times n * size, per class.

    Between two values that occur in a class its cumulative count stays the same while that of the
    original grows, so the difference changes sign once; both parts are sums of cumulative counts.
    """
    n, ranks = reference.mass, {code: rank for rank, code in enumerate(order)}
    if not pairs["value"].isin(ranks).all():
        raise UnverifiableError(_("A value is missing from the order of its column."))
    grown = reference.counts.reindex(list(order)).astype(sizes.dtype).cumsum().reset_index(drop=True)
    before = pd.Series([0, *grown.cumsum()], dtype=sizes.dtype)  # before[i]: sum of the ranks below i
    pairs = pairs.assign(start=pairs["value"].map(ranks), size=pairs["group"].map(sizes))
    pairs = pairs.sort_values(["group", "start"])
    groups = pairs["group"]
    end = pairs.groupby("group")["start"].shift(-1).fillna(len(order)).astype("int64")
    own = pairs["count"].groupby(groups).cumsum().astype(sizes.dtype) * n
    crossing = pd.Series(
        grown.searchsorted((own // pairs["size"]).to_numpy(), side="right"), index=pairs.index
    ).clip(pairs["start"], end)

    def sum_before(rank: pd.Series[int]) -> pd.Series[int]:
        return before.take(rank.tolist()).set_axis(pairs.index) * pairs["size"]

    above = own * (crossing - pairs["start"]) - (sum_before(crossing) - sum_before(pairs["start"]))
    below = (sum_before(end) - sum_before(crossing)) - own * (end - crossing)
    leading = sum_before(pairs["start"]).where(~groups.duplicated(), 0)
    return (above + below + leading).groupby(groups).sum()
