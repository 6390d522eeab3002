"""Sample uniqueness [1]: few records of a release are unique."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.kernels.arrays import BoolArray, Counts
from engine.privacy.attacks import Attack
from engine.privacy.base import Group, TableWideFigures, privacy_models
from engine.privacy.declared import unique_share
from engine.privacy.table_wide import TableWideModel
from engine.words import N_, lazy


@privacy_models.register("sample_uniqueness")
@dataclass(frozen=True, slots=True)
class SampleUniqueness(TableWideModel):
    """Require the share of kept records that are alone in their class to be at most `threshold`.

    References
    ----------
    .. [1] Bethlehem, Keller, Pannekoek (1990). Disclosure Control of Microdata. JASA 85(409).
    """

    title: ClassVar[str] = lazy("sample uniqueness")
    symbol: ClassVar[str] = lazy("unique")
    meaning: ClassVar[str] = lazy("share of records")
    plain_name: ClassVar[str] = lazy("Unique records")
    summary: ClassVar[str] = lazy(
        "At most this share of the released records is unique. The model applies to the "
        "whole release and suppresses no records."
    )
    group: ClassVar[Group] = Group.RISK
    protects: ClassVar[tuple[Attack, ...]] = (Attack.LINKAGE, Attack.RE_IDENTIFICATION)
    source: ClassVar[str] = lazy("Bethlehem, Keller, Pannekoek 1990")
    formula: ClassVar[str] = "Σ [|E| = 1] / Σ |E| ≤ threshold"
    threshold_name: ClassVar[str] = "threshold"
    threshold: float = unique_share(
        N_(
            "Largest share of the kept records that may be unique. This model suppresses "
            "no records; up to 5 % is usual."
        )
    )

    def fraction(self, kept: TableWideFigures, wanted: BoolArray) -> tuple[Counts, Counts]:
        """Unique and kept records, or people if persons are counted."""
        return kept.people_below(2, wanted), kept.kept_people(wanted)
