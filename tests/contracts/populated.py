"""The problem of a random case as a model needs it: with a population where it reads one."""

from __future__ import annotations

import random
from dataclasses import replace

from engine.frequency import Problem
from engine.privacy import PrivacyModel
from engine.project.compile import compile_problem
from engine.project.population import Population
from tests.strategies import Attributes, Case


def problem_for(case: Case, model: PrivacyModel, source: random.Random) -> Problem:
    """Return the problem; a population is everybody of the case, twice sometimes, and some people more."""
    if not model.needs_people:
        return case.problem
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
    population = Population(table=Case(members).project.table)
    return compile_problem(replace(case.project, population=population))
