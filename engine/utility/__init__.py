"""Utility metrics, one file each: the loss of a release, smaller is better."""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from engine.utility.base import USUAL_METRICS, Candidates, UtilityMetric, utility_metrics

__all__ = ["USUAL_METRICS", "Candidates", "UtilityMetric", "utility_metrics"]


class _Callable(ModuleType):
    """This package, which is also the function of its name on the public page of `engine`."""

    def __call__(self, *args: Any, **settings: Any) -> Any:
        """Measure the utility loss of a table; see `engine.findings.measure_utility`."""
        # imported by name: the assessment is above the metrics
        return import_module("engine.findings.utility.of_table").measure_utility(*args, **settings)


sys.modules[__name__].__class__ = _Callable
