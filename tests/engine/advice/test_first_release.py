"""The settings of one click: what is missing is proposed, what is set stays, and what was done is said."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from pathlib import Path

import numpy as np
import pandas as pd

from engine.advice.first_release import FirstSettings, account_of, attainable, first_settings
from engine.hierarchies import Hierarchy
from engine.pipeline import anonymize
from engine.privacy import Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.project import AttributeHierarchy, Project
from engine.project.compile import compile_problem
from engine.project.edits import set_hierarchies
from engine.project.recipe.files import read_recipe
from engine.records import Decider, Kind, Role, Table
from engine.records.opening.data_frames import as_table
from engine.records.opening.files import read_table
from engine.records.options import ReadOptions
from engine.scoring import score_lattice
from engine.scoring.evaluate import evaluate
from tests.engine.hierarchies.columns import column_of
from tests.registers import BLOOD_UNCHANGED, blood_tests
from tests.table_of_visits import QI, TABLE


def project_of(table: Table) -> Project:
    return Project("fresh", None, ReadOptions(delimiter=",", header=True), table)


def people(n: int = 40, **more: list[str]) -> Project:
    columns = {
        "age": [str(20 + i % 4) for i in range(n)],
        "illness": [("flu", "cold", "gout")[i % 3] for i in range(n)],
        **more,
    }
    return project_of(Table(tuple(column_of(*texts, name=name) for name, texts in columns.items())))


def test_a_fresh_table_gets_roles_hierarchies_and_k_of_5_within_5_percent(tables: Path) -> None:
    table, options = read_table(tables / "hospital.csv", ReadOptions())
    made = first_settings(Project("fresh", tables / "hospital.csv", options, table)).project
    assert made.quasi_identifying
    assert set(made.quasi_identifying) <= set(made.hierarchies)
    assert (made.requirement.k, made.requirement.suppression_limit) == (5, 0.05)
    assert made.undecided == ()
    assert {made.decider(name) for name in made.table.names} == {Decider.SUGGESTION}


def test_what_a_person_asked_for_is_never_weakened(examples: Path) -> None:
    project = read_recipe(examples / "hospital" / "recipe.toml")
    strict = Requirement((KAnonymity(20), DistinctLDiversity("disease", 2)), 0.0)
    made = first_settings(replace(project, requirement=strict)).project
    assert made.requirement is strict
    assert dict(made.roles) == dict(project.roles)
    assert dict(made.hierarchies) == dict(project.hierarchies)


def test_k_of_5_joins_models_that_name_no_k(examples: Path) -> None:
    project = read_recipe(examples / "hospital" / "recipe.toml")
    asked = Requirement((DistinctLDiversity("disease", 2),), 0.1)
    made = first_settings(replace(project, requirement=asked)).project
    assert made.requirement == Requirement((KAnonymity(5), DistinctLDiversity("disease", 2)), 0.1)


def test_two_values_are_asked_of_every_column_that_becomes_sensitive(examples: Path) -> None:
    table, options = read_table(examples / "clinic" / "clinic.csv", ReadOptions())
    found = first_settings(Project("clinic", None, options, table))
    assert found.project.sensitive == ("length of stay", "diagnosis")
    wanted = tuple(DistinctLDiversity(name, 2) for name in found.project.sensitive)
    assert found.asked == wanted
    assert found.project.requirement.models == (KAnonymity(5), *wanted)
    release = anonymize(found.project).release
    assert all(value >= 2 for value in release.l.values() if value is not None)


def test_a_column_of_one_value_is_not_asked_for_two() -> None:
    found = first_settings(people(diagnosis=["flu"] * 40))
    assert found.project.role("diagnosis") is Role.INSENSITIVE  # it tells nobody apart
    assert [model.columns for model in found.asked] == [("illness",)]


def test_no_column_of_a_blood_test_leaves_unchanged_and_unseen() -> None:
    project = project_of(as_table(blood_tests()))
    found = first_settings(project)
    for name in BLOOD_UNCHANGED:
        assert found.project.role(name) is not Role.INSENSITIVE, name
    release = anonymize(found.project).release
    assert release.satisfies
    account = account_of(found, release)
    assert account.unchanged.lower().startswith(release.unchanged.words())
    assert account.singles_out == (release.unchanged.together > 0)


def test_what_was_done_is_said_in_four_lines() -> None:
    found = first_settings(people())
    release = anonymize(found.project).release
    account = account_of(found, release)
    assert account.roles == "1 quasi-identifying, 1 sensitive; l = 2 required for illness"
    assert account.levels == "unchanged: age"
    assert account.suppressed == "0 of 40 records suppressed; 2 were allowed"
    assert account.unchanged == "1 column is released unchanged and singles out no record (illness)"
    shuffled = "The records are shuffled, so that their order reveals nothing; undo this in Export."
    assert (account.notes, account.singles_out) == ((shuffled,), False)
    assert found.project.transformation.shuffle


def test_records_of_one_person_never_pass_for_several_people() -> None:
    found = first_settings(project_of(as_table(TABLE)))
    assert found.project.person == "patient"
    assert "patient repeats, so people are counted by it" in found.notes[0]
    release = anonymize(found.project).release
    columns = {c.name: np.asarray(c.labels)[c.codes] for c in release.columns if c.name in QI}
    kept = pd.DataFrame(columns).assign(person=TABLE["patient"])[~release.suppressed]
    assert release.k == kept.groupby(list(columns))["person"].nunique().min() >= 5


def test_two_hundred_columns_give_a_lattice_that_is_scored_whole_and_a_release() -> None:
    random = np.random.default_rng(7)
    wide = {f"answer {i}": [str(v) for v in random.integers(0, 2 + i % 9, 300)] for i in range(200)}
    found = first_settings(project_of(Table(tuple(column_of(*t, name=n) for n, t in wide.items()))))
    n_nodes = prod(e.top_level - e.min_level + 1 for e in found.project.hierarchies.values())
    assert 1 < n_nodes <= 100_000
    assert len(found.notes) == 1
    assert "columns were hidden in advance" in found.notes[0]
    assert anonymize(found.project).release.k >= 5  # type: ignore[operator]


def without_top(project: Project) -> Project:
    """Its ages have a class each, and none of them can be left."""
    rows = [[age, f"about {age}"] for age in sorted(set(project.table.column("age").labels))]
    return set_hierarchies(project, {"age": AttributeHierarchy(Hierarchy.from_rows(rows))})


def evaluated(found: FirstSettings):  # type: ignore[no-untyped-def]
    profile = score_lattice(compile_problem(found.project))
    evaluation = evaluate(profile, found.project.requirement)
    assert evaluation.optimum("loss") is None
    return evaluation


def test_l_that_no_node_satisfies_is_given_up_and_said() -> None:
    illness = [("flu" if i % 4 else "cold") for i in range(40)]  # of one age all have a cold
    project = without_top(people(illness=illness))
    found = first_settings(project)
    assert found.project.requirement.suppression_limit == 0.05
    less = attainable(found, evaluated(found))
    assert less.asked == ()
    assert less.project.requirement.models == (KAnonymity(5),)
    assert less.notes == ("l = 2 is not required for illness: no node satisfies it.",)
    assert anonymize(less.project).release.satisfies


def test_k_is_never_given_up() -> None:
    found = first_settings(without_top(people(8)))
    assert attainable(found, evaluated(found)) is None


def test_a_kind_of_number_nobody_knows_is_generalized_and_not_left() -> None:
    values = [f"{i}.25" for i in range(40)]
    table = Table((*people().table.columns, column_of(*values, kind=Kind.DECIMAL, name="q17")))
    found = first_settings(project_of(table))
    assert found.project.role("q17") is Role.QUASI_IDENTIFYING
