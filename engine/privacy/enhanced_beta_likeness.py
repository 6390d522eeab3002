"""Enhanced beta-likeness [1]: bounds gains in frequency, more strictly for frequent values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.frequency.classes import ENHANCED_GAIN
from engine.privacy.base import privacy_models
from engine.privacy.basic_beta_likeness import BasicBetaLikeness
from engine.privacy.declared import largest_gain
from engine.words import N_, lazy


@privacy_models.register("enhanced_beta_likeness")
@dataclass(frozen=True, slots=True)
class EnhancedBetaLikeness(BasicBetaLikeness):
    """Bound the relative gain of every value by min(`beta`, -log p), p its share of the table.

    A class in which a value exceeds its bound -log p measures inf and meets it for no beta.

    References
    ----------
    .. [1] Cao, Karras (2012). Publishing Microdata with a Robust Privacy Guarantee. PVLDB 5(11).
    """

    title: ClassVar[str] = lazy("enhanced β-likeness")
    formula: ClassVar[str] = "(q(v) − p(v)) / p(v) ≤ min(beta, −ln p(v))"
    meaning: ClassVar[str] = lazy("enhanced")
    plain_name: ClassVar[str] = lazy("Gain about a value")
    summary: ClassVar[str] = lazy(
        "In no class does a sensitive value gain more than β times its share of the whole"
        " table; frequent values gain less."
    )
    gain: ClassVar[str] = ENHANCED_GAIN
    beta: float = largest_gain(
        N_("Largest gain of a value over its share of the table, less for frequent values; 1 to 4 is usual.")
    )
