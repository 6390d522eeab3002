"""Knobs for thresholds, limit and metric, with their curves."""
