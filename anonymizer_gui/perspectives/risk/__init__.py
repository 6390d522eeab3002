"""Analyze risk: what a release still gives away, next to what its input would have."""
