"""Average risk [1]: a marketer re-identifies at most this share of the people in a release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.kernels.arrays import BoolArray, FloatArray
from engine.privacy.attacks import Attack
from engine.privacy.base import Group, TableWideFigures, privacy_models
from engine.privacy.declared import largest_share
from engine.privacy.table_wide import TableWideModel
from engine.words import N_, lazy


@privacy_models.register("average_risk")
@dataclass(frozen=True, slots=True)
class AverageRisk(TableWideModel):
    """Require kept classes / kept records, the mean of 1 / class size over records, to be small.

    If persons have several records, the mean is over persons, each in the smallest of their classes.

    References
    ----------
    .. [1] El Emam (2013). Guide to the De-Identification of Personal Health Information. CRC Press.
    """

    title: ClassVar[str] = lazy("average risk")
    symbol: ClassVar[str] = lazy("average risk")
    meaning: ClassVar[str] = lazy("of the kept records")
    plain_name: ClassVar[str] = lazy("Average risk")
    summary: ClassVar[str] = lazy(
        "An attacker who tries to re-identify everyone in the release succeeds for at "
        "most this share of them. The model applies to the whole release and suppresses "
        "no records."
    )
    group: ClassVar[Group] = Group.RISK
    protects: ClassVar[tuple[Attack, ...]] = (Attack.LINKAGE, Attack.RE_IDENTIFICATION)
    source: ClassVar[str] = lazy("El Emam 2013")
    formula: ClassVar[str] = "Σ 1 / Σ |E| ≤ threshold"
    threshold_name: ClassVar[str] = "threshold"
    threshold: float = largest_share(
        0.2,
        N_("Highest average risk of the kept records. This model suppresses no records; 5 to 20 % is usual."),
        (0.01, 0.05, 0.1, 0.2),
        minimum=0.0001,
    )

    def figures(self, kept: TableWideFigures, wanted: BoolArray) -> FloatArray:
        return kept.average_risk(wanted)
