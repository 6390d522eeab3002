"""Compiled measures against those by numpy."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.frequency import compiled
from engine.frequency.classes import (
    BASIC_GAIN,
    DISTINCT,
    ENHANCED_GAIN,
    EQUAL,
    HIERARCHICAL,
    INDIVIDUAL_RISK,
    LARGEST_SHARE,
    ORDERED,
    TAIL_RATIO,
    WEIGHTED_PEOPLE,
)
from engine.frequency.compiled import compiled_measure
from engine.frequency.measures.base import MEASURES
from engine.kernels.distances import Pairs, Reference, Tree
from engine.scoring.walk.tuples import at_node, base_tuples, measured_classes
from tests.strategies import cases, modest, nodes

EXACT = {DISTINCT, EQUAL, ORDERED, HIERARCHICAL, LARGEST_SHARE, TAIL_RATIO, BASIC_GAIN, ENHANCED_GAIN}

BY_NUMPY = {INDIVIDUAL_RISK, WEIGHTED_PEOPLE}  # of weights: a sum per class, and a formula of it
COMPILED = [name for name in MEASURES if name not in BY_NUMPY]


@dataclass(frozen=True)
class Attribute:
    """A sensitive attribute of made-up counts, each value a group of its own below one root."""

    counts: tuple[int, ...]

    @cached_property
    def reference(self) -> Reference:
        return Reference(np.array(self.counts, dtype=np.int64))

    @cached_property
    def tree(self) -> Tree:
        return Tree(np.arange(len(self.counts))[None, :], self.reference.counts)

    @property
    def n_values(self) -> int:
        return len(self.counts)


def agree(name: str, pairs: Pairs, sizes: np.ndarray, attribute: object, parameter: int) -> None:
    measure = compiled_measure(name)
    by_numpy = MEASURES[name].function(pairs, sizes, attribute, parameter)  # type: ignore[arg-type]
    by_machine = measure(pairs, sizes, attribute, parameter)  # type: ignore[arg-type]
    assert by_machine.dtype == by_numpy.dtype
    if name in EXACT:
        np.testing.assert_array_equal(by_machine, by_numpy)
    else:
        np.testing.assert_allclose(by_machine, by_numpy, rtol=1e-12, atol=0)


@pytest.mark.parametrize("name", COMPILED)
def test_every_measure_of_sensitive_values_has_a_compiled_version_with_equal_results(name: str) -> None:
    @modest
    @given(st.data())
    def check(data: st.DataObject) -> None:
        case = data.draw(cases(min_sensitive=1))
        _, classes = measured_classes(
            case.problem, at_node(base_tuples(case.problem), data.draw(nodes(case)))
        )
        for attribute in case.problem.sensitive:
            if name != HIERARCHICAL or not attribute.why_not_hierarchical:
                pairs = classes.pairs(attribute.name)
                agree(name, pairs, classes.sizes, attribute, data.draw(st.integers(1, 6)))

    check()


@pytest.mark.parametrize("name", COMPILED)
def test_large_classes_of_many_values_have_equal_measures_too(name: str) -> None:
    rng = np.random.default_rng(5)
    counts = rng.integers(1, 3_000, size=(40, 300)) * (rng.random((40, 300)) < 0.4)
    counts[:, 0] += 1
    counts[7, 1:] = 0  # one value only
    counts[8] = counts[8] > 0
    counts[9, :2], counts[9, 2:] = (90_000, 1), 0  # an entropy near 0
    classes, values = np.nonzero(counts)
    pairs = Pairs(values, counts[classes, values], np.searchsorted(classes, np.arange(40)))
    whole = Attribute(tuple((counts.sum(axis=0) + 1).tolist()))
    for parameter in (1, 2, 5, 100, 400):
        agree(name, pairs, counts.sum(axis=1), whole, parameter)


@pytest.mark.parametrize("name", sorted(set(COMPILED) - {DISTINCT}))
def test_counts_with_products_beyond_63_bits_are_measured_by_numpy(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = Attribute((2**33, 2**33))
    pairs = Pairs(np.array([0, 0, 1]), np.array([2**20, 1, 3]), np.array([0, 1]))
    agree(name, pairs, np.array([2**20, 4]), large, 2)
    kernel = MEASURES[name].kernel
    if kernel.inputs(np.array([1]), large, 2) is None:  # type: ignore[arg-type]
        calls = []
        spied = MEASURES[name]._replace(function=lambda *inputs: calls.append(inputs))  # type: ignore[arg-type,return-value]
        monkeypatch.setattr(compiled, "MEASURES", {name: spied})
        measure = compiled_measure(name)
        measure(pairs, np.array([2**20, 4]), large, 2)  # type: ignore[arg-type]
        assert len(calls) == 1
    else:
        assert name not in (EQUAL, ORDERED, HIERARCHICAL, BASIC_GAIN, ENHANCED_GAIN)


def test_sums_over_many_ordered_values_beyond_63_bits_are_measured_by_numpy() -> None:
    table = Attribute((200,) * 50_000)  # ten million records of 50,000 values
    agree(
        ORDERED,
        Pairs(np.array([0, 49_999]), np.array([10, 4]), np.array([0, 1])),
        np.array([10, 4]),
        table,
        0,
    )


def test_a_measure_without_a_compiled_version_gives_none() -> None:
    for name in (*BY_NUMPY, "no such measure"):
        assert compiled_measure(name) is None


def test_without_numba_there_are_no_compiled_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "engine.kernels.compiled.measures", None)
    assert compiled_measure(EQUAL) is None


def test_numba_is_not_imported_before_a_compiled_measure_is_needed() -> None:
    code = "import sys, engine.frequency.compiled, engine.privacy; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
