"""Fills the price table and the headline, and turns clicks into insisted levels and selections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from anonymizer_gui.models.node_name import listed
from anonymizer_gui.perspectives.explore.explore_state import ExploreState
from anonymizer_gui.perspectives.explore.prices.advice import change_name
from anonymizer_gui.perspectives.explore.prices.headline import Found, headline
from anonymizer_gui.perspectives.explore.prices.panel import PricesPanel
from anonymizer_gui.perspectives.explore.prices.rows import (
    Priced,
    PriceRow,
    RowOrder,
    difference,
    level_title,
    price_rows,
    price_share,
    row_order,
)
from anonymizer_gui.widgets.layouts import named
from engine.numbers import as_exact_count
from engine.project import edits
from engine.scoring.prices import best_node, prices_of
from engine.words import _, ngettext

if TYPE_CHECKING:
    from engine.advice.nearest import NearestChange
    from engine.lattice import Node
    from engine.scoring import Evaluation

MOST_IN_A_FRAME = 200_000  # nodes whose prices follow a knob while it turns
_MOST_NAMED = 8  # columns that give way


class PricesPresenter(QObject):
    """Presenter of the price table; insisting on a level is the level filter with one level."""

    headline_changed = Signal(str)
    lattice_requested = Signal()
    scoring_requested = Signal(object)  # boxes of the lattice, of which the best nodes are wanted

    def __init__(self, state: ExploreState, panel: PricesPanel) -> None:
        super().__init__(panel)
        self._state, self._session, self._panel = state, state.session, panel
        self._priced: Priced | None = None
        self._order = RowOrder()
        self._is_order_final = False
        self._at_rest: Mapping[tuple[int, int], float] = {}  # prices before a knob was turned
        self._scale = 0.0  # price of a whole bar
        self._chosen: Node | None = None  # when the knobs rested last
        self._advice: tuple[Evaluation | None, str, int | None] = (None, "", None)
        state.forgotten.connect(self._forget)
        state.scores_changed.connect(state.in_turn(self._show))
        state.scores_rested.connect(state.in_turn(self._on_rested))
        state.filter_changed.connect(self._on_filter_changed)
        self._session.selection.changed.connect(lambda _node: self._on_selected())
        view = panel.view
        view.insist_requested.connect(self.insist)
        view.release_requested.connect(lambda: self._insist_on({}))
        view.open_requested.connect(self._open)
        view.explanation_requested.connect(self._explain)
        view.cell_focused.connect(self._describe)
        view.menu_requested.connect(self._show_menu)
        panel.release_requested.connect(lambda column: self.insist(column, self.insisted[column]))
        panel.sort.clicked.connect(self._sort)
        panel.score.clicked.connect(self._score)

    # -- insisting -----------------------------------------------------------------------------

    @property
    def insisted(self) -> dict[int, int]:
        """The level insisted on, by column: of each column with one level shown."""
        return {q: next(iter(shown)) for q, shown in self._state.filter.levels.items() if len(shown) == 1}

    def insist(self, column: int, level: int) -> None:
        """Insist on a level; of the one insisted on already, no longer."""
        shown = dict(self.insisted)
        if shown.pop(column, None) != level:
            shown[column] = level
        self._insist_on(shown)

    def _insist_on(self, insisted: Mapping[int, int]) -> None:
        before = self._state.filter.levels
        others = {q: shown for q, shown in before.items() if len(shown) > 1 and q not in insisted}
        wanted = others | {q: frozenset((level,)) for q, level in insisted.items()}
        if wanted != before:
            self._state.filter_by_levels(wanted)

    def _on_filter_changed(self) -> None:
        if self._priced is not None and self._priced.insisted != self.insisted:
            self._show(slides=True)
            self._select_chosen()

    def _select_chosen(self) -> None:
        """Select the best node with all insisted levels."""
        node = None if self._priced is None else self._priced.chosen
        if node is not None:
            self._chosen = node
            self._session.selection.select(node)

    def _on_selected(self) -> None:
        """Outline the levels of the selected node."""
        if self._priced is not None and not self._session.shown.is_preview:
            self._priced = replace(self._priced, selected=self._state.selected)
            self._show_rows(self._priced, {})

    # -- updates -------------------------------------------------------------------------------

    def _forget(self) -> None:
        self._priced, self._order, self._is_order_final = None, RowOrder(), False
        self._at_rest, self._scale, self._chosen = {}, 0.0, None
        self._panel.view.show_rows((), 0.0, {})
        self._panel.show_insisted(())
        self._panel.show_table(False)
        self._panel.sort.hide()
        self.headline_changed.emit("")

    def _on_rested(self) -> None:
        """Forget where prices were before the knob turned.

        While prices are in view, a selected node that was the best one gives way to the new one.
        """
        is_chosen = self._chosen is not None and self._session.selection.node == self._chosen
        follows = is_chosen and self._panel.isVisible()
        if self._priced is not None:
            self._scale = self._largest(self._priced)
        self._show(slides=True)
        if self._priced is None:
            return
        if not self._session.shown.is_preview:
            before, self._at_rest = self._at_rest, _prices(self._panel.view.rows)
            changed = sum(price != before[cell] for cell, price in self._at_rest.items() if cell in before)
            self._state.n_prices_changed = changed or self._state.n_prices_changed
        self._chosen = self._priced.chosen
        if follows:
            self._select_chosen()
        is_sorted = self._priced.insisted or row_order(self._priced) == self._order
        self._panel.sort.setVisible(not is_sorted)

    def _show(self, *, slides: bool = False) -> None:
        evaluation, is_turning = self._state.evaluation, self._session.shown.is_preview
        if evaluation is None or self._state.scores is None or not evaluation.knows(self._state.metric):
            return
        if is_turning and not self._panel.isVisible():
            return  # the headline follows when the knob rests
        if is_turning and evaluation.lattice.n_nodes > MOST_IN_A_FRAME:
            self._panel.show_about(self.tr("updating"))
            return
        priced = self._priced_by(evaluation)
        if priced is None:
            return
        self._priced = priced
        if not self._is_order_final:
            self._order, self._is_order_final = row_order(priced), priced.is_proved
        if not self._scale:
            self._scale = self._largest(priced)
        ghosts = self._at_rest if is_turning else {}
        self._show_rows(priced, ghosts, slides=slides and not is_turning)
        self._panel.show_table(True)
        self._show_line(priced)
        self._panel.score.setVisible(self._session.results.is_explored and bool(priced.open_boxes))
        self.headline_changed.emit(headline(self._found(priced, evaluation)))
        self._state.set_prices(priced)

    def _show_rows(
        self, priced: Priced, ghosts: Mapping[tuple[int, int], float], *, slides: bool = False
    ) -> None:
        rows = price_rows(priced, self._order)
        self._panel.view.show_rows(rows, self._scale, ghosts, slides=slides)

    def take_advice(
        self, evaluation: Evaluation, changes: Sequence[NearestChange], largest_k: int | None
    ) -> None:
        """Say by which change a node would satisfy, or with which k a second one would."""
        self._advice = (evaluation, change_name(changes[0]) if changes else "", largest_k)
        self._show()

    def _priced_by(self, evaluation: Evaluation) -> Priced | None:
        problem, words, results = self._state.problem, self._state.words, self._session.results
        if problem is None or words is None or evaluation.problem is not problem:
            return None
        n_levels = [attribute.hierarchy.height + 1 for attribute in problem.attributes]
        insisted = {q: level for q, level in self.insisted.items() if q < len(n_levels)}
        optimum = evaluation.optimum(self._state.metric)
        return Priced(
            problem,
            words,
            prices_of(evaluation, self._state.metric, n_levels, insisted),
            self._state.metric,
            None if optimum is None else evaluation.lattice.node(optimum),
            insisted,
            results.is_optimum_proved
            if results.is_explored
            else evaluation.n_scored == evaluation.lattice.n_nodes,
            self._state.selected,
            frozenset() if results.exploring is None else results.exploring.proved,
        )

    def _found(self, priced: Priced, evaluation: Evaluation) -> Found:
        chosen, optimum = priced.chosen, priced.optimum
        gives_way = () if chosen is None or optimum is None else _coarser(priced, chosen, optimum)
        return Found(
            priced,
            evaluation.n_satisfying,
            evaluation.n_scored,
            priced.problem.lattice.n_nodes,
            priced.prices.n_optima,
            *(self._advice[1:] if self._advice[0] is evaluation else ("", None)),
            gives_way,
        )

    def _largest(self, priced: Priced) -> float:
        """Return the largest price that exists."""
        prices = (float(p) for q in range(len(priced.problem.names)) for p in priced.prices.of(q))
        return max((price for price in prices if isfinite(price)), default=0.0)

    def _show_line(self, priced: Priced) -> None:
        names = priced.problem.names
        chips = [
            (q, f"{names[q]}: {level_title(priced, q, level, with_count=False)}")
            for q, level in priced.insisted.items()
        ]
        self._panel.show_insisted(chips)
        if chips:
            self._panel.show_about(self.tr("Esc releases all"))
        elif priced.metric == "loss":
            self._panel.show_about(
                self.tr(
                    "A node sets one level per column. Each cell: the least loss of all nodes with this "
                    "level, the other columns free. Click to insist."
                )
            )
        else:
            self._panel.show_about(
                self.tr(
                    "A node sets one level per column. Each cell: the best value of all nodes with this "
                    "level, the other columns free. Click to insist."
                )
            )

    def _score(self) -> None:
        if self._priced is not None:
            self.scoring_requested.emit(self._priced.open_boxes)

    def _sort(self) -> None:
        if self._priced is not None:
            self._order = row_order(self._priced)
            self._panel.sort.hide()
            self._show()
            self._panel.view.setFocus()

    # -- one cell ------------------------------------------------------------------------------

    def _best(self, column: int, level: int) -> Node | None:
        """Return the best node of a cell."""
        evaluation, priced = self._state.evaluation, self._priced
        if evaluation is None or priced is None:
            return None
        others = {q: other for q, other in priced.insisted.items() if q != column}
        return best_node(evaluation, priced.metric, column, level, others)

    def _open(self, column: int, level: int) -> None:
        node = self._best(column, level)
        if node is not None:
            self._session.selection.select(node)
            self.lattice_requested.emit()

    def _describe(self, column: int, level: int) -> None:
        """Say which columns give way for a level."""
        priced, node = self._priced, self._best(column, level)
        chosen = None if priced is None else priced.chosen
        names = []
        if priced is not None and node is not None and chosen is not None:
            names = [priced.problem.names[q] for q in _others(node, chosen, column) if node[q] > chosen[q]]
        words = _("Gives way: {columns}.").format(columns=listed(names)) if names else ""
        self._panel.view.describe(words)

    def _explain(self, column: int, level: int) -> None:
        priced, node = self._priced, self._best(column, level)
        if priced is not None:
            self._panel.view.show_explanation(self._explanation(priced, column, level, node))

    def _explanation(self, priced: Priced, column: int, level: int, node: Node | None) -> str:
        """Return title and price of a cell, and what gives way."""
        name = priced.problem.names[column]
        title = f"{name}: {level_title(priced, column, level, with_count=True)}"
        if node is None:
            is_known = priced.exhausted(column, level)
            return f"{title}\n{_('no node satisfies') if is_known else _('not scored yet')}"
        price = float(priced.prices.of(column)[level])
        cost = ", ".join(filter(None, (difference(priced.metric, price), price_share(priced, price))))
        chosen = priced.chosen
        coarser = (
            () if chosen is None else tuple(q for q in _others(node, chosen, column) if node[q] > chosen[q])
        )
        finer = (
            () if chosen is None else tuple(q for q in _others(node, chosen, column) if node[q] < chosen[q])
        )
        lines = [title, cost]
        if chosen is not None and (coarser or finer):
            n = len(coarser)
            if n:
                lines[1] += ngettext("; {n} column gives way:", "; {n} columns give way:", n).format(n=n)
            lines += ["", *(self._change(priced, q, chosen, node) for q in coarser[:_MOST_NAMED])]
            if finer:
                lines += [
                    _("in exchange:"),
                    *(self._change(priced, q, chosen, node) for q in finer[:_MOST_NAMED]),
                ]
        evaluation = self._state.evaluation
        if chosen is not None and evaluation is not None and node != chosen:
            lines.append(self._suppressed(evaluation, chosen, node))
        return "\n".join(lines)

    def _change(self, priced: Priced, column: int, chosen: Node, node: Node) -> str:
        words = _("{column}: {before} → {after}")
        return words.format(
            column=priced.problem.names[column],
            before=level_title(priced, column, chosen[column], with_count=False),
            after=level_title(priced, column, node[column], with_count=False),
        )

    def _suppressed(self, evaluation: Evaluation, chosen: Node, node: Node) -> str:
        numbers = np.array([evaluation.lattice.number(one) for one in (chosen, node)])
        before, after = (int(n) for n in evaluation.suppressed_at(numbers))
        text = ngettext(
            "{after} instead of {before} record suppressed",
            "{after} instead of {before} records suppressed",
            before,
        )
        return text.format(after=as_exact_count(after), before=as_exact_count(before))

    def _show_menu(self, column: int, level: int, place: QPoint) -> None:
        menu = named(QMenu(self._panel.view), "priceMenu")
        is_insisted = self.insisted.get(column) == level
        words = self.tr("Release this level") if is_insisted else self.tr("Insist on this level")
        menu.addAction(words, partial(self.insist, column, level))
        has_node = self._best(column, level) is not None
        opens = menu.addAction(
            self.tr("Show its best node in the lattice"), partial(self._open, column, level)
        )
        opens.setEnabled(has_node)
        allow = menu.addAction(self.tr("Allow only these levels"), self._allow_insisted)
        allow.setEnabled(bool(self.insisted))
        allow.setToolTip(self.tr("Changes the project: only the levels insisted on are searched"))
        menu.addSeparator()
        copies = partial(QGuiApplication.clipboard().setText, self._panel.view.as_text())
        menu.addAction(self.tr("Copy the table as text"), copies)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(place)

    def _allow_insisted(self) -> None:
        """Restrict the project to the insisted levels."""
        project, priced = self._session.project, self._priced
        if project is None or priced is None:
            return
        names = priced.problem.names
        after = edits.keep_levels(project, {names[q]: level for q, level in self.insisted.items()})
        self._session.edit(self.tr("Allow only the levels insisted on"), after)


def _others(node: Node, chosen: Node, column: int) -> list[int]:
    """Return the other columns in which two nodes differ."""
    return [q for q, level in enumerate(node) if q != column and level != chosen[q]]


def _coarser(priced: Priced, chosen: Node, optimum: Node) -> tuple[str, ...]:
    """Return the columns not insisted on in which the chosen node is coarser than the optimum."""
    names = priced.problem.names
    return tuple(
        names[q] for q, level in enumerate(chosen) if q not in priced.insisted and level > optimum[q]
    )


def _prices(rows: tuple[PriceRow, ...]) -> dict[tuple[int, int], float]:
    return {(row.column, cell.level): cell.price for row in rows for cell in row.cells}
