"""Comparison of two projects in every decision of the user, regardless of file locations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from engine.project.claims import same_texts
from engine.project.population import Population
from engine.project.project import AttributeHierarchy, Project
from engine.project.subset import Subset
from engine.records import Column, DataType, Kind


def project_differences(a: Project, b: Project) -> tuple[str, ...]:
    """Return the parts in which two projects differ.

    Ignored are the name of a project, its source and the paths of its hierarchies, which are locations, and
    who decided a role.
    """
    parts = {
        "columns": a.table.names == b.table.names,
        "records": a.table.n_records == b.table.n_records,
        "reading": _reading(a) == _reading(b),
        "roles": [a.role(name) for name in a.table.names] == [b.role(name) for name in b.table.names],
        "other columns": a.others == b.others,
        "order of quasi-identifiers": a.quasi_identifying == b.quasi_identifying,
        "target": a.target == b.target,
        "person": a.person == b.person,
        "requirement": a.requirement == b.requirement,
        "Set what attackers know": a.others_as_qi == b.others_as_qi,
        "answers": a.answers == b.answers,
        "population": _same_population(a.population, b.population),
        "subset": _same_subset(a.subset, b.subset),
        "transformation": a.transformation == b.transformation,
        "search": replace(a.search, weights={}) == replace(b.search, weights={}),
        "microaggregation": dict(a.microaggregation) == dict(b.microaggregation),
        "weights": dict(a.search.weights) == dict(b.search.weights),
        "attack test": a.attack_test == b.attack_test,
        "statement": a.statement == b.statement,
    }
    differing = [part for part, same in parts.items() if not same]
    if not differing:
        pairs = zip(a.table.columns, b.table.columns, strict=True)
        differing += [f"column '{old.name}'" for old, new in pairs if not same_column(old, new)]
    differing += _hierarchies(a.hierarchies, b.hierarchies)
    return tuple(differing)


def same_column(a: Column, b: Column) -> bool:
    """Return whether two columns have the same texts in order, records, type and measures."""
    return (
        a.name == b.name
        and _plain(a.data_type) == _plain(b.data_type)
        and a.labels == b.labels
        and a.has_missing == b.has_missing
        and (a.cells is None) == (b.cells is None)
        and (np.array_equal(a.counts, b.counts) if a.cells is None else np.array_equal(a.codes, b.codes))
        and np.array_equal(a.numbers, b.numbers, equal_nan=True)
    )


def same_hierarchy(a: AttributeHierarchy, b: AttributeHierarchy) -> bool:
    """Return whether two hierarchies have the same lines, names of levels, builder and allowed levels."""
    return (
        a.hierarchy.rows() == b.hierarchy.rows()
        and a.hierarchy.level_names == b.hierarchy.level_names
        and a.builder == b.builder
        and (a.min_level, a.max_level) == (b.min_level, b.max_level)
    )


def _hierarchies(a: Mapping[str, AttributeHierarchy], b: Mapping[str, AttributeHierarchy]) -> list[str]:
    names = sorted({*a, *b})
    return [
        f"hierarchy of '{name}'"
        for name in names
        if name not in a or name not in b or not same_hierarchy(a[name], b[name])
    ]


def _same_population(a: Population | None, b: Population | None) -> bool:
    if a is None or b is None:
        return a is b
    return (a.size, a.sampling_fraction) == (b.size, b.sampling_fraction) and same_texts(a.table, b.table)


def _same_subset(a: Subset | None, b: Subset | None) -> bool:
    if a is None or b is None:
        return a is b
    chosen = [(s.filter.strip(), s.fraction, s.size, s.seed) for s in (a, b)]
    return chosen[0] == chosen[1] and same_texts(a.rows, b.rows)


def _reading(project: Project) -> tuple[object, ...]:
    options = project.options
    # The table inside a project file is UTF-8, whatever its original encoding.
    delimiter, has_header = options.delimiter or ",", options.header is not False  # of the text written
    return (delimiter, options.decimal, has_header, tuple(options.missing), options.trim)


def _plain(data_type: DataType) -> DataType:
    """Return a data type without its decimal point, which may be given or omitted."""
    if data_type.kind is Kind.DECIMAL and data_type.format == ".":
        return replace(data_type, format="")
    return data_type
