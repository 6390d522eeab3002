"""What leaves in identifying columns, and that the judge of the written file finds every other cell."""

from __future__ import annotations

import csv
import hashlib
import hmac
import os
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ExportError, VerificationError
from engine.pipeline import anonymize, export_release
from engine.project import Project
from engine.project.recipe.files import read_recipe, recipe_text, write_recipe
from engine.recoding.drawing import drawn_order, start_for_column, start_for_rows, start_of
from engine.recoding.rules import RuleContext, column_rules
from engine.recoding.rules.keyed_hash import make_key
from engine.records import Column, DataType, Kind, Table
from engine.records.values import make_column
from engine.verification import rules as verified_rules

NAMES = ["Ann", "Bob", "", "Ann", "Élodie", "Cem"]
TABLE = "name,age,illness\n" + "".join(
    f"{n},{a},flu\n" for n, a in zip(NAMES, [1, 1, 2, 2, 1, 2], strict=True)
)
RECIPE = """\
format = 1
[data]
path = "people.csv"
[roles]
identifying = ["name"]
quasi_identifying = ["age"]
insensitive = ["illness"]
[[privacy]]
model = "k_anonymity"
k = 2
"""
HIDING = sorted(key for key, kind in column_rules.items() if kind.hides_values)
KEY = b"0123456789abcdef0123456789abcdef"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "people.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "people.toml").write_text(RECIPE, encoding="utf-8")
    (tmp_path / "keys").mkdir()
    return read_recipe(tmp_path / "people.toml")


def column_of(name: str, texts: list[str]) -> Column:
    labels, codes = np.unique(texts, return_inverse=True)
    return make_column(name, labels.tolist(), codes.astype(np.int32), DataType(Kind.TEXT))


def ruled(project: Project, key: str, **values: Any) -> Project:
    transformation = replace(project.transformation, identifying=key, identifying_options=values)
    return replace(project, transformation=transformation)


def exported(project: Project, path: Path) -> list[dict[str, str]]:
    """The rows of a verified release."""
    assert export_release(project, anonymize(project).release, path).ok
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_constant_stands_in_every_cell(project: Project, tmp_path: Path) -> None:
    rows = exported(ruled(project, "constant", text="a person, of course"), tmp_path / "out.csv")
    assert [row["name"] for row in rows] == ["a person, of course"] * 6


def test_pseudonyms_are_the_same_for_equal_values_and_missing_stays_missing(
    project: Project, tmp_path: Path
) -> None:
    found = [row["name"] for row in exported(ruled(project, "pseudonym", digits=3), tmp_path / "out.csv")]
    assert found[0] == found[3]
    assert found[2] == ""
    assert sorted({*found} - {""}) == ["P001", "P002", "P003", "P004"]


def test_pseudonyms_do_not_follow_the_alphabet_nor_the_file() -> None:
    texts = [f"person {number:03d}" for number in range(200)]
    column = column_of("name", texts)
    rule = column_rules.create("pseudonym")
    written = rule.apply(column, RuleContext(Table((column,))))
    numbers = [int(written[0][code][1:]) for code in written[1]]
    assert sorted(numbers) == list(range(1, 201))
    assert abs(np.corrcoef(numbers, range(200))[0, 1]) < 0.3


def test_pseudonyms_of_one_column_tell_neither_those_of_another_nor_the_order_of_the_records(
    tmp_path: Path,
) -> None:
    lines = [f"n{number:02d},r{number:02d},1,{number:02d}" for number in range(40)]
    text = "\n".join(["name,rows,age,illness", *lines, ""])
    (tmp_path / "people.csv").write_text(text, encoding="utf-8")
    asked = RECIPE.replace('["name"]', '["name", "rows"]')
    asked += '[transformation]\nidentifying = "pseudonym"\nshuffle = true\n'
    (tmp_path / "people.toml").write_text(asked, encoding="utf-8")
    found = exported(read_recipe(tmp_path / "people.toml"), tmp_path / "out.csv")
    orders = [
        [row["name"] for row in found],
        [row["rows"] for row in found],
        [row["name"] for row in sorted(found, key=lambda row: row["illness"])],
        [row["rows"] for row in sorted(found, key=lambda row: row["illness"])],
        sorted(row["name"] for row in found),
    ]
    assert len({tuple(order) for order in orders}) == 5


def test_another_table_or_seed_draws_other_pseudonyms(project: Project) -> None:
    table = project.table
    other = Table((*table.columns[:2], column_of("illness", ["cold", *["flu"] * 5])))
    starts = {start_of(table, 0), start_of(table, 1), start_of(other, 0)}
    assert len(starts) == 3


def test_a_keyed_hash_is_the_beginning_of_the_standard_code(project: Project, tmp_path: Path) -> None:
    (tmp_path / "keys" / "people.key").write_bytes(KEY + b"\r\n")
    asked = ruled(project, "keyed_hash", key_file=str(tmp_path / "keys" / "people.key"), length=20)
    found = [row["name"] for row in exported(asked, tmp_path / "out.csv")]
    assert found == [hmac.new(KEY, n.encode(), hashlib.sha256).hexdigest()[:20] if n else "" for n in NAMES]


@pytest.mark.parametrize(
    ("key", "problem"), [(None, "is unknown"), (b"short", "has only 5 bytes"), ("gone", "cannot be read")]
)
def test_without_its_key_a_hash_does_not_leave_but_a_release_can_be_looked_at(
    project: Project, tmp_path: Path, key: bytes | str | None, problem: str
) -> None:
    path = tmp_path / "keys" / "people.key"
    if isinstance(key, bytes):
        path.write_bytes(key)
    asked = ruled(project, "keyed_hash", **({} if key is None else {"key_file": str(path)}))
    release = anonymize(asked).release
    assert release.columns[0].labels == ("*",)
    with pytest.raises(ExportError, match=problem):
        export_release(asked, release, tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()
    path.write_bytes(KEY)
    if key is not None:  # there meanwhile: the cells are made again
        assert export_release(asked, release, tmp_path / "out.csv").ok


def test_a_release_never_lies_beside_its_key(project: Project, tmp_path: Path) -> None:
    make_key(tmp_path / "people.key")
    asked = ruled(project, "keyed_hash", key_file=str(tmp_path / "people.key"))
    with pytest.raises(ExportError, match=r"same folder as the key 'people\.key'"):
        export_release(asked, anonymize(asked).release, tmp_path / "out.csv")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, ["*nn", "*ob", "", "*nn", "****ie", "*em"]),
        ({"keep_first": 1, "keep_last": 0, "character": "x"}, ["Axx", "Bxx", "", "Axx", "Éxxxxx", "Cxx"]),
        ({"keep_first": 1, "keep_last": 2}, ["***", "***", "", "***", "É***ie", "***"]),
        ({"keep_first": 1, "keep_last": 1, "length": 5},
         ["A*****n", "B*****b", "", "A*****n", "É*****e", "C*****m"]),
    ],
)  # fmt: skip
def test_a_mask_keeps_the_ends_and_never_all_of_a_value(
    project: Project, tmp_path: Path, values: dict[str, Any], expected: list[str]
) -> None:
    rows = exported(ruled(project, "mask", **values), tmp_path / "out.csv")
    assert [row["name"] for row in rows] == expected


@pytest.mark.parametrize("key", HIDING)
@pytest.mark.parametrize(("removal", "is_shuffled"), [("star", False), ("remove", True)])
def test_every_rule_is_confirmed_in_every_way_of_writing(
    project: Project, tmp_path: Path, key: str, removal: str, is_shuffled: bool
) -> None:
    (tmp_path / "keys" / "people.key").write_bytes(KEY)
    values = {"key_file": str(tmp_path / "keys" / "people.key")} if key == "keyed_hash" else {}
    asked = ruled(project, key, **values)
    changed = replace(asked.transformation, suppressed_records=removal, shuffle=is_shuffled, seed=7)
    rows = exported(replace(asked, transformation=changed), tmp_path / "out.csv")
    assert len(rows) == 6
    assert ("name" in rows[0]) == (key != "drop")


@pytest.mark.parametrize("key", [key for key in HIDING if key != "drop"])
def test_a_cell_that_another_rule_wrote_is_found(
    project: Project, tmp_path: Path, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "keys" / "people.key").write_bytes(KEY)
    asked = ruled(
        project, key, **({"key_file": str(tmp_path / "keys" / "people.key")} if key == "keyed_hash" else {})
    )
    release = anonymize(asked).release
    column = release.columns[0]
    codes = np.full_like(column.codes, len(column.labels))
    codes[1:] = column.codes[1:]
    wrong = replace(column, labels=(*column.labels, "Ann"), codes=codes)
    monkeypatch.setattr(
        "engine.pipeline.export.remade", lambda *_: replace(release, columns=(wrong, *release.columns[1:]))
    )
    with pytest.raises(VerificationError, match=r"Record 1, column 'name': the file has 'Ann'"):
        export_release(asked, replace(release, columns=(wrong, *release.columns[1:])), tmp_path / "out.csv")


def test_a_column_may_have_a_rule_of_its_own(project: Project, tmp_path: Path) -> None:
    rule = column_rules.create("mask", keep_last=1)
    asked = replace(project, transformation=replace(project.transformation, identifiers={"name": rule}))
    assert exported(asked, tmp_path / "out.csv")[0]["name"] == "**n"


def test_shuffled_records_leave_in_another_order_whole(project: Project, tmp_path: Path) -> None:
    text = "name,age,illness\n" + "".join(f"N{i},{i % 2},{i:02d}\n" for i in range(40))
    (tmp_path / "people.csv").write_text(text, encoding="utf-8")
    project = read_recipe(tmp_path / "people.toml")
    asked = replace(project, transformation=replace(project.transformation, shuffle=True))
    found = [row["illness"] for row in exported(asked, tmp_path / "out.csv")]
    assert found != sorted(found)
    assert sorted(found) == [f"{i:02d}" for i in range(40)]
    again = [row["illness"] for row in exported(asked, tmp_path / "again.csv")]
    assert again == found


def test_records_in_the_order_of_the_input_are_not_passed_as_shuffled(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = replace(project, transformation=replace(project.transformation, shuffle=True, seed=1))
    monkeypatch.setattr("engine.recoding.written.drawn_order", lambda count, _start: np.arange(count))
    with pytest.raises(VerificationError):
        export_release(asked, anonymize(asked).release, tmp_path / "out.csv")


@pytest.mark.parametrize("subset", ['filter = "age < 3"', "fraction = 0.6", 'path = "rows.csv"', ""])
@pytest.mark.parametrize("is_held", [False, True])
def test_numbers_and_order_are_drawn_from_the_records_that_are_released(
    tmp_path: Path, subset: str, is_held: bool
) -> None:
    """Whether they are a part of the table, and whether the table lies in a file or in memory alone."""
    rows = [f"N{i % 13},{i % 2},{i % 3}" if i % 7 else f"?,{i % 2},x" for i in range(30)]
    (tmp_path / "people.csv").write_text("\n".join(["name,age,illness", *rows, ""]), encoding="utf-8")
    (tmp_path / "rows.csv").write_text("\n".join(["name,age,illness", *rows[4:20], ""]), encoding="utf-8")
    recipe = RECIPE.replace('.csv"', '.csv"\nmissing = ["?"]', 1)
    asked = '[transformation]\nidentifying = "pseudonym"\nshuffle = true\nseed = 3\n'
    chosen = f"[subset]\n{subset}\n" if subset else ""
    (tmp_path / "people.toml").write_text(recipe + asked + chosen, encoding="utf-8")
    project = read_recipe(tmp_path / "people.toml")
    if is_held:
        project = replace(project, source=None)
    found = exported(project, tmp_path / "out.csv")
    assert len(found) == project.records.n_records
    assert {row["name"] for row in found if row["illness"] == "x"} == {"?"}


@given(st.integers(0, 60), st.integers(0, 2**64 - 1))
def test_program_and_judge_draw_the_same_order(count: int, start: int) -> None:
    assert drawn_order(count, start).tolist() == verified_rules.drawn_order(count, start)


@given(st.text(max_size=5), st.integers(0, 2**64 - 1))
def test_program_and_judge_begin_each_drawing_with_a_number_of_its_own(name: str, start: int) -> None:
    assert start_for_column(start, name) == verified_rules.own_start(start, f"column {name}")
    assert start_for_rows(start) == verified_rules.own_start(start, "rows") != start_for_column(start, name)


@pytest.mark.parametrize("rule", ["pseudonym", "mask", "star"])
@pytest.mark.parametrize("missing", ["", 'missing = ["?"]', "missing = []"])
def test_missing_values_of_single_columns_stay_so_where_the_table_is_held_in_memory(
    tmp_path: Path, rule: str, missing: str
) -> None:
    (tmp_path / "people.csv").write_text("name,age,illness\nAnn,1,flu\nNA,1,NA\nCem,1,x\n", encoding="utf-8")
    asked = RECIPE.replace(
        '.csv"', f'.csv"\n{missing}\ncolumn_missing = {{name = ["NA"], illness = ["x"]}}', 1
    )
    (tmp_path / "people.toml").write_text(asked, encoding="utf-8")
    held = replace(ruled(read_recipe(tmp_path / "people.toml"), rule), source=None)
    first = {"": "", 'missing = ["?"]': "?", "missing = []": "NA"}[missing]
    assert exported(held, tmp_path / "out.csv")[1]["name"] == ("*" if rule == "star" else first)
    write_recipe(held, tmp_path / "again.toml")
    again = read_recipe(tmp_path / "again.toml").table
    found = [(column.name, column.labels, column.has_missing) for column in again.columns]
    assert found == [(column.name, column.labels, column.has_missing) for column in held.table.columns]


def test_the_key_file_is_named_as_seen_from_the_recipe(project: Project, tmp_path: Path) -> None:
    key = tmp_path / "keys" / "people.key"
    make_key(key)
    rule = column_rules.create("keyed_hash", key_file=str(key))
    asked = ruled(project, "keyed_hash", key_file=str(key))
    asked = replace(asked, transformation=replace(asked.transformation, identifiers={"name": rule}))
    text = recipe_text(asked, tmp_path)
    assert text.count('key_file = "keys/people.key"') == 2
    assert key.read_text(encoding="utf-8").strip() not in text
    write_recipe(asked, tmp_path / "again.toml")
    assert read_recipe(tmp_path / "again.toml").transformation == asked.transformation


def test_a_key_is_for_its_owner_alone_and_never_replaced(tmp_path: Path) -> None:
    make_key(tmp_path / "a.key")
    first = (tmp_path / "a.key").read_bytes()
    assert len(first.strip()) == 64
    if os.name == "posix":
        assert stat.S_IMODE((tmp_path / "a.key").stat().st_mode) == 0o600
    with pytest.raises(ExportError, match="already exists"):
        make_key(tmp_path / "a.key")
    assert (tmp_path / "a.key").read_bytes() == first
    make_key(tmp_path / "b.key")
    assert (tmp_path / "b.key").read_bytes() != first
    with pytest.raises(ExportError, match="could not be written"):
        make_key(tmp_path / "no folder" / "c.key")
