"""The aggregated columns of a release: what their cells have to be, class by class."""

from __future__ import annotations

import pandas as pd

from engine.verification.aggregates import due_cells
from engine.verification.cells import STAR, Vocabularies
from engine.verification.claims import ReleaseClaim
from engine.verification.classes import Classes
from engine.verification.findings import UnjudgeableError
from engine.words import _


def due_columns(
    claim: ReleaseClaim, records: pd.DataFrame, groups: pd.Series[int], known: Vocabularies
) -> dict[str, pd.Series[int]]:
    """What the cells of every aggregated column have to be, given the class of each original record."""
    missing = claim.missing[0] if claim.missing else None
    return {
        name: due_cells(aggregate, records[name], groups, known[name], missing)
        for name, aggregate in claim.aggregates.items()
    }


def due_by_file(
    claim: ReleaseClaim,
    source: pd.DataFrame,
    released: pd.DataFrame,
    hidden: pd.Series[bool],
    known: Vocabularies,
) -> dict[str, pd.Series[int]]:
    """The same where levels differ by record: classes are those that the file has in the other columns.

    Parameters
    ----------
    claim : ReleaseClaim
    source, released : DataFrame
        Of equal length, record by record.
    hidden : Series of bool
        Which of these records count as suppressed.
    known : dict of str to Vocabulary

    Raises
    ------
    UnjudgeableError
        If an aggregated column is said to form classes: its labels are not in the file.
    """
    if any(aggregate.grouping for aggregate in claim.aggregates.values()):
        raise UnjudgeableError(
            _("If levels vary by record, a column released as an aggregate cannot form classes.")
        )
    kept = (~hidden).tolist()
    labels = released[list(claim.forming)][kept].reset_index(drop=True)
    records = source[kept]
    due = due_columns(claim, records, Classes(labels).of_record.set_axis(records.index), known)
    return {
        name: cells.reindex(source.index, fill_value=known[name].code(STAR)) for name, cells in due.items()
    }
