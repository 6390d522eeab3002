"""Releases whose choice gives away no more than is accepted, and what helps if none does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.errors import InputError, RequirementNotMetError
from engine.findings.risk.selection_leak import SelectionGate, SelectionLeak, SelectionLeakFound
from engine.findings.subject import Subject
from engine.lattice import Node
from engine.monitor import SILENT, Monitor
from engine.numbers import as_decimal, as_risk
from engine.pipeline import Outcome, summary
from engine.pipeline import anonymize as run_chain
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.required import Requirements, required
from engine.project import Project, edits
from engine.project.compile import compile_problem, objective_of
from engine.project.project import AFTERWARDS, BY_SIZE, CHECK, DURING
from engine.recoding import Release, make_release
from engine.scoring.evaluate import evaluate
from engine.scoring.limits import profile_for
from engine.scoring.profile import LatticeProfile
from engine.scoring.score import fetching_kernels, score_lattice
from engine.search import search_algorithms
from engine.utility import utility_metrics
from engine.words import _

WITHIN_GAIN, FIXED_LEVELS = "within", "fixed"  # keys of remedies; the others are of enforcements
_GAIN = "selection_gain"
_MOST_K = 200  # for which it is tried whether the models are met


def anonymize(project: Project, node: Node | None = None, monitor: Monitor = SILENT) -> Outcome:
    """Make a release as `engine.pipeline.anonymize` does, with the accepted selection leak of a project.

    Raises
    ------
    RequirementNotMetError
        As there; or no node, or not the given one, gives away as little as is accepted.
    """
    accepted = project.search.selection_gain
    if accepted is None:
        return run_chain(project, node, monitor)
    own = SelectionGate(accepted, monitor)
    has_others = search_algorithms[project.search.algorithm].promise != "none"
    outcome = run_chain(project, node, monitor, own if has_others else None)
    found = own.found.get(outcome.release.node) if node is None else None
    found = found or leak_of(Subject(project, outcome.release), accepted, monitor)
    if not found.is_within(accepted):
        raise refused(project, outcome.release, found, monitor)
    return replace(outcome, further={"selection_leak": found.summary()})


def with_leak(project: Project, outcome: Outcome, monitor: Monitor = SILENT) -> Outcome:
    """Return an outcome whose summary says what its choice gives away."""
    if "selection_leak" in outcome.further:
        return outcome
    found = leak_of(Subject(project, outcome.release), SelectionLeak().accepted, monitor)
    return replace(outcome, further={"selection_leak": found.summary()})


def required_of(
    texts: Sequence[str] | None, project: Project, outcome: Outcome, monitor: Monitor = SILENT
) -> tuple[Outcome, Requirements]:
    """Evaluate conditions on a release; return the outcome with what had to be measured for them.

    Raises
    ------
    RequirementNotMetError
        A condition is not met; what helps against a selection leak is its hint.
    """
    names_leak = any(_GAIN in text for text in texts or ())
    if names_leak:
        outcome = with_leak(project, outcome, monitor)
    leak = outcome.further.get("selection_leak", {_GAIN: None})[_GAIN]
    conditions = required(
        texts,
        summary(project, outcome, verified=False),
        further={_GAIN: math.nan if leak is None else leak},
        totals={"suppressed": outcome.release.n_records},
    )
    unmet = any(_GAIN in text and not met for text, met in conditions.conditions)
    conditions.refuse_unmet(remedies_text(project, outcome.release, monitor) if unmet else "")
    return outcome, conditions


def leak_of(subject: Subject, accepted: float, monitor: Monitor = SILENT) -> SelectionLeakFound:
    """Return what the choice of a release gives away; `why_no_choice` says why if it is not measured."""
    analysis = SelectionLeak(accepted=accepted)
    if why := analysis.why_not(subject):
        return SelectionLeakFound("", None, None, why, accepted=accepted)
    return analysis.run(subject, monitor)


def refuse_leaking(project: Project, release: Release, monitor: Monitor = SILENT) -> None:
    """Raise `RequirementNotMetError` if a release gives away more than its project accepts."""
    accepted = project.search.selection_gain
    if accepted is not None:
        found = leak_of(Subject(project, release), accepted, monitor)
        if not found.is_within(accepted):
            raise refused(project, release, found, monitor)


def refused(
    project: Project, release: Release, found: SelectionLeakFound, monitor: Monitor = SILENT
) -> RequirementNotMetError:
    """Return the error for a release that gives away too much, with what helps."""
    text = _("The selection leak is not within the accepted gain of {accepted}. {figures}").format(
        accepted=as_risk(found.accepted), figures=found.statement().sentence
    )
    return RequirementNotMetError(text, hint=remedies_text(project, release, monitor))


def remedies_text(project: Project, release: Release, monitor: Monitor = SILENT) -> str:
    """Return what to do so that the choice of a release gives away less."""
    accepted = project.search.selection_gain
    accepted = SelectionLeak().accepted if accepted is None else accepted
    found = leak_remedies(project, release, accepted, monitor)
    return " ".join(own.sentences for own in found if own.gain is None or own.gain <= accepted)


@dataclass(frozen=True, eq=False)
class LeakRemedy:
    """A change of a project after which its release gives away less.

    Attributes
    ----------
    key : {"within", "check", "by_size", "afterwards", "fixed"}
    project : Project
        With the change.
    release : Release
        What is released then.
    gain : float or None
        What no record gains more than then; None if this takes long to find.
    """

    key: str
    project: Project
    release: Release
    value: float
    gain: float | None

    @property
    def title(self) -> str:
        """What to do, as a sentence."""
        return {
            WITHIN_GAIN: _("Limit the selection leak (selection_gain)."),
            CHECK: _('Only check the models (enforce = "check"), with k = {k}.'),
            BY_SIZE: _('Enforce without suppression (enforce = "by_size").'),
            AFTERWARDS: _('Enforce afterwards (enforce = "afterwards").'),
            FIXED_LEVELS: _("Fix the levels, if they were chosen before anybody saw the data."),
        }[self.key].format(k=self.project.requirement.k)

    def effect(self, node: str) -> str:
        """What comes of it, with the name of the node, as a sentence."""
        own = utility_metrics[self.project.search.metric]
        values = {"node": node, "metric": own.title, "value": as_decimal(self.value, 4)}
        if self.gain is None:
            return _("{node}; {metric} {value}; the gain takes long to measure.").format(**values)
        text = _("{node}; {metric} {value}; no record gains more than {gain}.")
        return text.format(gain=as_risk(self.gain), **values)

    @property
    def sentences(self) -> str:
        """What to do, and what comes of it, for the command line."""
        return f"{self.title} {self.effect(_('Node {node}').format(node=list(self.release.node or ())))}"


def leak_remedies(
    project: Project, release: Release, accepted: float, monitor: Monitor = SILENT
) -> tuple[LeakRemedy, ...]:
    """Return the changes after which a release gives away less, each tried, without those that cannot be.

    A release that was made with the accepted gain has no node within it.
    """
    changes: list[tuple[str, Project | None]] = []
    if project.requirement.sensitive_part.models and project.recoding is None:
        if project.search.selection_gain is None and project.search.enforce in (DURING, BY_SIZE):
            changes.append((WITHIN_GAIN, _with_search(project, selection_gain=accepted)))
        changes.append((CHECK, _with_check(project, monitor)))
        changes += [(key, _with_search(project, enforce=key)) for key in (BY_SIZE, AFTERWARDS)]
    changes.append((FIXED_LEVELS, _with_levels(project, release)))
    found = (_tried(key, own, accepted, monitor) for key, own in changes if own is not None)
    return tuple(own for own in found if own is not None)


def _tried(key: str, project: Project, accepted: float, monitor: Monitor) -> LeakRemedy | None:
    """Return what is released after a change; None if nothing can be."""
    gate = SelectionGate(accepted, monitor) if key == WITHIN_GAIN else None
    try:
        outcome = run_chain(project, None, monitor, gate)
    except (RequirementNotMetError, InputError):
        return None
    release, analysis = outcome.release, SelectionLeak(accepted=accepted, sweeps=0)
    gain = None
    if gate is not None:
        if not gate.found[release.node].is_within(accepted):
            return None
        gain = gate.found[release.node].selection_gain
    elif not analysis.why_not(subject := Subject(project, release)):
        gain = analysis.run(subject, monitor).selection_gain
    value = float(outcome.evaluation.metric(project.search.metric)[0])
    return LeakRemedy(key, project, release, value, gain)


def _with_search(project: Project, **settings: Any) -> Project:
    return replace(project, search=replace(project.search, **settings))


def _with_levels(project: Project, release: Release) -> Project | None:
    """Return a project with no other node than that of a release."""
    if release.node is None or release.problem.lattice.n_nodes == 1:
        return None
    for name, level in zip(release.problem.names, release.node, strict=True):
        project = edits.set_levels(project, name, level, level)
    return project


def _with_check(project: Project, monitor: Monitor) -> Project | None:
    """Return a project that only checks the models, with the smallest class size for which none fails."""
    least, problem = project.requirement.k, compile_problem(project)
    if least is None or objective_of(project, problem).member(project.search.metric).costly:
        return None
    sizes = replace(problem, sensitive=())
    profile = profile_for(sizes, project.requirement.size_part, monitor=monitor)
    if not isinstance(profile, LatticeProfile):
        return None
    with fetching_kernels(profile):
        score_lattice(sizes, monitor, profile)
    for done, k in enumerate(range(least, _MOST_K + 1)):
        monitor.step(done, _MOST_K, _("Trying other nodes"))
        stricter = _with_k(_with_search(project, enforce=CHECK), k)
        by_size = evaluate(profile, stricter.requirement.size_part, objective_of(project, problem))
        best = by_size.optimum(project.search.metric)
        if best is None:
            return None
        release = make_release(stricter, problem, problem.lattice.node(best))
        if release.satisfies:
            return stricter
    return None


def _with_k(project: Project, k: int) -> Project:
    models = tuple(
        replace(own, k=k) if isinstance(own, KAnonymity) else own for own in project.requirement.models
    )
    return replace(project, requirement=replace(project.requirement, models=models))
