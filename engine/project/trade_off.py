"""The trade-off of differential privacy: epsilon against the records expected to be kept.

All of it reads the data, so it is for their owner: a node, epsilon or beta chosen by it is not covered by the
guarantee.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import Counts, FloatArray
from engine.kernels.grouping import class_labels
from engine.lattice import Node
from engine.privacy import Requirement
from engine.privacy.sampling import expected_kept, kept_shares
from engine.project.compile import compile_problem
from engine.project.project import Project
from engine.project.refusals import with_fixed_node
from engine.scoring.scored import Profile, ScoredNodes


def complete_problem(project: Project) -> Problem:
    """Compile a project with all records of its table, drawn or not; the declared node stays the only one.

    Raises
    ------
    InputError
        The project cannot be compiled.
    """
    requirement = replace(project.requirement, models=())
    return with_fixed_node(project, compile_problem(replace(project, requirement=requirement)))


def class_sizes(problem: Problem, node: Node) -> Counts:
    """Return the sizes of the classes of a node."""
    return class_labels(*problem.codes_at(node))[2]


def expected_records(problem: Problem, node: Node, requirement: Requirement) -> float:
    """Return the expected number of kept records of a node of the complete table.

    The larger class size counts, if the requirement has k-anonymity too.
    """
    model = requirement.sampling
    assert model is not None, "asked where records are drawn"
    return expected_kept(class_sizes(problem, node), model.beta, requirement.k or 1)


def expected_shares(profile: Profile | ScoredNodes, beta: float, k: int) -> FloatArray:
    """Return the expected share of the records that are drawn and kept, by node; nan if not scored.

    Parameters
    ----------
    profile : Profile or ScoredNodes
        Scores of the complete table, not of drawn records.
    beta : float
        Probability of drawing a record.
    k : int
        Least number of drawn records of a kept class.
    """
    nodes = profile.scored_nodes()
    cells = nodes.cells()
    found = np.full(nodes.lattice.n_nodes, np.nan)
    if not cells.n_cells:
        return found
    sizes, places = np.unique(cells.classes.records, return_inverse=True)
    of_kind = kept_shares(sizes.astype(np.int64), beta, k)[places]
    of_cell = of_kind if cells.kinds is None else of_kind[cells.kinds]
    found[cells.nodes] = np.add.reduceat(cells.records * of_cell, cells.starts) / nodes.problem.n_records
    return found
