"""An attacker who knows some of the quasi-identifying columns [1]: groups by these are large enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from engine.params import ColumnRefs, Text, param
from engine.privacy.attackers import (
    AttackerModel,
    Columns,
    class_size,
    confidence_bound,
    distinct_values,
    limited_values,
    sensitive_column,
)
from engine.privacy.base import privacy_models
from engine.words import N_, lazy


@privacy_models.register("known_columns")
@dataclass(frozen=True, slots=True)
class KnownColumns(AttackerModel):
    """Require groups of at least `k` records that are equal in the columns one attacker knows.

    With all columns known it is k-anonymity.

    References
    ----------
    .. [1] Mohammed, Fung, Hung, Lee (2009). Anonymizing healthcare data: a case study on the blood
       transfusion service. KDD.
    """

    title: ClassVar[str] = lazy("k for an attacker")
    symbol: ClassVar[str] = "ka"
    formula: ClassVar[str] = "|E(known)| ≥ k"
    meaning: ClassVar[str] = lazy("smallest class for an attacker")
    plain_name: ClassVar[str] = lazy("Smallest known class")
    summary: ClassVar[str] = lazy(
        "Every record is equal to at least k - 1 others in the columns that one attacker knows."
    )
    source: ClassVar[str] = lazy("Mohammed, Fung, Hung, Lee 2009")
    k: int = class_size(N_("Smallest class of records equal in the known columns."))
    attacker: str = param(
        "", Text(label=N_("Attacker"), help=N_("A name for reports, such as neighbour or employer."))
    )
    known: tuple[str, ...] = param(
        (),
        ColumnRefs(
            label=N_("Knows"),
            help=N_("The quasi-identifying columns that the attacker knows; empty for all."),
            role="quasi-identifying",
        ),
    )
    column: str = sensitive_column()
    l: int = distinct_values()  # noqa: E741  as in its base
    confidence: float = confidence_bound()
    values: tuple[str, ...] = limited_values()

    def sets(self, names: Columns) -> tuple[Columns, ...]:
        return (tuple(name for name in names if not self.known or name in self.known),)

    def among(self, names: Sequence[str]) -> KnownColumns | None:
        known = tuple(name for name in self.known if name in names)
        return replace(self, known=known) if known or not self.known else None

    @property
    def details(self) -> str:
        who = [self.attacker] if self.attacker else [", ".join(self.known)]
        return ", ".join(filter(None, (*who, self.further)))
