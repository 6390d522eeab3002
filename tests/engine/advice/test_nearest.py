"""What is said to make some node satisfy does so, and nothing stricter that can be typed would."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import assume, given

from engine.advice.nearest import nearest_changes
from engine.params import Integer, Real, describe
from engine.privacy import Relation, Requirement
from engine.privacy.average_risk import AverageRisk
from engine.privacy.k_anonymity import KAnonymity
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from tests.adult import arx_profile
from tests.strategies import Attributes, Case, cases_with_requirement


@given(cases_with_requirement())
def test_every_change_is_the_least_that_can_be_typed(drawn: tuple[Case, Requirement]) -> None:
    case, requirement = drawn
    problem = case.problem
    profile = score_lattice(problem, profile=LatticeProfile(problem, requirement))
    assume(not evaluate(profile, requirement).n_satisfying)

    def satisfying(changed: Requirement) -> int:
        return evaluate(profile, changed).n_satisfying

    for change in nearest_changes(profile, requirement):
        assert change.n_satisfying == satisfying(change.requirement) > 0
        if change.index is None:
            assert change.requirement.models == requirement.models
            step = round(change.value - 0.0001, 4)
            if step > requirement.suppression_limit:
                assert not satisfying(replace(requirement, suppression_limit=step))
            continue
        model = requirement.models[change.index]
        parameter = next(p for p in describe(type(model)) if p.name == model.threshold_name)
        assert isinstance(parameter, Integer | Real)
        step = 1 if isinstance(parameter, Integer) else 10.0**-parameter.decimals
        stricter = change.value + (step if model.relation is Relation.AT_LEAST else -step)
        stricter = int(stricter) if isinstance(parameter, Integer) else round(stricter, 6)
        assert not satisfying(requirement.with_limit(change.index, stricter))


def test_where_what_is_kept_is_judged_as_a_whole_that_threshold_is_told() -> None:
    age = Attributes("age", tuple("3334455"), rows=tuple((c,) for c in "345"))
    requirement = Requirement((KAnonymity(2), AverageRisk(0.2)), 0.0)
    (change,) = nearest_changes(score_lattice(Case((age,)).problem), requirement)
    assert (change.index, change.value, change.n_satisfying) == (1, 0.4286, 1)  # 3 classes of 7


def test_on_adult_the_largest_k_is_told() -> None:
    profile = arx_profile(("age", "race", "sex"))
    requirement = Requirement((KAnonymity(profile.problem.n_records + 1),), 0.0)
    assert not evaluate(profile, requirement).n_satisfying
    (change,) = nearest_changes(profile, requirement)
    assert change.index == 0
    assert change.value == int(profile.k.max())
    assert change.n_satisfying == int((profile.k == profile.k.max()).sum())
