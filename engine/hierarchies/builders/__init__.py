"""Hierarchy builders, one file each; `base` holds what they share and the registry."""
