"""Worked cases of tables with several records per person; see `tests/data/persons`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.lattice import Node
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project
from engine.project.population import Population
from engine.records import Kind, Table
from tests.strategies import Attributes, Case, column_of

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "persons" / "cases.json").read_text(encoding="utf-8")
)
NAMES = [case["name"] for case in CASES]
BY_NAME = {case["name"]: case for case in CASES}


def cells(row: Mapping[str, Any], columns: list[str]) -> list[str]:
    """Return a record as texts; a missing person is an empty text."""
    return ["" if row[name] is None else str(row[name]) for name in columns]


def figure(value: float | str | None) -> float | None:
    """Return a measured value, which may be infinite."""
    return math.inf if value == "inf" else None if value is None else float(value)


def labels(case: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return every record with its labels on the node of the case, by quasi-identifying column."""
    levels = dict(zip(case["qi"], case["node"], strict=True))
    maps = {name: {line[0]: line[levels[name]] for line in case["hierarchies"][name]} for name in case["qi"]}
    return [{name: maps[name][str(row[name])] for name in case["qi"]} for row in case["rows"]]


def node_of(case: dict[str, Any]) -> Node:
    return tuple(case["node"])


def requirement_of(case: dict[str, Any], **options: Any) -> Requirement:
    return Requirement((KAnonymity(case["k"]),), float(case["suppression_limit"]), **options)


def project_of(case: dict[str, Any]) -> Project:
    """Return the table of a case with roles, persons, hierarchies and population."""
    rows = case["rows"]
    qi = tuple(
        Attributes(q, _texts(rows, q), rows=tuple(map(tuple, case["hierarchies"][q]))) for q in case["qi"]
    )
    sensitive = (Attributes("s", _texts(rows, "s"), Kind.INTEGER),)
    project = Case(qi, sensitive, persons=_texts(rows, case["person"])).project
    if "population" in case:
        names = {**{q: q for q in case["qi"]}, "person": case["person"]}
        columns = (column_of(Attributes(n, _texts(case["population"], key))) for n, key in names.items())
        project = replace(project, population=Population(table=Table(tuple(columns))))
    return replace(project, requirement=requirement_of(case))


def _texts(rows: list[dict[str, Any]], name: str) -> tuple[str, ...]:
    return tuple(str(row[name]) for row in rows)
