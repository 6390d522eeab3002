"""Score the lattice: fill a profile, node by node, until it is whole or the job is cancelled."""

from __future__ import annotations

from engine.frequency import Problem
from engine.monitor import SILENT, Monitor
from engine.scoring.profile import LatticeProfile


def score_lattice(
    problem: Problem, monitor: Monitor = SILENT, profile: LatticeProfile | None = None
) -> LatticeProfile:
    """Score every node by roll-up from the base tuples.

    Parameters
    ----------
    problem : Problem
    monitor : Monitor
        Told after every node; when it cancels, what is scored stays in the profile.
    profile : LatticeProfile, optional
        A profile to fill or to go on with; a new one by default.

    Raises
    ------
    CancelledError
        If the monitor asks to stop. Calling again with the same profile goes on.
    InvariantError
        If a node's classes do not hold every record, or a node is left out.
    """
    profile = profile or LatticeProfile(problem)
    total = profile.lattice.n_nodes
    monitor.step(profile.n_scored, total, "Scoring nodes")
    for node, tuples in profile.pending():
        profile.record(node, tuples)
        monitor.step(profile.n_scored, total, "Scoring nodes")
    profile.check_complete()
    return profile
