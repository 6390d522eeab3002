"""Tables of databases, which every command opens by their URL, and results as CSV."""

from __future__ import annotations

import csv
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import duckdb
import pytest

from engine import check as check_frame
from engine.cli import main
from engine.cli.console import Format, show_tables
from tests.engine.cli.running import Command
from tests.servers import PASSWORD, Server

TABLE = """\
age,zip,illness
20,01000,flu
20,01000,cold
21,01001,flu
21,01001,cold
"""
ROWS = [tuple(line.split(",")) for line in TABLE.splitlines()[1:]]
COMMAND = "check"
QI = ("--qi", "age", "--qi", "zip", "--sa", "illness")


def made(path: Path) -> Path:
    """The module's `TABLE` in a file of SQLite or DuckDB."""
    connect = duckdb.connect if path.suffix == ".duckdb" else sqlite3.connect
    with closing(connect(path)) as file:
        file.execute("BEGIN")
        file.execute("CREATE TABLE people (age INTEGER, zip TEXT, illness TEXT)")
        file.executemany("INSERT INTO people VALUES (?, ?, ?)", ROWS)
        file.commit()
    return path


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return made(tmp_path / "people.db")


@pytest.mark.parametrize("ending", ["db", "duckdb"])
def test_a_table_of_a_database_is_measured_like_its_file(ending: str, people: Path, run: Command) -> None:
    database = made(people.with_name(f"people.{ending}"))
    url = f"{'sqlite' if ending == 'db' else ending}:///{database}?table=people"
    expected = run.json(people, *QI)
    assert run.json(url, *QI) == expected
    assert run.json(database, *QI) == expected  # its only table
    assert (
        check_frame(url, ["age", "zip"], ["illness"]).as_dict()
        == check_frame(people, ["age", "zip"], ["illness"]).as_dict()
    )
    for command in ("risk", "detect", "singletons"):
        own = Command(command, run.capsys)
        assert own.json(url, *(QI[:4] if command != "detect" else ())) == own.json(
            people, *(QI[:4] if command != "detect" else ())
        )
    assert Command("utility", run.capsys).json(url, people, *QI)["records"] == {"raw": 4, "anonymized": 4}


def test_a_report_of_a_table_of_a_database_names_it(database: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    url = f"sqlite:///{database}?table=people"
    assert main(["report", url, "--qi", "age", "--out", str(out), "--quiet"]) == 0
    assert "sqlite:///" in (text := out.read_text(encoding="utf-8"))
    assert "which has no checksum" in text


def test_a_server_is_asked_with_the_password_of_the_environment(
    server: Server, people: Path, run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.make("people", {"age": "integer", "zip": "text", "illness": "text"}, ROWS)
    run.refuses("ANONYMIZER_DATABASE_PASSWORD", server.url("people"), *QI)
    monkeypatch.setenv("ANONYMIZER_DATABASE_PASSWORD", PASSWORD)
    assert run.json(server.url("people"), *QI) == run.json(people, *QI)
    run.refuses("contains a password", server.url("people", password=True), *QI)


def test_a_wrong_place_in_a_database_is_named(database: Path, run: Command) -> None:
    run.refuses("has no table 'peopl'. Did you mean 'people'?", f"sqlite:///{database}?table=peopl", *QI)
    run.refuses("does not exist", f"sqlite:///{database}.old?table=people", *QI)
    with closing(sqlite3.connect(database)) as file, file:
        file.execute("CREATE VIEW adults AS SELECT * FROM people")
    run.refuses("Add ?table= and one of these names: adults, people.", database, *QI)
    run.refuses("Files are not downloaded.", "https://example.org/people.csv", *QI)
    run.refuses("has no sheets", database, *QI, "--sheet", "first")


def test_a_file_of_duckdb_is_only_read_and_opens_nothing_else(tmp_path: Path, run: Command) -> None:
    path, secret = made(tmp_path / "people.duckdb"), tmp_path / "secret.csv"
    secret.write_text("age\n1\n")
    with duckdb.connect(path) as file:
        file.execute(f"CREATE VIEW spy AS SELECT * FROM read_csv('{secret}')")
    before, url = path.read_bytes(), f"duckdb:///{path}"
    assert (
        run.json(f"{url}?query=SELECT age FROM people WHERE age > 20", "--qi", "age")["k_anonymity"]["k"] == 2
    )
    run.refuses("Permission Error", f"{url}?table=spy", "--qi", "age")  # a crafted file reads no other
    for query in (f"SELECT * FROM '{secret}'", f"SELECT * FROM read_csv('{secret}')"):
        run.refuses("Error", f"{url}?query={quote(query)}", "--qi", "age")
    run.refuses("is not a SELECT", f"{url}?query={quote('DROP TABLE people')}", "--qi", "age")
    run.refuses("compares texts", path, "--qi", "age", "--source", "server")
    assert path.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["people.duckdb", "secret.csv"]
    (tmp_path / "other.duckdb").write_bytes(b"age,zip\n" * 2000)
    run.refuses("it is not a database of its ending", tmp_path / "other.duckdb", "--qi", "age")


def test_a_release_of_a_table_of_duckdb_is_verified(tmp_path: Path, run: Command) -> None:
    path = made(tmp_path / "people.duckdb")
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        f'[data]\npath = "duckdb:///{path.name}?table=people"\n[roles]\nquasi_identifying = ["age", "zip"]\n'
        'sensitive = ["illness"]\n[hierarchies.age]\nbuilder = "intervals"\nwidth = 5\n'
        '[hierarchies.zip]\nbuilder = "masking"\n[[privacy]]\nmodel = "k_anonymity"\nk = 2\n'
    )
    anonymize = Command("anonymize", run.capsys)
    assert anonymize.json(recipe, "--out", tmp_path / "out.csv")["verified"]
    target = f"duckdb:///{tmp_path}/out.duckdb?table=released"
    anonymize.refuses("cannot be written there", recipe, "--out", target)


def test_a_recipe_names_a_table_of_a_database_by_its_url(database: Path, run: Command) -> None:
    recipe = database.with_name("recipe.toml")
    recipe.write_text(f'[data]\npath = "{database.name}"\n')
    said = 'Name its table by its URL: path = "sqlite:///people.db?table=people".'
    Command("anonymize", run.capsys).refuses(said, recipe, "--out", database.with_name("out.csv"))


def test_csv_has_the_printed_table_with_numbers_that_programs_read(tmp_path: Path, run: Command) -> None:
    path = tmp_path / "many.csv"
    path.write_text("a,b\n" + "".join(f"{i % 2},{i}\n" for i in range(12_000)))
    code, printed, _errors = run(path, "--qi", "a", "--format", "csv", "--quiet")
    titles, *rows = csv.reader(printed.splitlines())
    assert (code, titles) == (0, ["model", "value", "meaning"])
    assert ["Records", "12000", "Assessed records."] in rows
    columns = [f"c{place}" for place in range(7)]
    path.write_text(
        "\n".join([",".join(columns), *(",".join(f"{i >> p & 1}" for p in range(7)) for i in range(128))])
    )
    detect = Command("detect", run.capsys)
    code, printed, _errors = detect(path, "--all-subsets", "--max-size", "6", "--format", "csv")
    n_sets = len(detect.json(path, "--all-subsets", "--max-size", "6")["subsets"])
    assert len(printed.splitlines()) == n_sets + 3 > 43


def test_several_tables_are_apart_in_csv_without_words(capsys: pytest.CaptureFixture[str]) -> None:
    tables = [[("a", "b"), ("1", "\u22122")], [("c",), ("x,y",)]]
    show_tables({}, ["Words."], tables, Format.CSV, quiet=True, title="Title")
    assert capsys.readouterr().out == 'a,b\n1,-2\n\nc\n"x,y"\n'
