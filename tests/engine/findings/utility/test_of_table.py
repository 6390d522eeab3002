"""Utility of a pair of tables: by hand, as published, by a slow second count, and on odd tables."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.errors import AnonymizerError, HierarchyGapError, InputError, TableError
from engine.findings.utility.of_table import HIERARCHY_METRICS, UtilityReport, measure_utility
from engine.hierarchies import Hierarchy
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.recoding import make_release
from engine.scoring import score_lattice
from engine.scoring.evaluate import evaluate
from engine.utility import recoded
from tests.conftest import DATA
from tests.engine.findings.slow_pairs import SlowColumn, SlowPair
from tests.strategies import cases, few, modest, nodes

PUBLISHED: list[dict[str, Any]] = json.loads(
    (DATA / "published" / "utility.json").read_text(encoding="utf-8")
)
AGES = (("10", "young", "*"), ("20", "young", "*"), ("30", "old", "*"), ("50", "old", "*"))
SEXES = (("f", "*"), ("m", "*"))
HIERARCHIES = {"age": Hierarchy.from_rows(AGES), "sex": Hierarchy.from_rows(SEXES)}
RAW = pd.DataFrame(
    {"age": [10, 20, 20, 30], "sex": ["f", "f", "f", "m"], "illness": ["flu", "flu", "cough", "flu"]}
)
RELEASED = pd.DataFrame(
    {
        "age": ["young", "young", "young", "*"],
        "sex": ["f", "f", "f", "*"],
        "illness": ["flu", "flu", "cough", "flu"],
    }
)


@pytest.mark.parametrize("entry", PUBLISHED, ids=[entry["id"] for entry in PUBLISHED])
def test_published_figures_are_reproduced(entry: dict[str, Any], table_path: Callable[[str], Path]) -> None:
    pair = table_path(entry["raw"]), table_path(entry["anonymized"])
    report = measure_utility(*pair, entry["qi"], entry["sa"])
    found = report.as_dict()
    assert found["records"] == {"raw": entry["rows_raw"], "anonymized": entry["rows_anonymized"]}
    assert report.k == entry["k"]
    assert found["c_avg"] == pytest.approx(entry["average_ecsize"]["sup_true"], rel=1e-9)
    of_all = found["c_avg"] * entry["rows_raw"] / entry["rows_anonymized"]
    assert of_all == pytest.approx(entry["average_ecsize"]["sup_false"], rel=1e-9)
    lost = entry["classification_metric_ties_counted"]
    assert found["classification"] == {name: pytest.approx(lost, rel=1e-9) for name in entry["sa"]}
    assert found["discernibility"] == entry["discernability_metric"]
    names = {"count": "n_ec", "min": "min_ec", "max": "max_ec", "mean": "mean_ec", "median": "median_ec"}
    for name, published in names.items():
        assert found["classes"][name] == pytest.approx(entry["sizes_ec"][published], rel=1e-9)
    assert found["risk"]["average"] == pytest.approx(entry["average_rir"], rel=1e-9)
    assert found["risk"]["max"] == pytest.approx(entry["max_rir"], rel=1e-9)
    assert found["entropy"] == pytest.approx(entry["sa_entropy"], rel=1e-9)
    assert found["columns"].keys() == entry["stats_quasi_ident"].keys()
    for column, published in entry["stats_quasi_ident"].items():
        statistics = found["columns"][column]
        if "error" in published:  # the library does not compare texts with cells that it takes as missing
            cells = pd.read_csv(table_path(entry["anonymized"]), dtype=str, keep_default_na=False)[column]
            counts = cells.value_counts()
            assert (statistics["max_freq"], statistics["min_freq"]) == (counts.max(), counts.min())
            continue
        assert statistics.keys() == published.keys()
        for name, value in published.items():
            expected = value if isinstance(value, str) else pytest.approx(value, rel=1e-9)
            assert statistics[name] == expected, (column, name)


def test_no_published_entry_has_a_figure_nobody_looks_at() -> None:
    looked_at = {
        "id", "raw", "anonymized", "qi", "sa", "rows_raw", "rows_anonymized", "k", "average_ecsize",
        "classification_metric", "classification_metric_ties_counted", "discernability_metric", "sizes_ec",
        "average_rir", "max_rir", "sa_entropy", "stats_quasi_ident",
    }  # fmt: skip
    assert {name for entry in PUBLISHED for name in entry} == looked_at


def test_figures_without_hierarchies_take_records_of_stars_as_records_unless_they_are_left_out() -> None:
    report = measure_utility(RAW, RELEASED, ["age", "sex"], "illness")
    assert report.as_dict()["classes"] == {"count": 2, "min": 1, "max": 3, "mean": 2.0, "median": 2.0}
    assert (report.c_avg, report.aecs, report.discernibility) == (2.0, 2.0, 3**2 + 1)
    assert report.classification == {"illness": 1 / 4}
    assert report.average_risk == (1 / 3 + 1) / 2
    assert report.average_record_risk == 2 / 4
    left_out = measure_utility(RAW, RELEASED, ["age", "sex"], "illness", k=2, leave_out_suppressed=True)
    assert left_out.as_dict()["records"] == {"raw": 4, "anonymized": 3}
    assert (left_out.c_avg, left_out.aecs, left_out.discernibility) == (3 / 2, 2.0, 3**2 + 4)
    assert left_out.classification == {"illness": 2 / 4}
    assert measure_utility(RAW, RELEASED[:3], ["age", "sex"], "illness", k=2) == left_out


def metrics(raw: pd.DataFrame, released: pd.DataFrame, **options: Any) -> dict[str, float]:
    report = measure_utility(raw, released, ["age", "sex"], hierarchies=HIERARCHIES, **options)
    return dict(report.metrics)


def test_figures_by_hierarchies_are_those_of_the_definitions() -> None:
    age, sex = (3 * 10 / 40 + 1) / 4, 1 / 4
    found = metrics(RAW, RELEASED)
    assert found["gen_iloss"] == pytest.approx((age + sex) / 2, rel=1e-12)
    assert found["precision"] == pytest.approx(((3 / 2 + 1) / 4 + 1 / 4) / 2, rel=1e-12)
    assert found["ambiguity"] == (3 * 2 + 8) / 4
    assert found == metrics(RAW, RELEASED[:3])  # a record left out is a record of stars
    assert found == metrics(RAW, RELEASED, leave_out_suppressed=True)


@st.composite
def local_releases(draw: st.DrawFn) -> tuple[SlowPair, list[str]]:
    """Records whose labels may stand on any level, cell by cell, some suppressed."""
    number = SlowColumn(tuple((str(7 * i), f"{i // 2 * 14}-{i // 2 * 14 + 7}", "*") for i in range(4)), True)
    text = SlowColumn(
        (("a", "ab", "abc", "*"), ("b", "ab", "abc", "*"), ("c", "c", "abc", "*"), ("d", "d", "d", "*"))
    )
    flat = SlowColumn((("x",), ("y",)))
    columns = tuple(draw(st.lists(st.sampled_from([number, text, flat]), min_size=1, max_size=3)))
    rows = st.tuples(*(st.sampled_from(column.rows) for column in columns))
    picked = draw(st.lists(rows, min_size=1, max_size=14))
    released: list[tuple[str, ...] | None] = []
    for record in picked:
        if draw(st.integers(0, 4)) == 0:
            released.append(None)
        else:
            released.append(tuple(draw(st.sampled_from(line)) for line in record))
    pair = SlowPair(columns, [tuple(line[0] for line in record) for record in picked], released)
    return pair, [f"q{i}" for i in range(len(columns))]


@modest
@given(local_releases(), st.booleans(), st.sampled_from([0, 64]), st.randoms(use_true_random=False))
def test_labels_of_any_level_are_measured_as_a_slow_count_does(
    drawn: tuple[SlowPair, list[str]], is_removed: bool, one_by_one: int, random: Any
) -> None:
    pair, names = drawn
    stars = ("*",) * len(names)
    cells = [record or stars for record in pair.released if record is not None or not is_removed]
    # A record of labels that all are stars is read as suppressed; the slow count has to know.
    known = replace(pair, released=[None if record == stars else record for record in pair.released])
    if is_removed:
        random.shuffle(cells)
    raw = pd.DataFrame(pair.raw, columns=names)
    for name, column in zip(names, pair.columns, strict=True):
        if column.is_number:
            raw[name] = raw[name].astype(int)
    hierarchies = {n: Hierarchy.from_rows(c.rows) for n, c in zip(names, pair.columns, strict=True)}
    if not cells:
        with pytest.raises(AnonymizerError, match="no records"):
            measure_utility(raw, pd.DataFrame(cells, columns=names), names, hierarchies=hierarchies)
        return
    with patch.object(recoded, "ONE_BY_ONE", one_by_one):  # both ways to match classes with originals
        report = measure_utility(raw, pd.DataFrame(cells, columns=names), names, hierarchies=hierarchies)
    found = report.metrics
    for key in HIERARCHY_METRICS:
        expected = getattr(known, key)()
        assert found[key] == pytest.approx(expected, rel=1e-9, abs=1e-11), key


@few
@given(st.data())
def test_a_release_made_here_has_the_figures_its_node_was_scored_with(data: st.DataObject) -> None:
    case = data.draw(cases(max_sensitive=0, bounded=False))
    node = data.draw(nodes(case))
    requirement = Requirement((KAnonymity(data.draw(st.integers(1, 4))),), 1.0)
    release = make_release(case.under(requirement), case.problem, node)
    rows = release.rows()
    columns = {c.name: np.array(c.labels, dtype=object)[c.codes[rows]] for c in release.columns}
    released = pd.DataFrame(columns)
    evaluation = evaluate(score_lattice(case.problem), requirement)
    number = case.problem.lattice.number(node)
    hierarchies = {a.name: a.hierarchy for a in case.problem.attributes}
    names = list(hierarchies)
    is_star = (released[names] == "*").all(axis=1)
    # Records that the node itself makes stars of are not told from suppressed ones in a file.
    assume(int(is_star.sum()) == int(evaluation.suppressed[number]))
    found = measure_utility(case.project.table, released, names, hierarchies=hierarchies).metrics
    for key in HIERARCHY_METRICS:
        if key == "precision" and any(_repeats(h) for h in hierarchies.values()):
            continue  # a label on two levels is taken for that of the lower one
        assert found[key] == pytest.approx(float(evaluation.metric(key)[number]), rel=1e-9, abs=1e-11), key


def _repeats(hierarchy: Hierarchy) -> bool:
    labels = [label for level in hierarchy.levels for label in level.labels]
    return len(set(labels)) < len(labels)


# Odd tables: a right number or a clear error.


def test_a_label_on_several_levels_is_that_of_the_lowest() -> None:
    hierarchy = Hierarchy.from_rows((("a", "a", "*"), ("b", "b", "*")))
    raw = pd.DataFrame({"q": ["a", "b"]})
    assert measure_utility(raw, raw, "q", hierarchies={"q": hierarchy}).metrics["precision"] == 0


def test_a_label_on_several_levels_is_on_one_that_holds_as_many_records() -> None:
    hierarchy = Hierarchy.from_rows((("a", "any", "any"), ("b", "any", "any"), ("c", "c", "any")))
    raw = pd.DataFrame({"q": ["a", "b", "c"]})
    found = measure_utility(raw, raw.assign(q="any"), "q", hierarchies={"q": hierarchy}).metrics
    assert found["precision"] == 1  # the lower level's "any" holds two of the three records


@pytest.mark.parametrize(
    ("raw", "released", "qi", "problem"),
    [
        (RAW, RELEASED.drop(columns="age"), ["age"], "no column 'age'"),
        (RAW.drop(columns="age"), RELEASED, ["age"], "The original table has no column 'age'"),
        (RELEASED[:3], RAW, ["sex"], "has 4 records, the original only 3"),
        (RAW, RELEASED[:0], ["sex"], "no records"),
        (RAW, RELEASED, ["age", "age"], "listed twice"),
        (RAW, RELEASED, [], "No column is marked as quasi-identifying"),
    ],
)
def test_tables_that_cannot_be_a_pair_are_refused(
    raw: pd.DataFrame, released: pd.DataFrame, qi: list[str], problem: str
) -> None:
    with pytest.raises((InputError, TableError), match=problem):
        measure_utility(raw, released, qi)


def test_a_released_cell_that_is_in_no_hierarchy_is_named_with_its_column() -> None:
    released = RELEASED.replace("young", "youngish")
    with pytest.raises(HierarchyGapError, match=r"The hierarchy of 'age' lacks the label 'youngish'"):
        metrics(RAW, released)
    lonely_star = pd.DataFrame({"age": ["young", "young", "young", "old"], "sex": ["f", "f", "f", "?"]})
    with pytest.raises(HierarchyGapError, match=r"'sex' lacks the label '\?'"):
        metrics(RAW, lonely_star)


def test_single_cells_are_hidden_above_a_hierarchy_of_several_tops() -> None:
    raw = pd.DataFrame({"age": [10, 10, 30, 30, 50], "zip": ["x", "y", "z", "z", "z"]})
    released = pd.DataFrame({"age": ["10", "10", "old", "old", "old"], "zip": ["*", "*", "z", "z", "z"]})
    hierarchies = {"age": Hierarchy.from_rows(AGES)}
    report = measure_utility(raw, released, ["age", "zip"], hierarchies=hierarchies).as_dict()
    # Leaves of age are 1, 1, 2, 2, 2 of 4, rescaled (2/5 - 1/4) / (3/4) = 1/5; those of zip 3, 3, 1, 1, 1 of
    # 3, rescaled (3/5 - 1/3) / (2/3) = 2/5. Levels are 0, 0, 1, 1, 1 of 2 and 1, 1, 0, 0, 0 of 1.
    assert report["loss"] == pytest.approx((1.2 * 1.4) ** 0.5 - 1, rel=1e-12)
    assert report["precision"] == pytest.approx((3 / 10 + 2 / 5) / 2, rel=1e-12)
    assert report["discernibility"] == 2**2 + 3**2


def test_an_original_value_that_is_in_no_hierarchy_is_named_with_its_column() -> None:
    with pytest.raises(HierarchyGapError, match=r"'age'.*'11'"):
        metrics(RAW.replace(10, 11), RELEASED)


def test_a_release_of_another_table_is_told_by_its_counts() -> None:
    released = pd.DataFrame({"age": ["old"] * 4, "sex": ["f", "f", "f", "m"]})
    with pytest.raises(InputError, match="More released records have 'old' in 'age'"):
        metrics(RAW, released)


def test_a_hierarchy_of_a_column_that_is_not_quasi_identifying_is_refused() -> None:
    with pytest.raises(InputError, match="'sex', which is not a quasi-identifying"):
        measure_utility(RAW, RELEASED, "age", hierarchies=HIERARCHIES)


@pytest.mark.parametrize("k", [0, -1])
def test_k_is_a_class_size(k: int) -> None:
    with pytest.raises(InputError, match=f"k cannot be {k}"):
        measure_utility(RAW, RELEASED, "age", k=k)


def test_numbers_that_became_ranges_have_frequencies_but_no_moments() -> None:
    report = measure_utility(RAW, RELEASED.assign(age=["1-20", "1-20", "1-20", "30"]), "age")
    assert report.columns["age"].as_dict() == {
        "max_freq_value": "1-20", "max_freq": 3, "min_freq_value": "30", "min_freq": 1
    }  # fmt: skip
    kept = measure_utility(RAW, RAW, "age").columns["age"].as_dict()
    assert kept["mean"] == 20
    assert kept["var"] == 50  # of the population: 200 / 4


def test_one_record_one_class_and_a_constant_column_have_their_figures() -> None:
    one = measure_utility(RAW[:1], RAW[:1], ["age", "sex"], "illness", hierarchies=HIERARCHIES)
    assert (one.c_avg, one.discernibility, one.classification["illness"]) == (1.0, 1, 0.0)
    assert one.entropy == {"illness": 0.0}
    assert set(one.metrics.values()) == {0.0, 1.0}  # ambiguity is 1, the others 0
    constant = RAW.assign(age=10)
    flat = measure_utility(constant, constant, "age", "illness")
    assert (flat.classes.count, flat.c_avg, flat.columns["age"].as_dict()["std"]) == (1, 1.0, 0.0)
    assert flat.columns["age"].max_freq_value == flat.columns["age"].min_freq_value == 10


def test_missing_is_a_value_of_classes_and_none_of_statistics() -> None:
    raw = pd.DataFrame({"age": [1.0, np.nan, np.nan, 3.0], "s": ["u", None, "v", "v"]})
    report = measure_utility(raw, raw, "age", "s")
    assert report.classes.count == 3
    assert report.classification == {"s": 1 / 4}
    assert report.entropy["s"] == pytest.approx(1.5 * np.log(2))
    assert report.columns["age"].as_dict() == {
        "max_freq_value": 1, "max_freq": 1, "min_freq_value": 1, "min_freq": 1,
        "mean": 2.0, "median": 2.0, "std": 1.0, "var": 1.0, "missing": 2,
    }  # fmt: skip
    gone = pd.DataFrame({"age": [None, None], "s": ["u", "v"]})
    empty = measure_utility(gone, gone, "age", "s").columns["age"].as_dict()
    assert empty == {
        "max_freq_value": None, "max_freq": 0, "min_freq_value": None, "min_freq": 0, "missing": 2
    }  # fmt: skip


def test_missing_cells_are_placed_in_hierarchies_by_the_rule_for_them() -> None:
    raw = pd.DataFrame({"sex": ["f", "m", None]})
    kept = measure_utility(raw, raw, "sex", hierarchies={"sex": HIERARCHIES["sex"]})
    assert kept.metrics["loss"] == 0
    assert kept.metrics["ambiguity"] == 1
    hidden = measure_utility(raw, raw.fillna("*"), "sex", hierarchies={"sex": HIERARCHIES["sex"]})
    assert hidden.metrics["ambiguity"] == (1 + 1 + 3) / 3  # missing is a leaf like others


def test_the_index_of_a_frame_plays_no_part() -> None:
    def shuffled(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.set_axis(pd.Index([7, 7, 3, 0]))

    def report(raw: pd.DataFrame, released: pd.DataFrame) -> UtilityReport:
        return measure_utility(raw, released, ["age", "sex"], "illness", hierarchies=HIERARCHIES)

    assert report(shuffled(RAW), shuffled(RELEASED)).as_dict() == report(RAW, RELEASED).as_dict()


def test_categories_that_no_record_has_are_no_classes() -> None:
    grades = pd.Categorical(["b", "a", "b"], categories=["a", "b", "c", "d"], ordered=True)
    frame = pd.DataFrame({"grade": grades, "s": [1, 1, 2]})
    report = measure_utility(frame, frame, "grade", "s")
    assert (report.classes.count, report.k, report.classification["s"]) == (2, 1, 1 / 3)
    assert report.columns["grade"].as_dict()["min_freq_value"] == "a"


def test_dates_are_found_in_hierarchies_as_they_are_written() -> None:
    days = pd.to_datetime(["2020-03-01", "2020-03-02", "2021-01-01"])
    raw = pd.DataFrame({"visit": days})
    rows = [(f"{day:%Y-%m-%d}", f"{day:%Y}", "*") for day in days]
    released = pd.DataFrame({"visit": ["2020", "2020", "2021"]})
    report = measure_utility(raw, released, "visit", hierarchies={"visit": Hierarchy.from_rows(rows)})
    assert report.metrics["precision"] == 1 / 2
    assert report.metrics["ambiguity"] == (2 + 2 + 1) / 3


def test_values_of_mixed_types_that_look_alike_are_refused() -> None:
    mixed = pd.DataFrame({"q": pd.Series([1, "1", "x"], dtype=object)})
    with pytest.raises(TableError, match="'q'"):
        measure_utility(mixed, mixed, "q")


def test_numbers_beyond_the_precision_of_floats_stay_apart() -> None:
    frame = pd.DataFrame({"id": [2**53, 2**53 + 1, 2**53 + 1]})
    statistics = measure_utility(frame, frame, "id").columns["id"]
    assert (statistics.max_freq_value, statistics.max_freq) == (2**53 + 1, 2)
    assert (statistics.min_freq_value, statistics.min_freq) == (2**53, 1)


def test_everything_suppressed_is_measured_by_hierarchies_and_refused_where_nothing_is_left() -> None:
    stars = RAW.assign(age="*", sex="*")
    found = metrics(RAW, stars)
    assert (found["loss"], found["gen_iloss"], found["precision"]) == (pytest.approx(1.0), 1.0, 1.0)
    assert found["ambiguity"] == 4 * 2
    with pytest.raises(InputError, match="no records"):
        metrics(RAW, stars, leave_out_suppressed=True)
