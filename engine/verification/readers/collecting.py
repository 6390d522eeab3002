"""Cells of a column, collected while a file is read: as codes, as texts, or only counted."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

import pandas as pd

CODE = "int32"  # a column of ten million records takes 40 MB
_PARTS = 64  # of a column, until they are joined


class Vocabulary:
    """Texts of one column by number; two cells are equal if their numbers are."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._codes: dict[str, int] = {}

    def code(self, text: str) -> int:
        """Return the number of a text; new texts get the next one."""
        code = self._codes.setdefault(text, len(self.texts))
        if code == len(self.texts):
            self.texts.append(text)
        return code


Vocabularies = dict[str, Vocabulary]  # by column


class Cells(Protocol):
    """Collector of the cells of a column."""

    def add_cells(self, cells: Sequence[str | None]) -> None:
        """Add the cells of further records."""
        ...

    def add_texts(self, cells: pd.Series[str]) -> None:
        """Add the cells of further records, all with a value."""
        ...


class Codes(dict[str | None, int]):
    """Codes of a column's cells; a new cell text is cleaned and numbered once."""

    def __init__(self, vocabulary: Vocabulary, clean: Callable[[str | None], str]) -> None:
        super().__init__()
        self._vocabulary, self._clean = vocabulary, clean
        self._parts: list[pd.Series[int]] = []

    def __missing__(self, text: str | None) -> int:
        code = self[text] = self._vocabulary.code(self._clean(text))
        return code

    def add_cells(self, cells: Iterable[str | None]) -> None:
        """Add the cells of further records."""
        self._add(pd.Series(array("i", map(self.__getitem__, cells)), dtype=CODE))

    def add_texts(self, cells: pd.Series[str]) -> None:
        """Add the cells of further records, all with a value."""
        places, texts = pd.factorize(cells)
        codes = pd.Series([self[text] for text in texts], dtype=CODE)
        self._add(pd.Series(codes.array.take(places)))

    def _add(self, codes: pd.Series[int]) -> None:
        self._parts.append(codes)
        if len(self._parts) == _PARTS:  # many small arrays fragment the memory
            self._parts = [pd.concat(self._parts, ignore_index=True)]

    def whole(self) -> pd.Series[int]:
        """Return the codes of all records and release the parts."""
        parts, self._parts = self._parts, []
        return pd.concat(parts, ignore_index=True)


class Texts:
    """Cleaned texts of a column that is too varied to number."""

    def __init__(self, clean: Callable[[str | None], str]) -> None:
        self._clean = clean
        self._parts: list[pd.Series[str]] = []

    def add_cells(self, cells: Sequence[str | None]) -> None:
        """Add the cells of further records."""
        found = {cell: self._clean(cell) for cell in set(cells)}
        self._parts.append(pd.Series([found[cell] for cell in cells], dtype=object))

    def add_texts(self, cells: pd.Series[str]) -> None:
        """Add the cells of further records, all with a value."""
        places, texts = pd.factorize(cells)
        found = [self._clean(text) for text in texts.tolist()]
        own = pd.Series(found, dtype=object)
        is_same = found == texts.tolist()
        self._parts.append(cells if is_same else pd.Series(own.array.take(places), dtype=object))

    def whole(self) -> pd.Series[str]:
        """Return the texts that were added and release them."""
        parts, self._parts = self._parts, []
        return pd.concat(parts, ignore_index=True)
