"""Data-fly: which column it generalizes, where it ends, and that it agrees with the published runs."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from engine.monitor import SILENT
from engine.privacy import Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.t_closeness import TCloseness
from engine.project.compile import compile_problem
from engine.scoring import LatticeProfile, score_lattice
from engine.search import SearchTask, search_algorithms
from engine.search.datafly import distinct_values
from tests.adult import ANJANA_FILES, TABLES, text_project
from tests.conftest import DATA
from tests.slow_reference import paths
from tests.strategies import Attributes, Case, cases_with_requirement, few

DATAFLY = search_algorithms.create("datafly")
PUBLISHED = json.loads((DATA / "published" / "datafly_anjana.json").read_text(encoding="utf-8"))


def crime_case() -> Case:
    """The worked example of the thesis: three columns of three, six and six values."""
    marital = ("Separated", "Single", "Widowed", "Separated", "Widowed", "Single")
    families = tuple((text, "Not married", "*") for text in dict.fromkeys(marital))
    ages = ("29", "20", "24", "28", "25", "23")
    tens = tuple((age, f"/{int(age) // 2}", f"/{int(age) // 4}", "2x") for age in ages)
    codes = ("32042", "32021", "32024", "32046", "32045", "32027")
    places = tuple((code, code[:4], "*") for code in codes)
    crimes = ("Murder", "Theft", "Traffic", "Assault", "Piracy", "Indecency")
    columns = [("marital", marital, families), ("age", ages, tens), ("zip", codes, places)]
    qi = tuple(Attributes(name, texts, rows=rows) for name, texts, rows in columns)
    return Case(qi, (Attributes("crime", crimes),))


def test_the_worked_example_takes_the_five_steps_of_the_thesis() -> None:
    case = crime_case()
    result = DATAFLY.run(SearchTask(case.problem, Requirement((KAnonymity(2),), 0.0)), SILENT)
    assert [(step.node, step.satisfies) for step in result.trace] == [
        ((0, 0, 0), False),
        ((0, 1, 0), False),  # six ages and six codes: the first of them
        ((0, 1, 1), False),  # four pairs of years against six codes
        ((0, 2, 1), False),
        ((1, 2, 1), False),  # three states against three spans of four years: the first again
        ((1, 3, 1), True),
    ]
    steps = list(result.trace)
    assert steps[0].rule.key == "start"
    assert steps[1].rule.text == "it generalizes 'age', which had the most distinct values: 6"
    assert steps[4].rule.text == "it generalizes 'marital', which had the most distinct values: 3"
    assert (result.node, result.guarantee, result.is_proved) == ((1, 3, 1), "none", False)
    assert (result.efficiency.generalization_steps, result.efficiency.nodes_checked) == (5, 6)


@pytest.mark.parametrize("entry", PUBLISHED, ids=[entry["id"] for entry in PUBLISHED])
def test_it_ends_where_the_published_runs_end(entry: dict[str, Any]) -> None:
    folder = TABLES / "hierarchies" / "adult_anjana"
    files = {name: folder / f"{ANJANA_FILES.get(name, name)}.csv" for name in entry["qi"]}
    problem = compile_problem(text_project("adult.csv", entry["qi"], files))
    requirement = Requirement((KAnonymity(entry["k"]),), entry["suppression_percent"] / 100)
    result = DATAFLY.run(SearchTask(problem, requirement), SILENT)
    assert result.node == tuple(entry["levels"])
    assert result.efficiency.generalization_steps == sum(entry["levels"])
    number = result.evaluation.lattice.number(result.node)
    assert result.evaluation.suppressed[number] == 32_561 - entry["rows"]
    assert result.evaluation.kept_classes[number] == entry["classes"]
    assert result.evaluation.kept_k[number] == entry["k_reached"]


@few
@given(cases_with_requirement(max_qi=3))
def test_each_step_generalizes_the_column_with_most_values_and_the_first_satisfying_node_ends_it(
    judged: tuple[Case, Requirement],
) -> None:
    case, requirement = judged
    result = DATAFLY.run(SearchTask(case.problem, requirement), SILENT)
    steps = list(result.trace)
    assert steps[0].node == case.problem.lattice.minimum
    for before, after in itertools.pairwise(steps):
        assert not before.satisfies
        raised = [q for q, _ in enumerate(case.qi) if after.node[q] > before.node[q]]
        assert sum(after.node) == sum(before.node) + len(raised) == sum(before.node) + 1
        free = [
            len({labels[text][level] for text in a.texts}) if level < a.levels[-1] else 0
            for a, labels, level in zip(case.qi, map(paths, case.qi), before.node, strict=True)
        ]
        assert raised == [free.index(max(free))]
    assert bool(steps[-1].satisfies) == (result.node is not None)
    assert result.node == (steps[-1].node if steps[-1].satisfies else None)
    if result.node is None:
        assert steps[-1].node == case.problem.lattice.maximum
    profile = score_lattice(case.problem, profile=LatticeProfile(case.problem, requirement))
    known = DATAFLY.run(SearchTask(case.problem, requirement, profile=profile), SILENT)
    assert [step.node for step in known.trace] == [step.node for step in steps]
    assert known.efficiency.generalization_steps == sum(steps[-1].node) - sum(steps[0].node)


def test_values_that_no_record_has_do_not_count() -> None:
    rows = tuple((text, "*") for text in "abcdef")
    problem = Case((Attributes("q", ("a", "b", "a"), rows=rows),)).problem
    assert distinct_values(problem.attributes[0]) == [2, 1]


def test_a_requirement_beyond_k_anonymity_is_met_and_noted() -> None:
    case = crime_case()
    models = (KAnonymity(2), DistinctLDiversity("crime", 4))
    result = DATAFLY.run(SearchTask(case.problem, Requirement(models, 0.0)), SILENT)
    assert result.node == (1, 3, 2)
    assert len(result.notes) == 1
    assert models[1].title in result.notes[0]
    assert not DATAFLY.run(SearchTask(case.problem, Requirement(models[:1], 0.0)), SILENT).notes


@pytest.mark.parametrize(
    ("model", "is_proved"), [(KAnonymity(7), True), (TCloseness("crime", 0.0, "equal"), False)]
)
def test_if_the_highest_levels_fail_there_is_no_result(model: Any, is_proved: bool) -> None:
    case = crime_case()
    # All in one class is the whole table, at no distance; so the last steps are forbidden.
    problem = replace(case, qi=tuple(replace(a, max_level=1) for a in case.qi)).problem
    result = DATAFLY.run(SearchTask(problem, Requirement((model,), 0.2)), SILENT)
    assert (result.node, result.guarantee, result.is_proved) == (None, "none", is_proved)


def test_a_limit_of_steps_ends_it_before_the_result() -> None:
    result = DATAFLY.run(
        SearchTask(crime_case().problem, Requirement((KAnonymity(2),), 0.0), steps=3), SILENT
    )
    assert (result.node, result.nodes_checked, result.is_proved) == (None, 3, False)
