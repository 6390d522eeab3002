"""The profile of every node, computed once and independent of any threshold."""

from engine.scoring.evaluate import Evaluation
from engine.scoring.profile import LatticeProfile
from engine.scoring.score import fetching_kernels, score_lattice

__all__ = ["Evaluation", "LatticeProfile", "fetching_kernels", "score_lattice"]
