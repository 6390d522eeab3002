"""Sample uniqueness [1]: only a small share of a release is alone in its class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.kernels.arrays import BoolArray, Counts
from engine.privacy.attacks import Attack
from engine.privacy.base import Group, KeptFigures, privacy_models
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
    symbol: ClassVar[str] = "unique"
    meaning: ClassVar[str] = lazy("share of records")
    summary: ClassVar[str] = lazy(
        "At most this share of the released records looks like no other record. It judges the release as a "
        "whole and suppresses nothing itself."
    )
    group: ClassVar[Group] = Group.RISK
    protects: ClassVar[tuple[Attack, ...]] = (Attack.LINKAGE, Attack.RE_IDENTIFICATION)
    source: ClassVar[str] = lazy("Bethlehem, Keller, Pannekoek 1990")
    threshold_name: ClassVar[str] = "threshold"
    threshold: float = unique_share(
        N_(
            "Largest share of the kept records that may be unique. This model suppresses nothing "
            "itself; up to 0.05 is usual."
        )
    )

    def fraction(self, kept: KeptFigures, wanted: BoolArray) -> tuple[Counts, Counts]:
        """See `TableWideModel.fraction`: unique records of records, or people of people."""
        return kept.people_below(2, wanted), kept.kept_people(wanted)
