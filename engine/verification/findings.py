"""Collects what is wrong with a release, in sentences, and cuts long lists short."""

from __future__ import annotations

from collections.abc import Sequence

from engine.numbers import as_exact_count
from engine.words import _

SHOWN = 10


class UnjudgeableError(Exception):
    """The claim or a file is such that nothing further can be compared; the text says why."""


class Findings:
    """The problems found so far."""

    def __init__(self) -> None:
        self._sentences: list[str] = []
        self._unnamed = 0

    def __bool__(self) -> bool:
        return bool(self._sentences)

    def add(self, sentence: str) -> None:
        """Note one problem."""
        self._sentences.append(sentence)

    def add_first_of(self, sentences: Sequence[str], total: int) -> None:
        """Note `total` problems of which only the first are worded."""
        self._sentences.extend(sentences)
        self._unnamed += total - len(sentences)

    def sentences(self) -> tuple[str, ...]:
        """The first ten problems, and how many more there are."""
        more = self._unnamed + max(0, len(self._sentences) - SHOWN)
        tail = (_("... and {n} more.").format(n=as_exact_count(more)),) if more else ()
        return (*self._sentences[:SHOWN], *tail)
