"""The study of singletons: every local and global coarsening, and the best of them."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import AnonymizerError, CancelledError, HierarchyGapError, InputError, ParameterError
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.grouping import GroupingBuilder
from engine.recoding.singleton_variants import SingletonStudy, choices, n_choices, singleton_variants
from tests.engine.recoding.driver_licenses import COLUMNS, YEAR, by_name, expected, figures, published, ways
from tests.stopping import Stopping
from tests.strategies import few

PEOPLE = pd.DataFrame(
    {
        "sex": ["m", "m", "f", "f", "f"],
        "age": [20, 21, 20, 20, 23],
        "town": ["A", "A", "B", "B", "C"],
    }
)


def found(study: SingletonStudy) -> dict[tuple[Any, ...], tuple[int, int, int, int]]:
    return {
        (v.scope, *(column for column, _ in v.coarsened)): (
            v.counted.singletons, v.counted.distinct, v.counted.modified, v.counted.cells,
        )
        for v in study.variants
    }  # fmt: skip


@pytest.fixture
def licenses(data: Path, reference_data: Path) -> tuple[dict[str, Any], SingletonStudy]:
    entry = published(data)
    table = reference_data / entry["dataset"]
    study = singleton_variants(table, COLUMNS, ways(reference_data, entry), drop_missing=True)
    return entry, study


def test_the_published_table_is_reproduced(licenses: tuple[dict[str, Any], SingletonStudy]) -> None:
    entry, study = licenses
    assert (study.n_records, study.n_left_out) == (entry["rows_complete"], entry["removed"])
    variants = by_name(study)
    for name in entry["variants"]:
        singletons, distinct, modified = expected(entry, name)
        assert figures(variants[name])[:2] == (singletons, distinct), name
        percent = 100 * variants[name].counted.singletons / study.n_records
        assert percent == pytest.approx(entry["variants"][name]["percent"], rel=1e-12)
        # The published rows of "mean" are those that differ from the program's representative.
        if name not in ("Y_avg", "M_Y_avg"):
            assert figures(variants[name])[2] == modified, name


def test_years_with_a_mean_change_where_they_differ_from_it(
    licenses: tuple[dict[str, Any], SingletonStudy], reference_data: Path
) -> None:
    entry, study = licenses
    years = pd.read_csv(reference_data / entry["dataset"]).dropna()[YEAR].astype(int)
    group = years.rank(method="dense").astype(int).sub(1) // 4
    means = years.groupby(group).transform("mean").round().astype(int)
    assert by_name(study)["Y_avg"].counted.modified == int((means != years).sum())


def test_the_best_leaves_no_singleton_and_changes_fewest_records(
    licenses: tuple[dict[str, Any], SingletonStudy],
) -> None:
    _, study = licenses
    best = study.best
    without = [v for v in study.variants if v.counted.singletons == 0]
    assert best.scope == "local"
    assert best.counted.modified == min(v.counted.modified for v in without) <= 1684
    assert best.counted.cells == min(
        v.counted.cells for v in without if v.counted.modified == best.counted.modified
    )


def test_a_table_small_enough_to_count_by_hand() -> None:
    # Alone are (m, 20, A), (m, 21, A) and (f, 23, C).
    study = singleton_variants(PEOPLE, ways={"age": {"pairs": GroupingBuilder(sizes=(2,), label="range")}})
    assert found(study) == {
        ("none",): (3, 4, 0, 0),
        ("local", "sex"): (3, 4, 3, 3),
        ("local", "age"): (1, 3, 3, 3),
        ("local", "town"): (3, 4, 3, 3),
        ("local", "sex", "age"): (1, 3, 3, 6),
        ("local", "sex", "town"): (3, 4, 3, 6),
        ("local", "age", "town"): (1, 3, 3, 6),
        ("local", "sex", "age", "town"): (1, 3, 3, 9),
        ("global", "sex"): (3, 4, 5, 5),
        ("global", "age"): (1, 3, 5, 5),
        ("global", "town"): (3, 4, 5, 5),
        ("global", "sex", "age"): (1, 3, 5, 10),
        ("global", "sex", "town"): (2, 3, 5, 10),
        ("global", "age", "town"): (1, 3, 5, 10),
        ("global", "sex", "age", "town"): (1, 2, 5, 15),
    }
    assert (study.best.scope, study.best.coarsened) == ("local", (("age", "pairs"),))


def test_a_coarse_label_written_like_a_value_is_that_value() -> None:
    towns = Hierarchy.from_rows([("A", "A", "*"), ("B", "A", "*"), ("C", "C", "*")])
    study = singleton_variants(PEOPLE, "town", {"town": {"district": towns}}, scope="local")
    assert found(study) == {("none",): (1, 3, 0, 0), ("local", "town"): (1, 3, 0, 0)}
    everywhere = singleton_variants(PEOPLE, "town", {"town": {"district": towns}}, scope="global")
    assert found(everywhere)["global", "town"] == (1, 2, 2, 2)


def test_every_level_below_the_top_is_a_way_of_its_own() -> None:
    ages = GroupingBuilder(sizes=(2, 2))
    study = singleton_variants(PEOPLE, "age", {"age": {"groups": ages}}, scope="global")
    names = [v.coarsened for v in study.variants]
    assert names == [(), (("age", "groups, level 1"),), (("age", "groups, level 2"),)]


def test_nothing_is_done_where_nobody_is_alone() -> None:
    study = singleton_variants(pd.DataFrame({"a": [1, 1, 2, 2]}))
    assert study.best is study.original


def test_records_with_a_missing_cell_are_left_out_when_asked() -> None:
    people = pd.DataFrame({"a": ["x", "x", None], "b": [1, 1, 1]})
    assert found(singleton_variants(people))["none",] == (1, 2, 0, 0)
    study = singleton_variants(people, drop_missing=True)
    assert (study.n_records, study.n_left_out) == (2, 1)
    assert study.original.counted.singletons == 0


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"columns": ["agee"]}, AnonymizerError, "Did you mean 'age'"),
        ({"columns": ["age", "age"]}, InputError, "named twice"),
        ({"ways": {"agee": {}}}, InputError, "Did you mean 'age'"),
        ({"ways": {"age": {"flat": Hierarchy.identity(["20", "21", "23"])}}}, InputError, "no level above"),
        ({"ways": {"age": {"gap": Hierarchy.from_rows([("20", "*")])}}}, HierarchyGapError, "lacks 2 values"),
        ({"scope": "locall"}, ParameterError, "Did you mean 'local'"),
        ({"max_columns": 0}, ParameterError, "1 or more"),
    ],
)
def test_what_cannot_be_studied_is_refused_with_a_hint(
    changed: dict[str, Any], error: type[AnonymizerError], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        singleton_variants(PEOPLE, **changed)
    assert caught.value.hint


def test_too_many_variants_are_refused_before_any_is_counted() -> None:
    wide = pd.DataFrame({f"c{i}": [0, 1] for i in range(17)})
    with pytest.raises(InputError, match="262\u202f142 variants") as caught:
        singleton_variants(wide)
    assert caught.value.hint
    assert len(singleton_variants(wide, max_columns=1).variants) == 35


def test_a_study_stops_when_it_is_asked_to() -> None:
    with pytest.raises(CancelledError):
        singleton_variants(PEOPLE, monitor=Stopping(words="variants"))


@given(st.lists(st.integers(0, 3), max_size=5), st.integers(1, 6))
def test_choices_are_as_many_as_foretold_and_all_different(n_ways: list[int], most: int) -> None:
    listed = list(choices(n_ways, most))
    assert len(listed) == len(set(listed)) == n_choices(n_ways, most)
    assert [len(choice) for choice in listed] == sorted(len(choice) for choice in listed)
    assert all(way < n_ways[column] for choice in listed for column, way in choice)


@few
@given(
    st.integers(1, 3).flatmap(
        lambda width: st.lists(
            st.tuples(*[st.sampled_from("abc")] * width), min_size=1, max_size=30
        )
    )
)  # fmt: skip
def test_figures_are_those_of_a_slow_count(rows: list[tuple[str, ...]]) -> None:
    width = len(rows[0])
    coarse = {"a": "a", "b": "a", "c": "c or more"}
    names = [f"c{i}" for i in range(width)]
    tree = Hierarchy.from_rows(list(coarse.items()))
    study = singleton_variants(
        pd.DataFrame(rows, columns=names), ways={name: {"way": tree} for name in names}
    )
    alone = {row for row, n in Counter(rows).items() if n == 1}
    counted = found(study)
    for size in range(1, width + 1):
        for chosen in combinations(range(width), size):
            for scope in ("local", "global"):
                changed = [
                    tuple(coarse[v] if i in chosen and (scope == "global" or row in alone) else v
                          for i, v in enumerate(row))
                    for row in rows
                ]  # fmt: skip
                sizes = Counter(changed)
                pairs = list(zip(rows, changed, strict=True))
                assert counted[(scope, *(names[i] for i in chosen))] == (
                    sum(n == 1 for n in sizes.values()),
                    len(sizes),
                    sum(old != new for old, new in pairs),
                    sum(a != b for old, new in pairs for a, b in zip(old, new, strict=True)),
                )
