"""Traces: steps in order, whether added one by one or many at once."""

from __future__ import annotations

import sys

import numpy as np

from engine.search.trace import ABSENT, Efficiency, Effort, Rule, Step, Trace, as_figures

COUNTED = Rule("counted", "its classes were counted", is_check=True)
ABOVE = Rule("above", "it is above a node that satisfies")


def test_steps_keep_the_order_in_which_they_were_added() -> None:
    trace = Trace(2)
    trace.add((0, ABSENT), False, COUNTED)
    trace.add((1, ABSENT), True, COUNTED)
    trace.extend(np.array([[2, 0], [2, 1]]), True, ABOVE)
    trace.add((0, 0), None, ABOVE)
    trace.extend([(1, 1), (1, 0)], np.array([True, False]), COUNTED)
    trace.extend([], True, ABOVE)
    assert list(trace) == [
        Step((0, ABSENT), False, COUNTED),
        Step((1, ABSENT), True, COUNTED),
        Step((2, 0), True, ABOVE),
        Step((2, 1), True, ABOVE),
        Step((0, 0), None, ABOVE),
        Step((1, 1), True, COUNTED),
        Step((1, 0), False, COUNTED),
    ]
    assert (len(trace), trace.n_checked, trace.n_inferred) == (7, 4, 3)


def test_a_trace_can_be_read_while_it_grows() -> None:
    trace = Trace(1)
    trace.add((0,), False, COUNTED)
    assert len(list(trace)) == 1
    trace.add((1,), True, COUNTED)
    assert [step.node for step in trace] == [(0,), (1,)]


def test_the_largest_memory_is_reported_for_each_run() -> None:
    starts_anew = sys.platform == "linux"  # elsewhere only the maximum since the program started is available
    for megabytes in (64, 32):
        with Effort() as effort:
            kept = np.ones(megabytes << 17)
            del kept
        least = megabytes - 2 if starts_anew else 0
        assert least <= effort.peak_bytes / (1 << 20) < megabytes + 8
    with Effort() as effort:
        pass
    assert effort.peak_bytes < 4 << 20


def test_work_after_a_search_adds_its_time_and_may_need_more_memory() -> None:
    effort = Effort()
    effort.seconds, effort.peak_bytes = 2.0, 500
    found = Efficiency(1.5, 300, 7, 4, 1, 6, 12).followed_by(effort)
    assert as_figures(found) == {
        "seconds": 3.5,
        "peak_memory": 500,
        "nodes_checked": 7,
        "nodes_inferred": 4,
        "scans": 1,
        "roll_ups": 6,
        "generalization_steps": 12,
    }
    assert Efficiency(peak_bytes=900).followed_by(effort).peak_bytes == 900
