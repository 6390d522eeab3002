"""How a node becomes a release: what is written for suppressed records and for identifying columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from engine.privacy import Requirement
from engine.recoding.aggregation import AggregateFunction
from engine.table import Role, Table


@dataclass(frozen=True)
class Transformation:
    """How a node becomes a release."""

    suppressed_records: str = "star"  # star | remove
    blank_suppressed: bool = False
    identifying: str = "star"  # star | drop
    shuffle: bool = False
    seed: int = 0


class ReleaseSource(Protocol):
    """What a release is made of; a project has it all."""

    @property
    def records(self) -> Table:
        """The records that are released."""

    @property
    def requirement(self) -> Requirement:
        """Which classes are kept."""

    @property
    def transformation(self) -> Transformation:
        """What is written for the others."""

    @property
    def microaggregation(self) -> Mapping[str, AggregateFunction]:
        """What is released of a class, by quasi-identifier, instead of its label."""

    @property
    def blank(self) -> str:
        """The text of a missing cell."""

    def role(self, column: str) -> Role:
        """The role of a column."""
