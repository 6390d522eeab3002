"""Every set of columns that attackers know, at one node."""

from __future__ import annotations

from dataclasses import dataclass

from engine.privacy.attackers import AttackerModel
from engine.scoring.nodes.class_table import ClassTable


@dataclass(frozen=True)
class SetReport:
    """One set of columns at one node.

    Attributes
    ----------
    model : int
        Number of its model in the requirement.
    columns : tuple of str
        Known columns.
    worst : int
        Size of the smallest group among all records.
    worst_kept : int or None
        The same among kept records; None if nothing is kept.
    records_missing : int
        Records that fail at first, before suppression is repeated.
    """

    model: int
    columns: tuple[str, ...]
    worst: int
    worst_kept: int | None
    records_missing: int


def known_sets(table: ClassTable) -> tuple[SetReport, ...]:
    """Return the sets of all models of attackers, in the order of models and sets."""
    found = []
    for number, model in enumerate(table.requirement.models):
        if not isinstance(model, AttackerModel):
            continue
        for columns in model.sets(table.problem.names):
            before, after = table.whole.known_by(columns), table.classes.known_by(columns)
            assert before is not None, "classes of a node tell their columns apart"
            assert after is not None, "and so do their parts"
            kept = after.spread(after.classes.sizes)[table.fulfilled]
            fails = model.critical_of(before) < model.k
            found.append(
                SetReport(
                    number,
                    columns,
                    int(before.classes.sizes.min()),
                    int(kept.min()) if len(kept) else None,
                    int(table.whole.records[fails].sum()),
                )
            )
    return tuple(found)
