"""How frequency sets of all nodes come from the base tuples: keys, subtrees, roll-up, workers."""
