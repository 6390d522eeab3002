"""Cells: equal classes of a node as one entry with a count, and how they are made, stored and read."""
