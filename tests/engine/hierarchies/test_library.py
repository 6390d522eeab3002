"""Hierarchies are kept under names, come back as they were, and damage is told and harms nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import AnonymizerError, HierarchyError
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.base import HierarchyBuilder
from engine.hierarchies.builders.grouping import GroupingBuilder
from engine.hierarchies.builders.intervals import IntervalsBuilder
from engine.hierarchies.builders.masking import MaskingBuilder
from engine.hierarchies.library import entries, entry_named, file_stem, forget, keep
from engine.hierarchies.similar import fit
from tests.engine.hierarchies.columns import column_of

CITIES = Hierarchy.from_rows([["Rome", "Italy", "*"], ["Turin; Piedmont", "Italy", "*"]])
WINDOWS_REFUSES = set('<>:"/\\|?*') | {chr(code) for code in range(32)}


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    folder = tmp_path / "not yet" / "there"
    path = keep(folder, "Cities", CITIES, column="city")
    (entry,) = entries(folder)
    assert (entry.name, entry.path, entry.column, entry.problem) == ("Cities", path, "city", "")
    assert entry.builder is None
    assert entry.hierarchy.rows() == CITIES.rows()
    assert path == folder / "Cities.csv"


@pytest.mark.parametrize(
    "builder",
    [
        IntervalsBuilder(cuts=(1, 2.5, 10), merge=(2,), top=9.0),
        MaskingBuilder(direction="left_to_right", character="#"),
        GroupingBuilder(groups=((("low", ("1", "2")),),)),
    ],
)
def test_the_rule_comes_back_too(tmp_path: Path, builder: HierarchyBuilder) -> None:
    column = column_of("1", "2", "3")
    keep(tmp_path, "rule", builder.build(column), builder, "c")
    (entry,) = entries(tmp_path)
    assert entry.builder == builder


def test_names_of_levels_come_back_and_are_used_again(tmp_path: Path) -> None:
    keep(tmp_path, "Cities", CITIES.with_level_names(["countries"]), column="city")
    rule = MaskingBuilder()
    zips = rule.build(column_of("11", "12"))
    keep(tmp_path, "Zip", zips.with_level_names(["districts"]), rule, "zip")
    assert (tmp_path / "Cities.csv").read_text().startswith("Rome;"), "the form of ARX, without names"
    cities, codes = entries(tmp_path)
    assert cities.hierarchy.level_names == ("countries", "")
    assert fit(cities.hierarchy, None, column_of("Rome", "Oslo")).hierarchy.level_names == ("countries", "")
    assert codes.hierarchy is not None
    placed = fit(codes.hierarchy, codes.builder, column_of("11", "12", "13"))
    assert placed.is_by_rule
    assert placed.hierarchy.level_names == ("districts", "")


def test_keeping_under_a_name_again_replaces_lines_and_rule(tmp_path: Path) -> None:
    rule = MaskingBuilder()
    keep(tmp_path, "Zip", rule.build(column_of("1", "2")), rule, "zip")
    keep(tmp_path, " zIP ", CITIES)
    (entry,) = entries(tmp_path)
    assert (entry.name, entry.builder, entry.column) == ("Zip", None, "")
    assert entry.hierarchy.values == CITIES.values


def test_names_are_listed_in_their_order_whatever_their_case(tmp_path: Path) -> None:
    for name in ("b", "A", "ä", "C"):
        keep(tmp_path, name, CITIES)
    assert [entry.name for entry in entries(tmp_path)] == ["A", "b", "C", "ä"]


def test_an_entry_is_forgotten_with_its_rule(tmp_path: Path) -> None:
    keep(tmp_path, "a", CITIES, column="x")
    path = keep(tmp_path, "b", CITIES, column="x")
    forget(path)
    assert [entry.name for entry in entries(tmp_path)] == ["a"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.csv", "a.toml"]
    forget(path)  # gone already


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("Ages, 5/10/20", "Ages, 5%2F10%2F20"),
        ("a.", "a%2E"),
        ("..", "%2E%2E"),
        (".hidden", "%2Ehidden"),
        ("con", "%63on"),
        ("LPT1.old", "%4CPT1.old"),
        ("50%", "50%25"),
        ("été – 日本", "été – 日本"),
        ("e\u0301", "é"),
        ("a\nb", "a%0Ab"),
    ],
)
def test_names_become_file_names_every_system_allows(tmp_path: Path, name: str, stem: str) -> None:
    assert file_stem(name) == stem
    path = keep(tmp_path, name, CITIES)
    assert path.name == f"{stem}.csv"
    assert entry_named(tmp_path, name.upper()) == path


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40))
def test_any_text_is_a_safe_name(name: str) -> None:
    try:
        stem = file_stem(name)
    except HierarchyError:
        assert not name.strip() or len(name) > 10
        return
    assert WINDOWS_REFUSES.isdisjoint(stem)
    assert stem[-1] not in ". "
    assert stem[0] not in ". "
    assert len(stem.encode()) <= 180


@pytest.mark.parametrize("name", ["", "  ", "x" * 200, "日" * 61])
def test_names_that_are_empty_or_too_long_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(HierarchyError) as refused:
        keep(tmp_path, name, CITIES)
    assert refused.value.hint
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ("Rome;Italy;*\nOslo;Norway\n", "line 2"),
        ("a;x;*\nb;x;o\n", "line 2"),
        ("", "empty"),
        ("\0\0\0", ""),
    ],
)
def test_a_damaged_table_is_listed_with_the_reason(tmp_path: Path, lines: str, says: str) -> None:
    (tmp_path / "broken.csv").write_text(lines, encoding="utf-8")
    keep(tmp_path, "good", CITIES)
    broken, good = entries(tmp_path)
    assert (broken.name, broken.hierarchy) == ("broken", None)
    assert broken.problem
    assert says in broken.problem
    assert good.hierarchy is not None


@pytest.mark.parametrize(
    "rule",
    [
        b"not toml [",
        b"\xff\xfe\x00",
        b"column = 3",
        b"rule = 3",
        b'[rule]\nbuilder = "magic"',
        b'[rule]\nbuilder = "masking"\ndirection = "up"',
        b'[rule]\nbuilder = "masking"\ndepth = 3',
        b"[rule]\nbuilder = []",
    ],
)
def test_a_damaged_rule_is_told_and_the_table_still_serves(tmp_path: Path, rule: bytes) -> None:
    path = keep(tmp_path, "cities", CITIES)
    path.with_suffix(".toml").write_bytes(rule)
    (entry,) = entries(tmp_path)
    assert "cities.toml" in entry.problem
    assert entry.builder is None
    assert entry.hierarchy is not None


def test_other_files_and_folders_are_no_entries_and_a_folder_called_like_one_is_told(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / ".half.csv").write_text("x")
    (tmp_path / "folder.csv").mkdir()
    (entry,) = entries(tmp_path)
    assert entry.name == "folder"
    assert entry.problem


def test_no_library_is_an_empty_one_and_an_impossible_one_is_told(tmp_path: Path) -> None:
    assert entries(tmp_path / "none") == ()
    (tmp_path / "file").write_text("x")
    for call in (lambda: entries(tmp_path / "file"), lambda: keep(tmp_path / "file", "a", CITIES)):
        with pytest.raises(AnonymizerError):
            call()


def test_a_table_put_there_by_hand_is_an_entry(tmp_path: Path) -> None:
    (tmp_path / "by hand.CSV").write_text("a;x\nb;x\n", encoding="utf-8")
    (entry,) = entries(tmp_path)
    assert (entry.name, entry.problem) == ("by hand", "")
