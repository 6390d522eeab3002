"""The nodes of a generalization lattice, their numbers and their neighbours."""

from engine.lattice.lattice import Lattice, Node
from engine.lattice.part import LatticePart, Nodes

__all__ = ["Lattice", "LatticePart", "Node", "Nodes"]
