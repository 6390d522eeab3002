"""Texts of a walk: last step and its reason, progress, and result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from anonymizer_gui.models.node_name import node_name
from anonymizer_gui.perspectives.explore.metric_text import metric_name, metric_text
from engine.numbers import as_exact_count, as_nodes
from engine.search.replay import State
from engine.search.trace import ABSENT
from engine.words import _, ngettext

if TYPE_CHECKING:
    from anonymizer_gui.perspectives.explore.walk.run import WalkResult
    from engine.lattice import Node
    from engine.search.replay import Replay


DOT = " · "


def state_name(state: State) -> str:
    """Return the name of a state for the legend."""
    return {
        State.CHECKED_SATISFIES: _("evaluated, satisfies"),
        State.CHECKED_FAILS: _("evaluated, fails"),
        State.INFERRED_SATISFIES: _("inferred, satisfies"),
        State.INFERRED_FAILS: _("inferred, fails"),
        State.SET_ASIDE: _("excluded"),
        State.NOT_REACHED: _("not reached"),
    }[state]


def step_text(replay: Replay, at: int, names: Sequence[str], *, with_following: bool = False) -> str:
    """Return the last of the first `at` steps as a sentence; empty before the first.

    Parameters
    ----------
    replay : Replay
    at : int
    names : sequence of str
        Of the attributes.
    with_following : bool
        Describe the last check instead, and how many nodes follow from it.
    """
    if at <= 0:
        return ""
    number = at - 1
    if with_following and (n_checked := replay.n_checked(at)):
        number = int(replay.checks[n_checked - 1])
    step = replay.step(number)
    where, why = _where(step.node, names, replay.lattice.maximum), step.rule.text
    if step.satisfies is None:
        return _("{where}: excluded, {why}").format(where=where, why=why)
    found = _("satisfies") if step.satisfies else _("fails")
    if not step.rule.is_check:
        return _("{where}: {found}, {why}").format(where=where, found=found, why=why)
    text = _("{where}: evaluated ({why}), {found}").format(where=where, why=why, found=found)
    following = at - number - 1
    if with_following and following:
        text += DOT + _("{following} follow from it").format(following=as_nodes(following))
    return text


def progress_text(walked: WalkResult, at: int, names: Sequence[str]) -> str:
    """Return the progress: nodes checked and inferred, and the current subset of columns."""
    replay = walked.replay
    n_checked = replay.n_checked(at)
    words = [
        _("{n_checked} evaluated").format(n_checked=as_exact_count(n_checked)),
        _("{at} inferred").format(at=as_exact_count(at - n_checked)),
    ]
    if at and len((stage := replay.stage(at - 1)).attributes) < len(names):
        columns = ", ".join(names[q] for q in stage.attributes)
        done, n_nodes = as_exact_count(stage.n_settled(at)), as_exact_count(stage.n_nodes)
        words.append(
            _("subset {columns}: {done} of {n_nodes} nodes").format(
                columns=columns, done=done, n_nodes=n_nodes
            )
        )
    return DOT.join(words)


def effort_text(walked: WalkResult) -> str:
    """Return the effort of the complete run; for a run with lookups, that it counted nothing."""
    effort = walked.efficiency
    if walked.is_looked_up:
        return _("nodes looked up from the scored lattice; no scans or roll-ups")
    scans, rollups = as_exact_count(effort.scans), as_exact_count(effort.rollups)
    return _("whole run: {scans} scans, {rollups} roll-ups").format(scans=scans, rollups=rollups)


def ending_text(walked: WalkResult, names: Sequence[str]) -> str:
    """Return the result of the run compared with the scored lattice."""
    scored, text = walked.scored, metric_text(walked.metric)
    words = []
    if walked.settles_all:
        minimal = ngettext("{n} minimal node", "{n} minimal nodes", walked.n_minimal)
        minimal = minimal.format(n=as_exact_count(walked.n_minimal))
        if scored is not None:
            same = (
                _("the same as in the scored lattice")
                if scored.is_same_border
                else _("different from the scored lattice")
            )
            minimal = f"{minimal}, {same}"
        words.append(minimal)
    if walked.node is None:
        return DOT.join([*words, _("no satisfying node was found")])
    best = None if scored is None else scored.optimum
    name = node_name(walked.node, names, walked.replay.lattice.maximum, best)
    answer = f"{name} ({metric_name(walked.metric)} {text(walked.value)})"
    if scored is None or scored.optimum is None:
        words.append(_("result {answer}").format(answer=answer))
    elif scored.optimum == walked.node:
        words.append(_("result {answer}, the optimum of the scored lattice").format(answer=answer))
    else:
        optimum = f"{metric_name(walked.metric)} {text(scored.value)}"
        words.append(
            _("result {answer}; the optimum of the scored lattice has {optimum}").format(
                answer=answer, optimum=optimum
            )
        )
    return DOT.join(words)


def node_text(replay: Replay, number: int, at: int, names: Sequence[str]) -> str:
    """Describe the state of one node after the first `at` steps, with the reason."""
    steps = (replay.numbers[:at] == number).nonzero()[0]
    if not len(steps):
        return _("{number}\nNot reached yet").format(
            number=node_name(replay.lattice.node(number), names, replay.lattice.maximum)
        )
    last = int(steps[-1])
    return _("{replay}\nStep {last}").format(
        replay=step_text(replay, last + 1, names), last=as_exact_count(last + 1)
    )


def _where(node: Node, names: Sequence[str], heights: Sequence[int]) -> str:
    if ABSENT not in node:
        return node_name(node, names, heights)
    parts = [(name, level) for name, level in zip(names, node, strict=True) if level != ABSENT]
    columns, levels = [name for name, _level in parts], [level for _name, level in parts]
    return _("Subset {columns}: {value}").format(columns=", ".join(columns), value=node_name(levels, columns))
