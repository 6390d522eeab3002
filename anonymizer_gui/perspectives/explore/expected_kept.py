"""Expected kept records of every node under differential privacy, from scores of the whole table."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.monitor import SILENT, Monitor

if TYPE_CHECKING:
    from engine.privacy import Requirement
    from engine.project import Project
    from engine.scoring import Evaluation, LatticeProfile

EXPECTED_KEPT = "expected kept"  # name of the score among the details of nodes
_PARTS = ("table", "roles", "qi_order", "hierarchies", "fixed_node")  # of a project that the scores depend on


class ExpectedKept:
    """Scores the whole table once, and looks up each epsilon and beta in the result."""

    def __init__(self) -> None:
        self._of: Project | None = None
        self._profile: LatticeProfile | None = None
        self._scoring = threading.Lock()

    def shares(
        self, project: Project, evaluation: Evaluation, monitor: Monitor = SILENT
    ) -> NDArray[np.float64] | None:
        """Return the expected share of the records that is kept, per node.

        None if no records are drawn; nan if the lattice is too large to score completely.
        """
        from engine.lattice import Lattice

        requirement = evaluation.requirement
        if requirement.sampling is None:
            return None
        if not isinstance(evaluation.lattice, Lattice):
            return np.full(evaluation.lattice.n_nodes, np.nan)
        with self._scoring:
            return self._shares(project, requirement, evaluation, monitor)

    def _shares(
        self, project: Project, requirement: Requirement, evaluation: Evaluation, monitor: Monitor
    ) -> NDArray[np.float64]:
        from engine.project.trade_off import complete_problem, expected_shares
        from engine.scoring import LatticeProfile, score_lattice

        assert requirement.sampling is not None, "asked where records are drawn"
        if self._profile is None or self._of is None or not _is_alike(self._of, project):
            problem = complete_problem(project)
            profile = LatticeProfile(problem)
            score_lattice(problem, monitor, profile)
            self._of, self._profile = project, profile
        found = expected_shares(self._profile, requirement.sampling.beta, requirement.k or 1)
        if len(found) != evaluation.lattice.n_nodes:  # of settings that are being compiled
            return np.full(evaluation.lattice.n_nodes, np.nan)
        return found


def _is_alike(one: Project, other: Project) -> bool:
    return all(
        getattr(one, part) is getattr(other, part) or getattr(one, part) == getattr(other, part)
        for part in _PARTS
    )
