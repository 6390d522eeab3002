"""Fills the numbers and the alternatives that stand beside the prices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal

from anonymizer_gui.models.node_name import listed
from anonymizer_gui.perspectives.explore.explore_state import ExploreState
from anonymizer_gui.perspectives.explore.inspector.panel import InspectorPanel
from anonymizer_gui.perspectives.explore.inspector.result import Choice, Figure
from anonymizer_gui.perspectives.explore.prices.advice import change_name
from anonymizer_gui.perspectives.explore.prices.rows import Priced, difference, level_title, named_level
from anonymizer_gui.widgets.level_glyph import Glyph
from engine.monitor import SILENT, Monitor
from engine.numbers import DASH, as_decimal, as_exact_count, as_nodes, as_percent, as_risk
from engine.words import _, ngettext

if TYPE_CHECKING:
    from engine.advice.alternatives import Alternative
    from engine.advice.nearest import NearestChange
    from engine.lattice import Node
    from engine.scoring import Evaluation
    from engine.scoring.nodes.inspection import NodeReport

_FOUND = "explore.alternatives"
_MOST_NAMED = 2  # columns in a line


class ResultPresenter(QObject):
    """Follows the selected node while the part is visible."""

    configure_requested = Signal()

    def __init__(self, state: ExploreState, panel: InspectorPanel) -> None:
        super().__init__(panel)
        part = panel.result
        self._state, self._session, self._panel, self._part = state, state.session, panel, part
        self._runner = state.session.runner
        self._report: NodeReport | None = None
        self._found_for: object = None
        state.forgotten.connect(self._forget)
        state.scores_rested.connect(state.in_turn(self._show, part))
        state.prices_changed.connect(self._find)
        state.session.selection.changed.connect(lambda _node: self._show())
        part.shown.connect(self._show)
        part.shown.connect(self._find)
        part.chosen.connect(self._on_chosen)

    def show_report(self, report: NodeReport) -> None:
        """Take the classes of the selected node, of which the smallest has the highest risk."""
        self._report = report
        self._show_figures()

    def _forget(self) -> None:
        self._runner.cancel(_FOUND)
        self._report = self._found_for = None
        self._panel.show_choices((), "")

    def _show(self) -> None:
        if self._part.isVisible() and not self._session.shown.is_preview:
            self._show_figures()

    # -- numbers -------------------------------------------------------------------------------

    def _show_figures(self) -> None:
        node, evaluation = self._state.selected, self._state.evaluation
        number = None if evaluation is None or node is None else evaluation.lattice.find(node)
        if evaluation is None or number is None or not evaluation.scored[number]:
            unknown = (self.tr("highest risk"), self.tr("of the detail kept"), self.tr("suppressed"))
            self._part.show_figures([Figure(DASH, caption) for caption in unknown])
            return
        at, n_records = np.array([number]), max(evaluation.problem.n_records, 1)
        loss, suppressed = (float(evaluation.metric_at("loss", at)[0]), int(evaluation.suppressed_at(at)[0]))
        report = self._report if self._report is not None and self._report.node == node else None
        risk = DASH if report is None or not report.kept_k else as_risk(1 / report.kept_k)
        words = ngettext("suppressed: {n} record", "suppressed: {n} records", suppressed)
        self._part.show_figures(
            (
                Figure(risk, self.tr("highest risk")),
                Figure(
                    as_percent(1 - loss, 0),
                    self.tr("of the detail kept (loss {loss})").format(loss=as_decimal(loss)),
                ),
                Figure(as_percent(suppressed / n_records, 1), words.format(n=as_exact_count(suppressed))),
            )
        )

    # -- alternatives --------------------------------------------------------------------------

    def _find(self) -> None:
        """Find alternatives to the present optimum, or to the levels insisted on."""
        priced, evaluation = self._state.priced, self._state.evaluation
        if priced is None or evaluation is None or not self._part.isVisible():
            return
        if self._session.shown.is_preview:
            return
        if priced.is_proved and priced.optimum is None:
            if self._found_for is not evaluation:
                self._panel.show_choices((), "")  # what would help follows
            return
        if not priced.is_proved:
            self._runner.cancel(_FOUND)
            self._found_for = None
            self._panel.show_choices((), self.tr("Alternatives follow once the optimum is proved."))
            return
        wanted = (evaluation, priced.metric, tuple(priced.insisted.items()))
        if self._found_for != wanted:
            self._found_for = wanted
            self._runner.run(find, evaluation, priced, then=self._on_found, key=_FOUND)

    def _on_found(self, result: tuple[Evaluation, Priced, tuple[Alternative, ...]]) -> None:
        evaluation, priced, found = result
        if evaluation is not self._state.evaluation or self._state.words is None:
            return
        words = ChoiceWords(priced, evaluation)
        choices = [Choice(one.node, self._state.named(one.node).glyph, *words.of(one)) for one in found]
        note = ""
        if not choices and priced.optimum is not None:
            note = self.tr("No alternative is worth its price.")
            if priced.insisted:
                note = self.tr("No level is worth releasing.")
        self._panel.show_choices(choices, note)

    def show_changes(self, evaluation: Evaluation, changes: Sequence[NearestChange], _k: int | None) -> None:
        """Show the single changes after which a node satisfies; none of them may do."""
        if evaluation.n_satisfying:
            return
        use = self.tr("Use")
        rows = [Choice(one, Glyph(), change_name(one), as_nodes(one.n_satisfying), use) for one in changes]
        note = self.tr("The smallest changes, each of which is enough:")
        if not rows:
            note = self.tr("No single change is enough. Weaken several thresholds, or allow more levels.")
            title, place = self.tr("Allow more general levels"), self.tr("in Configure transformation")
            rows = [Choice(None, Glyph(), title, place, use)]
        self._found_for = evaluation
        self._panel.show_changes(rows, note)

    def _on_chosen(self, target: object) -> None:
        """Select a node, or change the requirement."""
        from engine.advice.nearest import NearestChange

        project = self._session.project
        if target is None:
            self.configure_requested.emit()
        elif isinstance(target, NearestChange) and project is not None:
            text = self.tr("Set {change}").format(change=change_name(target))
            self._session.edit(text, replace(project, requirement=target.requirement))
        elif isinstance(target, tuple):
            self._session.selection.select(target)


def find(
    evaluation: Evaluation, priced: Priced, monitor: Monitor = SILENT
) -> tuple[Evaluation, Priced, tuple[Alternative, ...]]:
    """Return the alternatives, or what releasing an insisted level brings, with what they belong to."""
    from engine.advice.alternatives import alternatives, without_one_level

    if priced.insisted:
        return (
            evaluation,
            priced,
            without_one_level(evaluation, priced.metric, priced.prices, priced.insisted),
        )
    return evaluation, priced, alternatives(evaluation, priced.metric, monitor)


class ChoiceWords:
    """Alternatives as title, gain and price."""

    def __init__(self, priced: Priced, evaluation: Evaluation) -> None:
        self._priced, self._evaluation = priced, evaluation
        self._names = priced.problem.names

    def of(self, one: Alternative) -> tuple[str, str, str]:
        """Return title, gain and price; a node found in several ways is named by all of them."""
        found = [self._words(one, gain.value) for gain in one.gains]
        title, gain = found[0]
        if len(found) > 1:
            gain = "; ".join(title for title, _gain in found[1:])
        return title, gain, difference(self._priced.metric, one.price)

    def _words(self, one: Alternative, gain: str) -> tuple[str, str]:
        column, optimum = one.column, self._priced.optimum
        assert optimum is not None, "there are alternatives to an optimum only"
        now = self._suppressed(optimum)
        match gain:
            case "detail":
                assert column is not None, "a level is one of a column"
                return named_level(self._priced, column, one.node[column]), self._given(one, column, optimum)
            case "released":
                assert column is not None, "a level is one of a column"
                level = named_level(self._priced, column, self._priced.insisted[column])
                after = level_title(self._priced, column, one.node[column], with_count=False)
                words = _("{column}: {level}").format(column=self._names[column], level=after)
                return _("Release {level}").format(level=level), words
            case "unchanged":
                title = ngettext("{n} column unchanged", "{n} columns unchanged", one.n_unchanged)
                text = _("instead of {n}").format(n=as_exact_count(optimum.count(0)))
                return title.format(n=as_exact_count(one.n_unchanged)), text
            case "fewer":
                title = _("{n} suppressed").format(n=as_exact_count(one.suppressed))
                text = ngettext("instead of {n} record", "instead of {n} records", now)
                return title, text.format(n=as_exact_count(now))
            case "stricter":
                k = self._evaluation.requirement.k
                title = _("Smallest class {k}").format(k=as_exact_count(one.k))
                return title, _("instead of {n}").format(n=as_exact_count(k))
        title = _("Balance: {n} suppressed").format(n=as_exact_count(one.suppressed))
        return title, _("least loss for the records kept")

    def _given(self, one: Alternative, column: int, optimum: Node) -> str:
        """Return which columns give way for a finer level of one."""
        given = [name for q, name in enumerate(self._names) if q != column and one.node[q] > optimum[q]]
        if not given:
            return _("no other column gives way")
        words = ngettext("{n} column gives way", "{n} columns give way", len(given))
        if len(given) <= _MOST_NAMED:
            words = ngettext("{columns} gives way", "{columns} give way", len(given))
        return words.format(n=as_exact_count(len(given)), columns=listed(given))

    def _suppressed(self, node: Node) -> int:
        number = np.array([self._evaluation.lattice.number(node)])
        return int(self._evaluation.suppressed_at(number)[0])
