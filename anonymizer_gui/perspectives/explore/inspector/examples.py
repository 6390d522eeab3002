"""Example records of the table before and after generalization."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.words import _

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.lattice import Node
    from engine.privacy import Requirement
    from engine.project import Project
    from engine.scoring.nodes.class_table import ClassTable
    from engine.table.counting import TupleRows

N_EXAMPLES, N_SUPPRESSED_EXAMPLES, MOST_COLUMNS = 10, 3, 3
_SPREAD_IN_FILES = 20_000  # evenly spaced records of a table in files, of which examples are chosen
SPREAD, FIRST, RANDOM, SUPPRESSED, OF_CLASS = "spread", "first", "random", "suppressed", "class"


@dataclass(frozen=True, slots=True)
class ExampleChoice:
    """Records to show.

    Attributes
    ----------
    kind : str
        `SPREAD` over the table with some suppressed ones, `FIRST`, at `RANDOM`, `SUPPRESSED`, or `OF_CLASS`.
    seed : int
        For random records; the same seed gives the same records at every node.
    of_class : tuple of ClassTable and int, optional
        Classes of a node and the index of one, for `OF_CLASS`.
    """

    kind: str = SPREAD
    seed: int = 1
    of_class: tuple[ClassTable, int] | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """One record before and after; `after` has * in its cells if it is suppressed.

    Of a table in a server, whose records are not here, it stands for the `n_alike` records that are equal in
    the scored columns, and `record` is 0.
    """

    record: int
    before: tuple[str, ...]
    after: tuple[str, ...]
    is_suppressed: bool
    n_alike: int = 0

    @property
    def number(self) -> str:
        """What names the line: the number of the record, or how many records it stands for."""
        return f"{as_exact_count(self.n_alike)} ×" if self.n_alike else str(self.record)


@dataclass(frozen=True, slots=True)
class Examples:
    """Example records, in the columns that change most visibly."""

    columns: tuple[str, ...]
    records: tuple[Example, ...]
    n_other_columns: int = 0


def example_records(
    project: Project,
    problem: Problem,
    node: Node,
    requirement: Requirement,
    choice: ExampleChoice = ExampleChoice(),  # frozen
    monitor: Monitor = SILENT,
) -> Examples:
    """Return the records of a choice before and after.

    Records in files are chosen among some that are evenly spaced.
    """
    from engine.recoding import make_release
    from engine.table.counting import tuple_rows

    release = make_release(project, problem, node, requirement)
    suppressed = np.asarray(release.suppressed)
    if project.stored is None or not project.records.is_stored:
        rows = chosen = _chosen(choice, len(suppressed), suppressed)
    else:
        tuples = tuple_rows(project.records, project.rows)
        chosen = _chosen_in_files(choice, tuples, suppressed, monitor)
        rows = tuples.of(chosen)
    changed = [q for q, level in enumerate(node) if level > 0]
    # A column that is not hidden completely shows most of the remaining detail.
    changed.sort(key=lambda q: (node[q] == problem.attributes[q].hierarchy.height, q))
    shown = sorted(changed[:MOST_COLUMNS]) or list(range(min(MOST_COLUMNS, len(node))))
    by_name = {column.name: column for column in release.columns}
    records = []
    for record, i in zip(chosen.tolist(), rows.tolist(), strict=True):
        inputs = [problem.attributes[q].column for q in shown]
        before = tuple(column.labels[column.codes[i]] for column in inputs)
        after = tuple(by_name[column.name].text(i) for column in inputs)
        n_alike = 0 if project.remote is None or problem.counts is None else int(problem.counts[i])
        records.append(Example(0 if n_alike else record + 1, before, after, bool(suppressed[i]), n_alike))
    names = tuple(problem.attributes[q].name for q in shown)
    return Examples(names, tuple(records), max(len(changed) - len(shown), 0))


def _chosen_in_files(
    choice: ExampleChoice, tuples: TupleRows, suppressed: NDArray[np.bool_], monitor: Monitor
) -> NDArray[np.int64]:
    """Return up to ten records of a table in files, given which of its distinct tuples are suppressed."""
    finding = _("Finding records")
    if choice.kind in (FIRST, RANDOM):
        return _chosen(choice, tuples.n_records, suppressed)
    if choice.kind == OF_CLASS:
        if choice.of_class is None:
            return np.empty(0, dtype=np.int64)
        is_inside = np.zeros(len(suppressed), dtype=np.bool_)
        is_inside[choice.of_class[0].records(choice.of_class[1])] = True
        return tuples.some_records(is_inside, N_EXAMPLES, finding, monitor)
    n_spread = min(tuples.n_records, _SPREAD_IN_FILES)
    spread = np.linspace(0, tuples.n_records - 1, n_spread).astype(np.int64)
    are_suppressed = suppressed[tuples.of(spread)]
    if choice.kind == SUPPRESSED and suppressed.any() and not are_suppressed.any():
        return tuples.some_records(suppressed, N_EXAMPLES, finding, monitor)
    return spread[_chosen(choice, n_spread, are_suppressed)]


def _chosen(choice: ExampleChoice, n_records: int, suppressed: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return up to ten records, in table order."""
    match choice.kind:
        case "first":
            return np.arange(min(N_EXAMPLES, n_records))
        case "random":
            found = np.random.default_rng(choice.seed).choice(
                n_records, min(N_EXAMPLES, n_records), replace=False
            )
            return np.sort(found).astype(np.int64)
        case "suppressed":
            gone = np.flatnonzero(suppressed)
            return _spread(gone, min(N_EXAMPLES, len(gone)))
        case "class":
            if choice.of_class is None:
                return np.empty(0, dtype=np.int64)
            table, number = choice.of_class
            return table.records(number)[:N_EXAMPLES]
    gone, kept = np.flatnonzero(suppressed), np.flatnonzero(~suppressed)
    n_gone = min(len(gone), N_SUPPRESSED_EXAMPLES if len(kept) else N_EXAMPLES)
    n_kept = min(len(kept), N_EXAMPLES - n_gone)
    return np.sort(np.concatenate((_spread(gone, n_gone), _spread(kept, n_kept))))


def _spread(records: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Return evenly spaced records."""
    if n == 0:
        return records[:0]
    return records[np.linspace(0, len(records) - 1, n).astype(np.int64)]
