"""Masked texts with an alphabet in the ARX project cover all texts of their length."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.arx.intervals import states_alphabet, with_whole_alphabet
from engine.arx.java_stream import JavaObject
from engine.arx.reading import read_arx
from engine.hierarchies import Hierarchy
from engine.pipeline import evaluate_node
from engine.project.compile import compile_problem
from tests.arx_projects import (
    Object,
    arx_project,
    configuration,
    java_map,
    java_number,
    measure_object,
)

BUILDER = "org.deidentifier.arx.aggregates.HierarchyBuilderRedactionBased"
CODES = [["017", "01*", "0**", "*"], ["012", "01*", "0**", "*"], ["999", "99*", "9**", "*"]]


def builder(n_texts: Any = 1000.0, n_letters: Any = 10.0, length: Any = 3.0) -> JavaObject:
    stated = {"domainSize": n_texts, "alphabetSize": n_letters, "maxValueLength": length}
    return JavaObject("HierarchyBuilderRedactionBased", stated)


def test_a_masked_text_covers_all_texts_of_the_alphabet() -> None:
    whole = with_whole_alphabet(Hierarchy.from_rows(CODES), builder())
    assert whole.n_leaves == 1000
    assert [set(level.n_leaves.tolist()) for level in whole.levels] == [{1}, {10}, {100}, {1000}]
    assert [whole.label("017", level) for level in range(4)] == ["017", "01*", "0**", "*"]
    assert [whole.label("555", level) for level in range(4)] == ["555", "55*", "5**", "*"]


def test_texts_are_masked_from_the_left_as_well() -> None:
    whole = with_whole_alphabet(Hierarchy.from_rows([["017", "x17"], ["912", "x12"]]), builder())
    assert (whole.n_leaves, whole.label("342", 1)) == (1000, "x42")


@pytest.mark.parametrize(
    ("rows", "made"),
    [
        (CODES, builder(n_texts=500.0)),
        (CODES, builder(n_letters=26.0, n_texts=26.0**3)),
        (CODES, builder(length=4.0, n_texts=10_000.0)),
        (CODES, builder(length=9.0, n_texts=1e9)),
        ([["017", "01*"], ["NULL", "NUL*"]], builder()),
        ([["017", "0**"], ["912", "9**"]], builder()),
        ([["017", "low"], ["912", "high"]], builder()),
        ([["017", "01*", "*17"], ["912", "91*", "*12"]], builder()),
    ],
)
def test_nothing_is_guessed_if_the_texts_are_not_all_of_the_domain(
    rows: list[list[str]], made: JavaObject
) -> None:
    assert with_whole_alphabet(Hierarchy.from_rows(rows), made) is None


def test_a_builder_that_was_not_told_an_alphabet_counts_values() -> None:
    assert states_alphabet(builder())
    assert not states_alphabet(builder(n_letters=None))


@pytest.mark.parametrize("n_texts", [100, 60])
def test_a_project_is_measured_by_its_alphabet_or_says_so(tmp_path: Path, n_texts: int) -> None:
    ages = (31, 32, 35, 36, 58, 59, 71, 72)
    masked = "".join(f"{age};{age // 10}*;**\n" for age in ages)
    stated = {
        "domainSize": java_number(float(n_texts)),
        "alphabetSize": java_number(10.0),
        "maxValueLength": java_number(2.0),
    }
    config = configuration(
        measure=measure_object("MetricMDNMLoss", "ARITHMETIC_MEAN", 0.5),
        hierarchyBuilders=java_map({"age": Object(BUILDER, stated)}),
    )
    opened = read_arx(arx_project(tmp_path, hierarchies={"age": masked, "sex": "f;*\nm;*\n"}, config=config))
    listed = [loss.what for loss in opened.losses]
    assert ("Hierarchy of “age” in the measure" in listed) is (n_texts != 100)
    project = opened.project
    loss = float(evaluate_node(project, compile_problem(project), (1, 0)).metric("loss")[0])
    if n_texts == 100:
        assert loss == pytest.approx((0.1 - 0.01) / (1 - 0.01) / 2)
