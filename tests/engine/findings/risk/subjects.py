"""Releases of small random tables, by a node, a recoding or with aggregates, and what is written of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from engine.findings.subject import Subject
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project.compile import compile_problem
from engine.project.project import frozen
from engine.recoding import Recoding, make_local_release, make_release, rooted
from engine.recoding.aggregation import aggregate_functions
from tests.strategies import Attributes, Case, cases_with_requirement, nodes

# Releases of Adult by ARX with their k and suppression limit, and figures as exact as it prints them.
RELEASES = {
    "output_k5_s0_loss": (5, 0.0),
    "output_k5_s5_loss": (5, 0.05),
    "output_k5_s100_loss": (5, 1.0),
    "output_k50_s5_loss": (50, 0.05),
}


def close(value: float) -> Any:
    """Return what is equal to a figure of ARX."""
    return pytest.approx(value, rel=1e-12)


@dataclass(frozen=True)
class Released:
    """A case with a release of it, and the texts that whoever reads the file sees."""

    case: Case
    subject: Subject

    @cached_property
    def kept(self) -> list[int]:
        return np.flatnonzero(self.subject.kept).tolist()

    @cached_property
    def before(self) -> list[tuple[str, ...]]:
        """Original cells of the quasi-identifying columns, all records."""
        return list(zip(*(attribute.texts for attribute in self.case.qi), strict=True))

    @cached_property
    def after(self) -> list[tuple[str, ...]]:
        """Released cells, kept records only."""
        columns = [self.subject.release.column(attribute.name) for attribute in self.case.qi]
        return [tuple(column.text(i) for column in columns if column) for i in self.kept]


def released(case: Case, requirement: Requirement, node: tuple[int, ...]) -> Released:
    """A node of a case, applied."""
    project = case.under(requirement)
    return Released(case, Subject(project, make_release(project, compile_problem(project), node)))


def letters(k: int = 1, limit: float = 1.0, node: tuple[int, ...] | None = None, **columns: str) -> Released:
    """One letter per cell; quasi-identifying columns that can be hidden, and a sensitive one called s."""
    qi = tuple(
        Attributes(name, tuple(texts), rows=tuple((value, "*") for value in sorted(set(texts))))
        for name, texts in columns.items()
        if name != "s"
    )
    sensitive = (Attributes("s", tuple(columns["s"])),) if "s" in columns else ()
    case = Case(qi, sensitive)
    return released(case, Requirement((KAnonymity(k),), limit), node or (0,) * len(qi))


@st.composite
def releases(draw: st.DrawFn, **options: object) -> Released:
    """Any way to release a random table; often some of its records are suppressed, at times all."""
    case, requirement = draw(cases_with_requirement(**options))
    project = case.under(requirement)
    kind = draw(st.sampled_from(["node", "node", "recoding", "aggregates"]))
    if kind == "node":
        return released(case, requirement, draw(nodes(case)))
    if kind == "recoding":
        problem = rooted(case.problem)
        shape = (problem.n_records, len(problem.attributes))
        rng = np.random.default_rng(draw(st.integers(0, 2**16)))
        levels = np.empty(shape, dtype=np.int16)
        for q, attribute in enumerate(problem.attributes):
            allowed = [*range(attribute.minimum, attribute.maximum + 1), attribute.hierarchy.height]
            levels[:, q] = rng.choice(allowed, size=problem.n_records)
        recoding = Recoding(levels, rng.random(problem.n_records) < 0.1)
        return Released(case, Subject(project, make_local_release(project, problem, recoding)))
    name = draw(st.sampled_from([a.name for a in case.qi]))
    column = project.table.column(name)
    keys = sorted(key for key, kind in aggregate_functions.items() if not kind().why_not(column))
    function = aggregate_functions[draw(st.sampled_from(keys))](grouping=draw(st.booleans()))
    project = replace(project, microaggregation=frozen({name: function}))
    problem = compile_problem(project)
    node = tuple(draw(st.integers(a.minimum, a.maximum)) for a in problem.attributes)
    return Released(case, Subject(project, make_release(project, problem, node)))
