"""Columns of a table whose records stay in a server or cluster: labels and counts, but no codes here."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn, Protocol

import numpy as np

from engine.errors import TableError
from engine.kernels.arrays import BoolArray, Codes, Counts, IntArray
from engine.monitor import Monitor
from engine.table.stored import ListedColumn
from engine.table.table import Column
from engine.table.text_chunks import Texts, numbers, sorted_places
from engine.words import _

# Place in the labels of a column, by text of the source; None is a cell without a value.
Vocabulary = Mapping[str | None, int]
_NO_CODES: Codes = np.zeros(0, dtype=np.int32)


class ManyPlaces(Mapping[str | None, int]):
    """A vocabulary of many texts, which Arrow holds in a tenth of the memory of a dict.

    Attributes
    ----------
    texts : Texts
        Ascending.
    labels : ndarray of int32
        The label of each; then that of a cell without a value, if there is one.

    Parameters
    ----------
    texts : Texts
        In any order; Arrow holds them.
    labels : ndarray of int32
        As above, in their order.
    """

    def __init__(self, texts: Texts, labels: Codes) -> None:
        order = sorted_places(texts)
        self.texts = texts if order is None else texts.at(order)
        self.labels = labels if order is None else np.append(labels[order], labels[len(texts) :])

    def __len__(self) -> int:
        return len(self.labels)

    def __iter__(self) -> Iterator[str | None]:
        yield from self.texts
        if len(self.labels) > len(self.texts):
            yield None

    def __getitem__(self, text: str | None) -> int:
        place = len(self.texts)
        if text is not None:
            place = bisect_left(self.texts, text)
            if place == len(self.texts) or self.texts[place] != text:
                raise KeyError(text)
        elif len(self.labels) == place:
            raise KeyError(text)
        return int(self.labels[place])

    def of(self, texts: Texts) -> Codes:
        """Return the labels of many texts.

        Raises
        ------
        KeyError
            One is unknown.
        """
        from pyarrow import compute

        places = compute.index_in(texts.arrow, value_set=self.texts.arrow)
        if places.null_count:
            raise KeyError
        found: Codes = self.labels[numbers(places)]
        return found

    def recoded(self, labels: Codes) -> ManyPlaces:
        """Return the vocabulary with another label for each."""
        return ManyPlaces(self.texts, labels[self.labels])


def vocabulary_of(texts: Sequence[str], labels: Codes) -> Vocabulary:
    """Return the vocabulary of texts, with their labels and then that of a cell without a value, if any."""
    if isinstance(texts, Texts):
        return ManyPlaces(texts, labels)
    keys = texts if len(labels) == len(texts) else [*texts, None]
    return dict(zip(keys, labels.tolist(), strict=True))


def n_labels(vocabulary: Vocabulary) -> int:
    """Return one more than the largest label."""
    if isinstance(vocabulary, ManyPlaces):
        return int(vocabulary.labels.max()) + 1
    return max(vocabulary.values()) + 1


def texts_of(vocabulary: Vocabulary, chosen: BoolArray) -> list[str | None]:
    """Return the texts of some labels, given by a mask of shape (n_labels,)."""
    if not isinstance(vocabulary, ManyPlaces):
        return [text for text, label in vocabulary.items() if chosen[label]]
    places, n = np.flatnonzero(chosen[vocabulary.labels]), len(vocabulary.texts)
    has_empty = bool(len(places)) and int(places[-1]) == n
    found = list(vocabulary.texts.at(places[places < n]))
    return [*found, None] if has_empty else [*found]


def labels_of(vocabulary: Vocabulary, texts: Sequence[str | None]) -> Codes:
    """Return the label of each of many texts.

    Raises
    ------
    TableError
        One is unknown: the table changed in the meantime.
    """
    try:
        if isinstance(vocabulary, ManyPlaces) and isinstance(texts, Texts):
            return vocabulary.of(texts)
        return np.array([vocabulary[text] for text in texts], dtype=np.int32)
    except KeyError:
        raise changed_remotely() from None


@dataclass(frozen=True, eq=False)
class CountedTuples:
    """The distinct combinations of some columns, with the records of each.

    Attributes
    ----------
    columns : tuple of str
    codes : tuple of ndarray of int32, each of shape (n_tuples,)
        Per column the place in its labels. A combination may occur several times: texts that mean the same
        need not be joined.
    counts : ndarray of int64, shape (n_tuples,)
    """

    columns: tuple[str, ...]
    codes: tuple[Codes, ...]
    counts: Counts

    def of_all(self, n_records: int) -> CountedTuples:
        """Return itself if it counts all records of a table.

        Raises
        ------
        TableError
            The table changed in the meantime.
        """
        if int(self.counts.sum()) != n_records:
            raise changed_remotely()
        return self


class TupleSource(Protocol):
    """What a remote column asks of its source; see `engine.sources.base.RecordSource`."""

    @property
    def name(self) -> str:
        """Name in messages."""

    def tuples(self, vocabulary: Mapping[str, Vocabulary], monitor: Monitor) -> CountedTuples:
        """Count the distinct combinations of columns."""


@dataclass(frozen=True, eq=False, kw_only=True)
class RemoteColumn(ListedColumn):
    """A column of a table that stays in a server or cluster; asking for its codes is refused.

    Attributes
    ----------
    vocabulary : mapping of str or None to int
        Label of each text of the source, of None for a cell without a value. Empty if `is_cut`.
    source : TupleSource
    """

    vocabulary: Vocabulary
    source: TupleSource

    @property  # type: ignore[misc]  # a field of the column, which has no value here
    def codes(self) -> Codes:
        """Refuse, since the records are not on this machine."""
        raise _refused(self.source.name, self.name)

    @codes.setter
    def codes(self, _given: Codes) -> None:
        """Let the constructor pass."""

    @property
    def n_rows(self) -> int:
        """Number of records."""
        return int(self.label_counts.sum())

    @property
    def is_remote(self) -> bool:
        """Return that there are no codes on this machine."""
        return True

    def like(self, column: Column) -> RemoteColumn:
        """Return the column that a change made of `of_labels`."""
        own = self.vocabulary
        return remote_column(
            column,
            own.recoded(column.codes)
            if isinstance(own, ManyPlaces)
            else {text: int(column.codes[label]) for text, label in own.items()},
            self.counts_like(column),
            self.source,
            is_cut=self.is_cut,
        )

    def take(self, records: IntArray | BoolArray) -> NoReturn:
        """Refuse, since the records are not on this machine."""
        raise _refused(self.source.name, self.name)


def remote_column(
    column: Column,
    vocabulary: Vocabulary,
    label_counts: Counts,
    source: TupleSource,
    *,
    is_cut: bool = False,
) -> RemoteColumn:
    """Return a column that stays in its source, with name, type and labels of another one."""
    return RemoteColumn(
        column.name,
        column.data_type,
        column.labels,
        _NO_CODES,
        column.has_missing,
        column.numbers,
        label_counts=label_counts,
        is_cut=is_cut,
        vocabulary=vocabulary,
        source=source,
    )


def _refused(source: str, column: str) -> TableError:
    return TableError(
        _("This needs every record of column '{column}', and the records stay in '{source}'.").format(
            column=column, source=source
        ),
        hint=_("Read the table into memory, or select some of its records by a query."),
        column=column,
    )


def changed_remotely() -> TableError:
    """Return the error for a table that changed between two questions to its source."""
    return TableError(_("The table changed while it was read."), hint=_("Read it again."))
