"""Contract of databases: a table that stays there gives what the same table read into memory gives."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.errors import InputError, TableError
from engine.monitor import SILENT
from engine.pipeline import anonymize, export_release, summary
from engine.project import Project
from engine.project.compile import compile_problem
from engine.project.recipe.files import read_recipe
from engine.records import Role, Table
from engine.records.counting import counted_table
from engine.records.databases.address import DatabaseAddress, Login, file_url
from engine.records.disk.fetched import page_of, shown_records
from engine.records.opening import open_database
from engine.records.options import AUTO, MEMORY, SERVER, ReadOptions, Replacement
from engine.records.remote import Order, RemoteColumn
from engine.scoring import score_lattice
from engine.scoring.evaluate import evaluate
from engine.utility.base import LATTICE_METRICS
from tests.contracts.test_sources import near_best, with_moved_dates
from tests.servers import PASSWORD, Server

pytestmark = pytest.mark.usefixtures("by_numpy", "work_here")

EXAMPLES = Path(__file__).parents[2] / "resources" / "examples"
RUNS = ("seconds", "efficiency")
Rows = Sequence[Sequence[Any]]
Make = Callable[[str, Mapping[str, str], Rows, str], DatabaseAddress]

ODD_COLUMNS = {"id": "integer", 'na"me; --': "text", "50%": "text", "n": "numeric", "day": "timestamp"}
ODD_ROWS = [
    (1, "007", " x ", "1.50", "2020-01-02 00:00:00"),
    (2, "e\u0301", "two\nlines", "1.5", None),
    (3, "\u00e9", "", None, "1999-12-31 23:59:58"),
    (4, "'; DROP TABLE x; --", "NA", "-0.0", "2020-01-02 00:00:00"),
    (5, "%s %(a)s", "a", "100000000000000000000", None),
    (6, "A", "A ", "12", "2020-01-02 00:00:00"),
    (7, "a", "A", "12.0", "2020-01-02 00:00:00"),
    (8, None, "a", "7", "2020-01-02 00:00:00"),
    (9, "a", "A", "12", "2020-01-02 00:00:00"),
]


@pytest.fixture(params=["postgresql", "sqlite"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    """Return a function that makes a table in a database."""
    if request.param == "sqlite":
        return lambda name, columns, rows, key: in_file(tmp_path / "data.db", name, columns, rows, key)
    running: Server = request.getfixturevalue("server")

    def in_server(name: str, columns: Mapping[str, str], rows: Rows, key: str) -> DatabaseAddress:
        running.make(name, columns, rows, key)
        return DatabaseAddress(running.url(), name)

    return in_server


def in_file(path: Path, name: str, columns: Mapping[str, str], rows: Rows, key: str = "") -> DatabaseAddress:
    def quoted(text: str) -> str:
        return '"' + text.replace('"', '""') + '"'

    connection = sqlite3.connect(path)
    with connection:
        own = [f"{quoted(column)} {kind}" for column, kind in columns.items()]
        own += [f"PRIMARY KEY ({quoted(key)})"] if key else []
        connection.execute(f"CREATE TABLE {quoted(name)} ({', '.join(own)})")
        marks = ", ".join("?" * len(columns))
        connection.executemany(f"INSERT INTO {quoted(name)} VALUES ({marks})", rows)
    connection.close()
    return DatabaseAddress(file_url(path), name)


def opened(address: DatabaseAddress, where: str, **options: Any) -> Table:
    return open_database(address, ReadOptions(source=where, **options), Login(password=PASSWORD))[0]


def source_of(table: Table) -> Any:
    column = table.columns[0]
    return column.source


def same_labels(one: Table, other: Table) -> None:
    assert one.names == other.names
    for a, b in zip(one.columns, other.columns, strict=True):
        assert tuple(a.labels) == tuple(b.labels)
        assert (a.data_type, a.has_missing) == (b.data_type, b.has_missing)
        assert np.array_equal(a.numbers, b.numbers, equal_nan=True)
        assert np.array_equal(a.counts, b.counts)


ODD_OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {
        "missing": ("NA", ""),
        "trim": True,
        "column_missing": {"50%": ("a",)},
        "replacements": (Replacement("50%", "A", "b"), Replacement('na"me; --', "a", None)),
    },
)


@pytest.mark.parametrize("options", ODD_OPTIONS, ids=lambda options: "changed" if options else "as they are")
def test_odd_texts_and_names_are_told_apart_alike(make: Make, options: dict[str, Any]) -> None:
    address = make('odd "table"; %s', ODD_COLUMNS, ODD_ROWS, "id")
    remote, memory = opened(address, SERVER, **options), opened(address, MEMORY, **options)
    assert (remote.home is None, memory.home) == (False, None)
    same_labels(remote, memory)
    one, other = counted_table(remote, remote.names[1:]), counted_table(memory, memory.names[1:])
    for a, b in zip(one.columns, other.columns, strict=True):
        assert np.array_equal(a.codes, b.codes)
    assert np.array_equal(one.counts, other.counts)  # type: ignore[arg-type]
    source = source_of(remote)
    shown = source.page(2, 3, remote.names)
    by_place = [column.vocabulary for column in remote.columns if isinstance(column, RemoteColumn)]
    for record, row in enumerate(shown, start=2):
        labels = [c.labels[own.of([t])[0]] for c, own, t in zip(remote.columns, by_place, row, strict=True)]
        assert tuple(labels) == memory.record(record)
    assert source.singled_out(['na"me; --', "50%"], SILENT) == 7


def test_pages_are_filtered_by_texts_of_any_kind(make: Make) -> None:
    address = make("filtered", ODD_COLUMNS, ODD_ROWS, "id")
    remote = opened(address, SERVER)
    source = source_of(remote)

    def ids(**where: list[str | None]) -> list[str | None]:
        names = {"name": 'na"me; --', "percent": "50%"}
        return [row[0] for row in source.page(0, 500, ["id"], {names.get(k, k): v for k, v in where.items()})]

    assert ids(percent=["A"]) == ["7", "9"]
    assert ids(name=[None, "a"]) == ["7", "8", "9"]
    assert ids(n=["12", "1.5"], percent=["A ", "two\nlines"]) == ["2", "6"]
    assert ids(name=["'; DROP TABLE x; --"]) == ["4"]
    for condition, due in (
        ("\"50%\" = 'A' and n >= 12", ["7", "9"]),
        ("\"50%\" = 'nowhere'", []),
        ("day is missing and n > 2", ["5"]),
    ):
        found = shown_records(remote, condition)
        assert [found.record(row)[0] for row in range(found.n_rows)] == due
    with pytest.raises(InputError, match="only be filtered by conditions joined with and"):
        shown_records(remote, "n = 12 or n = 7")
    assert page_of(remote, 0)[3][1:4] == ("'; DROP TABLE x; --", "NA", "0")


def people(example: str) -> tuple[Project, dict[str, str], Rows]:
    """Return the project of an example, and its table with numbered records."""
    project = read_recipe(EXAMPLES / example / "recipe.toml")
    table = project.table
    columns = {"#": "integer"} | dict.fromkeys(table.names, "text")
    texts = [
        [None if c.has_missing and code == len(c.labels) - 1 else c.labels[code] for code in c.codes.tolist()]
        for c in table.columns
    ]
    return project, columns, list(zip(range(1, table.n_records + 1), *texts, strict=True))


def in_place(project: Project, address: DatabaseAddress, where: str, **options: Any) -> Project:
    """Return the project with its table in a database."""
    taken = ReadOptions(source=where, types=project.options.types, missing=project.options.missing, **options)
    table, found = open_database(
        address, replace(taken, take=columns_taken(project)), Login(password=PASSWORD)
    )
    return replace(project, source=None, database=address.full, table=table, options=found)


def columns_taken(project: Project) -> tuple[Any, ...]:
    from engine.records.columns_taken import TakenColumn

    return tuple(TakenColumn(name, name) for name in project.table.names)


def released(project: Project, path: Path) -> tuple[dict[str, Any], bytes]:
    outcome = anonymize(project)
    verdict = export_release(project, outcome.release, path)
    assert verdict.ok
    found = summary(project, outcome, verified=verdict.ok)
    return {key: value for key, value in found.items() if key not in RUNS}, path.read_bytes()


def test_scores_and_the_bytes_of_a_release_are_those_in_memory(make: Make, tmp_path: Path) -> None:
    project, columns, rows = people("hospital")
    address = make("people", columns, rows, "#")
    memory, remote = (in_place(project, address, where) for where in (MEMORY, SERVER))
    source = source_of(remote.table)
    assert source.order is Order.KEY
    one, other = score_lattice(compile_problem(memory)), score_lattice(compile_problem(remote))
    first, second = evaluate(one, project.requirement), evaluate(other, project.requirement)
    assert np.array_equal(first.suppressed, second.suppressed)
    for key in LATTICE_METRICS:
        assert np.array_equal(first.metric(key), second.metric(key), equal_nan=True)
        assert first.optimum(key) == second.optimum(key)
    assert released(memory, tmp_path / "memory.csv") == released(remote, tmp_path / "remote.csv")


@pytest.mark.thorough
@pytest.mark.parametrize("key", ["#", ""])
def test_dates_move_only_if_records_have_an_order(key: str, tmp_path: Path) -> None:
    project, columns, rows = people("survey")
    project = with_moved_dates(project, tmp_path, Role.INSENSITIVE, None)
    address = in_file(tmp_path / "data.db", "people", columns, rows, key)
    memory, remote = (in_place(project, address, where) for where in (MEMORY, SERVER))
    (tmp_path / "out").mkdir()
    if source_of(remote.table).order is Order.NONE:
        with pytest.raises(InputError, match="no fixed order, so 'answered' has no date shift"):
            anonymize(remote)
        return
    one, other = (released(own, tmp_path / "out" / f"{own.remote is None}.csv") for own in (memory, remote))
    assert one[1] == other[1]


def test_without_a_key_the_records_are_the_same_and_their_order_is_not_promised(
    server: Server, tmp_path: Path
) -> None:
    project, columns, rows = people("clinic")
    project = near_best(project)
    server.make("unkeyed", columns, rows)
    address = DatabaseAddress(server.url(), "unkeyed")
    memory, remote = (in_place(project, address, where) for where in (MEMORY, SERVER))
    assert source_of(remote.table).order is Order.NONE
    one, other = released(memory, tmp_path / "memory.csv"), released(remote, tmp_path / "remote.csv")
    assert one[0] == other[0]
    assert sorted(one[1].splitlines()) == sorted(other[1].splitlines())
    shuffled = replace(remote, transformation=replace(remote.transformation, shuffle=True))
    with pytest.raises(Exception, match="have no order, so they cannot be shuffled"):
        anonymize(shuffled)


def test_records_are_ordered_by_a_named_key_and_only_by_one_that_can(make: Make) -> None:
    rows = [(3, "a", 1), (1, "b", 1), (2, None, 2)]
    address = make("ordered", {"n": "integer", "s": "text", "twice": "integer"}, rows, "")
    source = source_of(opened(address, SERVER, order_by=("n",)))
    assert source.order is Order.KEY
    assert source.page(0, 500, ["n", "s"]) == [("1", "b"), ("2", None), ("3", "a")]
    for column, problem in (
        ("twice", "same 'twice'"),
        ("s", "without a value in 's'"),
        ("x", "no column 'x'"),
    ):
        with pytest.raises(TableError, match=problem):
            opened(address, SERVER, order_by=(column,))


def test_an_order_is_refused_where_it_would_be_ignored(make: Make, tmp_path: Path) -> None:
    address = make("small", {"n": "integer", "s": "text"}, [(2, "a"), (1, "b")], "")
    ordered = opened(address, AUTO, order_by=("n",))
    assert source_of(ordered).page(0, 9, ["n"]) == [("1",), ("2",)]
    with pytest.raises(TableError, match="order_by is only for a table that stays in its database"):
        opened(address, MEMORY, order_by=("n",))
    with pytest.raises(TableError, match="order_by is only for a table") as told:
        opened(replace(address, table="", query="SELECT n FROM small"), AUTO, order_by=("n",))
    assert told.value.hint == "Order the records by the query itself, and remove order_by."
    with pytest.raises(TableError, match="have no order: order_by is only for a database"):
        opened(DatabaseAddress("sc://localhost/", "small"), AUTO, order_by=("n",))
    (tmp_path / "data.csv").write_text("n\n2\n1\n")
    recipe = tmp_path / "recipe.toml"
    recipe.write_text('[data]\npath = "data.csv"\norder_by = ["n"]\n\n[roles]\nquasi_identifying = ["n"]\n')
    with pytest.raises(TableError, match=r"'data\.csv' is in files, whose records have an order"):
        read_recipe(recipe)


def test_a_table_that_changed_is_refused_wherever_it_shows(
    make: Make, server: Server, tmp_path: Path
) -> None:
    project, columns, rows = people("hospital")
    address = make("changing", columns, rows, "#")
    remote = in_place(project, address, SERVER)
    outcome = anonymize(remote)
    statement = 'DELETE FROM changing WHERE "#" = 1'
    if address.is_file:
        connection = sqlite3.connect(address.path)
        with connection:
            connection.execute(statement)
        connection.close()
    else:
        server.run(statement)
    with pytest.raises(TableError, match=r"The table changed while it was read\. Read it again"):
        counted_table(remote.table, remote.scored)
    with pytest.raises(TableError, match="changed while it was read"):
        export_release(remote, outcome.release, tmp_path / "out.csv")
    assert list(tmp_path.glob("*out*")) == []
