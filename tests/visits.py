"""The reference cases of persons with several records, as the engine sees them."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from math import inf
from pathlib import Path
from typing import Any

from engine.lattice import Node
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project
from engine.project.population import Population
from engine.table import Kind, Table
from tests.strategies import Attributes, Case, column_of

FILE = Path(__file__).parent / "data" / "persons" / "cases.json"


@cache
def reference_cases() -> dict[str, dict[str, Any]]:
    """The cases by name."""
    return {case["name"]: case for case in json.loads(FILE.read_text(encoding="utf-8"))}


def number(value: Any) -> Any:
    """A value of the file; "inf" is without bound."""
    return inf if value == "inf" else value


def node_of(case: dict[str, Any]) -> Node:
    return tuple(case["node"])


def requirement_of(case: dict[str, Any], **options: Any) -> Requirement:
    return Requirement((KAnonymity(case["k"]),), float(case["suppression_limit"]), **options)


def project_of(case: dict[str, Any]) -> Project:
    """The table of a case with its roles, persons, hierarchies and population."""
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
