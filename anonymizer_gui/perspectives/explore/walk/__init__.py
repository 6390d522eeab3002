"""The walk: runs of search algorithms replayed on the lattice, one or two side by side."""
