"""Slices of the lattice: two attributes' levels around a node, and the nodes one step away."""
