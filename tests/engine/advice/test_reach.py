"""What is out of reach: told by the top of the lattice, never of a project that has an answer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given

from engine.advice.preflight import preflight
from engine.advice.reach import fails_at_top, too_strict
from engine.errors import RequirementNotMetError
from engine.pipeline import anonymize
from engine.privacy import Requirement
from engine.privacy.average_risk import AverageRisk
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.entropy_l_diversity import EntropyLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.t_closeness import TCloseness
from engine.recoding import recoding_methods
from tests.slow_reference import optimum
from tests.strategies import Attributes, Case, cases_with_requirement, modest


def flat_case(max_level: int | None = None) -> Case:
    """Four records by two columns, the first of which has no hierarchy."""
    rows = (("a", "ab", "*"), ("b", "ab", "*"))
    place = Attributes("place", ("p", "p", "q", "q"))
    letter = Attributes("letter", ("a", "b", "a", "b"), rows=rows, max_level=max_level)
    return Case((place, letter), (Attributes("s", ("x", "y", "x", "x")),))


@modest
@given(cases_with_requirement(max_qi=3, max_height=2))
def test_whatever_is_out_of_reach_has_no_node_that_satisfies(judged: tuple[Case, Requirement]) -> None:
    case, requirement = judged
    project = case.under(requirement)
    assume(too_strict(project, case.problem) or fails_at_top(project, case.problem))
    assert optimum(case, requirement, "loss") is None


@modest
@given(cases_with_requirement(max_qi=2, max_height=2, max_sensitive=0))
def test_with_class_sizes_alone_exactly_what_has_no_answer_is_out_of_reach(
    judged: tuple[Case, Requirement],
) -> None:
    case, requirement = judged
    project = case.under(requirement)
    found = too_strict(project, case.problem) or fails_at_top(project, case.problem)
    assert (found is not None) == (optimum(case, requirement, "loss") is None)


def test_the_top_names_the_models_that_fail_and_the_columns_that_stay() -> None:
    case = flat_case()
    models = (KAnonymity(2), DistinctLDiversity("s", 2))
    found = fails_at_top(case.under(Requirement(models, 0.25)), case.problem)
    assert found.columns == ("place",)
    assert (
        "2 of 4 records are in classes that do not meet distinct l-diversity; the limit allows 1."
        in found.problem
    )
    assert "'place' has no hierarchy" in found.hint
    assert fails_at_top(case.under(Requirement(models, 0.5)), case.problem) is None


def test_several_columns_without_hierarchy_are_named_together() -> None:
    case = Case((Attributes("a", ("1", "2")), Attributes("b", ("3", "4"))))
    found = fails_at_top(case.under(Requirement((KAnonymity(2),), 0.0)), case.problem)
    assert found.hint.startswith("a and b have no hierarchy and cannot be generalized")


def test_models_that_need_not_last_prove_nothing() -> None:
    case = flat_case()
    strict = Requirement((TCloseness("s", 0.1),), 0.25)
    assert fails_at_top(case.under(strict), case.problem) is None
    unsuppressed = replace(strict, suppression_limit=0.0)
    assert fails_at_top(case.under(unsuppressed), case.problem) is not None
    assert fails_at_top(case.under(Requirement((AverageRisk(0.01),), 0.25)), case.problem) is None


def test_an_estimate_of_entropy_may_lie_above_the_number_of_values() -> None:
    case = flat_case()
    shannon = Requirement((EntropyLDiversity("s", 2.5),), 0.1)
    assert too_strict(case.under(shannon), case.problem) is not None
    estimated = Requirement((EntropyLDiversity("s", 2.5, "grassberger"),), 0.1)
    assert too_strict(case.under(estimated), case.problem) is None


def test_of_a_recoding_from_no_node_only_what_hidden_cells_fail_is_out_of_reach() -> None:
    case = Case((Attributes("a", ("1", "2", "3", "4")),), (Attributes("s", ("x", "x", "x", "y")),))
    project = case.under(Requirement((KAnonymity(2),), 0.0))
    with pytest.raises(RequirementNotMetError, match="'a' has no hierarchy"):
        anonymize(project)
    alone = next(kind for kind in recoding_methods.values() if not kind().needs_start)
    assert fails_at_top(replace(project, recoding=alone()), case.problem) is None
    # e^H of all four is 1.75, whatever is hidden.
    strict = case.under(Requirement((EntropyLDiversity("s", 1.9),), 0.0))
    found = fails_at_top(replace(strict, recoding=alone()), case.problem)
    assert (found.columns, found.hint) == ((), "Choose a weaker threshold, or raise the suppression limit.")


@pytest.mark.parametrize("max_level", [None, 0])
def test_the_pre_flight_blocks_and_its_fix_brings_a_release_within_reach(max_level: int | None) -> None:
    project = flat_case(max_level).under(Requirement((KAnonymity(3),), 0.0))
    finding = next(found for found in preflight(project) if found.key == "reach")
    assert finding.title == "No node can satisfy"
    assert finding.detail.startswith("On the highest allowed levels")
    mended = finding.edit(project)
    assert "reach" not in {found.key for found in preflight(mended)}
    assert anonymize(mended).release.satisfies
