"""Random small tables with hierarchies, nodes and requirements, and the project of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from engine.frequency import Problem
from engine.hierarchies import Hierarchy
from engine.lattice import Node
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.alpha_k_anonymity import AlphaKAnonymity
from engine.privacy.basic_beta_likeness import BasicBetaLikeness
from engine.privacy.delta_disclosure import DeltaDisclosure
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.enhanced_beta_likeness import EnhancedBetaLikeness
from engine.privacy.entropy_l_diversity import EntropyLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.recursive_c_l_diversity import RecursiveCLDiversity
from engine.privacy.t_closeness import TCloseness
from engine.project import AttributeHierarchy, Project
from engine.project.compile import compile_problem
from engine.project.project import frozen
from engine.records import Column, DataType, Kind, Role, Table
from engine.records.options import ReadOptions
from engine.records.values import make_column

MISSING = ""
PERSON = "person"

modest = settings()  # as tests/conftest.py has them, with and without --all
few = settings(modest, max_examples=max(1, modest.max_examples * 2 // 5))
ten = settings(modest, max_examples=max(1, modest.max_examples // 4))  # per variant, of which there are many
two = settings(modest, max_examples=max(1, modest.max_examples // 12))  # for tests that take a journey each

Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Attributes:
    """One column of a case: texts, type, and for a quasi-identifying column hierarchy and bounds."""

    name: str
    texts: tuple[str, ...]
    kind: Kind = Kind.TEXT
    rows: Rows = ()  # lines of the hierarchy file; a sensitive column may have none
    min_level: int = 0
    max_level: int | None = None

    @property
    def height(self) -> int:
        return len(self.rows[0]) - 1 if self.rows else 0

    @property
    def levels(self) -> range:
        top = self.height if self.max_level is None else self.max_level
        return range(self.min_level, top + 1)


@dataclass(frozen=True)
class Case:
    """Table small enough to recount by hand; `project` and `problem` are the engine's form of it."""

    qi: tuple[Attributes, ...]
    sensitive: tuple[Attributes, ...] = ()
    target: str | None = None
    persons: tuple[str, ...] = ()  # person of each record; the column `PERSON`

    @property
    def n_records(self) -> int:
        return len((*self.qi, *self.sensitive)[0].texts)

    @cached_property
    def project(self) -> Project:
        who = (Attributes(PERSON, self.persons),) if self.persons else ()
        columns = [column_of(a) for a in (*self.qi, *self.sensitive, *who)]
        roles = dict.fromkeys((a.name for a in self.qi), Role.QUASI_IDENTIFYING)
        roles |= dict.fromkeys((a.name for a in self.sensitive), Role.SENSITIVE)
        roles |= dict.fromkeys((a.name for a in who), Role.IDENTIFYING)
        hierarchies = {
            a.name: AttributeHierarchy(
                Hierarchy.from_rows(a.rows), min_level=a.min_level, max_level=a.max_level
            )
            for a in (*self.qi, *self.sensitive)
            if a.rows
        }
        return Project(
            "case",
            None,
            ReadOptions(delimiter=",", encoding="utf-8", decimal=".", header=True),
            Table(tuple(columns)),
            frozen(roles),
            tuple(a.name for a in self.qi),
            self.target,
            person=PERSON if who else None,
            hierarchies=frozen(hierarchies),
        )

    @cached_property
    def problem(self) -> Problem:
        return compile_problem(self.project)

    def under(self, requirement: Requirement) -> Project:
        return replace(self.project, requirement=requirement)


def column_of(attribute: Attributes) -> Column:
    texts = sorted(set(attribute.texts))
    index = {text: code for code, text in enumerate(texts)}
    codes = np.array([index[text] for text in attribute.texts], dtype=np.int32)
    return make_column(attribute.name, texts, codes, DataType(attribute.kind), MISSING)


@st.composite
def hierarchy_rows(draw: st.DrawFn, values: Sequence[str], max_height: int = 3) -> Rows:
    """Draw the lines of a tree over values: groups joined at random, labels sometimes equal to a leaf."""
    height = draw(st.integers(0, max_height))
    columns = [list(values)]
    for level in range(1, height + 1):
        groups = list(dict.fromkeys(columns[-1]))
        if level == height and draw(st.integers(0, 3)):
            columns.append(["*"] * len(values))
            continue
        n_parents = draw(st.integers(1, len(groups)))
        parent = {group: draw(st.integers(0, n_parents - 1)) for group in groups}
        keeps_name = draw(st.booleans())  # a group of one value may have the value as label
        labels = {}
        for group in groups:
            members = [g for g in groups if parent[g] == parent[group]]
            labels[group] = group if keeps_name and len(members) == 1 else f"level {level} of {members[0]}"
        columns.append([labels[group] for group in columns[-1]])
    return tuple(zip(*columns, strict=True))


@st.composite
def quasi_identifiers(
    draw: st.DrawFn, name: str, n_records: int, *, bounded: bool, max_height: int = 3
) -> Attributes:
    is_number = draw(st.booleans())
    leaves = [str(7 * i - 7) if is_number else f"{name}{i}" for i in range(draw(st.integers(1, 6)))]
    present = draw(st.lists(st.sampled_from(leaves), min_size=n_records, max_size=n_records))
    if draw(st.integers(0, 3)) == 0:
        gone = draw(st.sets(st.integers(0, n_records - 1), max_size=3))
        present = [MISSING if i in gone else text for i, text in enumerate(present)]
    known = [*leaves, MISSING] if draw(st.integers(0, 5)) == 0 else leaves
    rows = draw(hierarchy_rows(known, max_height))
    low, high = 0, None
    if bounded:
        height = len(rows[0]) - 1
        low = draw(st.integers(0, height))
        high = draw(st.integers(low, height))
    kind = Kind.INTEGER if is_number else Kind.TEXT
    return Attributes(name, tuple(present), kind, rows, low, high)


@st.composite
def sensitive_columns(draw: st.DrawFn, name: str, n_records: int) -> Attributes:
    is_number = draw(st.booleans())
    values = [str(3 * i - 5) if is_number else f"{name}{i}" for i in range(draw(st.integers(1, 5)))]
    if draw(st.integers(0, 4)) == 0:
        values.append(MISSING)
    texts = draw(st.lists(st.sampled_from(values), min_size=n_records, max_size=n_records))
    rows = draw(hierarchy_rows(values)) if draw(st.booleans()) else ()
    return Attributes(name, tuple(texts), Kind.INTEGER if is_number else Kind.TEXT, rows)


@st.composite
def cases(
    draw: st.DrawFn,
    *,
    max_records: int = 30,
    max_qi: int = 3,
    min_sensitive: int = 0,
    max_sensitive: int = 2,
    max_height: int = 3,
    bounded: bool | None = None,
    persons: bool = False,
) -> Case:
    """Draw a random table: 1 to `max_records` records, distinct to equal, missing values, odd trees."""
    n_records = draw(st.integers(1, max_records))
    is_bounded = draw(st.booleans()) if bounded is None else bounded
    qi = tuple(
        draw(quasi_identifiers(f"q{i}", n_records, bounded=is_bounded, max_height=max_height))
        for i in range(draw(st.integers(1, max_qi)))
    )
    n_sensitive = draw(st.integers(min_sensitive, max_sensitive))
    sensitive = tuple(draw(sensitive_columns(f"s{i}", n_records)) for i in range(n_sensitive))
    target = draw(st.sampled_from([a.name for a in (*qi, *sensitive)]))
    return Case(qi, sensitive, target, draw(visitors(n_records)) if persons else ())


@st.composite
def visitors(draw: st.DrawFn, n_records: int) -> tuple[str, ...]:
    """Draw the person of each record: few people with many records, many with one, sometimes missing."""
    names = [MISSING, *(f"p{i}" for i in range(draw(st.integers(1, n_records))))]
    return tuple(draw(st.lists(st.sampled_from(names), min_size=n_records, max_size=n_records)))


@st.composite
def nodes(draw: st.DrawFn, case: Case) -> Node:
    return tuple(draw(st.sampled_from(a.levels)) for a in case.qi)


@st.composite
def rarer_models(draw: st.DrawFn, column: str) -> PrivacyModel:
    """Draw a model of diversity, similarity or disclosure with a threshold that small tables often attain."""
    share = st.sampled_from([0.0, 0.25, 0.5, 0.6, 0.75, 1.0])
    factor = st.sampled_from([0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0])
    number = st.integers(1, 4)
    match draw(st.sampled_from(["alpha", "entropy", "recursive", "basic", "enhanced", "delta"])):
        case "alpha":
            return AlphaKAnonymity(column, draw(share), draw(number))
        case "entropy":
            estimator = draw(st.sampled_from(["shannon", "grassberger"]))
            return EntropyLDiversity(column, max(draw(factor), 1.0), estimator)
        case "recursive":
            return RecursiveCLDiversity(column, max(draw(factor), 0.25), draw(number))
        case "basic":
            return BasicBetaLikeness(column, draw(factor))
        case "enhanced":
            return EnhancedBetaLikeness(column, draw(factor))
    return DeltaDisclosure(column, draw(factor))


@st.composite
def requirements(draw: st.DrawFn, case: Case) -> Requirement:
    """Draw any models for random columns and thresholds, including limits with significant decimals."""
    models: list[PrivacyModel] = []
    if draw(st.integers(0, 4)):
        models.append(KAnonymity(draw(st.integers(1, 6))))
    for attribute in case.problem.sensitive:
        if draw(st.booleans()):
            models.append(DistinctLDiversity(attribute.name, draw(st.integers(1, 4))))
        if draw(st.booleans()):
            t = draw(st.sampled_from([0.0, 0.1, 0.2, 0.25, 0.3, 0.5, 0.6, 1.0]))
            distance = draw(st.sampled_from([None, *attribute.distances]))
            models.append(TCloseness(attribute.name, t, distance))
        if draw(st.integers(0, 2)) == 0:
            models.append(draw(rarer_models(attribute.name)))
    limit = draw(st.sampled_from([0.0, 0.05, 0.1, 0.29, 0.3, 0.5, 0.7, 1.0]))
    return Requirement(tuple(models), limit)


@st.composite
def cases_with_requirement(draw: st.DrawFn, **options: Any) -> tuple[Case, Requirement]:
    case = draw(cases(**options))
    return case, draw(requirements(case))
