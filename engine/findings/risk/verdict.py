"""Verdict on a release in clauses: identity, what a class reveals, and columns released unchanged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.findings.blocks import Tone
from engine.frequency import Measure
from engine.frequency.classes import LARGEST_SHARE
from engine.frequency.counted import Noun
from engine.frequency.measured import MeasuredClasses
from engine.kernels.arrays import BoolArray
from engine.numbers import as_exact_count, as_risk
from engine.recoding import Release
from engine.recoding.unchanged import UnchangedColumns
from engine.words import _

HALF = 0.5  # share of a class from which its most frequent value is nearly known
_ORDER: tuple[Tone, ...] = ("text", "ok", "warn", "danger")


@dataclass(frozen=True)
class Clause:
    """Part of the verdict with a rating of its own.

    Attributes
    ----------
    sentence : str
        Without capital and full stop.
    """

    key: str
    sentence: str
    tone: Tone


@dataclass(frozen=True)
class ClassReveals:
    """The kept class whose most frequent sensitive value has the largest share.

    Attributes
    ----------
    share : float
        Of the class, from 0 to 1.
    size : int
        Records of the class; people if they may have several records.
    """

    column: str
    share: float
    size: int


def worst(clauses: Iterable[Clause]) -> Tone:
    """Return the worst tone of the clauses: no part may speak for the whole."""
    return max((clause.tone for clause in clauses), key=_ORDER.index, default="text")


def worst_first(clauses: Iterable[Clause]) -> list[Clause]:
    """Return clauses in the order in which they are read before one signs."""
    return sorted(clauses, key=lambda clause: -_ORDER.index(clause.tone))


def most_revealing(
    classes: MeasuredClasses, kept: BoolArray, sensitive: Sequence[str]
) -> ClassReveals | None:
    """Find the class that reveals most; None without kept classes or sensitive columns.

    Of equal shares, the largest class and the first column.
    """
    found: list[ClassReveals] = []
    sizes = classes.sizes[kept]
    if not len(sizes):
        return None
    for column in sensitive:
        shares = classes.measured(Measure(LARGEST_SHARE, column))[kept]
        place = int(np.lexsort((sizes, shares))[-1])
        found.append(ClassReveals(column, float(shares[place]), int(sizes[place])))
    return max(found, key=lambda one: (one.share, one.size), default=None)


def unchanged_clause(found: UnchangedColumns, words: str = "") -> Clause:
    """Rate what unchanged columns single out, in their own words or those of a report."""
    return Clause("unchanged", words or found.words(), "warn" if found.exposed.together else "ok")


def revealed_clauses(release: Release) -> tuple[Clause, ...]:
    """Rate what order and codes reveal: one person identified with certainty is open."""
    is_open = release.fewest_linked == 1 and release.links.are_certain
    return tuple(
        Clause(key, words, "danger" if is_open and key == "linked" else "warn")
        for key, words in release.revealed.items()
    )


def class_clause(reveals: ClassReveals, noun: Noun) -> Clause:
    """Rate what a class reveals: a single value is open, a value of half the class or more in part."""
    if reveals.share < HALF:
        sentence = _("no sensitive value reaches half of a class")
        return Clause("class", sentence, rated(reveals.share))
    if reveals.share < 1:
        text = noun.said(_("{share} of the {n} {records} of a class have the same '{column}'"))
    else:
        text = noun.said(_("all {n} {records} of a class have the same '{column}'"))
    sentence = text.format(
        share=as_risk(reveals.share),
        n=as_exact_count(reveals.size),
        column=reveals.column,
    )
    return Clause("class", sentence, rated(reveals.share))


def rated(share: float) -> Tone:
    """Rate the share of a class that one value has."""
    if share < HALF:
        return "ok"
    if share < 1:
        return "warn"
    return "danger"
