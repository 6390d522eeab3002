"""All nodes of a generalization lattice, their numbers and their neighbours."""

from engine.lattice.lattice import Lattice, Node

__all__ = ["Lattice", "Node"]
