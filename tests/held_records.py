"""Written records of columns that a test gives, to be counted as those of a release are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.kernels.arrays import BoolArray, Codes
from engine.recoding.unchanged import GeneralizedColumn, WrittenColumn
from engine.recoding.written import PlannedRecords
from engine.records import Column, DataType, Role, Table
from engine.records.plan import PlannedColumn, ReleasePlan


def held_records(
    unchanged: Sequence[WrittenColumn],
    quasi_identifying: Sequence[GeneralizedColumn],
    n_records: int,
    kept: BoolArray | None = None,
    persons: Codes | None = None,
) -> PlannedRecords:
    """Return the records of a release with these columns."""
    written = [*unchanged, *(column.written for column in quasi_identifying)]
    roles = [Role.INSENSITIVE] * len(unchanged) + [Role.QUASI_IDENTIFYING] * len(quasi_identifying)
    planned = [
        PlannedColumn(column.name, role, tuple(column.labels), column.codes)
        for column, role in zip(written, roles, strict=True)
    ]
    originals = [
        Column(column.written.name, DataType(), tuple(column.labels), column.codes, False, np.zeros(0))
        for column in quasi_identifying
    ]
    plan = ReleasePlan(tuple(planned), person=None if persons is None else "person")
    suppressed = np.zeros(n_records, dtype=np.bool_) if kept is None else ~kept
    cells = {column.name: column.codes for column in written}
    return PlannedRecords(plan, Table(tuple(originals)), cells, suppressed, persons)
