"""Project -> Problem: codes, covering hierarchies and lattice bounds."""

from __future__ import annotations

import numpy as np

from engine.errors import InputError
from engine.frequency import Attribute, Problem, SensitiveAttribute
from engine.hierarchies import Hierarchy
from engine.kernels.arrays import Reals
from engine.project.project import AttributeHierarchy, Project
from engine.table import Column, Role


def compile_problem(project: Project) -> Problem:
    """Compile a project for scoring; the requirement plays no part.

    Raises
    ------
    InputError
        Without a quasi-identifier, with level bounds outside a hierarchy, or with a model on a
        column that is not sensitive or that the model cannot measure.
    HierarchyGapError
        If a hierarchy lacks values of its column.
    """
    columns = project.columns_of(Role.QUASI_IDENTIFYING)
    if not columns:
        raise InputError(
            "No column is quasi-identifying.",
            hint="Give that role to the columns an outsider could know, such as age, sex or postal code.",
        )
    problem = Problem(
        project.table.n_records,
        tuple(compile_attribute(column, project.hierarchies.get(column.name)) for column in columns),
        tuple(sensitive_attribute(project, column) for column in project.columns_of(Role.SENSITIVE)),
        project.others_as_qi,
    )
    for model in project.requirement.models:
        if getattr(model, "column", None) == "":
            raise InputError(
                f"{model.title} names no column.",
                hint="Choose the sensitive column it protects.",
                model=model.key,
            )
        for name in model.columns:
            distance = getattr(model, "distance", None) or ""
            reason = problem.sensitive_attribute(name).why_not(distance)
            if reason:
                raise InputError(f"The {distance} distance cannot be used: {reason}", column=name)
    return problem


def sensitive_attribute(project: Project, column: Column) -> SensitiveAttribute:
    """A sensitive column with its hierarchy, if it has one; bounds on levels are a matter of lattices."""
    entry = project.hierarchies.get(column.name)
    return SensitiveAttribute(column, entry.hierarchy if entry else None)


def compile_attribute(column: Column, entry: AttributeHierarchy | None) -> Attribute:
    """Compile one quasi-identifier; without a hierarchy its values are kept as they are."""
    if entry is None:
        entry = AttributeHierarchy(Hierarchy.identity(column.labels))
    hierarchy = entry.hierarchy.covering(column)
    if not 0 <= entry.min_level <= entry.top_level <= hierarchy.height:
        raise InputError(
            f"'{column.name}' may use levels {entry.min_level} to {entry.top_level}, "
            f"but its hierarchy has levels 0 to {hierarchy.height}.",
            hint="Change the levels allowed for this column.",
            column=column.name,
        )
    leaf_of_label = np.array([hierarchy.index[label] for label in column.labels], dtype=np.int32)
    return Attribute(column, hierarchy, leaf_of_label[column.codes], entry.min_level, entry.top_level)


def attribute_weights(project: Project, problem: Problem) -> Reals | None:
    """Weights in attribute order, or None where all are 1; equal ones still scale what is summed."""
    weights = np.array([project.search.weights.get(name, 1.0) for name in problem.names])
    return None if np.all(weights == 1.0) else weights
