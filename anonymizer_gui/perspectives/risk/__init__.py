"""Analyze risk: what a release still gives away, beside what its input would have."""
