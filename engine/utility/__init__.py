"""Utility metrics, one file each: what a release loses, smaller is better."""

from engine.utility.base import Candidates, UtilityMetric, utility_metrics

__all__ = ["Candidates", "UtilityMetric", "utility_metrics"]
