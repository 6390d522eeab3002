"""Intervals that ARX's wizard made cover all whole numbers of their range, with or without records."""

from __future__ import annotations

import re
import time
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from engine.arx.archive import open_arx
from engine.arx.intervals import MOST_VALUES, with_whole_range
from engine.arx.java_stream import JavaObject
from engine.arx.measures import nodes_of
from engine.arx.reading import read_arx
from engine.hierarchies import Hierarchy
from engine.pipeline import evaluate_node, search
from engine.project.compile import compile_problem
from tests.arx_projects import (
    Object,
    arx_project,
    configuration,
    java_map,
    java_number,
    measure_object,
)

Bounds = tuple[int, int]
BUILDER = "org.deidentifier.arx.aggregates.HierarchyBuilder"


def number(value: int | None) -> JavaObject | None:
    return None if value is None else JavaObject("java.lang.Long", {"value": value})


def listed(values: Sequence[Any]) -> JavaObject:
    return JavaObject("java.util.ArrayList", {"size": len(values)}, list(values))


def side(repeat: int | None = None, snap: int | None = None, limit: int | None = None) -> JavaObject:
    bounds = {"repeatBound": number(repeat), "snapBound": number(snap), "labelBound": number(limit)}
    return JavaObject("Range", bounds)


def builder(
    intervals: Sequence[Bounds],
    groups: Sequence[Sequence[int]],
    lower: JavaObject,
    upper: JavaObject,
    kind: str = "Integer",
) -> JavaObject:
    levels: list[Any] = []
    for place, sizes in enumerate(groups):
        members = listed([JavaObject("Group", {"size": size}) for size in sizes])
        levels += [JavaObject("java.lang.Integer", {"value": place}), JavaObject("Level", {"list": members})]
    return JavaObject(
        "HierarchyBuilderIntervalBased",
        {
            "datatype": JavaObject(f"org.deidentifier.arx.DataType$ARX{kind}"),
            "intervals": listed(
                [JavaObject("Interval", {"min": number(low), "max": number(high)}) for low, high in intervals]
            ),
            "groups": JavaObject("java.util.HashMap", {}, levels),
            "lowerRange": lower,
            "upperRange": upper,
        },
    )


def covered(hierarchy: Hierarchy) -> list[dict[str, int]]:
    return [dict(zip(level.labels, level.n_leaves.tolist(), strict=True)) for level in hierarchy.levels[1:]]


FIVES = Hierarchy.from_rows(
    [
        ["3", "[0, 5[", "[0, 10[", "*"],
        ["7", "[5, 10[", "[0, 10[", "*"],
        ["12", "[10, 15[", "[10, 20[", "*"],
        ["99", "[95, 100[", "[90, 100[", "*"],
    ]
)


def test_every_label_covers_its_width_and_values_keep_their_labels() -> None:
    whole = with_whole_range(FIVES, builder([(0, 5)], [[2]], side(0, 0, 0), side(100, 100, 100)))
    assert whole.n_leaves == 100
    assert [whole.label(value, 2) for value in ("3", "99", "50")] == ["[0, 10[", "[90, 100[", "[50, 60["]
    first, second, top = covered(whole)
    assert set(first.values()) == {5}
    assert len(first) == 20
    assert set(second.values()) == {10}
    assert top == {"*": 100}


@pytest.mark.parametrize("sizes", [[2_000_000_000], [1000] * 1000, [500_000, 1]])
def test_groups_of_more_intervals_than_any_range_has_are_not_made(sizes: list[int]) -> None:
    began = time.process_time()
    assert with_whole_range(FIVES, builder([(0, 5)], [sizes], side(0, 0, 0), side(100, 100, 100))) is None
    assert time.process_time() - began < 1


def test_many_levels_of_many_intervals_are_not_made() -> None:
    many = builder(
        [(n, n + 1) for n in range(100_000)], [[1]] * 1000, side(0, 0, 0), side(100_000, 100_000, 100_000)
    )
    began = time.process_time()
    assert with_whole_range(FIVES, many) is None
    assert time.process_time() - began < 10


def test_values_outside_the_intervals_cover_the_rest_of_the_range() -> None:
    """As in ARX's example of incomes: bottom coding below 0, top coding from 100."""
    hierarchy = Hierarchy.from_rows(
        [["-10", "<0", "*"], ["0", "[0, 25[", "*"], ["80", "[75, 100[", "*"], ["250", ">=100", "*"]]
    )
    whole = with_whole_range(hierarchy, builder([(0, 25)], [], side(0, 0, -10), side(100, 100, 300)))
    assert whole is not None
    assert covered(whole)[0] == {
        "<0": 10,
        "[0, 25[": 25,
        "[25, 50[": 25,
        "[50, 75[": 25,
        "[75, 100[": 25,
        ">=100": 200,
    }


def test_the_outer_intervals_reach_to_the_bound_of_their_range() -> None:
    hierarchy = Hierarchy.from_rows([["1", "[0, 20[", "*"], ["25", "[20, 30[", "*"], ["42", "[30, 45[", "*"]])
    whole = with_whole_range(hierarchy, builder([(0, 10)], [], side(10, 0, 0), side(40, 45, 45)))
    assert whole is not None
    assert covered(whole)[0] == {"[0, 20[": 20, "[20, 30[": 10, "[30, 45[": 15}


def test_a_missing_value_stays_a_value_of_its_own() -> None:
    hierarchy = Hierarchy.from_rows([["3", "[0, 5[", "*"], ["NULL", "NULL", "*"], ["7", "[5, 10[", "*"]])
    whole = with_whole_range(hierarchy, builder([(0, 5)], [], side(0, 0, 0), side(10, 10, 10)))
    assert covered(whole) == [{"[0, 5[": 5, "[5, 10[": 5, "NULL": 1}, {"*": 11}]
    assert whole.label("NULL", 1) == "NULL"


HEIGHTS = Hierarchy.from_rows(
    [["1.5", "[0, 5[", "*"], ["2.25", "[0, 5[", "*"], ["4", "[0, 5[", "*"], ["9.5", "[5, 10[", "*"]]
)
CENTIMETRES = Hierarchy.from_rows([[f"1.{digit}", "[0, 2[", "*"] for digit in "123"])  # three in a width of 2


def test_intervals_of_decimal_numbers_cover_their_width_too() -> None:
    """ARX counts a single value as a width of 1, whatever its decimals."""
    whole = with_whole_range(HEIGHTS, builder([(0, 5)], [], side(0, 0, 0), side(10, 10, 10), kind="Decimal"))
    assert covered(whole) == [{"[0, 5[": 5, "[5, 10[": 5}, {"*": 10}]
    assert whole.values == ("0", "1", "1.5", "2.25", "4", "5", "6", "7", "8", "9.5")
    assert [whole.label(value, 1) for value in ("1.5", "9.5")] == ["[0, 5[", "[5, 10["]


FIVE = [(0, 5)]
ENDS = side(0, 0, 0), side(100, 100, 100)


@pytest.mark.parametrize(
    ("hierarchy", "made"),
    [
        (FIVES, builder(FIVE, [[2]], *ENDS, kind="Date")),
        (CENTIMETRES, builder([(0, 2)], [], side(0, 0, 0), side(4, 4, 4), kind="Decimal")),
        (HEIGHTS, builder(FIVE, [], side(0, 0, 0), side(10, 10, 10))),
        (FIVES, builder([(0, 7)], [[2]], *ENDS)),
        (FIVES, builder(FIVE, [[3]], *ENDS)),
        (FIVES, builder(FIVE, [], *ENDS)),
        (FIVES, builder([], [[2]], *ENDS)),
        (FIVES, builder([(0, 5), (6, 9)], [[2]], *ENDS)),
        (FIVES, builder(FIVE, [[2]], side(0, 0, 0), side(50, 50, 50))),
        (FIVES, builder(FIVE, [[2]], side(0, 0, 0), side(0, 0, MOST_VALUES + 1))),
        (Hierarchy.from_rows([["3", "low", "*"], ["7", "low", "*"]]), builder(FIVE, [], *ENDS)),
        (Hierarchy.from_rows([["x", "[0, 5[", "*"]]), builder(FIVE, [], *ENDS)),
        (Hierarchy.from_rows([["3", "[0, 5[", "*"], ["03", "[0, 5[", "*"]]), builder(FIVE, [], *ENDS)),
        (FIVES, JavaObject("HierarchyBuilderIntervalBased")),
    ],
)
def test_nothing_is_guessed_if_the_hierarchy_is_not_that_of_the_builder(
    hierarchy: Hierarchy, made: JavaObject
) -> None:
    assert with_whole_range(hierarchy, made) is None


@pytest.mark.parametrize("seed", range(30))
def test_labels_of_any_builder_cover_what_lies_between_their_bounds(seed: int) -> None:
    """Against numbers put into intervals one by one, by another program, on random builders."""
    random = np.random.default_rng(seed)
    widths = random.integers(1, 6, random.integers(1, 4))
    cuts = np.concatenate([[0], widths.cumsum()]).tolist()
    base = list(pairwise(cuts))
    n_blocks = int(random.integers(2, 6))
    end = cuts[-1] * n_blocks
    sizes = [len(base)]  # blocks of the base, then pairs of them
    rows = []
    for value in range(end):
        block, rest = divmod(value, cuts[-1])
        low, high = next((a, b) for a, b in base if rest < b)
        pair = block // 2 * 2
        rows.append(
            [
                str(value),
                f"[{block * cuts[-1] + low}, {block * cuts[-1] + high}[",
                f"[{block * cuts[-1]}, {(block + 1) * cuts[-1]}[",
                f"[{pair * cuts[-1]}, {(pair + 2) * cuts[-1]}[",
                "*",
            ]
        )
    if n_blocks % 2:  # the last pair would reach beyond the range
        rows = [[*row[:3], row[-1]] for row in rows]
    groups = [sizes, [2]][: 1 + (n_blocks % 2 == 0)]
    chosen = sorted(random.choice(end, size=max(2, end // 3), replace=False).tolist())
    present = Hierarchy.from_rows([rows[value] for value in chosen])
    whole = with_whole_range(present, builder(base, groups, side(0, 0, 0), side(end, end, end)))
    assert whole.rows() == [tuple(row) for row in rows]


def stored(intervals: Sequence[Bounds], low: int, high: int) -> Object:
    """The same builder in the form of a project."""
    bounds = [
        Object(f"{BUILDER}IntervalBased$Interval", {"min": java_number(one), "max": java_number(other)})
        for one, other in intervals
    ]
    ranges = {
        name: Object(
            f"{BUILDER}IntervalBased$Range",
            {bound: java_number(end) for bound in ("labelBound", "repeatBound", "snapBound")},
        )
        for name, end in (("lowerRange", low), ("upperRange", high))
    }
    return Object(
        f"{BUILDER}IntervalBased",
        {
            "datatype": Object("org.deidentifier.arx.DataType$ARXInteger", {}),
            "groups": Object("java.util.HashMap", {"threshold": 0}, [b"\0\0\0\x10"]),
            "intervals": Object("java.util.ArrayList", {"size": len(bounds)}, bounds),
            **ranges,
        },
    )


def test_a_project_is_measured_by_the_width_of_its_intervals(tmp_path: Path) -> None:
    """Ages 31 to 72 in bands of ten of the range from 0 to 100: each covers a tenth."""
    ages = (31, 32, 35, 36, 58, 59, 71, 72)
    bands = "".join(f"{age};[{age // 10 * 10}, {age // 10 * 10 + 10}[;*\n" for age in ages)
    config = configuration(
        measure=measure_object("MetricMDNMLoss", "ARITHMETIC_MEAN", 0.5),
        hierarchyBuilders=java_map({"age": stored([(0, 10)], 0, 100)}),
    )
    project = read_arx(
        arx_project(tmp_path, hierarchies={"age": bands, "sex": "f;*\nm;*\n"}, config=config)
    ).project
    assert project.hierarchies["age"].hierarchy.n_leaves == 100
    loss = float(evaluate_node(project, compile_problem(project), (1, 0)).metric("loss")[0])
    assert loss == pytest.approx(
        (0.1 - 0.01) / (1 - 0.01) / 2
    )  # the mean of age and of sex, which is unchanged


class SlowLoss:
    """Loss of a node of ARX's larger example by ARX's definition, over all records, without any index.

    `is_right` is whether intervals have their width. A version of ARX 3.7 measured them as if they were
    outside the range: those of weights cost nothing, and those of incomes as much as top coding.
    """

    RANGES = {"Weight": (0, 1_000), "Income": (-10_000, 300_000)}
    OUTSIDE = {"Weight": 0, "Income": 200_000}
    FACTOR = 0.014  # of suppression

    def __init__(self, path: Path, *, is_right: bool) -> None:
        with zipfile.ZipFile(path) as archive:
            text = {"dtype": str, "sep": ";", "keep_default_na": False}
            table = pd.read_csv(archive.open("data/input.csv"), **text)
            self.codes, self.shares, self.sizes = [], [], []
            for name in table.columns.drop("Age"):
                rows = pd.read_csv(archive.open(f"input/hierarchies/{name}.csv"), header=None, **text)
                low, high = self.RANGES.get(name, (0, len(rows)))
                leaf = pd.Index(rows[0]).get_indexer(table[name])
                found = [pd.factorize(rows[level]) for level in rows.columns]
                self.codes.append([codes[leaf] for codes, _labels in found])
                self.sizes.append(high - low)
                self.shares.append(
                    [
                        self.covered(name, labels, is_right=is_right)
                        if name in self.RANGES
                        else np.bincount(codes) / len(rows)
                        for codes, labels in found
                    ]
                )
        self.age = table["Age"].astype(float).to_numpy()
        self.n_records = len(table)

    def covered(self, name: str, labels: Sequence[str], *, is_right: bool) -> Any:
        low, high = self.RANGES[name]
        widths = []
        for label in labels:
            numbers = [int(number) for number in re.findall(r"-?\d+", label)]
            if label == "*":
                widths.append(high - low)
            elif label.startswith("["):
                widths.append(numbers[1] - numbers[0] if is_right else self.OUTSIDE[name])
            else:
                sides = {"<": numbers[-1:] and numbers[-1] - low, ">": numbers[-1:] and high - numbers[-1]}
                widths.append(sides.get(label[:1], 1))
        return np.array(widths, dtype=float) / (high - low)

    def of(self, node: Sequence[int]) -> float:
        keys = pd.DataFrame({q: self.codes[q][level] for q, level in enumerate(node)})
        group = keys.groupby(list(keys.columns), sort=False).ngroup().to_numpy()
        sizes = np.bincount(group)
        kept = (sizes >= 5)[group]
        losses = []
        for q, level in enumerate(node):
            least = 1 / self.sizes[q]
            losses.append(
                (self.mean(self.shares[q][level][self.codes[q][level]], kept) - least) / (1 - least)
            )
        means = np.exp(np.bincount(group, np.log(self.age + 1)) / sizes) - 1
        width = self.age.max() - self.age.min()
        errors = np.bincount(group, ((self.age - means[group]) / width) ** 2) / sizes
        losses.append(self.mean(errors[group], kept))
        return float(np.exp(np.log1p(np.maximum(losses, 0)).mean()) - 1)

    def mean(self, shares: Any, kept: Any) -> float:
        return float(np.where(kept, shares, shares + self.FACTOR * (1 - shares)).mean())


@pytest.mark.thorough
def test_stored_scores_of_the_larger_example_follow_from_intervals_outside_the_range(
    reference_data: Path,
) -> None:
    """By the width of intervals, the node that is found here is better than the best one that ARX stored."""
    path = reference_data / "arx_projects" / "example2.deid"
    with open_arx(path) as archive:
        nodes = nodes_of(archive)
    wrong = SlowLoss(path, is_right=False)
    for node in nodes[::40]:
        assert wrong.of(node.levels) == pytest.approx(node.score, abs=1e-7)
    right, found = SlowLoss(path, is_right=True), (0, 1, *[0] * 27)
    assert right.of(nodes[0].levels) == pytest.approx(0.0278341, abs=1e-7)
    assert right.of(found) == pytest.approx(0.0114037, abs=1e-7)


@pytest.mark.thorough
def test_the_larger_example_of_arx_gets_a_node_that_is_better_than_the_one_arx_stored(
    reference_data: Path,
) -> None:
    path = reference_data / "arx_projects" / "example2.deid"
    with open_arx(path) as archive:
        nodes = nodes_of(archive)
    assert len(nodes) == 683
    opened = read_arx(path)
    project = opened.project
    assert {name: project.hierarchies[name].hierarchy.n_leaves for name in ("Weight", "Income")} == {
        "Weight": 1_000,
        "Income": 310_000,
    }
    assert len(project.quasi_identifying) == len(project.hierarchies) == 30
    assert dict(project.search.metric_options) == {"coding": 0.007}
    assert project.microaggregation["Age"].key == "geometric_mean"
    assert (project.search.algorithm, project.search.seconds) == ("best_first", 30.0)
    assert [loss.what for loss in opened.losses] == [
        "Heuristic search",
        "Aggregates in the measure",
        "Results of ARX",
        "Scores",
    ]
    assert "the intervals of Age, Weight, Income as values outside their range" in opened.losses[-1].why
    problem = compile_problem(project)
    stored = (problem.lattice.maximum[0], *nodes[0].levels)
    chosen = search(replace(project, search=replace(project.search, seconds=1.0)), problem).node
    assert chosen is not None
    evaluated = [evaluate_node(project, problem, node) for node in (chosen, stored)]
    assert all(bool(found.satisfies[0]) for found in evaluated)
    own, theirs = (float(found.metric("loss")[0]) for found in evaluated)
    assert own <= 0.034674
    assert theirs == pytest.approx(0.051529, abs=1e-6)
