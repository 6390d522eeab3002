"""Expected cells of the aggregated columns of a release, class by class."""

from __future__ import annotations

import pandas as pd

from engine.verification.aggregates import due_cells
from engine.verification.cells import STAR, Vocabularies
from engine.verification.claims import ReleaseClaim
from engine.verification.classes import Classes
from engine.verification.findings import UnverifiableError
from engine.words import _


def due_columns(
    claim: ReleaseClaim,
    records: pd.DataFrame,
    groups: pd.Series[int],
    known: Vocabularies,
    counts: pd.Series[int],
    original: tuple[pd.DataFrame, pd.Series[int]] | None = None,
) -> dict[str, pd.Series[int]]:
    """Return the expected codes of every aggregated column, given the class and the records of each row.

    `original` are the rows of the original with their records, if `records` are only those that have a class.
    """
    whole, of_whole = original or (records, counts)
    missing = claim.missing[0] if claim.missing else None
    return {
        name: due_cells(
            aggregate,
            records[name],
            groups,
            known[name],
            missing,
            counts,
            of_whole.groupby(whole[name]).sum(),
        )
        for name, aggregate in claim.aggregates.items()
    }


def due_by_file(
    claim: ReleaseClaim,
    source: pd.DataFrame,
    released: pd.DataFrame,
    hidden: pd.Series[bool],
    known: Vocabularies,
    counts: pd.Series[int],
    original: tuple[pd.DataFrame, pd.Series[int]],
) -> dict[str, pd.Series[int]]:
    """Return the same if levels differ by record; the file's other columns then form the classes.

    Parameters
    ----------
    claim : ReleaseClaim
    source, released : DataFrame
        Of equal length, row by row.
    hidden : Series of bool
        Whether the records of each of these rows count as suppressed.
    known : dict of str to Vocabulary
    counts : Series of int
        Records of each of these rows.
    original : DataFrame and Series of int
        All rows of the original with their records.

    Raises
    ------
    UnverifiableError
        If the claim lets an aggregated column form classes: its labels are not in the file.
    """
    if any(aggregate.grouping for aggregate in claim.aggregates.values()):
        raise UnverifiableError(
            _("If levels vary by record, a column released as an aggregate cannot form classes.")
        )
    kept = (~hidden).tolist()
    labels = released[list(claim.forming)][kept].reset_index(drop=True)
    records, of_kept = source[kept].reset_index(drop=True), counts[kept].reset_index(drop=True)
    due = due_columns(claim, records, Classes(labels).of_record, known, of_kept, original)
    rows = hidden.index[kept]
    return {
        name: cells.set_axis(rows).reindex(hidden.index, fill_value=known[name].code(STAR))
        for name, cells in due.items()
    }
