"""Single models on classes small enough to count by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.errors import InputError
from engine.frequency import SensitiveAttribute
from engine.frequency.measured import MeasuredClasses, pairs_of
from engine.hierarchies import Hierarchy
from engine.privacy import Monotonic, PrivacyModel, Requirement
from engine.privacy.alpha_k_anonymity import AlphaKAnonymity
from engine.privacy.basic_beta_likeness import BasicBetaLikeness
from engine.privacy.delta_disclosure import DeltaDisclosure
from engine.privacy.enhanced_beta_likeness import EnhancedBetaLikeness
from engine.privacy.entropy_l_diversity import EntropyLDiversity
from engine.privacy.recursive_c_l_diversity import RecursiveCLDiversity
from engine.privacy.t_closeness import TCloseness
from engine.records import DataType, Kind
from engine.records.values import make_column
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from tests.strategies import Attributes, Case


def classes_of(*classes: str, rows: list[tuple[str, ...]] | None = None) -> MeasuredClasses:
    """Classes given by one letter per record; the table is all of them."""
    texts = "".join(classes)
    letters = sorted(set(texts))
    codes = np.array([letters.index(text) for text in texts], dtype=np.int32)
    hierarchy = Hierarchy.from_rows(rows) if rows else None
    attribute = SensitiveAttribute(make_column("s", letters, codes, DataType(Kind.TEXT)), hierarchy)
    labels = np.repeat(np.arange(len(classes)), [len(members) for members in classes])
    pairs = pairs_of(labels, codes, None, len(letters))
    sizes = np.array([len(members) for members in classes])
    return MeasuredClasses(sizes, [attribute], lambda _: pairs)


def met(model: PrivacyModel, *classes: str) -> list[bool]:
    return model.fulfilled(classes_of(*classes)).tolist()


def test_alpha_k_requires_both_the_share_and_the_size() -> None:
    classes = ("aabb", "aaab", "ab", "aaabb")
    assert met(AlphaKAnonymity("s", 0.5, 3), *classes) == [True, False, False, False]
    assert met(AlphaKAnonymity("s", 0.6, 5), *classes) == [False, False, False, True]
    assert met(AlphaKAnonymity("s", 1.0, 5), *classes) == [False, False, False, True]
    assert Requirement((AlphaKAnonymity("s", 0.5, 3),)).k == 3


@pytest.mark.parametrize("n_values", range(2, 27))
def test_equally_frequent_values_are_as_diverse_as_they_are_many(n_values: int) -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"[:n_values]
    assert met(EntropyLDiversity("s", float(n_values)), letters, letters * 3) == [True, True]
    assert met(EntropyLDiversity("s", n_values + 1e-6), letters, letters * 3) == [False, False]


def test_grassbergers_estimate_raises_small_classes_up_to_their_distinct_values() -> None:
    # Two classes of one record: G(2) - G(1) = 2, and e to the 2 is 7.39; there are only two values.
    small = classes_of("ab", "aaaaaaab")
    measured = EntropyLDiversity("s", 2.0, "grassberger").measure(small)
    assert measured[0] == 2
    # G(8) - 7/8 G(7) - 1/8 G(1), each G minus G(1): 2/1 + 2/3 + 2/5 + 2/7, its first three terms, 0.
    assert measured[1] == pytest.approx(math.exp(2 + 2 / 3 + 2 / 5 + 2 / 7 - 7 / 8 * (2 + 2 / 3 + 2 / 5)))
    assert measured[1] > EntropyLDiversity("s", 2.0).measure(small)[1]


def test_grassbergers_estimate_is_declared_not_monotonic_because_it_is_not() -> None:
    # "ab" and "ab" meet l = 2, their union "aabb" does not
    model = EntropyLDiversity("s", 2.0, "grassberger")
    assert met(model, "ab", "ab") == [True, True]
    assert met(model, "aabb") == [False]
    assert model.monotonic is Monotonic.NEVER
    assert EntropyLDiversity("s", 2.0).monotonic is Monotonic.WITHOUT_SUPPRESSION


def test_recursive_diversity_is_strict() -> None:
    # 7, 2, 1: 7 / 1 for l = 3, 7 / 3 for l = 2.
    assert met(RecursiveCLDiversity("s", 7.0, 3), "aaaaaaabbc") == [False]
    assert met(RecursiveCLDiversity("s", math.nextafter(7.0, 8), 3), "aaaaaaabbc") == [True]
    assert met(RecursiveCLDiversity("s", 2.34, 2), "aaaaaaabbc") == [True]
    assert met(RecursiveCLDiversity("s", 1e9, 4), "aaaaaaabbc") == [False]


def test_basic_beta_counts_gains_only_and_a_tie_is_met() -> None:
    assert met(BasicBetaLikeness("s", 1.0), "aab", "bbbbb", "cb") == [False, True, False]
    # Shares of the table: a 1/5, b 7/10, c 1/10; a triples its share in "aab", a gain of 7/3.
    assert BasicBetaLikeness("s").measure(classes_of("aab", "bbbbb", "cb")).tolist() == pytest.approx(
        [7 / 3, 3 / 7, 4.0]
    )
    assert met(BasicBetaLikeness("s", 4.0), "aab", "bbbbb", "cb") == [True, True, True]


def test_enhanced_beta_is_met_by_no_threshold_if_a_rare_value_is_alone_in_its_class() -> None:
    # The single a of sixteen records gains 15; its bound is log 16 = 2.77.
    classes = ("a", "b" * 8 + "c" * 7)
    assert EnhancedBetaLikeness("s").measure(classes_of(*classes)).tolist() == [math.inf, 1 / 15]
    assert met(EnhancedBetaLikeness("s", 1e9), *classes) == [False, True]


def test_delta_disclosure_is_the_natural_logarithm_and_its_tie_is_met() -> None:
    # a is half of the table and a quarter of the class: log 2; b gains log 1.5.
    classes = ("abbb", "aaab")
    assert DeltaDisclosure("s").measure(classes_of(*classes)) == pytest.approx([math.log(2)] * 2)
    assert met(DeltaDisclosure("s", math.log(2)), *classes) == [True, True]
    assert met(DeltaDisclosure("s", math.log(2) * (1 - 1e-11)), *classes) == [False, False]
    assert met(DeltaDisclosure("s", 1e9), "aab", "bb") == [True, False]


def test_the_hierarchical_distance_is_refused_without_a_hierarchy() -> None:
    model = TCloseness("s", 0.5, "hierarchical")
    with pytest.raises(InputError, match="'s' has no hierarchy"):
        model.fulfilled(classes_of("ab", "cc"))
    with pytest.raises(InputError, match="lacks 1 of its values, such as 'c'"):
        model.fulfilled(classes_of("ab", "cc", rows=[("a", "*"), ("b", "*")]))
    rows = [("a", "x", "*"), ("b", "x", "*"), ("c", "c", "*")]
    assert model.measure(classes_of("ab", "cc", rows=rows)).tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    "model",
    [
        AlphaKAnonymity("s", 0.6, 1),
        EntropyLDiversity("s", 1.95),
        RecursiveCLDiversity("s", 1.6, 2),
        TCloseness("s", 0.1, "equal"),
        BasicBetaLikeness("s", 0.2),
        EnhancedBetaLikeness("s", 0.2),
        DeltaDisclosure("s", 0.25),
    ],
    ids=lambda model: str(model.key),
)
def test_with_suppression_a_node_may_meet_a_model_that_its_successor_fails(model: PrivacyModel) -> None:
    # x 3 a 3 b, y 2 a, z 4 a 6 b. Below, y is suppressed, 2 of 18; above, it makes x fail: 5 a 3 b, 8 of 18.
    qi = Attributes("q", tuple("x" * 6 + "y" * 2 + "z" * 10), rows=(("x", "xy"), ("y", "xy"), ("z", "z")))
    case = Case((qi,), (Attributes("s", tuple("aaabbb" + "aa" + "aaaabbbbbb")),))
    requirement = Requirement((model,), 0.2)
    profile = score_lattice(case.problem, profile=LatticeProfile(case.problem, requirement))
    evaluation = evaluate(profile, requirement)
    assert evaluation.suppressed.tolist() == [2, 8]
    assert evaluation.satisfies.tolist() == [True, False]
    assert model.monotonic is Monotonic.WITHOUT_SUPPRESSION
