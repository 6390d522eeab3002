"""Lattice view: positions, painting, zoom, mouse and keys."""
