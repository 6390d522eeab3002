"""Which files a place names: one, those of a folder, those that a pattern matches, or a list of some."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import TableError
from engine.records.opening import open_beginning, open_table
from engine.records.options import ReadOptions
from engine.records.places import files_of, is_pattern, is_several, is_there, place_of_files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b", "a", "c"):
        (tmp_path / f"{name}.csv").write_text(f"n,s\n1,{name}\n", encoding="utf-8")
    return tmp_path


def names(place: Path | str) -> list[str]:
    return [path.name for path in files_of(place)]


def test_listed_files_are_in_the_order_of_the_list(folder: Path) -> None:
    place = folder / "{c,a}.csv"
    assert is_several(place)
    assert is_there(place)
    assert names(place) == ["c.csv", "a.csv"]
    assert names(str(folder / "{c,a}.csv")) == ["c.csv", "a.csv"]
    assert names(folder / "{[ab],a,c}.csv") == ["a.csv", "b.csv", "c.csv"]
    table = open_table(place, ReadOptions(source="auto")).table
    assert [column.text(0) for column in table.columns] == ["1", "c"]
    assert table.n_records == 2
    beginning = open_beginning(place, ReadOptions())
    assert (beginning.table.record(0), beginning.is_complete) == (("1", "c"), False)


def test_a_listed_file_that_is_missing_is_refused_by_its_name(folder: Path) -> None:
    place = folder / "{a,d}.csv"
    assert is_there(place)
    assert not is_there(folder / "{d,e}.csv")
    with pytest.raises(TableError, match=r"d\.csv' does not exist"):
        open_table(place)


def test_a_file_with_braces_in_its_name_is_itself(folder: Path) -> None:
    path = folder / "{a,b}.csv"
    path.write_text("n\n1\n", encoding="utf-8")
    assert not is_several(path)
    assert files_of(path) == (path,)
    assert not is_pattern("people}.csv")


@given(st.lists(st.text("ab,{}[]*?", min_size=1, max_size=5), min_size=2, max_size=4, unique=True))
def test_a_list_names_files_whatever_they_are_called(stems: list[str]) -> None:
    files = [Path("somewhere") / f"{stem}.csv" for stem in stems]
    assert files_of(place_of_files(files)) == tuple(sorted(files, key=lambda path: path.name))


def test_files_that_are_no_table_together_are_refused(folder: Path) -> None:
    other = folder / "more" / "z.csv"
    other.parent.mkdir()
    with pytest.raises(TableError, match=r"'a\.csv' and 'z\.csv' are in different folders"):
        place_of_files([other, folder / "a.csv"])
    with pytest.raises(TableError, match=r"'r\.toml' cannot be opened together with other files"):
        place_of_files([folder / "a.csv", folder / "r.toml"])
    other.write_text("n,x\n1,2\n", encoding="utf-8")
    other.rename(folder / "z.csv")
    with pytest.raises(TableError, match=r"'a\.csv' and 'z\.csv' have different columns"):
        open_table(folder / "{a,z}.csv")


def test_a_file_of_an_impossible_name_is_missing_only_when_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / f"{'n' * 300}.csv"
    assert place_of_files([file]) == file
    with pytest.raises(TableError, match="does not exist"):
        open_table(file)
