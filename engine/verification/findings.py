"""Problems of a release as sentences; long lists are cut."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from engine.numbers import as_exact_count
from engine.words import _

SHOWN = 10
MOST_ROWS = 20_000_000  # distinct rows that are held in memory
MOST_VALUES = 5_000_000  # distinct values of a column that are held in memory


class UnverifiableError(Exception):
    """Raised if a claim or a file cannot be compared any further; the text gives the reason."""


@contextmanager
def library(path: Path) -> Iterator[None]:
    """Convert any error that a library raises for a file into one sentence, and silence its warnings."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except Exception as error:
        raise UnverifiableError(
            _("The file '{name}' cannot be read: {error}.").format(name=path.name, error=error)
        ) from error


class Findings:
    """Collector of the problems found."""

    def __init__(self) -> None:
        self._sentences: list[str] = []
        self._last: list[str] = []
        self._unnamed = 0

    def __bool__(self) -> bool:
        return bool(self._sentences or self._last)

    def add(self, sentence: str) -> None:
        """Add one problem."""
        self._sentences.append(sentence)

    def add_first_of(self, sentences: Sequence[str], total: int) -> None:
        """Add `total` problems, of which only the first have sentences; they are named after all others."""
        self._last.extend(sentences)
        self._unnamed += total - len(sentences)

    def sentences(self) -> tuple[str, ...]:
        """Return the first ten problems, and the number of further ones."""
        found = [*self._sentences, *self._last]
        more = self._unnamed + max(0, len(found) - SHOWN)
        tail = (_("... and {n} more.").format(n=as_exact_count(more)),) if more else ()
        return (*found[:SHOWN], *tail)


def refuse_many_values(name: str, n_values: int) -> None:
    """Raise UnverifiableError for a column with more distinct values than are held in memory."""
    if n_values > MOST_VALUES:
        raise UnverifiableError(
            _("'{name}' has more than {n} different values, too many to be verified.").format(
                name=name, n=as_exact_count(MOST_VALUES)
            )
        )


def refuse_many_rows(n_rows: int) -> None:
    """Raise UnverifiableError if more distinct rows were found than are held in memory."""
    if n_rows > MOST_ROWS:
        raise UnverifiableError(
            _("The tables have more than {n} different records, too many to be held in memory.").format(
                n=as_exact_count(MOST_ROWS)
            )
        )
