"""Findings on survey weights and households, and their remedies."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from engine.advice.findings import Finding, Severity
from engine.advice.preflight import preflight
from engine.privacy import Requirement
from engine.privacy.individual_risk import IndividualRisk
from engine.project import Project, edits
from engine.records import Kind, Role
from tests.contracts.populated import weighted
from tests.strategies import Attributes, Case, column_of

AGES = Attributes("age", tuple("aabb"), rows=(("a", "*"), ("b", "*")))


def survey(*weights: str, persons: tuple[str, ...] = ()) -> Project:
    project = weighted(Case((AGES,), persons=persons).project, random.Random(0))
    column = column_of(Attributes("weight", weights, Kind.DECIMAL))
    project = replace(project, table=project.table.replace_column(column))
    return replace(project, requirement=Requirement((IndividualRisk(1.0),), 0.0))


def found(project: Project) -> dict[str, Finding]:
    return {finding.key: finding for finding in preflight(project)}


def test_usable_weights_are_said_to_be_ready_with_the_people_they_stand_for() -> None:
    finding = found(survey("10", "20", "30.5", "40"))["weights"]
    assert finding.severity is Severity.READY
    assert "4 records stand for 100 people" in finding.detail


@pytest.mark.parametrize(
    ("weights", "detail"),
    [
        (("1", "", "2", "3"), "no weight for 1 record"),
        (("1", "0", "-2", "3"), "0 or less for 2 records"),
    ],
)
def test_unusable_weights_block_and_can_be_ignored(weights: tuple[str, ...], detail: str) -> None:
    project = survey(*weights)
    finding = found(project)["weights"]
    assert finding.severity is Severity.BLOCKING
    assert detail in finding.detail
    assert finding.edit(project).weight is None


def test_weights_below_one_are_to_be_checked() -> None:
    finding = found(survey("0.5", "0.25", "1", "3"))["small_weights"]
    assert finding.severity is Severity.LOOK_AT
    assert "2 records with a weight below 1" in finding.title


def test_a_model_of_weights_blocks_without_them_and_with_people_of_several_records() -> None:
    project = edits.set_weight(survey("1", "2", "3", "4"), None)
    finding = found(project)["needs_weights:0"]
    assert finding.severity is Severity.BLOCKING
    assert not finding.edit(project).requirement.models
    repeated = survey("1", "2", "3", "4", persons=("p", "p", "q", "r"))
    finding = found(repeated)["weights_of_people:0"]
    assert finding.severity is Severity.BLOCKING
    assert not any(f.severity is Severity.BLOCKING for f in preflight(finding.edit(repeated)))


def test_households_are_looked_at() -> None:
    project = survey("1", "2", "3", "4")

    def with_homes(*homes: str) -> Project:
        table = replace(project.table, columns=(*project.table.columns, column_of(Attributes("home", homes))))
        return edits.set_household(
            edits.set_roles(replace(project, table=table), ["home"], Role.INSENSITIVE), "home"
        )

    assert "1 record without a household" in found(with_homes("x", "x", "y", ""))["no_household"].title
    single = with_homes("v", "w", "x", "y")
    finding = found(single)["single_households"]
    assert finding.edit(single).household is None
    assert not {"no_household", "single_households"} & {*found(with_homes("x", "x", "y", "y"))}
