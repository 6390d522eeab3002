"""Explore results: lattice, map, list and inspector of all nodes, with knobs for the thresholds."""
