"""The utility metrics of python-anonymity, known bugs included; it measures classes by pyCANON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from anonymizer_compat.anjana import get_transformation
from anonymizer_compat.pycanon.classes import class_sizes, labels_of
from anonymizer_compat.pycanon.metrics import average_ecsize, sizes_ec
from engine.errors import HierarchyGapError, InputError
from engine.findings.given_table import GivenTable
from engine.hierarchies import Hierarchy
from engine.records import Table


def generalized_information_loss(
    raw: Table,
    levels: Mapping[str, int],
    quasi_identifying: Sequence[str],
    hierarchies: Mapping[str, Hierarchy],
) -> float:
    """Mean over columns and records of (leaves under the label - leaves under the value) / (leaves - 1).

    Parameters
    ----------
    raw : Table
        The original; the library never looks at the anonymized one.
    levels : mapping of str to int
        The level each column was raised to. The library keeps it from its last run of Datafly.

    Returns
    -------
    float
        Leaves are lines of the hierarchies, of numbers too. They are counted by label in one place for
        all columns, so that a label that two columns share has the count of the last one, and a group
        that is written like its leaf counts from that leaf on.

    Raises
    ------
    InputError
        A column has no hierarchy or no level, or the hierarchy has a single value, by which the library
        divides.
    HierarchyGapError
        A value is not in its hierarchy.
    """
    counts = _leaves(hierarchies, levels)
    total = 0.0
    for name in quasi_identifying:
        hierarchy, level = _of(name, hierarchies), _of(name, levels)
        if hierarchy.n_leaves == 1:
            raise InputError(
                f"python-anonymity ends with ZeroDivisionError: the hierarchy of '{name}' has one value.",
                hint="Omit the column, which cannot lose anything.",
            )
        column = raw.column(name)
        for value, n_records in zip(column.labels, column.counts.tolist(), strict=True):
            if value not in hierarchy.index:
                raise HierarchyGapError(
                    f"The hierarchy of '{name}' has no entry for '{value}'.",
                    hint="Add it to the hierarchy.",
                    column=name,
                    values=(value,),
                )
            lost = counts[hierarchy.label(value, level)] - counts[value]
            total += n_records * (lost / (hierarchy.n_leaves - 1))
    return (1 / (raw.n_records * len(quasi_identifying))) * total


def discernibility(anonymized: GivenTable) -> int:
    """Sum of the squared sizes of all classes; suppressed records cost nothing.

    Only classes of at least k records are summed, k being the smallest that there is.
    """
    class_sizes(anonymized)  # refuses where there is none, and so no k
    return int((labels_of(anonymized)[2] ** 2).sum())


def avr_equiv_class_size(raw: Table, anonymized: GivenTable) -> float:
    """Original records / (classes * size of the smallest class), whatever k was asked for."""
    return average_ecsize(raw, anonymized, sup=False)


def utility(
    raw: Table,
    anonymized: GivenTable,
    *,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    levels: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """Metrics of the library for a pair of tables.

    Parameters
    ----------
    hierarchies : mapping of str to Hierarchy, optional
        Of all quasi-identifying columns; needed for its information loss.
    levels : mapping of str to int, optional
        The level of each column. By default the lowest that has all labels of the column, records of
        stars left out.

    Returns
    -------
    dict
        "records", "classes", "c_avg" and "discernibility"; with hierarchies also "gen_iloss". What the
        library has no figure for is None.
    """
    sizes = sizes_ec(anonymized).values()
    found: dict[str, Any] = {
        "records": {"raw": raw.n_records, "anonymized": anonymized.n_records},
        "c_avg": avr_equiv_class_size(raw, anonymized),
        "discernibility": discernibility(anonymized),
        "classification": None,
        "classes": dict(zip(("count", "min", "max", "mean", "median"), sizes, strict=True)),
        "columns": None,
        "risk": None,
        "entropy": None,
    }
    if hierarchies is None:
        return found
    names = anonymized.quasi_identifying
    if levels is None:
        kept = anonymized.without_suppressed().table
        levels = dict(zip(names, get_transformation(kept, names, hierarchies), strict=True))
    own = {name: _of(name, hierarchies) for name in names}
    return found | {"gen_iloss": generalized_information_loss(raw, levels, names, own)}


def _leaves(hierarchies: Mapping[str, Hierarchy], levels: Mapping[str, int]) -> Counter[str]:
    """Leaves by label, counted line after line and column after column as the library does."""
    counts: Counter[str] = Counter()
    for name, hierarchy in hierarchies.items():
        level = _of(name, levels)
        labels = [(value, hierarchy.label(value, level)) for value in hierarchy.values]
        for _, label in labels:
            counts[label] = 0  # what another column counted by this label is forgotten
        for value, label in labels:
            counts[label] += 1
            counts[value] = 1
    return counts


def _of(name: str, known: Mapping[str, Any]) -> Any:
    if name not in known:
        raise InputError(
            f"Column '{name}' has no hierarchy, or a hierarchy without levels.",
            hint="Give a hierarchy for each column.",
        )
    return known[name]
