"""Slices of the lattice: the levels of two attributes around a node, and its neighbours."""
