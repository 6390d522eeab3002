"""Tables of databases: read only, distinguished as stored, cancelled in time, never with a password."""

from __future__ import annotations

import datetime
import sqlite3
import time
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from engine.errors import CancelledError, TableError
from engine.monitor import SILENT
from engine.records import DataType, Kind, Table
from engine.records.columns_taken import TakenColumn
from engine.records.databases.address import DatabaseAddress, file_url, is_database, parse_address
from engine.records.databases.rows import gathered
from engine.records.databases.tables import (
    _message,
    checked_query,
    database_tables,
    listed,
    read_database,
    work,
)
from engine.records.options import ReadOptions
from engine.records.reader_process import read_raw

PASSWORD = "s3cret/pa@ss"
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"


def made(path: Path, *statements: str) -> Path:
    connection = sqlite3.connect(path)
    with connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()
    return path


@pytest.fixture
def people(tmp_path: Path) -> Path:
    return made(
        tmp_path / "clinic 1#.db",
        "CREATE TABLE people (name TEXT, age INTEGER, zip TEXT, weight REAL, seen DATE, vip BOOLEAN)",
        "INSERT INTO people VALUES ('Ann', 34, '01234', 61.5, '2024-03-01', 1)",
        "INSERT INTO people VALUES ('Bob', NULL, '56789', 80, '2024-04-30', 0)",
        "INSERT INTO people VALUES ('Cid', 51, NULL, 72.25, NULL, 1)",
        'CREATE TABLE "odd "" name" (x)',
        'INSERT INTO "odd "" name" VALUES (\'only\')',
        "CREATE VIEW adults AS SELECT name, age FROM people WHERE age > 40",
    )


def address(path: Path, table: str = "", query: str = "") -> DatabaseAddress:
    return DatabaseAddress(file_url(path), table, query=query)


def rows(table: Table) -> list[tuple[str, ...]]:
    columns = [[column.labels[code] for code in column.codes] for column in table.columns]
    return list(zip(*columns, strict=True))


def kinds(table: Table) -> dict[str, Kind]:
    return {column.name: column.data_type.kind for column in table.columns}


# Addresses -------------------------------------------------------------------------------------


def test_a_password_is_taken_out_of_an_address_and_everything_else_stays() -> None:
    found, password = parse_address(
        "postgresql+psycopg://me:p%40s%2Fs@host:5432/db?sslmode=require&table=a b"
    )
    assert password == "p@s/s"
    assert found.full == "postgresql+psycopg://me@host:5432/db?sslmode=require&table=a%20b"
    assert (found.table, found.user, found.name, found.is_file) == ("a b", "me", "host/db", False)
    assert parse_address(found.full) == (found, None)


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://me:top/secret@host/db",
        "postgresql://me:12?secret@host/db",
        "postgresql://me:1#secret@host/db",
        "postgresql:///db?user=me&password=secret",
        "mssql+pyodbc://?odbc_connect=PWD%3Dsecret",
        "postgresql://me:secret@[::1]:x/db",
        "postgresql://me%3Asecret@host/db",
        "mssql+pyodbc://host/db;PWD=secret",
        "mssql+pyodbc://host/db%3BPWD%3Dsecret",
        "mssql+pyodbc://host;PWD=secret/db",
        "postgresql://host/db?pw=secret",
        "postgresql://host/db?auth=secret",
        "postgresql://host/db?key=secret",
        "postgresql://host/db?host=me:secret@other",
        "postgresql://host/db?options=-c%20password%3Dsecret",
        "postgresql://host/db?driver=x%3BPWD%3Dsecret",
        "postgresql://me:1/secret/host/db?table=t",
        "postgresql://me:12?a=b&c=secret@host/db?table=t",
        "secret",
    ],
)
def test_an_address_that_may_hide_a_password_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(TableError) as refusal:
        parse_address(text)
    assert "secret" not in f"{refusal.value} {refusal.value.context}"


@pytest.mark.parametrize(
    "text",
    [
        "mssql+pyodbc://me@host:1433/db?driver=ODBC%20Driver%2018%20for%20SQL%20Server&Encrypt=yes&table=t",
        "postgresql://me%40town@host/db?sslmode=verify-full&sslrootcert=C%3A%2Fcerts%2Fca.pem&table=t",
        "postgresql:///db?host=%2Fvar%2Frun%2Fpostgresql&table=t",
        "postgresql://[::1]:5432/db?query=SELECT%20a%20FROM%20t%20WHERE%20m%20LIKE%20%27%25%40%25%27",
        "oracle+oracledb://me@host:1521/?service_name=town&table=t",
        "trino://me@host:8080/catalog/schema?table=t",
    ],
)
def test_an_address_without_a_password_is_unchanged(text: str) -> None:
    found, password = parse_address(text)
    assert (found.full, password) == (text, None)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("sqlite:///file.db?table=people", "file.db"),
        ("sqlite:////a/b%20c.db?table=people", "/a/b c.db"),
        ("sqlite:///C:/data/file.db?table=people", "C:/data/file.db"),
    ],
)
def test_a_file_is_named_relatively_or_with_a_fourth_slash(text: str, path: str) -> None:
    found, password = parse_address(text)
    assert (found.path, found.table, password) == (Path(path), "people", None)
    assert found.full == text


@pytest.mark.parametrize(
    "text", ["sqlite://file.db", "sqlite:///", "sqlite+pysqlite:///f.db", "sqlite:///f?mode=rw"]
)
def test_other_ways_to_name_a_file_are_refused(text: str) -> None:
    with pytest.raises(TableError, match="cannot be read"):
        parse_address(text)


def test_paths_of_files_are_not_databases() -> None:
    assert not any(map(is_database, ("data.csv", "folder/x.db", "C:\\data.csv", "sqlite.csv")))
    assert all(map(is_database, ("sqlite:///x.db", "postgresql://h/d", "mssql+pyodbc://h/d")))


def test_a_file_is_named_from_another_folder(tmp_path: Path) -> None:
    own = parse_address("sqlite:///data/x.db?table=t")[0]
    absolute = own.seen_from(tmp_path)
    assert absolute.path == tmp_path / "data" / "x.db"
    assert absolute.seen_from(tmp_path, tmp_path / "recipes").full == "sqlite:///../data/x.db?table=t"


# SQLite ----------------------------------------------------------------------------------------


def test_values_have_the_type_they_are_stored_or_declared_with(people: Path) -> None:
    table, options = read_database(address(people, "people"))
    assert rows(table) == [
        ("Ann", "34", "01234", "61.5", "2024-03-01", "1"),
        ("Bob", "", "56789", "80", "2024-04-30", "0"),
        ("Cid", "51", "", "72.25", "", "1"),
    ]
    assert kinds(table) == {
        "name": Kind.TEXT,
        "age": Kind.INTEGER,
        "zip": Kind.TEXT,
        "weight": Kind.DECIMAL,
        "seen": Kind.DATE,
        "vip": Kind.INTEGER,
    }
    assert options.types == {column.name: column.data_type for column in table.columns}


def test_tables_and_views_are_listed_and_read_whatever_they_are_called(people: Path) -> None:
    assert database_tables(address(people)) == ("adults", 'odd " name', "people")
    assert rows(read_database(address(people, "adults"))[0]) == [("Cid", "51")]
    assert rows(read_database(address(people, 'odd " name'))[0]) == [("only",)]


def test_a_query_gives_its_columns_in_its_order(people: Path) -> None:
    query = "SELECT zip, count(*) AS n FROM people WHERE zip IS NOT NULL GROUP BY zip ORDER BY zip DESC;"
    table, _ = read_database(address(people, query=query))
    assert (table.names, rows(table)) == (("zip", "n"), [("56789", "1"), ("01234", "1")])


def test_columns_are_taken_renamed_and_typed_as_asked(people: Path) -> None:
    options = ReadOptions(
        take=(TakenColumn("age", "years"), TakenColumn("name", "who")),
        types={"years": DataType(Kind.TEXT)},
        missing=("?",),
    )
    table, _ = read_database(address(people, "people"), options)
    assert rows(table) == [("34", "Ann"), ("?", "Bob"), ("51", "Cid")]
    assert kinds(table) == {"years": Kind.TEXT, "who": Kind.TEXT}


def test_no_more_rows_are_read_than_wanted(people: Path) -> None:
    assert read_database(address(people, "people"), limit=2)[0].n_records == 2


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM people",
        "UPDATE people SET age = 1",
        "DROP TABLE people",
        "PRAGMA user_version = 7",
        "ATTACH 'other.db' AS other",
        "CREATE TABLE mine AS SELECT * FROM people",
        "SELECT load_extension('evil')",
        "WITH gone AS (SELECT 1) DELETE FROM people",
        "VACUUM INTO 'copy.db'",
        "SELECT 1; DELETE FROM people",
    ],
)
def test_a_statement_that_does_more_than_read_is_refused_and_nothing_changes(
    people: Path, statement: str
) -> None:
    before = people.read_bytes()
    with pytest.raises(TableError, match=r"more than read|several statements"):
        read_database(address(people, query=statement))
    assert people.read_bytes() == before
    assert sorted(path.name for path in people.parent.iterdir()) == [people.name]


@dataclass
class Impatient:
    """A monitor that cancels after some seconds, counted from its first step."""

    patience: float
    began: float = 0.0

    def step(self, done: int, total: int, text: str = "") -> None:
        self.began = self.began or time.monotonic()
        if time.monotonic() - self.began > self.patience:
            raise CancelledError


@pytest.mark.parametrize(
    "query",
    [
        ENDLESS,
        "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM r LIMIT 300) "
        "SELECT sum(length(hex(randomblob(20000000)))) FROM r",  # few steps, each of them long
        "SELECT instr(hex(zeroblob(400000)), hex(zeroblob(50000)) || '1')",  # a single step
    ],
)
def test_a_query_of_long_or_endless_steps_ends_within_half_a_second_of_cancel(
    people: Path, query: str
) -> None:
    with pytest.raises(CancelledError):
        read_database(address(people, query=query), monitor=(watch := Impatient(0.1)))
    assert time.monotonic() - watch.began < 0.6


def test_generated_columns_are_read_with_the_types_declared_for_them(tmp_path: Path) -> None:
    path = made(
        tmp_path / "x.db",
        "CREATE TABLE t (a TEXT, g INT AS (length(a)), b TEXT, s NUMERIC AS ('0' || a) STORED)",
        "INSERT INTO t (a, b) VALUES ('7', '07'), ('12', '12')",
    )
    table, _ = read_database(address(path, "t"))
    assert (table.names, rows(table)) == (
        ("a", "g", "b", "s"),
        [("7", "1", "07", "7"), ("12", "2", "12", "12")],
    )
    assert [column.data_type.kind for column in table.columns] == [
        Kind.TEXT,
        Kind.INTEGER,
        Kind.TEXT,
        Kind.INTEGER,
    ]


def test_reading_a_file_that_logs_its_changes_creates_nothing_next_to_it(tmp_path: Path) -> None:
    path = made(tmp_path / "x.db", "PRAGMA journal_mode = WAL")
    made(path, "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)")
    assert rows(read_database(address(path, "t"))[0]) == [("1",)]
    assert [found.name for found in tmp_path.iterdir()] == ["x.db"]
    writer = sqlite3.connect(path)
    with writer:
        writer.execute("INSERT INTO t VALUES (2)")
    assert rows(read_database(address(path, "t"))[0]) == [("1",), ("2",)]  # from its log
    writer.close()


def test_a_table_of_full_texts_is_read_and_a_plan_of_a_query_is_none(tmp_path: Path) -> None:
    path = made(tmp_path / "x.db", "CREATE VIRTUAL TABLE t USING fts5(a)", "INSERT INTO t VALUES ('one')")
    assert rows(read_database(address(path, "t"))[0]) == [("one",)]
    with pytest.raises(TableError, match="its execution plan"):
        read_database(address(path, query="/* plan */ EXPLAIN SELECT 1"))


@pytest.mark.parametrize("value", [[1, 2], {"a": 1}, (1, [2]), Decimal("sNaN")])
def test_what_is_not_a_single_value_is_refused_by_column_and_row(value: object) -> None:
    problem = r"Column 'a', row 3: the cell contains a \w+, which cannot be a table value"
    with pytest.raises(TableError, match=problem):
        gathered(["b", "a"], [[(1, "x")], [(1, None), (1, value)]], file="db")


def test_bytes_and_texts_that_are_none_are_refused_by_column_and_row(tmp_path: Path) -> None:
    path = made(
        tmp_path / "x.sqlite",
        "CREATE TABLE t (a, b)",
        "INSERT INTO t VALUES ('x', 1), ('y', x'00ff'), (CAST(x'ff41' AS TEXT), 3)",
    )
    with pytest.raises(TableError, match="Column 'b', row 2: the cell contains bytes"):
        read_database(address(path, query="SELECT b FROM t"))
    with pytest.raises(TableError, match="Column 'a', row 3: a text is not in UTF-8"):
        read_database(address(path, query="SELECT a FROM t"))


def test_numbers_and_texts_that_look_the_same_are_the_same_value(tmp_path: Path) -> None:
    path = made(
        tmp_path / "x.db", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1), ('1'), (1.0), (2.5), ('x')"
    )
    table, _ = read_database(address(path, "t"))
    assert rows(table) == [("1",), ("1",), ("1",), ("2.5",), ("x",)]
    assert kinds(table) == {"a": Kind.TEXT}


@pytest.mark.parametrize(
    ("table", "problem"),
    [("peple", "has no table 'peple'"), ("", "has 3 tables, and none was chosen"), ("empty", "has no table")],
)
def test_a_table_that_does_not_exist_is_refused_with_those_that_exist(
    people: Path, table: str, problem: str
) -> None:
    with pytest.raises(TableError, match=problem) as refusal:
        read_database(address(people, table))
    assert "people" in refusal.value.hint


def test_what_is_not_a_database_is_refused_in_a_sentence(tmp_path: Path, people: Path) -> None:
    other = tmp_path / "text.db"
    other.write_text("a,b\n1,2\n" * 200)
    cut = tmp_path / "cut.db"
    cut.write_bytes(people.read_bytes()[:5000])
    for path in (other, cut):
        with pytest.raises(TableError, match="it is not a database of its ending"):
            read_database(address(path, query="SELECT * FROM people"))
    with pytest.raises(TableError, match="does not exist"):
        read_database(address(tmp_path / "none.db", "t"))


def test_a_table_without_records_is_refused(tmp_path: Path) -> None:
    path = made(tmp_path / "x.db", "CREATE TABLE t (a)")
    with pytest.raises(TableError, match="table 't' has no records"):
        read_database(address(path, "t"))


# Servers ---------------------------------------------------------------------------------------


class TestByLibrary:
    """What the other process does, with SQLAlchemy on a file: no server is at hand, and none is asked."""

    def request(self, path: Path, **others: Any) -> Mapping[str, Any]:
        usual = {"table": "people", "schema": "", "query": "", "options": {}}
        given = {
            "url": f"sqlite:///{path}",
            "name": "host/db",
            "user": "",
            "password": None,
            "accepted": "",
            "lists": False,
            "limit": None,
        }
        return given | usual | others

    def test_a_table_comes_as_its_driver_gives_it(self, tmp_path: Path) -> None:
        path = made(
            tmp_path / "x.db",
            "CREATE TABLE people (n INTEGER PRIMARY KEY, t TEXT)",
            "INSERT INTO people VALUES (2, '07'), (1, NULL)",
        )
        work(self.request(path), tmp_path, SILENT)
        raw = read_raw(tmp_path, "host/db")
        assert [(c.name, list(c.texts), list(c.codes)) for c in raw.columns] == [
            ("n", ["1", "2"], [0, 1]),
            ("t", ["07"], [-1, 0]),
        ]

    def test_tables_are_listed(self, people: Path, tmp_path: Path) -> None:
        work(self.request(people, lists=True), tmp_path, SILENT)
        assert listed(tmp_path) == ("adults", 'odd " name', "people")

    def test_a_password_is_in_no_error(self, people: Path, tmp_path: Path) -> None:
        url = f"mysql+nothing://me@{PASSWORD[:3]}.invalid/db"
        for given in (url, f"sqlite:///{people}"):
            with pytest.raises(TableError) as refusal:
                work(self.request(people, url=given, table="none", password=PASSWORD), tmp_path, SILENT)
            assert PASSWORD not in f"{refusal.value!s} {refusal.value.context}"
            assert refusal.value.__cause__ is None

    @pytest.mark.parametrize(("password", "is_named"), [(None, True), ("", True), (PASSWORD, False)])
    def test_the_place_of_a_password_is_named_if_none_was_given(
        self, people: Path, tmp_path: Path, password: str | None, is_named: bool
    ) -> None:
        asked = self.request(people, table="", query="SELECT x FROM people", password=password)
        with pytest.raises(TableError) as refusal:
            work(asked, tmp_path, SILENT)
        assert ("ANONYMIZER_DATABASE_PASSWORD" in refusal.value.hint) is is_named

    def test_a_query_that_fails_is_reported_by_its_driver(self, people: Path, tmp_path: Path) -> None:
        with pytest.raises(TableError, match="no such column: nobody"):
            work(self.request(people, table="", query="SELECT nobody FROM people"), tmp_path, SILENT)

    @pytest.mark.parametrize(
        "query",
        [
            "DELETE FROM people",
            "WITH x AS (DELETE FROM people RETURNING *) SELECT * FROM x",
            "SELECT * INTO copy FROM people",
            "SELECT 1; SELECT 2",
            "SELECT * FROM people FOR UPDATE",
            "",
        ],
    )
    def test_only_a_single_selection_is_sent(self, query: str) -> None:
        with pytest.raises(TableError):
            checked_query(query, "host/db")

    @pytest.mark.parametrize(
        "query",
        [
            r"SELECT '\'; COMMIT; DELETE FROM people; COMMIT; --'",
            r"SELECT '\' INTO OUTFILE '/tmp/x'",
            "SELECT 1 /* /* */ ' */; COMMIT; DROP TABLE people; --'",
            "SELECT * FROM t /*! INTO OUTFILE '/tmp/x' */",
            "SELECT 1 --1 INTO OUTFILE '/tmp/x'",
            "SELECT 1 # '\n INTO OUTFILE '/tmp/x'",
            "SELECT $$ ' $$ INTO t --'",
            "SELECT q'[']' INTO t FROM dual --'",
            "SELECT [it's] DELETE FROM t WHERE a = '1'",
            "SELECT `it's`, (DELETE FROM t), 'x'",
            "SELECT a[1 -- ] '\n] INTO t FROM t WHERE x = '1'",
            "SELECT 'a",
            "SELECT 1 AS a SHUTDOWN",
            "SELECT 1DELETE FROM people",
            "SELECT 1 BACKUP DATABASE x TO DISK='y'",
            "SELECT 1 RESTORE DATABASE x",
            "SELECT setval('s', 1)",
            "SELECT pg_catalog.lo_import('/etc/passwd')",
            "SELECT dblink_exec('x', 'DELETE FROM t')",
            "SELECT * FROM t WHERE pg_terminate_backend (1)",
            'SELECT "setval"(1)',
            'SELECT "own" . sum(1)',
            "SELECT * FROM t, evil(a) AS (x int)",
            "SELECT s.nextval FROM dual",
            "SELECT 1\0",
            "SELECT evil\u200b(1)",
            "SELECT evil\ufeff (1)",
            "SELECT evil\u0301(1)",
            "SELECT evil\u2063(1)",
        ],
    )
    def test_what_one_database_could_run_as_more_than_a_selection_is_refused(self, query: str) -> None:
        with pytest.raises(TableError) as refusal:
            checked_query(query, "host/db")
        assert refusal.value.hint

    @pytest.mark.parametrize(
        "query",
        [
            "SELECT a.zip, count(*) n, round(avg(b.age), 2) FROM a JOIN b USING (id) WHERE (a.zip LIKE '0%') "
            "GROUP BY a.zip HAVING count(*) > 3 ORDER BY 1 DESC",
            "WITH n(i) AS (SELECT id FROM t WHERE x IN ('it''s', \"y\")), m AS (SELECT i FROM n) "
            "SELECT * FROM m",
            "select cast(age as decimal(5, 2)), coalesce(zip, 'none'), row_number() over (partition by a) "
            "from s.t",
            "(SELECT 1.5) UNION ALL (SELECT 2)",
            "SELECT straße, 'a\u200bb' FROM städte",
        ],
    )
    def test_usual_selections_are_sent_unchanged(self, query: str) -> None:
        assert checked_query(query, "host/db") == query

    @pytest.mark.parametrize("form", [PASSWORD, "s3cret%2Fpa%40ss", "s3cret/pa%40ss"])
    def test_a_password_that_a_long_message_ends_in_is_not_shown(self, form: str) -> None:
        assert _message(ValueError("x" * 294 + form), PASSWORD) == "ValueError"

    def test_words_within_quotation_marks_are_not_commands(self) -> None:
        query = "SELECT \"delete\", 'a drop', [set], `do` FROM t ;"
        assert checked_query(query, "host/db") == query.removesuffix(";").rstrip()

    def test_without_a_table_nothing_is_asked(self) -> None:
        with pytest.raises(TableError, match="no table is given"):
            read_database(parse_address("postgresql://me@host.invalid/db")[0])


def test_another_process_asks_and_its_rows_come_back(people: Path) -> None:
    asked = DatabaseAddress(f"sqlite+pysqlite:///{people.as_posix().replace('#', '%23')}", "people")
    assert not asked.is_file
    table, _ = read_database(asked, ReadOptions(take=(TakenColumn("zip", "code"),)), limit=2)
    assert (table.names, rows(table)) == (("code",), [("01234",), ("56789",)])


def test_a_driver_that_waits_for_an_answer_is_ended_by_cancel(people: Path) -> None:
    watch = Impatient(1.5)  # until it is started, and within its endless query
    asked = DatabaseAddress(f"sqlite+pysqlite:///{people.as_posix()}", query=ENDLESS)
    with pytest.raises(CancelledError):
        read_database(asked, monitor=watch)
    assert time.monotonic() - watch.began < 2.2


def test_numbers_of_a_server_are_exact_and_its_times_are_dates() -> None:
    zoned = datetime.datetime(2024, 5, 1, 12, tzinfo=datetime.UTC)
    block = [
        (Decimal("0.10"), datetime.date(2024, 1, 2), True, zoned),
        (Decimal("12345678901234567890.123456789"), None, False, None),
    ]
    raw = gathered(["n", "d", "b", "z"], [block], file="db")
    assert [list(column.texts) for column in raw.columns] == [
        ["0.1", "12345678901234567890.123456789"],
        ["2024-01-02"],
        ["True", "False"],
        ["2024-05-01 12:00:00+00:00"],
    ]
    kinds = [column.data_type.kind if column.data_type else None for column in raw.columns]
    assert kinds == [Kind.DECIMAL, Kind.DATE, Kind.BOOLEAN, Kind.TEXT]
