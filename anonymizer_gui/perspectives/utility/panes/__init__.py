"""Analyses of the lower cards, one module each with values and view."""
