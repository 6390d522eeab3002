"""Cells of a column, collected while a file is read: as codes, as texts, or only counted."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import pandas as pd

CODE = "int32"  # a column of ten million records takes 40 MB


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
    """Conversion of the cells of a column."""

    def of(self, cells: Sequence[str | None]) -> pd.Series[Any]:
        """Return what the cells of further records become."""
        ...


class Codes(dict[str | None, int]):
    """Codes of a column's cells; a new cell text is cleaned and numbered once."""

    def __init__(self, vocabulary: Vocabulary, clean: Callable[[str | None], str]) -> None:
        super().__init__()
        self._vocabulary, self._clean = vocabulary, clean

    def __missing__(self, text: str | None) -> int:
        code = self[text] = self._vocabulary.code(self._clean(text))
        return code

    def of(self, cells: Sequence[str | None]) -> pd.Series[int]:
        """Return the codes of further records."""
        return pd.Series(array("i", map(self.__getitem__, cells)), dtype=CODE)


class Texts:
    """Cleaned texts of a column that is too varied to number."""

    def __init__(self, clean: Callable[[str | None], str]) -> None:
        self._clean = clean

    def of(self, cells: Sequence[str | None]) -> pd.Series[str]:
        """Return the texts of further records."""
        found = {cell: self._clean(cell) for cell in set(cells)}
        return pd.Series([found[cell] for cell in cells], dtype=object)
