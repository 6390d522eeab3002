"""What a rule for identifying columns is asked and answers, and the registry of them."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from engine.kernels.arrays import Codes
from engine.params import Configurable
from engine.registry import Registry
from engine.table import Column

Texts = tuple[tuple[str, ...], Codes]


@dataclass(frozen=True)
class RuleContext:
    """What a rule knows beside its parameters.

    Attributes
    ----------
    seed : int
        Of everything that is drawn at random.
    """

    seed: int = 0


@dataclass(frozen=True, slots=True)
class IdentifierRule(Configurable):
    """Writes something else into an identifying column, or leaves the column out.

    Attributes
    ----------
    title, summary : str
        A short name, and what is written in one sentence for people who do not know the field.
    """

    title: ClassVar[str]
    summary: ClassVar[str]

    @abstractmethod
    def apply(self, column: Column, context: RuleContext) -> Texts | None:
        """Return the distinct texts that are released and a code per record; None drops the column."""


identifier_rules: Registry[IdentifierRule] = Registry(
    "engine.recoding.identifiers", "rule for identifying columns"
)
