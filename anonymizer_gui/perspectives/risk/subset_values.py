"""What the card of combinations shows of the findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anonymizer_gui.perspectives.risk.subsets_view import SubsetRow

if TYPE_CHECKING:
    from engine.assessment.risk.column_subsets import ColumnSubsetsFound


def subset_rows(found: ColumnSubsetsFound) -> tuple[SubsetRow, ...]:
    """Every set of columns."""
    rows = []
    for entry in found.sets:
        before, after = entry.before, entry.after
        rows.append(
            SubsetRow(
                entry.columns,
                before.n_uniques,
                None if after is None else after.n_uniques,
                None if after is None else after.highest,
                (before.distinction, None if after is None else after.distinction),
                (before.separation, None if after is None else after.separation),
            )
        )
    return tuple(rows)


def subsets_sentences(found: ColumnSubsetsFound) -> tuple[str, ...]:
    """What somebody can do who knows one column, two, three."""
    return tuple(known.sentence for known in found.known)
