"""Scoring of the lattice: fills a profile until it is complete or the job is cancelled."""

from __future__ import annotations

import math
from contextlib import AbstractContextManager, nullcontext

from engine.frequency import Problem
from engine.monitor import SILENT, Monitor
from engine.scoring.acceleration import await_kernels, fetching, kernels
from engine.scoring.profile import LatticeProfile
from engine.scoring.walk.population_tuples import PopulationTuples
from engine.words import N_, _

TEXT = N_("Scoring nodes")
LOOKS = 64  # nodes recorded by numpy between two checks for compiled kernels
# Seconds numpy takes: for every node, and for every base tuple of it without and with sensitive values.
# Measured on two 2.7 GHz cores; half to twice that on others, and depending on the hierarchies.
PER_NODE, PER_TUPLE, PER_SENSITIVE_TUPLE = 1e-4, 5e-9, 4e-8


def score_lattice(
    problem: Problem,
    monitor: Monitor = SILENT,
    profile: LatticeProfile | None = None,
    *,
    node_by_node: bool = False,
) -> LatticeProfile:
    """Score every node by roll-up from the base tuples.

    Compiled kernels do it if they are loaded; until they are, numpy does, and they soon take over the rest.

    Parameters
    ----------
    monitor : Monitor
        Called after every step; if it cancels, scores stay in the profile.
    profile : LatticeProfile, optional
        A profile to fill or to continue; a new one by default.
    node_by_node : bool
        Call the monitor after every single node; kernels score many nodes per call.

    Raises
    ------
    CancelledError
        If the monitor cancels. Calling again with the same profile continues.
    InvariantError
        If a node's classes do not have every record, or a node is missing.
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


def fetching_kernels(
    profile: LatticeProfile, at_most: float = math.inf, also: tuple[str, ...] = ()
) -> AbstractContextManager[None]:
    """Load kernels, or compile them beside what runs in this context, if scoring by numpy would be slow.

    Nothing waits for the compiler: `score_lattice` begins by numpy, and the kernels take over once they are
    there. The window has its own preparation in the background.

    Parameters
    ----------
    profile : LatticeProfile
        The profile to score.
    at_most : float
        Seconds that scoring may take.
    also : tuple of str
        Modules of kernels that the caller needs besides those that score.
    """
    if not profile.can_be_compiled:  # kernels would not be used
        return nullcontext()
    return fetching(min(seconds_by_numpy(profile), at_most), (*profile.kernels, *also))


def seconds_by_numpy(profile: LatticeProfile) -> float:
    """Estimate the seconds of scoring a complete profile by numpy."""
    per_tuple = PER_TUPLE + PER_SENSITIVE_TUPLE * len(profile.problem.carried)
    base, n_people = profile.base, 0
    if isinstance(base, PopulationTuples):
        n_people = len(base.people.counts)
    return profile.lattice.n_nodes * (PER_NODE + len(base.counts) * per_tuple + n_people * PER_TUPLE)


def _compiled_takes_over(profile: LatticeProfile, monitor: Monitor) -> bool:
    """Score remaining nodes by compiled kernels, if these are loaded; return whether they did."""
    if profile.is_complete or not profile.can_be_compiled:
        return False
    if any(kernels(name) is None for name in profile.kernels):
        await_kernels(profile.kernels)
        return False
    profile.score_compiled(monitor)
    return True
