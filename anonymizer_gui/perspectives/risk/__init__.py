"""Analyze risk: remaining risks of a release compared with its input."""
