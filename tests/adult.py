"""Adult projects as in the reference results: columns as texts, hierarchies stored with the results."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from engine.hierarchies.files import read_hierarchy
from engine.project import AttributeHierarchy, Project
from engine.project.compile import compile_problem
from engine.project.project import frozen
from engine.records import DataType, Role
from engine.records.opening.files import read_table
from engine.records.options import ReadOptions
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.acceleration import warm_up

TABLES = Path(__file__).parent / "data" / "tables"

ARX_COLUMNS = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)
# Names of columns whose hierarchy file has another name.
ANJANA_FILES = {"marital-status": "marital", "native-country": "country", "salary-class": "salary"}


def text_project(table: str, qi: Sequence[str], hierarchies: dict[str, Path], sensitive: str = "") -> Project:
    """Return a project of a stored table with every quasi-identifying column read as text."""
    given = ReadOptions(types={name: DataType() for name in qi})
    read, options = read_table(TABLES / table, given)
    roles = dict.fromkeys(read.names, Role.INSENSITIVE) | dict.fromkeys(qi, Role.QUASI_IDENTIFYING)
    if sensitive:
        roles[sensitive] = Role.SENSITIVE
    entries = {name: AttributeHierarchy(read_hierarchy(path), path) for name, path in hierarchies.items()}
    return Project(
        table, TABLES / table, options, read, frozen(roles), tuple(qi), hierarchies=frozen(entries)
    )


@cache
def arx_project(qi: tuple[str, ...] = ARX_COLUMNS, sensitive: str = "") -> Project:
    """Return the project of `adult_arx.csv` with the given quasi-identifying columns."""
    folder = TABLES / "hierarchies" / "adult_arx"
    return text_project(
        "adult_arx.csv", qi, {name: folder / f"adult_hierarchy_{name}.csv" for name in qi}, sensitive
    )


@cache
def arx_profile(qi: tuple[str, ...] = ARX_COLUMNS, sensitive: str = "") -> LatticeProfile:
    """Return the scored lattice of `arx_project`, once per test session."""
    warm_up()
    problem = compile_problem(arx_project(qi, sensitive))
    return score_lattice(problem)


@cache
def anjana_profile(qi: tuple[str, ...]) -> LatticeProfile:
    """Return the scored lattice of `adult.csv` with anjana's hierarchies."""
    warm_up()
    folder = TABLES / "hierarchies" / "adult_anjana"
    files = {name: folder / f"{ANJANA_FILES.get(name, name)}.csv" for name in qi}
    return score_lattice(compile_problem(text_project("adult.csv", qi, files)))
