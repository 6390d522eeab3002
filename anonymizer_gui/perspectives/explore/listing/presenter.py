"""Fills the list of nodes and its counts, explains an empty list, and exports it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject

from anonymizer_gui.models.node_columns import Kind, NodeColumn, NodeTable, RowOrder, Rows, sorted_rows
from anonymizer_gui.models.nodes_model import SORTED_AT_ONCE
from anonymizer_gui.perspectives.explore.explore_state import ExploreState, measure_details
from anonymizer_gui.perspectives.explore.listing import filter_chips
from anonymizer_gui.perspectives.explore.listing.filter_chips import Part, typed_without
from anonymizer_gui.perspectives.explore.listing.node_table import file_columns, node_table
from anonymizer_gui.perspectives.explore.listing.panel import ListPanel
from anonymizer_gui.perspectives.explore.metric_text import metric_name
from anonymizer_gui.perspectives.explore.node_filter import Status, filter_names
from anonymizer_gui.perspectives.explore.node_scores import Details, NodeScores, prepare_scores
from anonymizer_gui.widgets import file_dialogs
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count, as_nodes
from engine.records.plan import blocks_of
from engine.records.text.writing import write_csv
from engine.words import _, ngettext

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.kernels.arrays import BoolArray
    from engine.lattice import Node, Nodes
    from engine.scoring import Evaluation


_ROWS, _SHORT, _EXPORT = "explore.rows", "explore.short list", "node-export"


class ListPresenter(QObject):
    """Presenter of the list and the short list."""

    def __init__(self, state: ExploreState, panel: ListPanel) -> None:
        super().__init__(panel)
        self._session, self._runner = state.session, state.session.runner
        self._state, self._panel = state, panel
        self._outstanding = ShortListCandidates()
        self._reasons: dict[int, str] = {}
        state.forgotten.connect(self._on_forgotten)
        for signal in (state.scores_rested, state.details_changed):
            signal.connect(state.in_turn(self._show, panel))
        state.session.shown.changed.connect(self._on_preview_changed)
        state.filter_changed.connect(self._show)
        state.details_changed.connect(self._find_candidates)
        state.nodes_placed.connect(lambda _is_more: self._update_short_list())
        state.filter_changed.connect(self._show_filters)
        state.nodes_placed.connect(lambda _is_more: self._show_filters())
        state.filter_problem_changed.connect(panel.show_filter_problem)
        state.marks_changed.connect(state.in_turn(self._show_marks, panel))
        state.session.selection.changed.connect(lambda _node: self._update_short_list())
        state.session.remembered.pins_changed.connect(self._update_short_list)
        panel.model.describe = state.describe_number
        panel.model.order_changed.connect(self._on_order_changed)
        panel.node_requested.connect(state.select)
        panel.view.apply_requested.connect(state.apply)
        panel.filter_field.textChanged.connect(self._on_typed)
        panel.view.header.filter_typed.connect(self._on_typed_over_column)
        panel.status.data_chosen.connect(lambda key: self._choose_status(Status(key)))
        panel.strip.removal_requested.connect(self._remove)
        panel.strip.clear.clicked.connect(state.clear_filters)
        panel.empty.action_requested.connect(self._on_empty_action)
        panel.export_requested.connect(self._export)

    # -- rows ----------------------------------------------------------------------------------

    def _listing(self) -> Listing | None:
        """Return the content of the list."""
        state = self._state
        problem, evaluation, scores = state.problem, state.evaluation, state.scores
        if problem is None or evaluation is None or scores is None:
            return None
        listed = state.passing & scores.scored
        status = state.filter.status
        if status is Status.SATISFIES:
            listed = listed & scores.satisfies
        reasons = self._reasons if status is Status.SHORT else None
        return Listing(problem, evaluation, scores, state.details, state.metric, listed, reasons)

    def _on_preview_changed(self) -> None:
        if self._session.shown.is_preview:
            self._panel.show_hint(self.tr("Rows follow when the knob pauses."))

    def _show(self) -> None:
        listing = self._listing()
        if listing is None:
            return
        table = listing.table()
        if len(table.listed) <= SORTED_AT_ONCE:
            self._show_table(listing, table)
        else:
            self._sort(listing, table)
        self._show_counts(listing.scores)
        self._show_marks()

    def _show_table(self, listing: Listing, table: NodeTable, rows: Rows | None = None) -> None:
        self._panel.show_table(table, self._hint(listing), rows)
        self._show_why_empty(listing, int(np.count_nonzero(table.listed)))

    def _sort(self, listing: Listing, table: NodeTable) -> None:
        """Sort many rows in a task; the displayed rows are unchanged until then."""
        order = self._panel.model.order
        show = partial(self._on_sorted, listing, table, order)
        self._runner.run(sorted_rows, table, order, then=show, key=_ROWS)

    def _on_sorted(self, listing: Listing, table: NodeTable, order: RowOrder, rows: Rows) -> None:
        if listing.scores is self._state.scores and order == self._panel.model.order:
            self._show_table(listing, table, rows)

    def _on_order_changed(self, _order: RowOrder) -> None:
        listing = self._listing()
        if listing is not None and len(listing.listed) > SORTED_AT_ONCE:
            self._sort(listing, listing.table())

    def _show_marks(self) -> None:
        marks = self._state.marks
        self._panel.show_selected(marks.selected, marks.by_node)

    def _on_forgotten(self) -> None:
        for key in (_ROWS, _SHORT):
            self._runner.cancel(key)
        self._outstanding, self._reasons = ShortListCandidates(), {}
        self._state.set_short_list(())
        self._panel.show_table(NodeTable(), self.tr("Nodes appear as they are scored."))
        self._panel.show_empty("", "")
        self._panel.show_counts([(Status.SATISFIES.value, "–", "")], Status.SATISFIES.value)

    # -- texts ---------------------------------------------------------------------------------

    def _show_counts(self, scores: NodeScores) -> None:
        passing = self._state.filter.passing_before_status & scores.scored
        n_passing = int(np.count_nonzero(passing))
        n_satisfying = int(np.count_nonzero(passing & scores.satisfies))
        n_short = int(np.count_nonzero(passing[list(self._reasons)])) if self._reasons else 0
        details = self._state.details
        if details is None:
            minimal = self.tr("minimal nodes")
        else:
            n_minimal = int(np.count_nonzero(passing & (details["minimal"] > 0)))
            minimal = self.tr("{n_minimal} minimal").format(n_minimal=as_exact_count(n_minimal))
        entries = [
            (
                Status.SATISFIES.value,
                _counted(ngettext("{n} satisfies", "{n} satisfy", n_satisfying), n_satisfying),
                self.tr("Nodes that satisfy the requirement"),
            ),
            (
                Status.FAILS.value,
                _counted(self.tr("{n} fail"), n_passing - n_satisfying),
                self.tr("Nodes that fail; every other view shows all nodes again"),
            ),
            (
                Status.ALL.value,
                self.tr("all {n_passing}").format(n_passing=as_nodes(n_passing)),
                self.tr("Both"),
            ),
            (
                Status.MINIMAL.value,
                minimal,
                self.tr("Minimal nodes: satisfying, with no satisfying predecessor"),
            ),
            (
                Status.SHORT.value,
                _counted(self.tr("{n} short-listed"), n_short),
                self.tr("Pinned nodes, the best by each metric, minimal nodes, and the last visited"),
            ),
        ]
        self._panel.show_counts(entries, self._state.filter.status.value)

    def _hint(self, listing: Listing) -> str:
        if listing.details is None:
            return self.tr("Updating k, l, t, classes and the other metrics.")
        ranked = self.tr("Rank by {name}. ")
        if listing.scores.is_part:
            ranked = self.tr("Scored nodes, ranked by {name}. ")
        levels = self.tr("A column is filled up to its level; tinted cells differ from the optimum.")
        name = metric_name(listing.metric).removesuffix(".")  # the sentence has its own full stop
        return ranked.format(name=name) + levels

    def _show_why_empty(self, listing: Listing, n_rows: int) -> None:
        """Explain why the list is empty, and offer the action that fills it."""
        if n_rows or not listing.scores.scored.any():
            self._panel.show_empty("", "")
        elif self._is_failing_hidden(listing.scores):
            self._panel.show_empty(
                self._why_none_satisfies(listing.scores)
                if not listing.scores.n_satisfying
                else self.tr("No node that matches the filters satisfies the requirement."),
                self.tr("List failing nodes"),
            )
        else:
            self._panel.show_empty(self.tr("No node matches the filters."), self.tr("Clear filters"))

    def _why_none_satisfies(self, scores: NodeScores) -> str:
        if scores.is_part and not self._session.results.is_optimum_proved:
            return self.tr("No node scored so far satisfies the requirement.")
        return self.tr("No node satisfies the requirement. Lower k or raise the suppression limit.")

    def _is_failing_hidden(self, scores: NodeScores) -> bool:
        """Return whether failing nodes would be listed if they were shown."""
        chosen = self._state.filter
        return chosen.status is Status.SATISFIES and bool((chosen.passing & scores.scored).any())

    def _on_empty_action(self) -> None:
        scores = self._state.scores
        if scores is not None and self._is_failing_hidden(scores):
            self._choose_status(Status.ALL)
        else:
            self._state.clear_filters()

    # -- filters -------------------------------------------------------------------------------

    def _on_typed(self, text: str) -> None:
        self._state.filter_by_text(text)

    def _on_typed_over_column(self, key: str, text: str) -> None:
        self._panel.show_column_problem(key, self._state.filter_by_column(key, text))

    def _choose_status(self, status: Status) -> None:
        self._state.filter_by_status(status)

    def _show_filters(self) -> None:
        state = self._state
        problem, words, evaluation = state.problem, state.words, state.evaluation
        if problem is None or words is None:
            return
        requirement = self._session.shown.requirement if evaluation is None else evaluation.requirement
        titles = {column.key: column.name for column in self._panel.model.table.columns}
        names = filter_names(problem, state.metric, requirement)
        chips = list(filter_chips.filter_chips(state.filter, problem, words, titles, names))
        over_columns = {key: condition.text for key, condition in state.filter.columns.items()}
        self._panel.set_filter_names(names)
        self._panel.show_filters(chips, state.filter_text, over_columns)

    def _remove(self, part: Part) -> None:
        """Remove one filter."""
        state, (kind, which) = self._state, part
        chosen = state.filter
        if kind == filter_chips.TYPED and state.problem is not None:
            names = filter_names(state.problem, state.metric, self._session.shown.requirement)
            state.filter_by_text(typed_without(chosen.typed, int(which), names))
        elif kind == filter_chips.COLUMN:
            state.filter_by_column(str(which), "")
        elif kind == filter_chips.LEVELS:
            state.filter_by_levels({q: shown for q, shown in chosen.levels.items() if q != which})
        elif kind == filter_chips.CHOSEN:
            state.filter_by_choice(None)
        else:
            state.filter_by_status(Status.SATISFIES)

    # -- the short list ------------------------------------------------------------------------

    def _find_candidates(self) -> None:
        """Search the best nodes in a task; the previous short list stays until it is done."""
        evaluation = self._state.evaluation
        if evaluation is not None:
            take = self._on_outstanding_found
            self._runner.run(short_list_candidates, evaluation, self._state.metric, then=take, key=_SHORT)

    def _on_outstanding_found(self, result: tuple[Evaluation, ShortListCandidates]) -> None:
        evaluation, found = result
        if evaluation is self._state.evaluation:
            self._outstanding = found
            self._update_short_list()

    def _update_short_list(self) -> None:
        nodes, problem = self._state.nodes, self._state.problem
        if nodes is None or problem is None:
            return
        columns = problem.names
        pinned = [
            (pin.node, pin.note)
            for pin in self._session.remembered.pins
            if pin.node is not None and pin.choice.columns == tuple(columns)
        ]
        reasons = short_list(self._outstanding, pinned, self._session.selection.visited, nodes)
        if reasons != self._reasons:
            self._reasons = reasons
            self._state.set_short_list(reasons)
            if self._state.scores is not None:
                self._show_counts(self._state.scores)

    # -- the file ------------------------------------------------------------------------------

    def _export(self) -> None:
        listing, project = self._listing(), self._session.project
        if listing is None or project is None:
            return
        name = self.tr("{name} nodes.csv").format(name=project.name)
        title, filters = self.tr("Export listed nodes"), self.tr("Tables (*.csv)")
        path = file_dialogs.ask_save(self._panel.window(), title, filters, name, "csv")
        if path is not None:
            label, order = self.tr("Writing {name}").format(name=path.name), self._panel.model.order
            show = partial(self._on_exported, path.name)
            self._runner.run(write_listing, path, listing, order, then=show, label=label, key=_EXPORT)

    def _on_exported(self, name: str, n_rows: int) -> None:
        text = self.tr("Wrote {n_rows} to {name}: every column, all digits.")
        self._panel.show_message(text.format(n_rows=as_nodes(n_rows), name=name))


def _counted(text: str, count: int) -> str:
    return text.format(n=as_exact_count(count))


@dataclass(frozen=True, eq=False)
class Listing:
    """Content of the list.

    Attributes
    ----------
    problem, evaluation, scores, details, metric
        Those displayed; `details` is None while they are being measured.
    listed : ndarray of bool, shape (n_nodes,)
        Nodes with a row.
    reasons : mapping of int to str, or None
        Why nodes are on the short list, by index.
    """

    problem: Problem
    evaluation: Evaluation
    scores: NodeScores
    details: Details | None
    metric: str
    listed: BoolArray
    reasons: Mapping[int, str] | None = None

    def table(self) -> NodeTable:
        """Return the content as columns."""
        return node_table(
            self.scores,
            self.problem,
            self.evaluation.requirement,
            self.details,
            self.metric,
            self.listed,
            self.reasons,
        )


def write_listing(path: Path, listing: Listing, order: RowOrder, monitor: Monitor = SILENT) -> int:
    """Write the rows in their order, including slow columns, and return their number.

    Raises
    ------
    ExportError
        The file cannot be written; an existing file is unchanged.
    """
    if not listing.scores.are_known:
        listing.evaluation.complete(listing.metric, monitor)
        listing = replace(listing, scores=prepare_scores(listing.evaluation, listing.metric))
    if listing.details is None:
        details = measure_details(listing.evaluation, monitor=monitor)[1]
        listing = replace(listing, details=details)
    from engine.scoring.in_parts import group_held

    held = np.array(group_held(listing.evaluation), dtype=np.float64)  # nan without suppressed records
    group = NodeColumn("group_held", "", Kind.TEXT, held, lambda is_held: "true" if is_held else "false")
    table = listing.table()
    table = replace(table, columns=[*table.columns, group])
    rows, columns = sorted_rows(table, order), file_columns(table, listing.problem)

    def texts(start: int, stop: int) -> list[list[str]]:
        nodes = rows[start:stop]
        return [column.exact(nodes) for column in columns]

    header = [column.file_name or column.key for column in columns]
    write_csv(path, header, blocks_of([()] * len(header), len(rows), texts), monitor=monitor)
    return len(rows)


MOST_MINIMAL, MOST_VISITED = 12, 10


@dataclass(frozen=True)
class ShortListCandidates:
    """Nodes of an evaluation for the short list.

    Attributes
    ----------
    best : tuple of (node, tuple of str)
        The best nodes, each with the metrics for which it is best; no node twice.
    minimal : tuple of node
        The minimal nodes of least loss, at most `MOST_MINIMAL`.
    """

    best: tuple[tuple[Node, tuple[str, ...]], ...] = ()
    minimal: tuple[Node, ...] = ()


def short_list_candidates(evaluation: Evaluation, metric: str) -> tuple[Evaluation, ShortListCandidates]:
    """Find the best nodes by each metric, and the minimal nodes that are best by the chosen one."""
    from engine.utility import utility_metrics

    keys = [key for key, member in utility_metrics.items() if not member.costly and key != metric]
    best: dict[int, list[str]] = {}
    for key in (metric, *keys):
        number = evaluation.optimum(key)
        if number is not None and not _is_nowhere(evaluation, key, number):
            best.setdefault(number, []).append(key)
    lattice, minimal = evaluation.lattice, np.flatnonzero(evaluation.minimal)
    values = np.nan_to_num(evaluation.metric(metric)[minimal], nan=np.inf)
    cheapest = minimal[np.lexsort((minimal, evaluation.suppressed[minimal], values))][:MOST_MINIMAL]
    return evaluation, ShortListCandidates(
        tuple((lattice.node(number), tuple(found)) for number, found in best.items()),
        tuple(lattice.node(number) for number in cheapest.tolist()),
    )


def _is_nowhere(evaluation: Evaluation, key: str, best: int) -> bool:
    """Return whether no satisfying node has a value of a metric, as with a missing target column."""
    return bool(np.isnan(evaluation.metric_at(key, np.array([best]))[0]))


def short_list(
    found: ShortListCandidates, pinned: Sequence[tuple[Node, str]], visited: Sequence[Node], nodes: Nodes
) -> dict[int, str]:
    """Return why nodes are on the short list, by index.

    Parameters
    ----------
    pinned : sequence of (node, str)
        Nodes with the note of the user.
    visited : sequence of node
        Oldest first; only the last ones are listed.
    nodes : Nodes
        Nodes by index; nodes without an index are omitted.
    """
    reasons: dict[Node, list[str]] = {}
    for node, note in pinned:
        words = _("pinned: {note}").format(note=note) if note else _("pinned")
        reasons.setdefault(node, []).append(words)
    for node, metrics in found.best:
        names = ", ".join(metric_name(key) for key in metrics)
        reasons.setdefault(node, []).append(_("best by {names}").format(names=names))
    for node in found.minimal:
        reasons.setdefault(node, []).append(_("minimal"))
    for node in list(dict.fromkeys(reversed(visited)))[:MOST_VISITED]:
        reasons.setdefault(node, []).append(_("visited"))
    numbers = {nodes.find(node): " · ".join(why) for node, why in reasons.items()}
    return {number: why for number, why in numbers.items() if number is not None}
