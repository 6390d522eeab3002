"""Alike classes of a node as one entry with a count: how cells are made, stored, shared and read."""
