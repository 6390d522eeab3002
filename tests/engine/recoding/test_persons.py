"""Releases of tables with several records of one person, from the search to the verified file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.errors import InputError, RequirementNotMetError
from engine.pipeline import anonymize, export_release, summary
from engine.privacy import Requirement
from engine.privacy.entropy_l_diversity import EntropyLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project
from engine.project.compile import compile_problem
from engine.recoding import Transformation, recoding_methods
from engine.search import search_algorithms
from tests.person_cases import BY_NAME, node_of, project_of
from tests.table_of_visits import project_of_visits

OPTIONS = [
    {},
    {"limit_counts": "persons"},
    {"whole_persons": True},
    {"limit_counts": "persons", "whole_persons": True},
]

# Every second case once and every option with a quarter of these; the others under --all.
CASES_WITH_OPTIONS = [
    pytest.param(
        name,
        options,
        marks=() if number % 8 == 2 * place else pytest.mark.thorough,
        id=f"{'+'.join(options) or 'one_pass'}-{name}",
    )
    for place, options in enumerate(OPTIONS)
    for number, name in enumerate(BY_NAME)
]


def persons_of_classes(project: Project, release: Any) -> list[int]:
    """Different persons of every kept class, counted in the released texts."""
    who = project.table.column("person")
    found: dict[tuple[str, ...], set[int]] = {}
    for record in np.flatnonzero(~release.suppressed).tolist():
        key = tuple(release.column(name).text(record) for name in project.quasi_identifying)
        found.setdefault(key, set()).add(int(who.codes[record]))
    return [len(persons) for persons in found.values()]


@pytest.mark.parametrize(("name", "options"), CASES_WITH_OPTIONS)
def test_what_a_release_claims_of_its_persons_is_found_in_its_file(
    name: str, options: dict[str, Any], tmp_path: Path
) -> None:
    case = BY_NAME[name]
    project = project_of(case)
    requirement = replace(project.requirement, suppression_limit=1.0, **options)
    project = replace(project, requirement=requirement, population=None)
    outcome = anonymize(project, node_of(case))
    verdict = export_release(project, outcome.release, tmp_path / "release.csv")
    assert verdict.ok, verdict.problems
    told = summary(project, outcome, verified=True)
    assert json.loads(json.dumps(told)) == told
    assert told["k"] == outcome.release.k
    assert told["persons"]["column"] == "person"
    if not options:
        assert told["persons"]["lost"] == case["expected"]["under_requirement"]["lost_persons"]
    if options.get("whole_persons"):
        assert told["persons"]["affected"] == told["persons"]["lost"]


def test_visits_of_few_people_are_no_crowd(tmp_path: Path) -> None:
    project = replace(project_of_visits(), requirement=Requirement((KAnonymity(5),), 0.1))
    by_records = anonymize(replace(project, person=None))
    assert min(persons_of_classes(project, by_records.release)) < 5
    outcome = anonymize(project)
    assert min(persons_of_classes(project, outcome.release)) == outcome.release.k >= 5
    told = summary(project, outcome, verified=False)["persons"]
    assert told["k_records"] >= outcome.release.k
    assert told["linked_by"]["columns"] == {}  # the person column is a star,
    assert told["linked_by"]["order"] == sum(outcome.release.persons.persons.records_of[1:] > 1)
    mixed = replace(project, transformation=replace(project.transformation, shuffle=True))
    assert "chained" not in summary(mixed, anonymize(mixed), verified=False)["persons"]
    assert export_release(project, outcome.release, tmp_path / "out.csv").ok


def test_chained_figures_are_told_where_a_code_of_persons_leaves() -> None:
    project = replace(
        project_of_visits(),
        requirement=Requirement((KAnonymity(3),), 0.1),
        transformation=Transformation(identifying="pseudonym"),
    )
    outcome = anonymize(project)
    told = summary(project, outcome, verified=False)["persons"]["chained"]
    assert 1 <= told["all"] <= told["2"] <= outcome.release.k


@pytest.mark.parametrize("key", [k for k, kind in search_algorithms.items() if kind.promise == "optimal"])
@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: "+".join(o) or "one_pass")
def test_every_exact_search_finds_the_same_optimum_over_persons(key: str, options: dict[str, Any]) -> None:
    requirement = Requirement((KAnonymity(4),), 0.15, **options)
    project = replace(project_of_visits(), requirement=requirement)
    expected = anonymize(project).release
    found = anonymize(replace(project, search=replace(project.search, algorithm=key))).release
    assert (found.node, found.n_suppressed) == (expected.node, expected.n_suppressed)


@pytest.mark.parametrize(
    ("key", "options"),
    [
        pytest.param(key, options, marks=pytest.mark.thorough if (number + place) % 2 else ())
        for number, key in enumerate(recoding_methods)
        for place, options in enumerate((OPTIONS[0], OPTIONS[1], OPTIONS[3], OPTIONS[2]))
    ],
)
def test_classes_of_every_recoding_method_have_enough_persons(
    key: str, options: dict[str, Any], tmp_path: Path
) -> None:
    project = replace(
        project_of_visits(),
        requirement=Requirement((KAnonymity(4),), 0.3, **options),
        recoding=recoding_methods.create(key),
    )
    try:
        outcome = anonymize(project)
    except RequirementNotMetError:
        assert options.get("whole_persons")  # a method leads nobody's records together
        return
    sizes = persons_of_classes(project, outcome.release)
    assert min(sizes) >= 4
    assert min(sizes) == outcome.release.k
    if options.get("whole_persons"):
        assert outcome.release.persons.affected == outcome.release.persons.lost
    assert export_release(project, outcome.release, tmp_path / "out.csv").ok


def test_an_estimate_that_needs_whole_counts_is_refused() -> None:
    model = EntropyLDiversity("illness", 2.0, "grassberger")
    project = replace(project_of_visits(), requirement=Requirement((model,), 0.1))
    with pytest.raises(InputError, match="whole numbers"):
        compile_problem(project)
    compile_problem(replace(project, person=None))
