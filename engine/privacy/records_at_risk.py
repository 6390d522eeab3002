"""Records at risk [1]: few records of a release have a risk above the threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.kernels.arrays import BoolArray, Counts
from engine.kernels.risks import least_size
from engine.privacy.attacks import Attack
from engine.privacy.base import Group, TableWideFigures, privacy_models
from engine.privacy.declared import largest_share, record_risk
from engine.privacy.table_wide import TableWideModel
from engine.words import N_, _, lazy


@privacy_models.register("records_at_risk")
@dataclass(frozen=True, slots=True)
class RecordsAtRisk(TableWideModel):
    """Require at most `share` of the kept records to have a risk, 1 / class size, above `threshold`.

    References
    ----------
    .. [1] El Emam (2013). Guide to the De-Identification of Personal Health Information. CRC Press.
    """

    title: ClassVar[str] = lazy("records at risk")
    symbol: ClassVar[str] = lazy("at risk")
    meaning: ClassVar[str] = lazy("share of records")
    plain_name: ClassVar[str] = lazy("Records at risk")
    summary: ClassVar[str] = lazy(
        "At most this share of the released records has a risk above the threshold. The "
        "model applies to the whole release and suppresses no records."
    )
    group: ClassVar[Group] = Group.RISK
    protects: ClassVar[tuple[Attack, ...]] = (Attack.LINKAGE, Attack.RE_IDENTIFICATION)
    source: ClassVar[str] = lazy("El Emam 2013")
    formula: ClassVar[str] = "Σ |E| · [1 / |E| > threshold] / Σ |E| ≤ share"
    threshold_name: ClassVar[str] = "share"
    threshold: float = record_risk(
        N_("Records with a risk strictly above it are at risk; 20 % means classes of fewer than 5 records.")
    )
    share: float = largest_share(
        0.05,
        N_("Largest share of the kept records at risk. This model suppresses no records."),
        (0.0, 0.01, 0.05, 0.1),
        decimals=3,
        label=N_("Share"),
    )

    def fraction(self, kept: TableWideFigures, wanted: BoolArray) -> tuple[Counts, Counts]:
        """Records at risk and kept records, or people if persons are counted."""
        return kept.people_below(least_size(self.threshold), wanted), kept.kept_people(wanted)

    @property
    def details(self) -> str:
        return _("risk above {threshold:g}").format(threshold=self.threshold)
