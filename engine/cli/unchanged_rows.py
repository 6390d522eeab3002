"""What the columns that leave unchanged give away, as lines of a command's table."""

from __future__ import annotations

from engine.cli.console import number
from engine.recoding.unchanged import SingledOut, UnchangedColumns


def unchanged_rows(found: UnchangedColumns) -> list[tuple[str, str]]:
    """One line for each count, and one for each generalized column that an unchanged one undoes."""
    if not found.columns:
        return []
    rows = [("singled out", _counts(found))]
    if found.of_one_person is not None:
        rows.append(("of one person alone", _counts(found.of_one_person)))
    return rows + [
        ("undone", f"{one.column} tells the original {one.determined} of {one.share:.1%} of the records")
        for one in found.determines
    ]


def _counts(found: SingledOut) -> str:
    counts = [f"{name}: {number(count)}" for name, count in found.alone.items()]
    if len(counts) > 1:
        counts.append(f"together: {number(found.together)}")
    counts.append(f"with the quasi-identifying columns: {number(found.with_quasi_identifiers)}")
    return ", ".join(counts)
