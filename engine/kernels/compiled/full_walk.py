"""The walk of `subtree` for sensitive attributes, or weights that are not integers: its other kind."""

from __future__ import annotations

from engine.kernels.compiled import cell_words, pairs
from engine.kernels.compiled.subtree import walk_four_nodes


def warm_up() -> None:
    """Compile the walk with what stores its words and reads its contents, or load their machine code."""
    walk_four_nodes(is_plain=False)
    pairs.warm_up()
    cell_words.warm_up()
