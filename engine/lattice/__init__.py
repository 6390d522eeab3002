"""The nodes of a generalization lattice, their numbers and their neighbours."""

from engine.lattice.lattice import Lattice, LatticePart, Node, Nodes

__all__ = ["Lattice", "LatticePart", "Node", "Nodes"]
