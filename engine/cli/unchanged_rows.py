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
    return rows + [("undone", one.words(f"{one.share:.1%}")) for one in found.determines]


def _counts(found: SingledOut) -> str:
    return ", ".join(f"{name}: {number(count)}" for name, count in found.named)
