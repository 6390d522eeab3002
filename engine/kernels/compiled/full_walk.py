"""The walk of `subtree` for sensitive attributes, or weights that are not integers: its other kind."""

from __future__ import annotations

from engine.kernels.compiled import pairs
from engine.kernels.compiled.subtree import walk_four_nodes


def warm_up() -> None:
    """Compile the walk and what reads its contents, or load their machine code."""
    walk_four_nodes(is_plain=False)
    pairs.warm_up()
