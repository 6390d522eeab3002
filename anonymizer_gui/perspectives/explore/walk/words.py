"""A walk in words: what a step found and why, how far it is, and how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from anonymizer_gui.perspectives.explore.metric_text import metric_name, metric_text
from anonymizer_gui.widgets.numbers import as_exact_count, as_nodes, as_vector
from engine.search.replay import State
from engine.search.trace import ABSENT

if TYPE_CHECKING:
    from anonymizer_gui.perspectives.explore.walk.run import Walked
    from engine.lattice import Node
    from engine.search.replay import Replay

_tr = partial(QCoreApplication.translate, "WalkWords")
DOT = " · "


def state_name(state: State) -> str:
    """A state as the legend says it."""
    return {
        State.CHECKED_SATISFIES: _tr("checked, satisfies"),
        State.CHECKED_FAILS: _tr("checked, fails"),
        State.INFERRED_SATISFIES: _tr("inferred, satisfies"),
        State.INFERRED_FAILS: _tr("inferred, fails"),
        State.SET_ASIDE: _tr("set aside"),
        State.NOT_REACHED: _tr("not reached"),
    }[state]


def step_text(replay: Replay, at: int, names: Sequence[str], *, with_following: bool = False) -> str:
    """The last of the first `at` steps as a sentence; empty before the first.

    Parameters
    ----------
    replay : Replay
    at : int
    names : sequence of str
        Of the attributes.
    with_following : bool
        Tell the last check instead, and how many nodes follow from it.
    """
    if at <= 0:
        return ""
    number = at - 1
    if with_following and (n_checked := replay.n_checked(at)):
        number = int(replay.checks[n_checked - 1])
    step = replay.step(number)
    where, why = _where(step.node, names), step.rule.text
    if step.satisfies is None:
        return _tr("{0} set aside: {1}").format(where, why)
    found = _tr("satisfies") if step.satisfies else _tr("fails")
    if not step.rule.is_check:
        return _tr("{0} {1}: {2}").format(where, found, why)
    text = _tr("{0} checked ({1}): {2}").format(where, why, found)
    following = at - number - 1
    if with_following and following:
        text += DOT + _tr("from it follow {0}").format(as_nodes(following))
    return text


def progress_text(walked: Walked, at: int, names: Sequence[str]) -> str:
    """How far the run is: nodes checked and inferred, and the subset of columns it looks at."""
    replay = walked.replay
    n_checked = replay.n_checked(at)
    words = [
        _tr("{0} checked").format(as_exact_count(n_checked)),
        _tr("{0} inferred").format(as_exact_count(at - n_checked)),
    ]
    if at and len((stage := replay.stage(at - 1)).attributes) < len(names):
        columns = ", ".join(names[q] for q in stage.attributes)
        done, n_nodes = as_exact_count(stage.n_settled(at)), as_exact_count(stage.n_nodes)
        words.append(_tr("subset {0}: {1} of {2} nodes").format(columns, done, n_nodes))
    return DOT.join(words)


def effort_text(walked: Walked) -> str:
    """What the whole run took; of a run that looked nodes up that it counted nothing."""
    effort = walked.efficiency
    if walked.is_looked_up:
        return _tr("nodes looked up as scored, no scans or roll-ups")
    scans, rollups = as_exact_count(effort.scans), as_exact_count(effort.rollups)
    return _tr("whole run: {0} scans, {1} roll-ups").format(scans, rollups)


def ending_text(walked: Walked) -> str:
    """What the run found, beside what the scored lattice says."""
    scored, text = walked.scored, metric_text(walked.metric)
    words = []
    if walked.settles_all:
        minimal = _tr("{0} minimal node", "", walked.n_minimal) if walked.n_minimal == 1 else ""
        minimal = (minimal or _tr("{0} minimal nodes")).format(as_exact_count(walked.n_minimal))
        if scored is not None:
            same = _tr("the same as scored") if scored.is_same_border else _tr("others than scored")
            minimal = f"{minimal}, {same}"
        words.append(minimal)
    if walked.node is None:
        return DOT.join([*words, _tr("no node was found that satisfies")])
    answer = f"{as_vector(walked.node)} ({metric_name(walked.metric)} {text(walked.value)})"
    if scored is None or scored.optimum is None:
        words.append(_tr("it answers {0}").format(answer))
    elif scored.optimum == walked.node:
        words.append(_tr("it answers {0}, the optimum as scored").format(answer))
    else:
        optimum = f"{as_vector(scored.optimum)} ({text(scored.value)})"
        words.append(_tr("it answers {0}; the optimum as scored is {1}").format(answer, optimum))
    return DOT.join(words)


def node_text(replay: Replay, number: int, at: int, names: Sequence[str]) -> str:
    """What is known of one node after the first `at` steps, and why."""
    steps = (replay.numbers[:at] == number).nonzero()[0]
    if not len(steps):
        return _tr("{0}\nNot reached yet").format(as_vector(replay.lattice.node(number)))
    last = int(steps[-1])
    return _tr("{0}\nStep {1}").format(step_text(replay, last + 1, names), as_exact_count(last + 1))


def _where(node: Node, names: Sequence[str]) -> str:
    if ABSENT not in node:
        return as_vector(node)
    parts = [(name, level) for name, level in zip(names, node, strict=True) if level != ABSENT]
    columns = ", ".join(name for name, _ in parts)
    return _tr("Subset {0} at {1}").format(columns, as_vector([level for _, level in parts]))
