"""Pinned nodes and applied releases, and their comparison."""
