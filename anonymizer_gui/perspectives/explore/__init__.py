"""Explore results: every node of the lattice on one picture, with knobs over it."""
