"""Random small tables with hierarchies, for the laws that hold on any table."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np

from engine.hierarchies import Hierarchy
from engine.lattice import Node
from engine.privacy import Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.project import AttributeHierarchy, Project
from engine.project.population import Population
from engine.project.project import frozen
from engine.records import Column, DataType, Kind, Role, Table
from engine.records.options import ReadOptions
from engine.records.values import make_column

SENSITIVE = ("s0", "s1")
_QUASI_IDENTIFYING = ("q0", "q1")
_MISSING, _WEIGHT = "", "weight"
_MOST_RECORDS = 20


def project_of(source: Random, *, has_population: bool = False, has_weights: bool = False) -> Project:
    """Return a project with two quasi-identifying columns and two sensitive ones, without models.

    Parameters
    ----------
    has_population : bool
        Whether a population of more people is known one by one.
    has_weights : bool
        Whether records have the weights of a survey.
    """
    n_records = source.randint(2, _MOST_RECORDS)
    columns, hierarchies, people = [], {}, []
    for name in _QUASI_IDENTIFYING:
        values = [f"{name}{i}" for i in range(source.randint(1, 5))]
        texts = source.choices(values, k=n_records)
        columns.append(column_of(name, texts))
        people.append(column_of(name, [*texts, *source.choices(values, k=n_records)]))
        hierarchies[name] = AttributeHierarchy(Hierarchy.from_rows(_tree(source, values)))
    for name in SENSITIVE:
        values = [*(str(3 * i) for i in range(source.randint(1, 4))), *source.choices(["", _MISSING], k=1)]
        columns.append(column_of(name, source.choices(values, k=n_records), Kind.INTEGER))
    roles = dict.fromkeys(_QUASI_IDENTIFYING, Role.QUASI_IDENTIFYING)
    roles |= dict.fromkeys(SENSITIVE, Role.SENSITIVE)
    if has_weights:
        columns.append(column_of(_WEIGHT, source.choices(["1", "2.5", "17"], k=n_records), Kind.DECIMAL))
        roles[_WEIGHT] = Role.INSENSITIVE
    return Project(
        "sample",
        None,
        ReadOptions(delimiter=",", encoding="utf-8", decimal=".", header=True),
        Table(tuple(columns)),
        frozen(roles),
        _QUASI_IDENTIFYING,
        "s0",
        hierarchies=frozen(hierarchies),
        weight=_WEIGHT if has_weights else None,
        population=Population(table=Table(tuple(people))) if has_population else None,
    )


def requirement_of(source: Random) -> Requirement:
    """Return a requirement that some nodes of a small table satisfy."""
    models = [KAnonymity(source.randint(1, 4)), DistinctLDiversity("s0", source.randint(1, 3))]
    return Requirement(tuple(models[: source.randint(0, 2)]), source.choice([0.0, 0.1, 0.5, 1.0]))


def weights_of(source: Random) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return attribute weights."""
    return np.array([source.choice([0.5, 1.0, 4.0]) for _unused in _QUASI_IDENTIFYING])


def node_of(source: Random, heights: Sequence[int]) -> Node:
    """Return any node of a lattice."""
    return tuple(source.randint(0, height) for height in heights)


def columns_for_builders(source: Random) -> list[Column]:
    """Return columns of texts, numbers and dates, with and without missing values."""
    texts = ["", "a", "bb", "ccc", "Bern", "Berlin", "01067", "*", "x y"]
    numbers = [str(source.randint(-200, 200)) for _unused in range(12)]
    days = [
        f"{source.randint(1900, 2030)}-{source.randint(1, 12):02}-{source.randint(1, 28):02}" for _ in texts
    ]
    given = (
        (source.choices(texts, k=12), Kind.TEXT),
        ([text for text in source.choices(texts, k=12) if text] or ["a"], Kind.TEXT),
        (numbers, Kind.INTEGER),
        ([*numbers, _MISSING], Kind.INTEGER),
        (days, Kind.DATE),
    )
    return [column_of("c", values, kind) for values, kind in given]


def column_of(name: str, texts: Sequence[str], kind: Kind = Kind.TEXT) -> Column:
    """Return a column with these records; an empty text is missing."""
    labels = sorted(set(texts))
    index = {text: code for code, text in enumerate(labels)}
    codes = np.array([index[text] for text in texts], dtype=np.int32)
    return make_column(name, labels, codes, DataType(kind, "%Y-%m-%d" if kind is Kind.DATE else ""), _MISSING)


def _tree(source: Random, values: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the lines of a hierarchy whose groups are joined at random, with `*` on top."""
    levels = [list(values)]
    for level in range(1, source.randint(1, 3)):
        groups = list(dict.fromkeys(levels[-1]))
        parents = {group: source.randrange(len(groups)) for group in groups}
        levels.append([f"level {level}, {parents[group]}" for group in levels[-1]])
    return list(zip(*levels, ["*"] * len(values), strict=True))
