"""Names and marks of releases in several perspectives, and reasons why none can be made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from anonymizer_gui.session.session import Session
from engine.numbers import as_exact_count, as_nodes, as_percent
from engine.words import _

if TYPE_CHECKING:
    from engine.findings.risk.verdict import Clause
    from engine.lattice import Node
    from engine.recoding import RecodingMethod, Release


_CLAUSE_ICONS = {"ok": "shield-check", "warn": "shield", "danger": "circle-alert"}


def clause_mark(clause: Clause) -> tuple[str, str]:
    """Return icon and tone of a clause of the verdict, in every place that shows it."""
    return "eye" if clause.key == "unchanged" else _CLAUSE_ICONS[clause.tone], clause.tone


def method_of(release: Release | None) -> type[RecodingMethod] | None:
    """Return the recoding method of a release; None if every column has one level."""
    from engine.recoding import recoding_methods

    if release is None or release.recoding is None:
        return None
    return recoding_methods.get(release.method)


def recoding_title(release: Release | None) -> str:
    """Return the name of that method inside a sentence; empty if every column has one level."""
    if release is None or release.recoding is None:
        return ""
    method = method_of(release)
    return method.title if method is not None else _("local recoding")


def why_not_improved(session: Session) -> str:
    """Return why no release can be improved now; empty if one can."""
    if why := session.applied.why_undecided:
        return why
    if session.applied.release is None:
        return _("apply a node first, such as the optimum")
    if session.results.problem is None or not session.results.is_problem_current:
        return _("the current settings cannot be released")
    if session.applied.stale_text:
        return _("the release is out of date; re-apply a node")
    return ""


def why_fails(session: Session, node: Node) -> str:
    """Return why a node fails: what is suppressed, and the limit; empty if it satisfies or is not scored."""
    evaluation = session.results.evaluation
    number = None if evaluation is None else evaluation.lattice.find(node)
    if evaluation is None or number is None or not evaluation.scored[number] or evaluation.satisfies[number]:
        return ""
    from engine.privacy.limit import limits_persons

    lost = int(evaluation.losses(np.array([number]))[0])
    if lost <= evaluation.allowed:
        return _("A model of the whole release is not met.")
    words = _("{n} records would be suppressed; the limit allows {limit}.")
    if limits_persons(evaluation.problem, evaluation.requirement):
        words = _("{n} people would lose a record; the limit allows {limit}.")
    return words.format(n=as_exact_count(lost), limit=as_exact_count(evaluation.allowed))


def scored_words(session: Session) -> str:
    """Return how many nodes of the session's profile are scored, as a share if partly scored."""
    profile = session.results.profile
    assert profile is not None
    scored, total = profile.n_scored, profile.problem.lattice.n_nodes
    share = f" ({as_percent(scored / total)})" if session.results.is_explored else ""
    words = _("{n} of {nodes} scored")
    return words.format(n=as_exact_count(scored), nodes=as_nodes(total)) + share
