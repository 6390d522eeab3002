"""Nodes beside earlier releases: what a release of each would leave of the person protected least.

A node is released to find out, which takes milliseconds, so only nodes that satisfy all else are measured,
and what they leave is cached whatever the demanded numbers: a knob of these is followed at once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from engine.frequency.earlier import Left
from engine.kernels.arrays import BoolArray
from engine.lattice import Node
from engine.monitor import SILENT, Monitor
from engine.privacy import Requirement
from engine.words import _

if TYPE_CHECKING:
    from engine.scoring.scored import ScoredNodes

_MOST_KEPT = 8  # requirements whose nodes are cached


def withstanding(
    profile: ScoredNodes, requirement: Requirement, wanted: BoolArray, monitor: Monitor = SILENT
) -> BoolArray:
    """Return which of the wanted nodes withstand the attacker of a requirement, shape (n_nodes,).

    Parameters
    ----------
    monitor : Monitor
        Called for every node; if it cancels, finished ones stay.
    """
    releases, earlier = profile.problem.earlier, requirement.earlier
    if releases is None or earlier is None or not releases.joined:
        return wanted
    found, attacker = wanted.copy(), releases.attacker(earlier)
    known, numbers = _known(profile, requirement), np.flatnonzero(wanted).tolist()
    for done, number in enumerate(numbers):
        node = profile.lattice.node(number)
        if node not in known:
            monitor.step(done, len(numbers), _("Comparing nodes with earlier releases"))
            known[node] = releases.left_at(profile.problem, node, requirement)
        found[number] = requirement.withstands(attacker, known[node])
    return found


def left_at(profile: ScoredNodes, requirement: Requirement, node: Node) -> Left | None:
    """Return what a release of a node leaves beside earlier ones; None without any."""
    releases = profile.problem.earlier
    if releases is None or requirement.earlier is None or not releases.joined:
        return None
    known = _known(profile, requirement)
    if node not in known:
        known[node] = releases.left_at(profile.problem, node, requirement)
    return known[node]


def withstands(profile: ScoredNodes, requirement: Requirement, node: Node) -> bool:
    """Return whether a node withstands the attacker of a requirement; every node does without a ledger."""
    left, releases, earlier = (
        left_at(profile, requirement, node),
        profile.problem.earlier,
        requirement.earlier,
    )
    if left is None or releases is None or earlier is None:
        return True
    return requirement.withstands(releases.attacker(earlier), left)


def _known(profile: ScoredNodes, requirement: Requirement) -> dict[Node, Left]:
    """Return what is known of nodes, apart from the demanded numbers and the suppression limit."""
    releases, earlier = profile.problem.earlier, requirement.earlier
    assert releases is not None, "asked for only then"
    assert earlier is not None, "asked for only then"
    apart = replace(requirement, suppression_limit=0.0, earlier=replace(earlier, k=None, l=None))
    found: dict[Node, Left] = profile.of_problem.get("earlier", (releases.state, apart), dict, _MOST_KEPT)
    return found
