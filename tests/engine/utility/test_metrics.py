"""Metrics on a table small enough to count by hand."""

from __future__ import annotations

from math import log2, sqrt

import numpy as np
import pytest

from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.records import Kind
from engine.scoring import Evaluation, score_lattice
from engine.scoring.evaluate import evaluate
from tests.strategies import Attributes, Case

# Ages 10, 20 | 30, 50 without a record of 50, and a sex with one record: eight leaves and two.
AGES = (("10", "young", "*"), ("20", "young", "*"), ("30", "old", "*"), ("50", "old", "*"))
SEXES = (("f", "*"), ("m", "*"))


def judged(k: int, limit: float = 1.0, weights: list[float] | None = None) -> Evaluation:
    case = Case(
        (
            Attributes("age", ("10", "20", "20", "30"), Kind.INTEGER, AGES),
            Attributes("sex", ("f", "f", "f", "m"), rows=SEXES),
        )
    )
    profile = score_lattice(case.problem)
    requirement = Requirement((KAnonymity(k),), limit)
    return evaluate(profile, requirement, None if weights is None else np.array(weights))


def value(key: str, node: tuple[int, int], k: int = 2, weights: list[float] | None = None) -> float:
    """A metric if the three young women are kept and the man of 30 is not (node (1, 0), k = 2)."""
    evaluation = judged(k, weights=weights)
    return float(evaluation.metric(key)[evaluation.problem.lattice.number(node)])


def test_loss_combines_the_shares_of_leaves_by_a_geometric_mean() -> None:
    age = ((3 * 2 / 4 + 1) / 4 - 1 / 4) / (1 - 1 / 4)  # three records cover 2 of 4 leaves, one all
    sex = ((3 * 1 / 2 + 1) / 4 - 1 / 2) / (1 - 1 / 2)
    assert value("loss", (1, 0)) == pytest.approx(sqrt((1 + age) * (1 + sex)) - 1, rel=1e-12)
    weighted = (1 + age) ** 0.75 * (1 + sex) ** 0.25 - 1
    assert value("loss", (1, 0), weights=[3.0, 1.0]) == pytest.approx(weighted, rel=1e-12)


def test_generalized_loss_takes_the_width_of_numbers_and_the_leaves_of_texts() -> None:
    age = (3 * (20 - 10) / (50 - 10) + 1) / 4
    sex = (3 * 0 + 1) / 4
    assert value("gen_iloss", (1, 0)) == pytest.approx((age + sex) / 2, rel=1e-12)


def test_precision_is_the_mean_level_over_height_with_suppressed_cells_at_the_top() -> None:
    assert value("precision", (1, 0)) == pytest.approx(((3 * 1 / 2 + 1) / 4 + 1 / 4) / 2, rel=1e-12)


def test_discernibility_squares_kept_classes_and_charges_a_suppressed_record_the_table() -> None:
    assert value("discernibility", (1, 0)) == 3**2 + 1 * 4


def test_the_average_class_size_counts_the_suppressed_as_one_class() -> None:
    assert value("aecs", (1, 0)) == 4 / (1 + 1)
    assert value("aecs", (2, 1)) == 4


def test_the_normalized_class_size_divides_by_the_required_k() -> None:
    assert value("c_avg", (1, 0)) == 3 / (1 * 2)
    assert np.isnan(value("c_avg", (0, 0), k=3))


def test_without_a_required_k_the_measured_one_divides() -> None:
    evaluation = judged(2)
    free = evaluate(evaluation.profile, Requirement((), 1.0))
    assert free.metric("c_avg")[free.problem.lattice.number((1, 0))] == 4 / (2 * 1)


def test_entropy_adds_the_bits_of_generalization_and_of_suppression() -> None:
    # Age: 10 becomes one of three young, both 20s likewise; 30 is unique. Sex is unchanged. One record is
    # suppressed: no entropy of one record.
    assert value("non_uniform_entropy", (1, 0)) == pytest.approx(log2(3 / 1) + 2 * log2(3 / 2), rel=1e-12)
    # k = 3 at the bottom: all four suppressed; labels 10, 20, 20, 30 and f, f, f, m.
    age = 2 * log2(4 / 1) + 2 * log2(4 / 2)
    sex = 3 * log2(4 / 3) + log2(4 / 1)
    assert value("non_uniform_entropy", (0, 0), k=3) == pytest.approx(age + sex, rel=1e-12)


def test_scores_do_not_depend_on_the_limit() -> None:
    strict, loose = judged(2, 0.0), judged(2, 1.0)
    for key in ("loss", "gen_iloss", "precision", "discernibility", "aecs", "non_uniform_entropy"):
        assert np.array_equal(strict.metric(key), loose.metric(key)), key


@pytest.mark.parametrize("key", ["loss", "gen_iloss", "precision", "non_uniform_entropy"])
def test_an_attribute_of_one_value_and_no_height_loses_nothing_even_if_suppressed(key: str) -> None:
    case = Case((Attributes("q", ("a", "a", "a"), rows=(("a",),)),))
    gone = evaluate(score_lattice(case.problem), Requirement((KAnonymity(4),), 1.0))
    assert gone.suppressed[0] == 3
    assert gone.metric(key)[0] == 0
