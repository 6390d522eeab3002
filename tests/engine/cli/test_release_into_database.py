"""Releases as tables of databases: made in one transaction, read back and verified before it ends."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import engine
from engine.cli import main
from engine.errors import CancelledError, ExportError, TableError, VerificationError
from engine.monitor import SILENT
from engine.pipeline import anonymize, export_release
from engine.project.recipe.files import read_recipe
from engine.records.databases import writing
from tests.engine.cli.running import Command
from tests.servers import PASSWORD, Server

COMMAND = "anonymize"
SICK = ("flu", "cold", "a,\"b\"; '%s'")
RECORDS = [(20 + i // 6, f"0{1000 + i % 2}", 1.5 * i, SICK[i % 3], None if i % 4 else "x") for i in range(60)]
HEAD = ["age", "zip", "100% income", "illness", "NOTE"]
RECIPE = """
[data]
path = "people.csv"
missing = [""]
[roles]
quasi_identifying = ["age", "zip"]
sensitive = ["illness"]
insensitive = ["100% income", "NOTE"]
[hierarchies.age]
builder = "intervals"
width = 5
[hierarchies.zip]
builder = "masking"
[[privacy]]
model = "k_anonymity"
k = 5
"""


def number(value: float) -> str:
    return f"{value:g}"


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    import csv

    with (tmp_path / "people.csv").open("w", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(HEAD)
        lines.writerows([a, z, number(i), s, n or ""] for a, z, i, s, n in RECORDS)
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE)
    return path


def rows_of(path: Path, table: str = "released") -> list[Any]:
    with closing(sqlite3.connect(path)) as file:
        return file.execute(f'SELECT * FROM "{table}" ORDER BY rowid').fetchall()


def test_a_release_becomes_a_table_of_sqlite_and_is_verified_there(recipe: Path, run: Command) -> None:
    path = recipe.with_name("out.db")
    url = f"sqlite:///{path}?table=released"
    report = recipe.with_name("report.json")
    figures = run.json(recipe, "--out", url, "--report", report)
    assert figures["verified"]
    rows = rows_of(path)
    assert [row[2:] for row in rows] == [row[2:] for row in RECORDS]  # numbers, texts and NULL as they were
    with closing(sqlite3.connect(path)) as file:
        kinds = [(name, kind) for _n, name, kind, *_o in file.execute("PRAGMA table_info(released)")]
    assert kinds[2:] == [("100% income", "REAL"), ("illness", "TEXT"), ("NOTE", "TEXT")]
    verify = Command("verify", run.capsys)
    assert verify.json(url, "--recipe", recipe)["verified"]
    assert engine.verify(url, recipe).verdict.ok
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("UPDATE released SET illness = 'cold' WHERE rowid = 1")
    code, _printed, errors = verify(url, "--recipe", recipe)
    assert code == 1
    assert "'illness'" in errors


def test_a_table_that_exists_and_other_databases_are_refused(recipe: Path, run: Command) -> None:
    path = recipe.with_name("out.db")
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("CREATE TABLE released (a)")
    before = path.read_bytes()
    run.refuses("already has a table 'released'", recipe, "--out", f"sqlite:///{path}?table=released")
    run.refuses("no table is given", recipe, "--out", f"sqlite:///{path}")
    run.refuses("cannot be written there", recipe, "--out", "mysql+pymysql://u@localhost/db?table=released")
    run.refuses("contains a password", recipe, "--out", "postgresql://u:p@localhost/db?table=released")
    absent = path.parent / "absent" / "out.db"
    run.refuses("folder does not exist", recipe, "--out", f"sqlite:///{absent}?table=released")
    own = f"sqlite:///{path}?table=new"
    run.refuses("which a table lacks", recipe, "--out", own, "--ledger", path.with_name("own.ledger"))
    assert path.read_bytes() == before


class _Cancelling:
    def step(self, done: int, total: int, text: str = "") -> None:
        if text.startswith("Writing out"):
            raise CancelledError


@pytest.mark.parametrize("is_new", [True, False])
@pytest.mark.parametrize("way", ["cancelled", "changed", "failed"])
def test_a_write_that_does_not_end_leaves_nothing(
    recipe: Path, monkeypatch: pytest.MonkeyPatch, way: str, is_new: bool
) -> None:
    path = recipe.with_name("out.db")
    if not is_new:
        with closing(sqlite3.connect(path)) as file, file:
            file.execute("CREATE TABLE other (a)")
    project = read_recipe(recipe)
    release = anonymize(project).release
    monkeypatch.setattr(writing, "_BATCH", 7)
    fill = writing._fill

    def changing(cursor: Any, *arguments: Any) -> None:
        fill(cursor, *arguments)
        cursor.execute("UPDATE released SET illness = 'cold'" if way == "changed" else "SELECT absent")

    if way != "cancelled":
        monkeypatch.setattr(writing, "_fill", changing)
    expected = {"cancelled": CancelledError, "changed": VerificationError, "failed": TableError}[way]
    monitor = _Cancelling() if way == "cancelled" else SILENT
    with pytest.raises(expected):
        export_release(project, release, f"sqlite:///{path}?table=released", monitor)
    assert path.exists() != is_new
    if not is_new:
        with closing(sqlite3.connect(path)) as file:
            assert file.execute("SELECT name FROM sqlite_master").fetchall() == [("other",)]
    assert not list(recipe.parent.glob("out.db-*"))


@pytest.fixture
def registry(server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    monkeypatch.setenv("ANONYMIZER_DATABASE_PASSWORD", PASSWORD)
    server.run('DROP TABLE IF EXISTS "rel%eased"')
    return server


def test_a_release_goes_back_into_a_server_in_one_transaction(
    registry: Server, recipe: Path, run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = registry.url("rel%eased")
    project = read_recipe(recipe)
    fill = writing._fill

    def failing(*arguments: Any) -> None:
        fill(*arguments)
        raise CancelledError

    with monkeypatch.context() as patch:
        patch.setattr(writing, "_fill", failing)
        with pytest.raises(CancelledError):
            export_release(project, anonymize(project).release, url)
    assert run.json(recipe, "--out", url)["verified"]  # nothing was left, or it would be refused
    with registry.connect() as connection:
        rows = connection.execute('SELECT * FROM "rel%eased" ORDER BY ctid').fetchall()
    assert [(float(row[2]), *row[3:]) for row in rows] == [row[2:] for row in RECORDS]
    run.refuses("already has a table", recipe, "--out", url)
    assert Command("verify", run.capsys).json(url, "--recipe", recipe)["verified"]
    registry.run("UPDATE \"rel%eased\" SET illness = 'cold' WHERE zip LIKE '01000' OR true")
    assert main(["verify", url, "--recipe", str(recipe), "--quiet"]) == 1


def test_a_name_that_the_server_would_cut_is_refused(registry: Server, recipe: Path) -> None:
    long = "ä" * 32
    recipe.write_text(RECIPE.replace('"NOTE"', f'"{long}"'))
    table = recipe.with_name("people.csv")
    table.write_text(table.read_text().replace("NOTE", long))
    project = read_recipe(recipe)
    with pytest.raises(ExportError, match="too long a name"):
        export_release(project, anonymize(project).release, registry.url("rel%eased"))


@pytest.mark.parametrize(
    ("system", "texts", "kind"),
    [
        ("sqlite", ["1", "-3", None], "BIGINT"), ("sqlite", ["1.5", "2"], "REAL"),
        ("sqlite", ["1.50"], "TEXT"), ("sqlite", ["9223372036854775808"], "TEXT"),
        ("sqlite", ["1", "*"], "TEXT"), ("postgresql", ["1.50", "2"], "NUMERIC"),
        ("postgresql", ["1e5"], "TEXT"), ("postgresql", ["-0"], "TEXT"),
    ],
)  # fmt: skip
def test_a_column_is_of_a_type_that_gives_back_every_digit(
    system: str, texts: list[str | None], kind: str
) -> None:
    fitting = [
        own for own in writing._NUMBERS[system]
        if all(text is None or (text != "*" and writing._is_kept(own, text)) for text in texts)
    ]  # fmt: skip
    assert next(own[0] for own in [*fitting, ("TEXT",)]) == kind
