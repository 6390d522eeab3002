"""Score the lattice: fill a profile until it is whole or the job is cancelled."""

from __future__ import annotations

import math

from engine.frequency import Problem
from engine.monitor import SILENT, Monitor
from engine.scoring.acceleration import kernels
from engine.scoring.preparing import fetch_if_worth
from engine.scoring.profile import LatticeProfile
from engine.words import N_, _

TEXT = N_("Scoring nodes")
LOOKS = 64  # nodes recorded by numpy between two looks for compiled kernels
# What numpy takes, in seconds: for every node, and for every base tuple of it without and with something
# sensitive. Measured on two 2.7 GHz cores; half and twice that on others, and by the shape of hierarchies.
PER_NODE, PER_TUPLE, PER_SENSITIVE_TUPLE = 1e-4, 5e-9, 4e-8


def score_lattice(
    problem: Problem,
    monitor: Monitor = SILENT,
    profile: LatticeProfile | None = None,
    *,
    node_by_node: bool = False,
) -> LatticeProfile:
    """Score every node by roll-up from the base tuples.

    Compiled kernels do it where they are loaded; until they are, numpy does, and what is left when they
    come is not much longer its task.

    Parameters
    ----------
    problem : Problem
    monitor : Monitor
        Told after every step; when it cancels, what is scored stays in the profile.
    profile : LatticeProfile, optional
        A profile to fill or to go on with; a new one by default.
    node_by_node : bool
        Tell the monitor after every single node; kernels score many before they tell.

    Raises
    ------
    CancelledError
        If the monitor asks to stop. Calling again with the same profile goes on.
    InvariantError
        If a node's classes do not hold every record, or a node is left out.
    """
    profile = profile or LatticeProfile(problem)
    if profile.is_compiled:  # nodes that kernels scored cannot be recorded again
        profile.score_compiled(monitor)
    if not profile.is_complete and (node_by_node or not _compiled_takes_over(profile, monitor)):
        total = profile.lattice.n_nodes
        monitor.step(profile.n_scored, total, _(TEXT))
        for node, tuples in profile.pending():
            profile.record(node, tuples)
            monitor.step(profile.n_scored, total, _(TEXT))
            looks = not node_by_node and profile.n_scored % LOOKS == 0
            if looks and _compiled_takes_over(profile, monitor):
                break
    profile.check_complete()
    return profile


def fetch_kernels(profile: LatticeProfile, monitor: Monitor = SILENT, at_most: float = math.inf) -> None:
    """Load the compiled kernels, or compile them, where scoring a profile by numpy would take long.

    For whoever can but wait: a window that shows scores as they come goes on by numpy meanwhile.

    Parameters
    ----------
    profile : LatticeProfile
        What is to be scored.
    monitor : Monitor
        Told when something has to be compiled, which it may stop.
    at_most : float
        Seconds the scoring may take.
    """
    if profile.problem.can_be_compiled:  # else kernels would not be used
        fetch_if_worth(min(seconds_by_numpy(profile), at_most), monitor)


def seconds_by_numpy(profile: LatticeProfile) -> float:
    """What scoring a whole profile by numpy takes, about."""
    per_tuple = PER_TUPLE + PER_SENSITIVE_TUPLE * len(profile.problem.sensitive)
    return profile.lattice.n_nodes * (PER_NODE + len(profile.base.counts) * per_tuple)


def _compiled_takes_over(profile: LatticeProfile, monitor: Monitor) -> bool:
    """Score all nodes by compiled kernels, if they are there and not all is done without them."""
    if profile.is_complete or kernels("subtree") is None or not profile.can_be_compiled:
        return False
    profile.score_compiled(monitor)
    return True
