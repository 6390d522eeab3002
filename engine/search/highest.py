"""The highest of many nodes: enough to know whether a node lies below any of them."""

from __future__ import annotations

import numpy as np

from engine.kernels.arrays import BoolArray
from engine.lattice import Node


class HighestNodes:
    """Nodes none of which lies below another, in columns: a comparison reads one number per node."""

    def __init__(self, n_qi: int) -> None:
        self._levels = np.zeros((n_qi, 64), dtype=np.int16)
        self._n_nodes = 0

    def __len__(self) -> int:
        return self._n_nodes

    def has_above(self, node: Node) -> bool:
        """Whether a node lies below one of these, or is one of them."""
        levels = self._levels[:, : self._n_nodes]
        above: BoolArray = np.ones(self._n_nodes, dtype=np.bool_)
        for column, level in zip(levels, node, strict=True):
            above &= column >= level
        return bool(above.any())

    def add(self, node: Node) -> None:
        """Take a node in, unless it lies below another; those below it are dropped."""
        if self.has_above(node):
            return
        levels = self._levels[:, : self._n_nodes]
        below: BoolArray = np.ones(self._n_nodes, dtype=np.bool_)
        for column, level in zip(levels, node, strict=True):
            below &= column <= level
        if below.any():
            kept = levels[:, ~below]
            self._n_nodes = kept.shape[1]
            self._levels[:, : self._n_nodes] = kept
        if self._n_nodes == self._levels.shape[1]:
            self._levels = np.concatenate((self._levels, np.zeros_like(self._levels)), axis=1)
        self._levels[:, self._n_nodes] = node
        self._n_nodes += 1
