"""The settings of one click: what is missing is proposed, what is set stays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from engine.privacy import Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project
from engine.project.first_release import first_settings
from engine.project.recipe import read_recipe
from engine.table.reading import ReadOptions, read_table


def test_a_fresh_table_gets_roles_hierarchies_and_k_of_5_within_5_percent(tables: Path) -> None:
    table, options = read_table(tables / "hospital.csv", ReadOptions())
    made = first_settings(Project("fresh", tables / "hospital.csv", options, table))
    assert made.quasi_identifying
    assert set(made.quasi_identifying) <= set(made.hierarchies)
    assert (made.requirement.k, made.requirement.suppression_limit) == (5, 0.05)


def test_what_a_person_asked_for_is_never_weakened(examples: Path) -> None:
    project = read_recipe(examples / "hospital" / "recipe.toml")
    strict = Requirement((KAnonymity(20), DistinctLDiversity("disease", 2)), 0.0)
    made = first_settings(replace(project, requirement=strict))
    assert made.requirement is strict
    assert dict(made.roles) == dict(project.roles)
    assert dict(made.hierarchies) == dict(project.hierarchies)


def test_k_of_5_joins_models_that_name_no_k(examples: Path) -> None:
    project = read_recipe(examples / "hospital" / "recipe.toml")
    made = first_settings(replace(project, requirement=Requirement((DistinctLDiversity("disease", 2),), 0.1)))
    assert made.requirement == Requirement((KAnonymity(5), DistinctLDiversity("disease", 2)), 0.1)
