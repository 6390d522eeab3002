"""The columns of a release that no level decides: identifying, sensitive and insensitive ones."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine.kernels.arrays import BoolArray
from engine.recoding.identifiers import RuleContext
from engine.recoding.release import ReleasedColumn
from engine.recoding.transformation import ReleaseSource
from engine.table import Column, Role


def passed_columns(
    source: ReleaseSource, suppressed: BoolArray, recoded: Mapping[str, ReleasedColumn]
) -> tuple[ReleasedColumn, ...]:
    """All columns of a release in the order of the table; one without a role is not released.

    Parameters
    ----------
    source : ReleaseSource
    suppressed : ndarray of bool, shape (n_records,)
    recoded : mapping of str to ReleasedColumn
        The quasi-identifying columns.
    """
    released = []
    context = RuleContext(source.records, source.transformation.seed)
    for column in source.records.columns:
        role = source.role(column.name)
        if role is Role.QUASI_IDENTIFYING:
            released.append(recoded[column.name])
        elif role is Role.IDENTIFYING:
            written = source.transformation.rule_of(column.name).apply(column, context)
            if written is not None:
                released.append(ReleasedColumn(column.name, role, *written))
        elif role is not None:
            hidden = suppressed if source.transformation.blank_suppressed else None
            released.append(_passed(column, role, hidden, source.blank))
    return tuple(released)


def _passed(column: Column, role: Role, hidden: BoolArray | None, blank: str) -> ReleasedColumn:
    if hidden is None or not hidden.any():
        return ReleasedColumn(column.name, role, column.labels, column.codes)
    labels = column.labels if blank in column.labels else (*column.labels, blank)
    codes = np.where(hidden, labels.index(blank), column.codes)
    return ReleasedColumn(column.name, role, labels, codes.astype(np.int32))
