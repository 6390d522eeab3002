"""Every algorithm that promises the optimum finds it by metrics with settings, including target loss."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.monitor import SILENT
from engine.search import SearchTask, search_algorithms
from engine.search.exhaustive import Exhaustive
from engine.utility import UtilityMetric, utility_metrics
from engine.utility.by_attribute import AGGREGATE
from tests.strategies import cases_with_requirement, modest

OPTIMAL = [
    key for key, kind in search_algorithms.items() if kind.promise == "optimal" and key != "exhaustive"
]
AGGREGATES = [key for key, _ in AGGREGATE.options]


@st.composite
def metrics(draw: st.DrawFn) -> UtilityMetric:
    """A metric with settings."""
    key = draw(st.sampled_from(["loss", "gen_iloss", "precision", "non_uniform_entropy", "classification"]))
    values: dict[str, object] = {"coding": draw(st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0]))}
    if key != "classification":
        values["aggregate"] = draw(st.sampled_from(AGGREGATES))
    return utility_metrics.create(key, **values)


@pytest.mark.parametrize("key", OPTIMAL)
@modest
@given(data=st.data())
def test_the_optimum_of_a_metric_with_settings_is_that_of_exhaustive_search(
    key: str, data: st.DataObject
) -> None:
    case, requirement = data.draw(cases_with_requirement(max_qi=3, min_sensitive=1))
    metric = data.draw(metrics())
    weights = np.array([data.draw(st.sampled_from([0.0, 0.5, 1.0, 3.0])) for _ in case.qi])
    task = SearchTask(case.problem, requirement, metric.key, weights, chosen=metric)
    found = search_algorithms.create(key).run(task, SILENT)
    expected = Exhaustive().run(task, SILENT)
    assert (found.node, found.guarantee) == (expected.node, expected.guarantee)
