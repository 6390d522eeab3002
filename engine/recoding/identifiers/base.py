"""Interface of rules for identifying columns, and their registry."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from engine.kernels.arrays import Codes
from engine.params import Configurable, FilePath, describe
from engine.recoding.drawing import start_of
from engine.registry import Registry
from engine.table import Column, Table
from engine.words import N_

Texts = tuple[tuple[str, ...], Codes]


@dataclass(frozen=True, eq=False)
class RuleContext:
    """Context of a rule besides its parameters.

    Attributes
    ----------
    records : Table
        All records that are released.
    seed : int
        Of everything that is drawn at random.
    """

    records: Table
    seed: int = 0

    @cached_property
    def start(self) -> int:
        """Seed of random numbers."""
        return start_of(self.records, self.seed)


@dataclass(frozen=True, slots=True)
class IdentifierRule(Configurable):
    """Writes something else into an identifying column, or leaves the column out.

    Attributes
    ----------
    title, summary : str
        A short name, and what is written in one sentence for people who do not know the field.
    is_reversible : bool
        Whether what is written tells values apart, so that a table of both leads back to them.
    """

    title: ClassVar[str]
    summary: ClassVar[str]
    is_reversible: ClassVar[bool] = False

    @property
    def paths(self) -> dict[str, str]:
        """The files that it reads, by parameter."""
        declared = (d.name for d in describe(type(self)) if isinstance(d, FilePath))
        return {name: getattr(self, name) for name in declared if getattr(self, name) is not None}

    def refuse_unready(self, column: str) -> None:
        """Raise `ExportError` where something is lacking to write the column as the rule says."""

    @abstractmethod
    def apply(self, column: Column, context: RuleContext) -> Texts | None:
        """Return the distinct texts that are released and a code per record; None drops the column."""


def each_value(column: Column, texts: list[str]) -> Texts:
    """Write a text for each value of a column but the missing one, which stays."""
    if column.has_missing:
        texts = [*texts, column.labels[-1]]
    places: dict[str, int] = {}
    recode = np.array([places.setdefault(text, len(places)) for text in texts] or [0], dtype=np.int32)
    return tuple(places), recode[column.codes]


def with_rule_paths(rule: IdentifierRule, change: Callable[[str], str | None]) -> IdentifierRule:
    """Return the rule with each path replaced, as where files are named from another folder."""
    changed: dict[str, Any] = {name: change(path) for name, path in rule.paths.items()}
    return replace(rule, **changed) if changed else rule


identifier_rules: Registry[IdentifierRule] = Registry(
    "engine.recoding.identifiers", N_("rule for identifying columns")
)
