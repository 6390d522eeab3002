"""Utility metrics, one file each: the loss of a release, smaller is better."""

from engine.utility.base import Candidates, UtilityMetric, utility_metrics

__all__ = ["Candidates", "UtilityMetric", "utility_metrics"]
