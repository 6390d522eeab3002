"""Population uniqueness [1]: few people of the population are unique in the released columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.kernels.arrays import BoolArray, FloatArray
from engine.params import Choice, param
from engine.privacy.attacks import Attack
from engine.privacy.base import Group, Monotonic, TableWideFigures, privacy_models
from engine.privacy.declared import unique_share
from engine.privacy.table_wide import TableWideModel
from engine.words import N_, _, lazy

_ROUNDING = 1e-12  # relative, of estimates at the threshold


@privacy_models.register("population_uniqueness")
@dataclass(frozen=True, slots=True)
class PopulationUniqueness(TableWideModel):
    """Require the estimated share of population uniques to be at most `threshold`.

    The class sizes of the kept records, a sample of the population, give the estimate by one of four
    estimators (see `engine.kernels.population`), which is divided by the population size. It is 0 if no kept
    record is unique. If the estimator has no answer, the model is not met. If persons have several records,
    sizes count persons and the estimate is approximate: estimators assume each person in one class.

    References
    ----------
    .. [1] Dankar, El Emam, Neisa, Roffey (2012). Estimating the Re-identification Risk of Clinical Data
       Sets. BMC Medical Informatics and Decision Making 12:66.
    """

    title: ClassVar[str] = lazy("population uniqueness")
    symbol: ClassVar[str] = lazy("unique in the population")
    meaning: ClassVar[str] = lazy("share of the population")
    plain_name: ClassVar[str] = lazy("Unique in population")
    summary: ClassVar[str] = lazy(
        "At most this estimated share of the population is unique. The model applies to "
        "the whole release and suppresses no records."
    )
    group: ClassVar[Group] = Group.POPULATION
    protects: ClassVar[tuple[Attack, ...]] = (Attack.LINKAGE, Attack.RE_IDENTIFICATION)
    source: ClassVar[str] = lazy("Dankar, El Emam, Neisa, Roffey 2012")
    formula: ClassVar[str] = "Σ [N(E) = 1] / Σ N(E) ≤ threshold"
    threshold_name: ClassVar[str] = "threshold"
    monotonic: ClassVar[Monotonic] = Monotonic.NEVER
    is_costly: ClassVar[bool] = True
    threshold: float = unique_share(
        N_(
            "Largest share of the population that may be unique. This model suppresses no"
            " records; up to 5 % is usual."
        )
    )
    estimator: str = param(
        "dankar",
        Choice(
            label=N_("Estimator"),
            options=(
                ("dankar", N_("Dankar's rule (selects one of the others)")),
                ("pitman", N_("Pitman")),
                ("zayatz", N_("Zayatz")),
                ("snb", N_("Slide negative binomial")),
            ),
            help=N_("Estimator of population uniques; Dankar's rule selects one by the sampling fraction."),
        ),
    )

    def figures(self, kept: TableWideFigures, wanted: BoolArray) -> FloatArray:
        """Inf if the estimator has no answer."""
        has_kept = kept.has_kept
        result = np.where(has_kept, 0.0, np.nan)
        unique = has_kept & (kept.people_below(2, wanted) > 0)
        result[unique] = np.nan
        nodes = np.flatnonzero(unique & wanted)
        if kept.people is not None:
            result[nodes] = kept.population_uniques(self.estimator, nodes) / kept.people
        return result

    def holds(self, kept: TableWideFigures, wanted: BoolArray) -> BoolArray:
        figures = self.figures(kept, wanted)
        met = figures <= self.threshold * (1 + _ROUNDING)
        return np.asarray(met | ~kept.has_kept)

    @property
    def details(self) -> str:
        return _("by {estimator}").format(estimator=self.estimator)
