"""Computes in tasks what other requirements would leave of the lattice, and says it in one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QTimer

from anonymizer_gui.session import Session
from engine.errors import AnonymizerError
from engine.numbers import as_count, as_loss, as_significant
from engine.privacy import Requirement
from engine.privacy.measured_text import limit_text
from engine.utility import utility_metrics
from engine.words import _, ngettext, within_sentence

if TYPE_CHECKING:
    from engine.advice.consequence import Consequence, Suggested
    from engine.privacy import PrivacyModel
    from engine.project import Project

_PAUSE = 120  # milliseconds after the last change of a form
_NEXT, _FORM, _SUGGESTED = "consequence.next", "consequence.form", "consequence.suggested"

Say = Callable[[str], object]


class Consequences(QObject):
    """Answers for the footer of the requirement and for the form of a model; a newer question wins."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._runner = session, session.runner
        self._asked: tuple[Requirement, Say] | None = None
        self._counts_only = False  # whether the question is only how many nodes satisfy
        self._suggested: tuple[Project, str] | None = None  # project with roles as suggested, and its line
        self._timer = QTimer(self, singleShot=True, interval=_PAUSE)
        self._timer.timeout.connect(self._ask_for_form)
        session.project_opened.connect(self._forget_suggested)

    def of_next_usual(self, say: Say) -> None:
        """Say what the next stricter usual threshold would leave: "With k = 10: 56 nodes, loss 0.380"."""
        from engine.advice.consequence import next_usual

        self._runner.cancel(_NEXT)
        requirement, evaluation = self._session.shown.requirement, self._session.results.evaluation
        if requirement is None or evaluation is None or requirement != evaluation.requirement:
            return
        found = next_usual(requirement)
        if found is None or not evaluation.n_satisfying:
            say("")
            return
        index, stricter = found
        model = stricter.models[index]

        def tell(consequence: Consequence | None) -> None:
            say("" if consequence is None else self._stricter_words(model, consequence))

        self._start(stricter, tell, _NEXT)

    def of_suggestions(self, say: Say) -> None:
        """Say what the roles and hierarchies suggested for a fresh table would leave."""
        from engine.advice.consequence import consequence_as_suggested

        project = self._session.project
        if project is None or self._session.reading.is_provisional:
            return
        if self._suggested is not None and self._suggested[0] is project:
            say(self._suggested[1])
            return
        self._suggested = (project, "")

        def tell(found: Suggested | None) -> None:
            if self._session.project is project and found is not None:
                self._suggested = (project, self._suggested_words(found))
                say(self._suggested[1])

        self._runner.run(
            consequence_as_suggested, project, then=tell, otherwise=lambda _error: None, key=_SUGGESTED
        )

    def _forget_suggested(self, opened: Project | None) -> None:
        """Let go of another project: a closed one has files of records that must not remain."""
        if self._suggested is not None and self._suggested[0] is not opened:
            self._suggested = None

    def _suggested_words(self, found: Suggested) -> str:
        words = _("Roles as suggested: {n} of {n_nodes} nodes satisfy, {metric} {best}.")
        if found.now.best is None:
            words = _("Roles as suggested: {n} of {n_nodes} nodes satisfy.")
        text = words.format(
            n=as_count(found.now.n_satisfying),
            n_nodes=as_count(found.n_nodes),
            metric=within_sentence(utility_metrics[self._session.shown.metric].title),
            best=self._value(found.now.best),
        )
        if found.stricter is None or found.then is None or not found.now.n_satisfying:
            return text
        return f"{text} {self._stricter_words(found.stricter, found.then)}"

    def _stricter_words(self, model: PrivacyModel, then: Consequence) -> str:
        words = ngettext(
            "With {symbol} = {limit}: {n} node, {metric} {best}",
            "With {symbol} = {limit}: {n} nodes, {metric} {best}",
            then.n_satisfying,
        )
        if then.best is None:
            words = _("With {symbol} = {limit}: no node")
        return words.format(
            symbol=model.symbol,
            limit=limit_text(model),
            n=as_count(then.n_satisfying),
            metric=within_sentence(utility_metrics[self._session.shown.metric].title),
            best=self._value(then.best),
        )

    def of_answers(self, answered: Project, say: Say) -> None:
        """Say how many nodes satisfy the thresholds of a project whose questionnaire was answered."""
        project = self._session.project
        is_scored = project is not None and answered.quasi_identifying == project.quasi_identifying
        self.of_form(answered.requirement if is_scored else None, say)
        self._counts_only = True
        if not is_scored:
            say(_("How many nodes satisfy is known once the nodes are scored."))

    def of_form(self, requirement: Requirement | None, say: Say) -> None:
        """Say what a requirement would leave compared with the current one; None if the form is invalid."""
        self._runner.cancel(_FORM)
        self._counts_only = False
        self._asked = None if requirement is None else (requirement, say)
        if requirement is None:
            self._timer.stop()
            say("")
        else:
            self._timer.start()

    def stop(self) -> None:
        """Answer no question of a form that was closed."""
        self._timer.stop()
        self._asked = None
        self._runner.cancel(_FORM)

    # -------------------------------------------------------------------------------------------

    def _ask_for_form(self) -> None:
        if self._asked is None:
            return
        requirement, say = self._asked
        if not self._start(
            requirement,
            lambda found: self._tell_form(found, say),
            _FORM,
            refused=lambda error: self._tell_refusal(error, say),
        ):
            say(_("Known once the nodes are scored."))

    def _tell_refusal(self, error: AnonymizerError, say: Say) -> None:
        if self._asked is not None and self._asked[1] is say:
            say(error.problem)

    def _tell_form(self, found: Consequence | None, say: Say) -> None:
        evaluation, metric = self._session.results.evaluation, self._session.shown.metric
        if self._asked is None or self._asked[1] is not say or evaluation is None:
            return
        if found is None:
            say(_("Known once the model is added and its measure scored."))
            return
        if self._counts_only:
            n_nodes = evaluation.n_scored
            words = ngettext("{n} of {n_nodes} node satisfies", "{n} of {n_nodes} nodes satisfy", n_nodes)
            say(words.format(n=as_count(found.n_satisfying), n_nodes=as_count(n_nodes)) + ".")
            return
        now = evaluation.optimum(metric) if evaluation.knows(metric) else None
        before = None if now is None else float(evaluation.metric_at(metric, np.array([now]))[0])
        words = _("{before} nodes satisfy, with this {after}")
        if found.best is not None and before is not None:
            words = _("{before} nodes satisfy, with this {after}; optimum {metric} {best} to {best_after}")
        say(
            words.format(
                before=as_count(evaluation.n_satisfying),
                after=as_count(found.n_satisfying),
                metric=within_sentence(utility_metrics[metric].title),
                best=self._value(before),
                best_after=self._value(found.best),
            )
        )

    def _start(
        self,
        requirement: Requirement,
        tell: Callable[[Consequence | None], None],
        key: str,
        *,
        refused: Callable[[AnonymizerError], object] = lambda _error: None,
    ) -> bool:
        """Evaluate a requirement in a task; return False if nothing is scored yet."""
        from engine.advice.consequence import consequence_of
        from engine.project.compile import objective_of

        project, profile = self._session.project, self._session.results.profile
        is_scored = self._session.results.is_problem_current and self._session.results.evaluation is not None
        if project is None or profile is None or not is_scored:
            return False
        objective = objective_of(project, profile.problem)
        nodes, metric = profile.scored_nodes(), self._session.shown.metric
        self._runner.run(
            consequence_of, nodes, requirement, objective, metric, then=tell, otherwise=refused, key=key
        )
        return True

    def _value(self, value: float | None) -> str:
        if value is None:
            return ""
        return as_significant(value) if utility_metrics[self._session.shown.metric].unit else as_loss(value)
