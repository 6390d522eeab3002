"""Population uniqueness: few of the population are estimated to be alone."""

from __future__ import annotations

from engine.verification.findings import UnjudgeableError
from engine.verification.models.base import Judge, KeptPeople, Model
from engine.verification.uniqueness import population_uniques
from engine.words import N_, _

_ROUNDING = 1e-7  # relative, of an estimate; nearer to the threshold either answer is accepted


def _holds(model: Model, kept: KeptPeople) -> bool | None:
    people = kept.people
    if people is None or people < kept.persons:
        raise UnjudgeableError(_("Population uniqueness requires the population size."))
    uniques = population_uniques(model.words["estimator"], kept.sizes, float(people), kept.persons)
    if uniques is None:
        return False
    share, bound = uniques / float(people), float(model.threshold)
    if share and abs(share - bound) <= _ROUNDING * share:
        return None
    return share <= bound


JUDGE = Judge(
    title=N_("at most {threshold} of the population unique ({estimator})"),
    threshold="threshold",
    words={"estimator": ("dankar", "pitman", "zayatz", "snb")},
    whole=_holds,
)
