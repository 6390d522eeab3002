"""The walks of `covered_leaves` that sum combinations."""

from __future__ import annotations

from engine.kernels.compiled.covered_leaves import walk_four_nodes


def warm_up() -> None:
    """Compile both kinds of the walk, or load their machine code."""
    walk_four_nodes(None)
