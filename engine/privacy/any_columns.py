"""Attackers who know any m columns, LKC-privacy [1]: groups by every m columns are large enough."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from engine.params import Integer, param
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
from engine.words import N_, lazy, ngettext


@privacy_models.register("any_columns")
@dataclass(frozen=True, slots=True)
class AnyColumns(AttackerModel):
    """Require groups of at least `k` records by any `m` quasi-identifying columns.

    Fewer columns make larger groups, so sets of less than `m` columns need no look. With `m` at least the
    number of columns it is k-anonymity.

    References
    ----------
    .. [1] Mohammed, Fung, Hung, Lee (2009). Anonymizing healthcare data: a case study on the blood
       transfusion service. KDD.
    """

    title: ClassVar[str] = lazy("k for any m columns")
    symbol: ClassVar[str] = "LK"
    formula: ClassVar[str] = "|E(C)| ≥ k, |C| ≤ m"
    meaning: ClassVar[str] = lazy("smallest class by any m columns")
    plain_name: ClassVar[str] = lazy("Smallest known class")
    summary: ClassVar[str] = lazy(
        "Every record is equal to at least k - 1 others in any m quasi-identifying columns."
    )
    source: ClassVar[str] = lazy("Mohammed, Fung, Hung, Lee 2009")
    m: int = param(
        2,
        Integer(
            minimum=1,
            maximum=1000,
            label="m",
            help=N_("Largest number of columns that an attacker knows about a person."),
            usual=(1, 2, 3, 4),
        ),
    )
    k: int = class_size(N_("Smallest class of records equal in any m columns."))
    column: str = sensitive_column()
    l: int = distinct_values()  # noqa: E741  as in its base
    confidence: float = confidence_bound()
    values: tuple[str, ...] = limited_values()

    def sets(self, names: Columns) -> tuple[Columns, ...]:
        return tuple(combinations(names, min(self.m, len(names))))

    @property
    def details(self) -> str:
        words = ngettext("any {m} column", "any {m} columns", self.m).format(m=self.m)
        return ", ".join(filter(None, (words, self.further)))
