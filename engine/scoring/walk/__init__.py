"""Frequency sets of all nodes from the base tuples: keys, subtrees, roll-up, workers."""
