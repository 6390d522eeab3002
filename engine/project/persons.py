"""Which column may say which records belong to one person."""

from __future__ import annotations

import numpy as np

from engine.project.project import Project
from engine.table import Column, Role

PERSON_HINT = "Make it identifying, or choose an identifying column; its role decides how it leaves."


def n_persons(column: Column) -> int:
    """Different values of a column, missing being one."""
    return int(np.count_nonzero(column.counts))


def n_people(project: Project) -> int:
    """How many different persons the records are about; records where each is a person of its own."""
    if project.person is None:
        return project.n_records
    return n_persons(project.records.column(project.person))


def why_no_person(column: str, role: Role | None) -> str:
    """Return why the values of a column cannot be persons; empty if they can.

    A quasi-identifying column never can: its generalized values would form the classes whose persons it
    counts.
    """
    if role is Role.IDENTIFYING:
        return ""
    now = "without a role" if role is None else role.value
    return f"'{column}' is {now}, and persons need an identifying column."
