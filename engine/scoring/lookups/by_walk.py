"""Which classes a compiled walk over all nodes keeps, if such a walk can serve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from engine.kernels.arrays import BoolArray
from engine.privacy import Requirement
from engine.privacy.repetition import repeats
from engine.scoring.acceleration import kernels
from engine.scoring.cells.snapshot import SizeClasses
from engine.scoring.lookups.evaluated_sets import are_many

if TYPE_CHECKING:
    from engine.scoring.scored import ScoredNodes
    from engine.scoring.walk.class_walk import KeptClasses


def kept_for_walk(
    profile: ScoredNodes, requirement: Requirement, wanted: BoolArray, name: str
) -> KeptClasses | None:
    """Return which classes a requirement keeps; None if few nodes are wanted, or kernels cannot serve.

    Parameters
    ----------
    profile : ScoredNodes
    requirement : Requirement
    wanted : ndarray of bool, shape (n_nodes,)
    name : str
        Module of the kernels of the walk.
    """
    from engine.scoring.profile import LatticeProfile

    problem = profile.problem
    if not isinstance(profile, LatticeProfile) or repeats(problem, requirement):
        return None
    if not are_many(profile, wanted):
        return None
    if not profile.can_be_compiled or kernels(name) is None:
        return None
    from engine.scoring.cells.content_classes import ContentClasses  # imports numba, as the next one
    from engine.scoring.walk.class_walk import KeptClasses

    sizes: Any = np.arange(problem.n_records + 1, dtype=np.int32)
    if requirement.is_by_size:
        met = requirement.fulfilled(SizeClasses(sizes, problem.sampling_fraction))
        met[0] = False  # of people without a record
        return KeptClasses(met)
    classes = profile.cells().classes
    if not isinstance(classes, ContentClasses):  # numpy scored them
        return None
    return KeptClasses(
        sizes >= max(requirement.k or 1, 1), classes.with_contents(~requirement.fulfilled(classes))
    )
