"""What columns that leave unchanged give away: counted slowly by pandas, and on tables counted by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels.arrays import BoolArray, Codes
from engine.pipeline import anonymize, export_release
from engine.project.recipe.files import read_recipe
from engine.recoding.unchanged import (
    Determined,
    GeneralizedColumn,
    UnchangedColumns,
    WrittenColumn,
)
from tests.held_records import held_records
from tests.registers import diabetes_register
from tests.strategies import modest


def written(name: str, texts: Sequence[str]) -> WrittenColumn:
    labels, codes = np.unique(np.array(texts, dtype=object), return_inverse=True)
    return WrittenColumn(name, ("never used", *labels.tolist()), (codes + 1).astype(np.int32))


def generalized(name: str, before: Sequence[str], after: Sequence[str]) -> GeneralizedColumn:
    original = written(name, before)
    return GeneralizedColumn(written(name, after), original.labels, original.codes)


def counted(
    unchanged: Mapping[str, Sequence[str]],
    qi: Mapping[str, tuple[Sequence[str], Sequence[str]]] | None = None,
    *,
    kept: BoolArray | None = None,
    persons: Sequence[int] | None = None,
) -> UnchangedColumns:
    """Count columns of texts; of a quasi-identifier before and after."""
    columns = [*unchanged.values(), *(after for _, after in (qi or {}).values())]
    return held_records(
        [written(name, texts) for name, texts in unchanged.items()],
        [generalized(name, *texts) for name, texts in (qi or {}).items()],
        len(columns[0]),
        kept,
        None if persons is None else np.array(persons, dtype=np.int32),
    ).count_unchanged()


def singled_out(frame: pd.DataFrame, names: Sequence[str], persons: pd.Series[int]) -> int:
    """The definition, group by group."""
    total = 0
    for _, rows in frame.groupby(list(names)):
        total += len(rows) * (persons.loc[rows.index].nunique() == 1)
    return total


@st.composite
def tables(draw: st.DrawFn) -> tuple[pd.DataFrame, list[str], list[str], BoolArray, Codes | None]:
    n = draw(st.integers(1, 25))
    sizes = draw(st.lists(st.integers(1, 12), min_size=2, max_size=5))
    n_qi = draw(st.integers(1, len(sizes)))
    frame = pd.DataFrame(
        {
            f"c{i}": draw(st.lists(st.integers(0, size).map(str), min_size=n, max_size=n))
            for i, size in enumerate(sizes)
        }
    )
    kept = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)), dtype=np.bool_)
    persons = draw(st.none() | st.lists(st.integers(0, 8), min_size=n, max_size=n))
    names = list(frame.columns)
    return (
        frame,
        names[n_qi:],
        names[:n_qi],
        kept,
        None if persons is None else np.array(persons, dtype=np.int32),
    )


@modest
@given(tables(), st.integers(1, 4))
def test_what_is_singled_out_is_what_a_slow_count_finds(
    table: tuple[pd.DataFrame, list[str], list[str], BoolArray, Codes | None], width: int
) -> None:
    before, unchanged, qi, kept, persons = table
    after = before.copy()
    for name in qi:
        after[name] = [
            f"band {int(value) // width}" if own else "*"
            for value, own in zip(before[name], kept, strict=True)
        ]
    found = counted(
        {name: after[name].tolist() for name in unchanged},
        {name: (before[name].tolist(), after[name].tolist()) for name in qi},
        kept=kept,
        persons=None if persons is None else persons.tolist(),
    )
    assert found.n_records == len(before)
    assert (found.of_one_person is None) == (persons is None)
    for counts, who in ((found, range(len(before))), (found.of_one_person, persons)):
        if counts is not None:
            people = pd.Series(who)
            assert counts.alone == {name: singled_out(after, [name], people) for name in unchanged}
            assert counts.together == (singled_out(after, unchanged, people) if unchanged else 0)
            assert counts.with_quasi_identifiers == singled_out(after, [*unchanged, *qi], people)
    for one in found.determines:
        rows = after.index[kept]
        covers = before.loc[rows].groupby(after[one.determined])[one.determined].transform("nunique") > 1
        fixed = before.loc[rows].groupby(before[one.column])[one.determined].transform("nunique") == 1
        assert one.share == (covers & fixed).sum() / covers.sum()


def test_columns_that_single_out_nobody_alone_may_do_so_together() -> None:
    found = counted({"a": ["x", "x", "y", "y"], "b": ["1", "2", "1", "2"]}, {"q": (["m"] * 4, ["m"] * 4)})
    assert found.as_dict() == {
        "columns": ["a", "b"],
        "singled_out": {"alone": {"a": 0, "b": 0}, "together": 4, "with_quasi_identifiers": 4},
        "determines": [],
    }


def test_a_starred_record_is_singled_out_by_its_unchanged_cells_too() -> None:
    kept = np.array([False, True, True, True, True])
    found = counted(
        {"a": ["x", "y", "y", "z", "z"]}, {"q": (["1", "2", "3", "2", "3"], ["*", *["1-3"] * 4])}, kept=kept
    )
    assert (found.alone, found.together, found.n_records) == ({"a": 1}, 1, 5)


def test_records_of_one_person_are_reported_separately_from_those_singled_out() -> None:
    visits = {"ward": ["a", "a", "a", "b", "b", "c"]}
    qi = {"sex": (["m"] * 6, ["m"] * 6)}
    assert counted(visits, qi).of_one_person is None
    found = counted(visits, qi, persons=[1, 1, 1, 2, 3, 4])
    assert found.as_dict() == {
        "columns": ["ward"],
        "singled_out": {"alone": {"ward": 1}, "together": 1, "with_quasi_identifiers": 1},
        "of_one_person": {"alone": {"ward": 4}, "together": 4, "with_quasi_identifiers": 4},
        "determines": [],
    }
    assert found.words() == (
        "1 column is released unchanged and singles out 1 of 6 records; 4 of 6 records have values "
        "that belong to a single person"
    )


def test_a_release_without_unchanged_columns_is_counted_by_its_quasi_identifiers_alone() -> None:
    found = counted({}, {"q": (["1", "2", "2"], ["1", "2", "2"])})
    assert (found.together, found.with_quasi_identifiers) == (0, 1)
    assert found.verdict(1, 1) == "k = 1 for this column; no column is released unchanged"


def test_an_empty_release_singles_out_nobody() -> None:
    found = counted({"a": []}, {"q": ([], [])})
    assert (found.alone, found.together, found.with_quasi_identifiers) == ({"a": 0}, 0, 0)


@pytest.mark.parametrize(
    ("columns", "together", "k", "words"),
    [
        (
            4,
            7_874,
            5,
            "k = 5 for these 7 columns; 4 columns are released unchanged and single "
            "out 7 874 of 7 874 records",
        ),
        (
            1,
            5,
            5,
            ("k = 5 for these 7 columns; 1 column is released unchanged and singles out 5 of 7 874 records"),
        ),
        (2, 0, 12, "k = 12 for these 7 columns; 2 columns are released unchanged and single out no record"),
        (
            1,
            3,
            None,
            "No record is kept; 1 column is released unchanged and singles out 3 of 7 874 records",
        ),
    ],
)
def test_a_verdict_names_its_columns(columns: int, together: int, k: int | None, words: str) -> None:
    names = tuple(f"c{i}" for i in range(columns))
    assert UnchangedColumns(columns=names, n_records=7_874, together=together).verdict(k, 7) == words.replace(
        "7 874", "7\u202f874"
    )


def determined(
    a: Sequence[str], b: Sequence[str], label: Sequence[str] | None = None, **options: Sequence[int]
) -> list[tuple[str, str, float]]:
    found = counted({"a": a}, {"b": (b, label or ["*"] * len(b))}, **options)  # type: ignore[arg-type]
    return [(one.column, one.determined, one.share) for one in found.determines]


def test_a_functional_dependency_is_told_with_the_share_one() -> None:
    towns = ["Ulm", "Bonn", "Kiel", "Ulm", "Bonn", "Kiel"]
    districts = [{"Ulm": "south", "Bonn": "west", "Kiel": "north"}[town] for town in towns]
    assert determined(towns, districts) == [("a", "b", 1.0)]


def test_a_year_of_birth_determines_the_age() -> None:
    ages = [str(20 + i % 50) for i in range(300)]
    assert determined([str(2020 - int(age)) for age in ages], ages, [f"{age[0]}0s" for age in ages]) == [
        ("a", "b", 1.0)
    ]


def test_a_dependency_that_holds_for_a_part_is_told_with_that_share() -> None:
    a = ["t1"] * 10 + ["t2"] * 10 + ["other"] * 30
    b = ["x"] * 10 + ["y"] * 10 + ["u", "v", "w"] * 10
    assert determined(a, b) == [("a", "b", 0.4)]


def test_labels_of_one_original_value_hide_nothing_that_could_be_determined() -> None:
    a = ["t1", "t1", "t2", "t2", "t3", "t3"]
    b = ["x", "x", "y", "y", "", ""]
    assert determined(a, b, b) == []
    # The missing value stays itself, so that only the other four are looked at.
    assert determined([*a[:4], "t1", "t2"], b, ["x or y"] * 4 + ["", ""]) == []
    assert determined(a, b, ["x or y"] * 4 + ["", ""]) == [("a", "b", 1.0)]


def test_a_column_of_distinct_values_determines_nothing() -> None:
    rng = np.random.default_rng(0)
    ages = rng.integers(20, 70, 500).astype(str).tolist()
    assert determined([f"record {i}" for i in range(500)], ages) == []
    # Two in a hundred records have a value in common with another.
    assert determined([f"record {i // 2 if i < 10 else i}" for i in range(500)], ages) == []


def test_what_chance_gives_is_no_dependency() -> None:
    rng = np.random.default_rng(1)
    for n_values in (2, 20, 200, 1_000, 5_000):
        for n_others in (2, 5, 50):
            a = rng.integers(n_values, size=1_000).astype(str).tolist()
            b = [f"b{i}" for i in rng.integers(n_others, size=1_000)]
            assert determined(a, b) == []


def test_values_that_occur_once_are_evidence_where_they_are_written_like_those_they_determine() -> None:
    days = [f"2001-{month:02}-{day:02}" for month in range(1, 13) for day in range(1, 29)]
    assert determined(days, days) == [("a", "b", 1.0)]
    assert determined(days[::-1], days) == []


def test_a_day_of_death_undoes_the_year_of_death() -> None:
    table = diabetes_register(400)
    years = [day[-4:] for day in table["dodth"]]
    found = counted(
        {"dox": table["dox"].tolist(), "sex": table["sex"].tolist()},
        {"dodth": (table["dodth"].tolist(), years)},
    )
    assert [(one.column, one.determined) for one in found.determines] == [("dox", "dodth")]
    assert found.determines[0].share > 0.95


def test_dependencies_are_looked_for_in_kept_records() -> None:
    a = ["t1", "t1", "t2", "t2", "t3", "t3", "t1", "t2"]
    b = ["x", "x", "y", "y", "z", "z", "y", "x"]
    assert determined(a, b) == []
    kept = np.array([True] * 6 + [False] * 2)
    assert counted({"a": a}, {"b": (b, ["*"] * 8)}, kept=kept).determines == (Determined("a", "b", 1.0),)


def test_the_records_of_one_person_are_no_evidence() -> None:
    codes = [f"p{i // 5}" for i in range(100)]
    sexes = [f"b{i // 5 % 2}" for i in range(100)]
    assert determined(codes, sexes) == [("a", "b", 1.0)]
    assert determined(codes, sexes, persons=[i // 5 for i in range(100)]) == []


def test_what_was_looked_for_in_some_records_only_is_not_verified_in_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.recoding.written.MOST_COMPARED", 100)
    rows = [f"{20 + i % 30},{1980 - i % 30 if i % 5 or i % 4 == 0 else 1900}" for i in range(450)]
    (tmp_path / "people.csv").write_text("\n".join(["age,born", *rows]))
    (tmp_path / "age.csv").write_text("".join(f"{age};{age // 10}0s;*\n" for age in range(20, 50)))
    (tmp_path / "recipe.toml").write_text(
        'format = 1\ndata.path = "people.csv"\nhierarchies.age.path = "age.csv"\n'
        'roles = {quasi_identifying = ["age"], insensitive = ["born"]}\n'
        'privacy = [{model = "k_anonymity", k = 20}]\n'
    )
    project = read_recipe(tmp_path / "recipe.toml")
    release = anonymize(project).release
    assert [found.column for found in release.unchanged.determines] == ["born"]
    assert export_release(project, release, tmp_path / "released.csv").ok
