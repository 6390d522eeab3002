"""Recipes find columns by their headings: inserted, moved and nameless columns in every format."""

from __future__ import annotations

import json
import random
import sqlite3
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError, TableError
from engine.pipeline import anonymize, export_release
from engine.project.claims import release_claim
from engine.project.recipe.files import read_recipe, write_recipe
from engine.project.recipe.reuse import apply_recipe
from engine.records import ReadOptions
from engine.records.columns_taken import TakenColumn, named_apart, names_apart, taken_columns
from engine.records.opening.files import read
from engine.verification import verify
from engine.verification.claims import Reading, TakenClaim
from engine.verification.findings import UnverifiableError
from engine.verification.readers.reading import taken_columns as verified_columns
from tests.engine.cli.running import Command

COMMAND = "anonymize"
HEADINGS = ("", "age", "sex", "ill")
ROWS = [(str(n), str(20 + n // 6), "fm"[n % 2], ("flu", "gout", "cold")[n % 3]) for n in range(24)]
REST = """
[hierarchies."age"]
builder = "suppress"
[hierarchies."sex"]
builder = "suppress"
[[privacy]]
model = "k_anonymity"
k = 3
"""
ROLES = 'quasi_identifying = ["age", "sex"]\ninsensitive = ["ill"]\n'
OLD = "".join(
    f'[[data.columns]]\nsource = {place}\nname = "{name}"\n'
    for place, name in enumerate(("column 1", *HEADINGS[1:]), start=1)
)
FORMATS = ("csv", "xlsx", "parquet", "jsonl", "folder", "sqlite", "disk")


def write_table(folder: Path, kind: str, headings: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Write a table, and return how a recipe names it."""
    path = folder / f"t.{kind}"
    if kind in ("csv", "disk"):
        path = folder / "t.csv"
        lines = [",".join(f'"{cell}"' for cell in row) for row in (headings, *rows)]
        path.write_text("\n".join(lines) + "\n")
        return f'path = "{path.name}"' + ('\nsource = "disk"' if kind == "disk" else "")
    if kind == "folder":
        (folder / "t").mkdir(exist_ok=True)
        for name, part in (("a", rows[:12]), ("b", rows[12:])):
            write_table(folder / "t", "csv", headings, part)
            (folder / "t" / "t.csv").rename(folder / "t" / f"{name}.csv")
        return 'path = "t"'
    if kind in ("sqlite", "server"):
        (folder / "t.db").unlink(missing_ok=True)
        with sqlite3.connect(folder / "t.db") as made:
            made.execute("CREATE TABLE t ({})".format(", ".join(f'"{name}" TEXT' for name in headings)))
            made.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(headings))})", rows)
        made.close()
        where = '\nsource = "server"' if kind == "server" else ""
        return f'path = "sqlite:///{folder}/t.db?table=t"{where}'
    if kind == "jsonl":
        path.write_text("".join(json.dumps(dict(zip(headings, row, strict=True))) + "\n" for row in rows))
    else:
        frame = pd.DataFrame(rows, columns=list(headings))
        frame.to_excel(path, index=False) if kind == "xlsx" else frame.to_parquet(path, index=False)
    return f'path = "{path.name}"'


def write(folder: Path, kind: str, columns: str = "", roles: str = ROLES, others: str = "") -> Path:
    """Write table and recipe."""
    named = write_table(folder, kind, HEADINGS, ROWS)
    recipe = folder / "recipe.toml"
    recipe.write_text(f"[data]\n{named}\n{columns}\n[roles]\n{others}{roles}{REST}")
    return recipe


def inserted(place: int, heading: str) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Headings and rows with another column of numbers that identify."""
    headings = (*HEADINGS[:place], heading, *HEADINGS[place:])
    return headings, [(*row[:place], f"pin{n}", *row[place:]) for n, row in enumerate(ROWS)]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(COMMAND, capsys)


@pytest.mark.parametrize("kind", FORMATS)
def test_a_nameless_column_needs_no_entry_if_others_are_withheld(
    tmp_path: Path, kind: str, run: Command
) -> None:
    recipe = write(tmp_path, kind, others='others = "withhold"\n')
    out = tmp_path / "out.csv"
    summary = run.json(recipe, "--out", out)
    assert summary["others"] == {"rule": "withhold", "columns": ["column 1"]}
    assert summary["verified"]
    assert out.read_text().splitlines()[0] == "age,sex,ill"


def test_without_that_rule_it_is_refused_by_its_name_as_columns_with_headings_are(
    tmp_path: Path, run: Command
) -> None:
    recipe = write(tmp_path, "csv")
    code, _printed, errors = run(recipe, "--out", tmp_path / "out.csv")
    assert code == 2
    assert "column 1" in errors
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("kind", FORMATS)
def test_a_saved_recipe_has_headings_and_one_position_with_its_neighbours(tmp_path: Path, kind: str) -> None:
    recipe = write(tmp_path, kind, roles=f'identifying = ["column 1"]\n{ROLES}')
    project = read_recipe(recipe, may_connect=True)
    own = (TakenColumn(1, "column 1", None, "age"), *(TakenColumn(name, name) for name in HEADINGS[1:]))
    assert project.options.take == own
    write_recipe(project, tmp_path / "saved.toml")
    again = read_recipe(tmp_path / "saved.toml", may_connect=True)
    assert (again.options.take, again.table.names) == (own, project.table.names)
    for wrong, found in (((1, "pin"), "'pin' is after column 1"), ((0, "pin"), "has the heading 'pin'")):
        write_table(tmp_path, kind, *inserted(*wrong))
        with pytest.raises(TableError, match=found) as refusal:
            read_recipe(tmp_path / "saved.toml", may_connect=True)
        assert "Check whether columns were inserted" in refusal.value.hint
    write_table(tmp_path, kind, *inserted(4, "pin"))
    later = read_recipe(tmp_path / "saved.toml", may_connect=True)
    assert (later.table.names, later.options.left_out) == (project.table.names, ("pin",))


@pytest.mark.parametrize("kind", [*FORMATS, pytest.param("server", marks=pytest.mark.thorough)])
def test_an_old_recipe_of_positions_is_taken_only_if_its_headings_are_there(
    tmp_path: Path, kind: str, run: Command
) -> None:
    recipe = write(tmp_path, kind, OLD, roles=f'identifying = ["column 1"]\n{ROLES}')
    out = tmp_path / "out.csv"
    assert run.json(recipe, "--out", out)["verified"]
    write_table(tmp_path, kind, *inserted(1, "pin"))
    out.unlink()
    code, _printed, errors = run(recipe, "--out", out)
    assert code == 2
    assert "column 2 has the heading 'pin', but 'age' is expected" in errors
    assert not out.exists()


def test_an_old_recipe_of_a_repeated_heading_is_taken_by_its_numbered_name(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b,a\n1,2,3\n")
    old = (TakenColumn(3, "a (2)"), TakenColumn(1, "a"))
    reading = read(tmp_path / "t.csv", ReadOptions(take=old))
    assert reading.table.record(0) == ("3", "1")
    assert reading.options.take == (
        TakenColumn("a", "a (2)", "b", None, 2),
        TakenColumn("a", "a", None, "b", 1),
    )
    (tmp_path / "t.csv").write_text("a,a,b,a\n1,0,2,3\n")
    with pytest.raises(TableError, match=r"column 3 has the heading 'b', but 'a \(2\)' is expected"):
        read(tmp_path / "t.csv", ReadOptions(take=old))
    with pytest.raises(TableError, match=r"'a' is before column 2 \('a \(2\)'\), but 'b' is expected"):
        read(tmp_path / "t.csv", ReadOptions(take=reading.options.take))


def test_a_heading_that_is_repeated_next_month_is_refused_and_said_how_to_choose(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,age,age\n1,2,3\n")
    with pytest.raises(TableError, match="columns 2 and 3 have the same name, 'age'") as refusal:
        read(path)
    assert "occurrence" in refusal.value.hint
    with pytest.raises(TableError, match="'age' is the name of several columns \\(2, 3\\)") as refusal:
        read(path, ReadOptions(take=(TakenColumn("age", "age"),)))
    assert 'previous = "...", next = "..."' in refusal.value.hint
    with pytest.raises(TableError, match="only 2 columns are named 'age' \\(2, 3\\), but number 3"):
        read(path, ReadOptions(take=(TakenColumn("age", "age", occurrence=3),)))


def test_headings_are_compared_with_their_spaces_unless_they_are_trimmed(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(" age ,  ,sex\n1,2,f\n")
    reading = read(path)
    assert reading.table.names == (" age ", "column 2", "sex")
    assert reading.options.take[1] == TakenColumn(2, "column 2", " age ", "sex")
    with pytest.raises(TableError, match="' age ' is before column 2 \\('n'\\), but 'age' is expected"):
        read(path, ReadOptions(take=(TakenColumn(2, "n", "age", "sex"),)))
    assert read(path, ReadOptions(take=(TakenColumn(2, "n", "age", "sex"),), trim=True)).table.names == ("n",)


def test_a_population_may_have_nameless_columns(tmp_path: Path, run: Command) -> None:
    write(tmp_path, "csv", others='others = "withhold"\n')
    people = [("", " ", "age", "sex"), *((f"{n}", f"{n}", row[1], row[2]) for n, row in enumerate(ROWS * 3))]
    (tmp_path / "people.csv").write_text("".join(",".join(row) + "\n" for row in people))
    recipe = tmp_path / "recipe.toml"
    text = recipe.read_text().replace("k_anonymity", "k_map")
    recipe.write_text(text + '[population]\npath = "people.csv"\n')
    assert run.json(recipe, "--out", tmp_path / "out.csv")["verified"]


def test_a_file_without_headings_has_only_positions(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("1,2\n3,4\n")
    reading = read(tmp_path / "t.csv", ReadOptions(header=False, take=(TakenColumn(2, "age"),)))
    assert reading.options.take == (TakenColumn("column 2", "age"),)
    assert reading.table.record(1) == ("4",)


def test_columns_that_the_selection_omits_are_named(tmp_path: Path, run: Command) -> None:
    columns = "".join(f'[[data.columns]]\nsource = "{name}"\n' for name in HEADINGS[1:])
    recipe = write(tmp_path, "csv", columns)
    write_table(tmp_path, "csv", *inserted(4, "pin"))
    assert run.json(recipe, "--out", tmp_path / "out.csv")["not_selected"] == ["column 1", "pin"]
    code, printed, _errors = run(recipe, "--out", tmp_path / "out.csv")
    assert code == 0
    assert "column 1, pin: not read, because" in " ".join(printed.replace("│", " ").split())
    _project, changes = apply_recipe(recipe, tmp_path / "t.csv")
    assert changes.left_out == ("column 1", "pin")


def test_a_recipe_is_applied_to_a_table_that_lacks_selected_columns(tmp_path: Path) -> None:
    columns = "".join(f'[[data.columns]]\nsource = "{name}"\n' for name in HEADINGS[1:])
    recipe = write(tmp_path, "csv", columns)
    (tmp_path / "next.csv").write_text('"","sex","sex","ill"\n1,f,m,flu\n')
    with pytest.raises(InputError, match="'sex' is the name of several columns"):
        apply_recipe(recipe, tmp_path / "next.csv")
    (tmp_path / "next.csv").write_text('"","sex","ill"\n1,f,flu\n')
    project, changes = apply_recipe(recipe, tmp_path / "next.csv")
    assert (project.table.names, changes.removed, changes.left_out) == (
        ("sex", "ill"),
        ("age",),
        ("column 1",),
    )
    assert not project.options.may_lack


@given(
    st.lists(st.sampled_from(["", " ", "a", "b", "c", "pin"]), min_size=1, max_size=6),
    st.lists(st.sampled_from(["", "a", "b", "pin"]), max_size=2),
    st.randoms(use_true_random=False),
)
def test_a_changed_file_gives_columns_of_the_same_headings_or_is_refused(
    headings: list[str], more: list[str], source: random.Random
) -> None:
    take = named_apart(headings)
    changed = list(headings)
    for heading in more:
        changed.insert(source.randint(0, len(changed)), heading)
    if source.random() < 0.3:
        source.shuffle(changed)
    claims = tuple(TakenClaim(c.source, c.name, (c.previous, c.next), c.occurrence) for c in take)
    reading = Reading(Path("t.csv"), ",", "utf-8", has_header=True, taken=claims)
    try:
        found = taken_columns(changed, take, False, "t.csv")
    except TableError:
        with pytest.raises(UnverifiableError):
            verified_columns(reading, changed)
        return
    assert verified_columns(reading, changed) == found
    names = dict(zip(names_apart(headings), headings, strict=True))
    assert [changed[place].strip() for place, _name in found] == [
        names[name].strip() for _place, name in found
    ]


@pytest.mark.parametrize(
    ("taken", "told"),
    [
        (TakenClaim(2, "age"), "exactly one column 2"),
        (TakenClaim(1, "column 1", (None, "pin")), "next to column 1"),
        (TakenClaim("age", "age", occurrence=2), "exactly one column 'age'"),
        (TakenClaim("age", "age", ("pin", "sex")), "next to column 'age'"),
    ],
)
@pytest.mark.parametrize("kind", ["csv", "xlsx", "parquet"])
def test_the_verification_compares_headings_with_the_recipe(
    tmp_path: Path, taken: TakenClaim, told: str, kind: str
) -> None:
    recipe = write(tmp_path, kind, roles=f'identifying = ["column 1"]\n{ROLES}')
    project = read_recipe(recipe)
    release = anonymize(project).release
    out = tmp_path / "out.csv"
    assert export_release(project, release, out).ok
    claim = release_claim(project, release, project.source, out)
    assert verify(claim).ok
    others = tuple(own for own in claim.original.taken if own.name != taken.name)
    verdict = verify(replace(claim, original=replace(claim.original, taken=(taken, *others))))
    assert not verdict.ok
    assert told in verdict.problems[0]
