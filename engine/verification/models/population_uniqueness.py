"""Population uniqueness: a small estimated share of the population is unique."""

from __future__ import annotations

from engine.verification.findings import UnverifiableError
from engine.verification.models.base import KeptPeople, Model, ModelVerifier
from engine.verification.uniqueness import population_uniques
from engine.words import N_, _

_ROUNDING = 1e-7  # relative, of an estimate; this close to the threshold both results are accepted


def _holds(model: Model, kept: KeptPeople) -> bool | None:
    people = kept.people
    if people is None or people < kept.persons:
        raise UnverifiableError(_("Population uniqueness requires the population size."))
    uniques = population_uniques(model.words["estimator"], kept.sizes, float(people), kept.persons)
    if uniques is None:
        return False
    share, bound = uniques / float(people), float(model.threshold)
    if share and abs(share - bound) <= _ROUNDING * share:
        return None
    return share <= bound


VERIFIER = ModelVerifier(
    title=N_("at most {threshold} of the population unique ({estimator})"),
    threshold="threshold",
    words={"estimator": ("dankar", "pitman", "zayatz", "snb")},
    table_wide=_holds,
)
