"""Class sizes, losses by attribute and metrics of a release, against counting and the reference program."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given

from engine.findings.subject import Subject
from engine.findings.utility.class_sizes import ClassSizes
from engine.findings.utility.loss_by_attribute import LossByAttribute
from engine.findings.utility.metrics import Metrics
from engine.pipeline import evaluate_node
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project.compile import compile_problem
from engine.project.project import frozen
from engine.recoding import Recoding, make_local_release, make_release, rooted
from engine.recoding.aggregation.functions import Mean
from engine.utility import utility_metrics
from tests.adult import ARX_COLUMNS, arx_project
from tests.conftest import DATA
from tests.engine.findings.behind import texts
from tests.engine.findings.risk.subjects import Released, letters, releases
from tests.strategies import Attributes, Case, few, modest

FIGURES: dict[str, Any] = json.loads((DATA / "arx" / "risk_quality.json").read_text(encoding="utf-8"))
OUTPUTS = [name for name in FIGURES if name.startswith("output")]


@cache
def reference_subject(name: str) -> Subject:
    """A release of Adult that the reference program was asked about."""
    project = replace(arx_project(), requirement=Requirement((KAnonymity(50 if "k50" in name else 5),), 1.0))
    node = tuple(FIGURES[name]["node"][column] for column in ARX_COLUMNS)
    return Subject(project, make_release(project, compile_problem(project), node))


@pytest.mark.parametrize("name", OUTPUTS)
def test_class_sizes_are_those_of_the_reference(name: str) -> None:
    expected, found = FIGURES[name]["class_stats"], ClassSizes().run(reference_subject(name))
    assert found.n_suppressed == expected["suppressed_rows"]
    assert (found.after.count, found.after.minimum, found.after.maximum) == (
        expected["classes"],
        expected["min_class"],
        expected["max_class"],
    )
    assert found.after.mean == pytest.approx(expected["avg_class"])


@pytest.mark.parametrize("name", OUTPUTS)
def test_quality_of_columns_is_that_of_the_reference(name: str) -> None:
    found = Metrics().run(reference_subject(name)).quality
    for figure in ("granularity", "generalization_intensity", "non_uniform_entropy", "missings"):
        expected = FIGURES[name]["quality"][figure]
        assert found.columns[figure].by_column == pytest.approx(expected["by_attribute"], rel=1e-9, abs=1e-10)
    for figure in ("discernibility", "average_class_size", "ambiguity"):
        assert found.table[figure].quality == pytest.approx(FIGURES[name]["quality"][figure]["value"])


def test_metrics_of_a_node_are_those_that_its_search_compares() -> None:
    subject = reference_subject(OUTPUTS[1])
    node = subject.release.node
    assert node is not None
    evaluation = evaluate_node(subject.project, subject.release.problem, node)
    found = Metrics().run(subject)
    assert found.metrics[0].key == subject.project.search.metric
    assert {metric.key for metric in found.metrics} == set(utility_metrics)
    for metric in found.metrics:
        natural = evaluation.metric(metric.key)[0]
        if metric.natural is None:
            assert math.isnan(natural)
            assert metric.why_not
        else:
            assert metric.natural == pytest.approx(natural, rel=1e-9)
            assert metric.normalized is not None
            assert 0 <= metric.normalized <= 1
    assert found.metric("loss").by_attribute.keys() == set(ARX_COLUMNS)


@modest
@given(releases())
def test_sizes_are_those_of_records_that_look_alike(released: Released) -> None:
    assume(not released.subject.why_empty)
    found = ClassSizes().run(released.subject)
    before, after = Counter(released.before), Counter(released.after)
    assert (found.before.count, found.before.maximum) == (len(before), max(before.values()))
    assert (found.after.count, found.after.minimum) == (len(after), min(after.values()))
    assert found.with_suppressed.count == len(after) + (found.n_suppressed > 0)
    for side, sizes in (("before", before), ("after", after)):
        n_classes, n_records = f"classes_{side}", f"records_{side}"
        assert sum(getattr(b, n_records) for b in found.bins) == sum(sizes.values())
        for b in found.bins:
            here = [size for size in sizes.values() if b.low <= size <= b.high]
            assert (getattr(b, n_classes), getattr(b, n_records)) == (len(here), sum(here))


def test_small_classes_have_bins_of_their_own_and_large_ones_go_by_powers_of_two() -> None:
    small = ClassSizes().run(letters(q="aaab").subject)
    assert [b.label for b in small.bins] == ["1", "2", "3"]
    large = ClassSizes().run(letters(q="a" * 10 + "b").subject)
    assert [b.label for b in large.bins] == ["1", "2–3", "4–7", "8–15"]
    assert [b.classes_before for b in large.bins] == [1, 0, 0, 1]


@modest
@given(releases())
def test_losses_joined_are_the_metric_and_values_are_counted(released: Released) -> None:
    assume(not released.subject.why_empty)
    found = LossByAttribute().run(released.subject)
    product = math.prod(a.loss + 1 for a in found.attributes) ** (1 / len(found.attributes)) - 1
    assert found.loss == pytest.approx(product, abs=1e-9)
    assert found.loss == pytest.approx(Metrics().run(released.subject).metric("loss").natural, abs=1e-12)
    for attribute, own in zip(released.case.qi, found.attributes, strict=True):
        assert own.name == attribute.name
        assert own.values_before == len(set(attribute.texts))
        assert own.values_after == len(set(texts(released, attribute.name).values()))
        assert 0 <= own.loss <= 1


@few
@given(releases())
def test_metrics_exist_or_say_why_not_whatever_is_released(released: Released) -> None:
    assume(not released.subject.why_empty)
    found = Metrics().run(released.subject)
    assert all((metric.natural is None) == bool(metric.why_not) for metric in found.metrics)
    assert (found.quality is None) == bool(found.why_no_quality) == bool(released.subject.release.aggregates)


AGES = Case(
    (
        Attributes(
            "age",
            ("21", "25", "34", "38"),
            rows=tuple((age, f"{age[0]}0s", "*") for age in ("21", "25", "34", "38")),
        ),
    )
)


def test_levels_are_told_in_words() -> None:
    requirement = Requirement((KAnonymity(1),), 1.0)
    project, problem = AGES.under(requirement), rooted(AGES.problem)
    (kept,) = LossByAttribute().run(Subject(project, make_release(project, problem, (0,)))).attributes
    assert (kept.words, kept.summary) == ("unchanged", "level 0 of 2 · 4 to 4 values")
    (hidden,) = LossByAttribute().run(Subject(project, make_release(project, problem, (2,)))).attributes
    assert (hidden.words, hidden.summary, hidden.loss) == ("hidden", "level 2 of 2 · 4 to 1 value", 1)
    release = make_release(project, problem, (0,))
    levels = Recoding.of_node((0,), release.suppressed)
    levels.levels[2:] = 1
    (mixed,) = (
        LossByAttribute().run(Subject(project, make_local_release(project, problem, levels))).attributes
    )
    assert (mixed.level, mixed.last_level) == (0, 1)
    assert mixed.summary == "levels 0 to 1 of 2 · 4 to 3 values"
    assert mixed.words == "unchanged to 20s, 30s"


def test_aggregates_have_no_level_and_no_quality_in_hierarchies() -> None:
    numbers = Case((replace(AGES.qi[0], kind=AGES.qi[0].kind.INTEGER),))
    project = replace(
        numbers.under(Requirement((KAnonymity(1),), 1.0)),
        microaggregation=frozen({"age": Mean(grouping=True)}),
    )
    subject = Subject(project, make_release(project, compile_problem(project), (1,)))
    (age,) = LossByAttribute().run(subject).attributes
    assert (age.level, age.summary) == (None, "mean of each class · 4 to 2 values")
    found = Metrics().run(subject)
    assert found.quality is None
    assert "Cells of 'age' are aggregates" in found.why_no_quality


def test_tables_of_figures_have_every_metric_and_attribute() -> None:
    found = Metrics().run(letters(q="ab", r="xy", s="uv").subject)
    metrics, by_attribute, columns, records = found.tables()
    assert [row[0] for row in metrics.rows] == [metric.key for metric in found.metrics]
    assert {row[1] for row in by_attribute.rows} == {"q", "r"}
    assert ("granularity", "Granularity", "q", 1.0) in columns.rows
    assert [row[0] for row in records.rows] == ["discernibility", "average_class_size", "ambiguity"]


def test_quality_is_told_where_a_label_stands_on_several_levels_that_are_released_side_by_side() -> None:
    rows = tuple((value, group, "x", "*") for value, group in zip("pqrs", "xxyy", strict=True))
    case = Case((Attributes("a", tuple("pqrs"), rows=rows),))
    project = case.under(Requirement((), 0.0))
    problem = rooted(compile_problem(project))
    # As a file these are two records of the lower "x", under which q leaves but one.
    recoding = Recoding(np.array([[2], [0], [2], [0]], dtype=np.int16), np.zeros(4, dtype=bool))
    quality = Metrics().run(Subject(project, make_local_release(project, problem, recoding))).quality
    assert quality.columns["granularity"].scales["a"].result == pytest.approx((4 + 1 + 4 + 1) / 16)
    assert quality.columns["generalization_intensity"].scales["a"].result == pytest.approx((2 + 2) / 3 / 4)
