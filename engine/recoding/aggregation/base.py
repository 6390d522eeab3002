"""Interface of aggregate functions, and their registry."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.kernels.arrays import BoolArray, Codes, IntArray
from engine.params import Configurable, Flag, param
from engine.recoding.aggregation.values import OrderedValues
from engine.records import Column, Kind
from engine.registry import Registry
from engine.words import N_, _, within_sentence

NUMBERS = frozenset({Kind.INTEGER, Kind.DECIMAL})
ORDERED = NUMBERS | {Kind.DATE, Kind.ORDERED}
ANY = frozenset(Kind)


@dataclass(frozen=True, slots=True)
class AggregateFunction(Configurable):
    """Makes one text of the original values that the records of an equivalence class have in a column.

    Microaggregation as in [1]_: all records of a class get the same cell, so that the class stays one.

    Attributes
    ----------
    summary : str
        The released value, in one sentence for people who do not know the field.
    kinds : frozenset of Kind
        The types of columns it can be taken of.
    kinds_text : str
        The same in words.
    counts_missing : bool
        Whether a missing value can be the answer, or part of it, among others that are not missing.

    References
    ----------
    .. [1] J. Domingo-Ferrer, J. M. Mateo-Sanz (2002). Practical data-oriented microaggregation for
       statistical disclosure control. IEEE Transactions on Knowledge and Data Engineering 14(1).
    """

    summary: ClassVar[str]
    kinds: ClassVar[frozenset[Kind]]
    kinds_text: ClassVar[str]
    counts_missing: ClassVar[bool] = False

    grouping: bool = param(
        False,
        Flag(
            label=N_("Also use it to form classes"),
            help=N_(
                "The labels of the column's hierarchy take part in forming classes, as if they "
                "were released. Otherwise only the other columns form the classes."
            ),
        ),
    )
    ignore_missing: bool = param(
        True,
        Flag(
            label=N_("Exclude missing values"),
            help=N_(
                "Excludes missing values. Otherwise a class with a missing value has a missing "
                "aggregate; the most frequent value and the set count missing as a value."
            ),
        ),
    )

    def why_not(self, column: Column) -> str:
        """Return why it cannot be computed for a column; empty if it can."""
        if column.data_type.kind in self.kinds:
            return ""
        kind = (
            _("true or false")
            if column.data_type.kind is Kind.BOOLEAN
            else _(_KIND_WORDS[column.data_type.kind])
        )
        return _("'{column}' contains {kind}. The {title} needs {kinds}.").format(
            column=column.name, kind=kind, title=within_sentence(self.title), kinds=self.kinds_text
        )

    def of_class(self, values: OrderedValues, codes: Sequence[int], counts: Sequence[int]) -> str:
        """Aggregate the values of one class.

        Parameters
        ----------
        values : OrderedValues
            Of the column as a whole.
        codes : sequence of int
            The distinct values of the class, in order; at least one. `values.missing` is among them only
            for a function that counts it.
        counts : sequence of int
            Records per value.
        """
        raise NotImplementedError


_KIND_WORDS = {
    Kind.TEXT: "text",
    Kind.INTEGER: N_("whole numbers"),
    Kind.DECIMAL: N_("decimal numbers"),
    Kind.DATE: "dates",
    Kind.ORDERED: N_("ordered categories"),
}

aggregate_functions: Registry[AggregateFunction] = Registry(
    "engine.recoding.aggregation", N_("aggregate function")
)


def functions_for(column: Column) -> list[str]:
    """Titles of the functions that can be taken of a column."""
    return [kind.title for kind in aggregate_functions.values() if not kind().why_not(column)]


def aggregate(
    column: Column, function: AggregateFunction, labels: IntArray, kept: BoolArray, hidden: str
) -> tuple[tuple[str, ...], Codes]:
    """Aggregate a column over the classes of its records.

    Parameters
    ----------
    labels : ndarray of int64, shape (n_records,)
        Class per record.
    kept : ndarray of bool, shape (n_records,)
        Whether a record is released; whole classes are, or are not.
    hidden : str
        The text of the others.

    Returns
    -------
    texts : tuple of str
        Distinct texts, `hidden` among them.
    codes : ndarray of int32, shape (n_records,)
        Index into `texts` per record.
    """
    values = OrderedValues.of(column)
    classes = labels[kept].astype(np.int64)
    of_record = np.array(values.of_label, dtype=np.int64)[column.codes[kept]]
    span = len(values.texts)
    keys, counts = np.unique(classes * span + of_record, return_counts=True)
    starts = np.flatnonzero(np.diff(keys // span, prepend=-1))
    bounds = [*starts.tolist(), len(keys)]
    numbers, codes, amounts = (keys // span)[starts], (keys % span).tolist(), counts.tolist()
    place: dict[str, int] = {hidden: 0}
    found = [
        place.setdefault(_text(function, values, codes[low:high], amounts[low:high]), len(place))
        for low, high in itertools.pairwise(bounds)
    ]
    of_class = np.zeros(int(labels.max(initial=-1)) + 1, dtype=np.int32)
    of_class[numbers] = found
    texts: Codes = np.where(kept, of_class[labels], 0).astype(np.int32)
    return tuple(place), texts


def _text(function: AggregateFunction, values: OrderedValues, codes: list[int], counts: list[int]) -> str:
    if codes[-1] == values.missing and not (function.counts_missing and not function.ignore_missing):
        if len(codes) == 1 or not function.ignore_missing:
            return values.texts[values.missing]
        codes, counts = codes[:-1], counts[:-1]
    return function.of_class(values, codes, counts)
