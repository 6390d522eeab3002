"""Gains and disclosures of single values against exact fractions."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from engine.kernels.distances import Pairs, Reference
from engine.kernels.likeness import basic_gains, disclosures, enhanced_gains
from tests.engine.kernels.spreads import Classes, arranged, values_of_classes
from tests.strategies import modest


def shares(classes: Classes) -> tuple[dict[int, Fraction], list[dict[int, Fraction]]]:
    """Share of every value in the table, and in each class."""
    table = Counter(v for m in classes for v in m)
    n = sum(table.values())
    inside = [{v: Fraction(c, len(m)) for v, c in Counter(m).items()} for m in classes]
    return {v: Fraction(c, n) for v, c in table.items()}, inside


@modest
@given(values_of_classes)
def test_the_basic_gain_is_the_exact_fraction_rounded_once(classes: Classes) -> None:
    whole, inside = shares(classes)
    expected = [float(max(max((q - whole[v]) / whole[v] for v, q in own.items()), 0)) for own in inside]
    assert basic_gains(*arranged(classes)).tolist() == expected


@modest
@given(values_of_classes)
def test_an_enhanced_gain_is_unbounded_exactly_if_a_value_exceeds_its_bound(classes: Classes) -> None:
    whole, inside = shares(classes)
    expected = []
    for own in inside:
        gains = {v: (q - whole[v]) / whole[v] for v, q in own.items()}
        broken = any(gain > -math.log(whole[v]) * (1 + 1e-12) for v, gain in gains.items() if gain > 0)
        expected.append(math.inf if broken else float(max(*gains.values(), Fraction(0))))
    assert enhanced_gains(*arranged(classes)).tolist() == expected


@modest
@given(values_of_classes)
def test_the_disclosure_is_the_largest_logarithm_and_unbounded_if_a_value_is_absent(
    classes: Classes,
) -> None:
    whole, inside = shares(classes)
    expected = [
        max(abs(math.log(q / whole[v])) for v, q in own.items()) if len(own) == len(whole) else math.inf
        for own in inside
    ]
    assert disclosures(*arranged(classes)) == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_a_class_distributed_like_the_table_gains_and_discloses_nothing() -> None:
    same = arranged([[0, 1, 1], [0, 0, 1, 1, 1, 1]])
    for measure in (basic_gains, enhanced_gains, disclosures):
        assert measure(*same).tolist() == [0, 0]


def test_a_constant_column_has_nothing_to_gain() -> None:
    for measure in (basic_gains, enhanced_gains, disclosures):
        assert measure(*arranged([[5, 5], [5]])).tolist() == [0, 0]


def test_counts_with_products_beyond_63_bits_are_computed_as_reals() -> None:
    half = 2**32
    pairs = Pairs(np.array([0, 1]), np.array([half // 2, half // 2 * 3]), np.array([0]))
    sizes, table = np.array([2 * half]), Reference(np.array([half, half]))
    assert basic_gains(pairs, sizes, table)[0] == pytest.approx(0.5)
    assert enhanced_gains(pairs, sizes, table)[0] == pytest.approx(0.5)
    assert disclosures(pairs, sizes, table)[0] == pytest.approx(math.log(2))
