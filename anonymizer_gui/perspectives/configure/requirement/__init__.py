"""Requirement of a release: privacy models, limits and metric, with pre-flight checks."""
