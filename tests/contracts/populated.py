"""Problems beyond a random case: with a population if a model reads one, and small ones that break models."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import strategies as st

from engine.frequency import Problem
from engine.privacy import PrivacyModel, privacy_models
from engine.project import Project
from engine.project.compile import compile_problem
from engine.project.population import Population
from engine.project.project import frozen
from engine.records import Kind, Role, Table
from tests.strategies import Attributes, Case, column_of

WEIGHT = "weight"


def problem_for(case: Case, model: PrivacyModel, source: random.Random) -> Problem:
    """Return the problem; its population has everyone in the case, some twice, and more people."""
    needs_more = model.needs_people or model.needs_weights
    return compile_problem(project_for(case, model, source)) if needs_more else case.problem


def project_for(case: Case, model: PrivacyModel, source: random.Random) -> Project:
    """Return the project, with a population or weights if the model reads them."""
    if model.needs_weights:
        return weighted(case.project, source)
    if not model.needs_people:
        return case.project
    n_more = source.randint(0, 2 * case.n_records)
    twice = source.choice([0, case.n_records])
    members = tuple(
        Attributes(
            attribute.name,
            attribute.texts + attribute.texts[:twice] + tuple(source.choices(attribute.texts, k=n_more)),
            attribute.kind,
            attribute.rows,
        )
        for attribute in case.qi
    )
    who: tuple[str, ...] = ()
    if case.persons:
        who = case.persons + case.persons[:twice] + tuple(source.choices([*case.persons, "x", "y"], k=n_more))
    population = Population(table=Case(members, persons=who).project.table)
    return replace(case.project, population=population)


def weighted(project: Project, source: random.Random) -> Project:
    """Return the project with survey weights, which are few different numbers."""
    texts = tuple(source.choices(["0.5", "1", "2.5", "17", "180"], k=project.table.n_records))
    column = column_of(Attributes(WEIGHT, texts, Kind.DECIMAL))
    return replace(
        project,
        table=Table((*project.table.columns, column)),
        roles=frozen({**project.roles, WEIGHT: Role.INSENSITIVE}),
        weight=WEIGHT,
    )


WHOLE_TABLE = ("average_risk", "records_at_risk", "sample_uniqueness", "highest_risk", "k_map")


@st.composite
def models_of_people(draw: st.DrawFn) -> PrivacyModel:
    """Return a table-wide model or one of a population, with a threshold that small tables sometimes meet."""
    key = draw(st.sampled_from(WHOLE_TABLE))
    of_small_tables = st.integers(1, 4) if key == "k_map" else st.sampled_from([0.2, 0.4, 0.6, 1.0])
    return privacy_models.create(key).with_limit(draw(of_small_tables))


# Measured in records equal in s0, the last record has one value of s1, by itself or joined to the others.
SPOILED_PART = replace(
    Case(
        (Attributes("q0", ("q00",) * 10 + ("q01",), rows=(("q00", "*"), ("q01", "*"))),),
        (Attributes("s0", ("s00",) * 10 + ("",)), Attributes("s1", ("s10",) * 9 + ("", "s10"))),
    ).problem,
    others_as_qi=True,
)
