"""Population uniqueness [1]: only a small share of the population is alone, as far as a release tells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.kernels.arrays import BoolArray, Reals
from engine.params import Choice, param
from engine.privacy.attacks import Attack
from engine.privacy.base import Group, KeptFigures, Monotonic, privacy_models
from engine.privacy.declared import unique_share
from engine.privacy.table_wide import TableWideModel
from engine.words import N_, lazy

_ROUNDING = 1e-12  # relative, of an estimate that is compared


@privacy_models.register("population_uniqueness")
@dataclass(frozen=True, slots=True)
class PopulationUniqueness(TableWideModel):
    """Require the estimated share of the population that is alone in its class to be at most `threshold`.

    The estimate is made from the class sizes of the kept records, a sample of the population, by one of
    four estimators (see `engine.kernels.population`), and divided by the size of the population. Where
    no kept record is unique it is 0. Where the estimator has no answer the model does not hold. Where
    persons have several records, sizes are persons, and the estimate is an approximation: estimators take
    everybody for being in one class.

    References
    ----------
    .. [1] Dankar, El Emam, Neisa, Roffey (2012). Estimating the Re-identification Risk of Clinical Data
       Sets. BMC Medical Informatics and Decision Making 12:66.
    """

    title: ClassVar[str] = lazy("population uniqueness")
    symbol: ClassVar[str] = lazy("unique people")
    meaning: ClassVar[str] = lazy("share of the population")
    summary: ClassVar[str] = lazy(
        "At most this share of all people in the population is estimated to look like nobody else. It judges "
        "the release as a whole and suppresses nothing itself."
    )
    group: ClassVar[Group] = Group.POPULATION
    protects: ClassVar[tuple[Attack, ...]] = (Attack.LINKAGE, Attack.RE_IDENTIFICATION)
    source: ClassVar[str] = lazy("Dankar, El Emam, Neisa, Roffey 2012")
    threshold_name: ClassVar[str] = "threshold"
    monotonic: ClassVar[Monotonic] = Monotonic.NEVER
    is_costly: ClassVar[bool] = True
    threshold: float = unique_share(
        N_(
            "Largest share of the population that may be unique. This model suppresses nothing itself; "
            "up to 0.05 is usual."
        )
    )
    estimator: str = param(
        "dankar",
        Choice(
            label=N_("Estimator"),
            options=(
                ("dankar", N_("Dankar's rule (chooses one of the others)")),
                ("pitman", N_("Pitman")),
                ("zayatz", N_("Zayatz")),
                ("snb", N_("Slide negative binomial")),
            ),
            help=N_("How unique people are estimated; the rule goes by the share of the population in it."),
        ),
    )

    def figures(self, kept: KeptFigures, wanted: BoolArray) -> Reals:
        """See `TableWideModel.figures`; inf where the estimator has no answer."""
        has_kept = kept.has_kept
        result = np.where(has_kept, 0.0, np.nan)
        unique = has_kept & (kept.people_below(2, wanted) > 0)
        result[unique] = np.nan
        nodes = np.flatnonzero(unique & wanted)
        if kept.people is not None:
            result[nodes] = kept.population_uniques(self.estimator, nodes) / kept.people
        return result

    def holds(self, kept: KeptFigures, wanted: BoolArray) -> BoolArray:
        """See `TableWideModel.holds`."""
        figures = self.figures(kept, wanted)
        met = figures <= self.threshold * (1 + _ROUNDING)
        return np.asarray(met | ~kept.has_kept)

    @property
    def details(self) -> str:
        """See `PrivacyModel.details`."""
        return f"by {self.estimator}"
