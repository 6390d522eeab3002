"""Perspectives of the window; they never import one another."""
