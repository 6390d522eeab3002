"""Pair of columns, of input or release and of a second table: which labels fit which values."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.findings.subject import Subject
from engine.frequency import Attribute
from engine.hierarchies.hierarchy import SUPPRESSED
from engine.kernels.arrays import BoolArray, Codes, FloatArray, IntArray
from engine.recoding import ReleasedColumn
from engine.recoding.aggregation.functions import Interval, SetOfValues
from engine.recoding.ruled import rule_of
from engine.recoding.transformation import RULED
from engine.records import Column, DataType, Kind, Role
from engine.records.values import decimal_mark, exact_number, measure, number_type, thousands_mark
from engine.words import _, within_sentence


@dataclass(frozen=True, eq=False)
class LinkColumn:
    """Pair of columns.

    Attributes
    ----------
    labels : ndarray of int64, shape (n_records,)
        Label of every record of the input.
    people : ndarray of int64, shape (n_people,)
        Value of every row of the second table.
    covered : callable
        Returns which values a label fits, shape (n_values,).
    of_value : ndarray of int64, shape (n_values,), or None
        The only label that fits each value, `n_labels` for none; None if several may fit.
    """

    labels: IntArray
    n_labels: int
    people: IntArray
    n_values: int
    covered: Callable[[int], BoolArray]
    of_value: IntArray | None = None

    @property
    def is_one_to_one(self) -> bool:
        """Return whether each value fits at most one label."""
        return self.of_value is not None

    @property
    def only_label(self) -> IntArray:
        """Return the only label that fits each value, `n_labels` for none."""
        assert self.of_value is not None, "asked only where there is one"
        return self.of_value


def input_column(column: Column, other: Column) -> LinkColumn:
    """Return the pair of an input column, whose labels are single values: equal values fit."""
    return _written(column.codes, Written.of(column), other)


def release_column(subject: Subject, name: str, other: Column) -> LinkColumn | str:
    """Return the pair of a released column, or why it cannot be compared.

    Only cells of kept records count.
    """
    released = subject.release.column(name)
    if released is None:
        return _("not in the release")
    if subject.project.role(name) is Role.QUASI_IDENTIFYING:
        attribute = next(a for a in subject.release.problem.attributes if a.name == name)
        if name in subject.release.aggregates:
            return _aggregated(subject, released, attribute.column, other)
        return _generalized(subject, attribute, other)
    original = subject.input.column(name)
    rule = rule_of(subject.project, name)
    if rule is not None and subject.project.role(name) in RULED:
        released_values = subject.released(name)
        if rule.is_constant or released_values is None:
            return _("hides every value ({rule})").format(rule=within_sentence(rule.title))
        own = Written(released.labels, released_values.data_type, original.missing_label)
        return _written(released.codes, own, other)
    if subject.project.role(name) is Role.IDENTIFYING and not _keeps_any(original, released, subject.kept):
        title = within_sentence(subject.release.transformation.identifier_rule(name).title)
        return _("hides every value ({rule})").format(rule=title)
    written = Written(released.labels, original.data_type, original.missing_label)
    return _written(released.codes, written, other)


def _written(codes: Codes, own: Written, other: Column) -> LinkColumn:
    return _by_label(codes, len(own.labels), other, codes_by_value(own, Written.of(other)))


def _by_label(codes: Codes | IntArray, n_labels: int, other: Column, of_value: IntArray) -> LinkColumn:
    return LinkColumn(
        np.asarray(codes, dtype=np.int64),
        n_labels,
        other.codes.astype(np.int64),
        len(other.labels),
        lambda label: np.asarray(of_value == label),
        of_value,
    )


def _keeps_any(original: Column, released: ReleasedColumn, kept: BoolArray) -> bool:
    place = {label: code for code, label in enumerate(released.labels)}
    same = np.array([place.get(label, -1) for label in original.labels], dtype=np.int64)
    return bool((same[original.codes[kept]] == released.codes[kept]).any())


def _generalized(subject: Subject, attribute: Attribute, other: Column) -> LinkColumn | str:
    """Return labels of a hierarchy: a value fits if it is a leaf of the label.

    A value unknown to the hierarchy fits only the labels that hide all values.
    """
    hierarchy, release = attribute.hierarchy, subject.release
    own_missing = attribute.column.missing_label
    missing = attribute.missing if own_missing is None else own_missing
    leaves = Written(hierarchy.values, attribute.column.data_type, missing)
    canonical = codes_by_value(leaves, leaves)  # two leaves may be one value
    leaf = codes_by_value(leaves, Written.of(other))
    is_known = leaf < hierarchy.n_leaves
    known = np.where(is_known, leaf, 0)

    def hides(level: int) -> bool:
        labels = hierarchy.levels[level].labels
        return len(labels) == 1 and (labels[0] == SUPPRESSED or labels[0] not in hierarchy.index)

    def of_level(level: int) -> IntArray:
        """Return the label of every value, and the number of labels for none."""
        entry = hierarchy.levels[level]
        if hides(level):
            return np.zeros(len(leaf), dtype=np.int64)
        found = known if level == 0 else entry.codes[known].astype(np.int64)
        return np.where(is_known, found, len(entry.labels))

    if release.recoding is None and release.levels is not None:
        level = release.levels[attribute.name]
        of_leaf = canonical if level == 0 else hierarchy.levels[level].codes.astype(np.int64)
        codes = of_leaf[attribute.leaves]
        if hides(level):
            return "hidden"
        return _by_label(codes, len(hierarchy.levels[level].labels), other, of_level(level))
    assert release.recoding is not None, "a release is a node or a recoding"
    place = subject.quasi_identifying.index(attribute.name)
    levels = np.where(subject.kept, release.recoding.levels[:, place], hierarchy.height).astype(np.int64)
    starts = np.cumsum([0, *(len(level.labels) for level in hierarchy.levels)])
    own = np.zeros(len(levels), dtype=np.int64)
    for number, entry in enumerate(hierarchy.levels):
        here = levels == number
        codes = canonical if number == 0 else entry.codes.astype(np.int64)
        own[here] = starts[number] + codes[attribute.leaves[here]]
    of_values = [of_level(number) for number in range(len(hierarchy.levels))]

    def covered(label: int) -> BoolArray:
        number = int(np.searchsorted(starts, label, side="right")) - 1
        return np.asarray(of_values[number] == label - starts[number])

    return LinkColumn(own, int(starts[-1]), other.codes.astype(np.int64), len(other.labels), covered)


def _aggregated(
    subject: Subject, released: ReleasedColumn, original: Column, other: Column
) -> LinkColumn | str:
    """Return aggregates: intervals fit values between their ends, sets their members, others all values."""
    function = subject.release.aggregates[original.name]
    codes, n_labels = released.codes.astype(np.int64), len(released.labels)
    kept = subject.kept & (codes != _place(released.labels, SUPPRESSED))
    values = codes_by_value(Written.of(original), Written.of(other))
    is_missing = np.array([label == other.missing_label for label in other.labels])
    people = other.codes.astype(np.int64)
    if isinstance(function, Interval):
        position, theirs = _positions(original, other, values)
        low, high = np.full(n_labels, np.inf), np.full(n_labels, -np.inf)
        own = position[original.codes[kept]]
        is_number = ~np.isnan(own)
        np.minimum.at(low, codes[kept][is_number], own[is_number])
        np.maximum.at(high, codes[kept][is_number], own[is_number])

        def between(label: int) -> BoolArray:
            if low[label] > high[label]:  # all values are missing
                return is_missing
            return np.asarray(((theirs >= low[label]) & (theirs <= high[label])) | is_missing)

        return LinkColumn(codes, n_labels, people, len(other.labels), between)
    if isinstance(function, SetOfValues):
        span = len(original.labels)
        pairs = np.unique(codes[kept] * span + original.codes[kept])

        def member(label: int) -> BoolArray:
            start, end = np.searchsorted(pairs, (label * span, (label + 1) * span))
            inside = np.zeros(span + 1, dtype=np.bool_)
            inside[pairs[start:end] % span] = True
            return np.asarray(inside[values] | is_missing)

        return LinkColumn(codes, n_labels, people, len(other.labels), member)
    return _("an aggregate of each class ({title})").format(title=within_sentence(function.title))


def _place(labels: tuple[str, ...], label: str) -> int:
    return labels.index(label) if label in labels else -1


def _positions(original: Column, other: Column, values: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the positions in the original order of its own labels and the other's values, nan for none."""
    kind = original.data_type.kind
    if kind in (Kind.INTEGER, Kind.DECIMAL, Kind.DATE):
        if other.data_type.kind is Kind.DATE or other.data_type.is_numeric:
            return original.numbers, other.numbers
        theirs, _unused = measure(other.labels, original.data_type)
        return original.numbers, theirs
    ranks = np.arange(len(original.labels), dtype=np.float64)
    if original.has_missing:
        ranks[-1] = np.nan
    return ranks, np.append(ranks, np.nan)[values]


@dataclass(frozen=True)
class Written:
    """Distinct texts with their type.

    Attributes
    ----------
    missing : str or None
        Text of the missing value.
    """

    labels: Sequence[str]
    data_type: DataType
    missing: str | None = None

    @classmethod
    def of(cls, column: Column) -> Written:
        """Return the texts of a column."""
        return cls(column.labels, column.data_type, column.missing_label)


def codes_by_value(own: Written, theirs: Written) -> IntArray:
    """Return, for each text of a column, the index of the first equal value of another column.

    Missing values are equal. Texts are read as numbers if the other column has numbers.

    Returns
    -------
    ndarray of int64, shape (n_labels of theirs,)
        The number of labels of `own` if none is equal.
    """
    found = next((w.data_type for w in (own, theirs) if w.data_type.is_numeric), None)
    numeric = found and number_type(Kind.DECIMAL, decimal_mark(found), thousands_mark(found))
    kind = own.data_type.kind
    is_measured = kind is theirs.data_type.kind and kind in (Kind.DATE, Kind.BOOLEAN)
    place: dict[Hashable, int] = {}
    for code, key in enumerate(_keys(own, numeric, is_measured=is_measured)):
        place.setdefault(key, code)
    keys = _keys(theirs, numeric, is_measured=is_measured)
    return np.array([place.get(key, len(own.labels)) for key in keys], dtype=np.int64)


def _keys(written: Written, numeric: DataType | None, *, is_measured: bool) -> list[Hashable]:
    """Return keys that are equal if texts are the same value."""
    if is_measured:
        numbers, is_known = measure(written.labels, written.data_type)
        texts: list[Hashable] = [
            number if known else label
            for label, number, known in zip(written.labels, numbers.tolist(), is_known.tolist(), strict=True)
        ]
    else:
        read = written.data_type if written.data_type.is_numeric else numeric
        exact = [None if read is None else exact_number(label, read) for label in written.labels]
        texts = [
            label if number is None else number for label, number in zip(written.labels, exact, strict=True)
        ]
    return [
        None if label == written.missing else key for label, key in zip(written.labels, texts, strict=True)
    ]
