"""What a recoding loses, as utility metrics tell it."""

from __future__ import annotations

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import Reals
from engine.recoding.base import Recoding
from engine.utility.objective import Objective
from engine.utility.recoded import RecodedRecords
from engine.utility.recoded_column import RecodedColumn


def recoded_records(
    problem: Problem,
    recoding: Recoding,
    required_k: int | None = None,
    objective: Objective | Reals | None = None,
) -> RecodedRecords:
    """The records of a problem under a recoding, for `RecodedRecords.metric`.

    Parameters
    ----------
    problem : Problem
    recoding : Recoding
        Its suppressed records count as fully generalized.
    required_k : int, optional
        The class size that metrics divide by, if one is asked for.
    objective : Objective or ndarray of float64 of shape (n_qi,), optional
        Settings and weights, or weights alone.
    """
    kept = np.flatnonzero(~recoding.suppressed)
    columns = []
    for q, attribute in enumerate(problem.attributes):
        levels = recoding.levels[kept, q]
        codes = np.array([level.codes for level in attribute.hierarchy.levels], dtype=np.int32)
        columns.append(RecodedColumn.of(attribute, levels, codes[levels, attribute.leaves[kept]]))
    target = None if problem.target is None else problem.target.codes[kept]
    return RecodedRecords(
        problem,
        columns,
        len(kept),
        required_k=required_k,
        target=target,
        objective=objective,
        persons=None if problem.repeated is None else problem.repeated.some(kept),
    )
