"""URLs and statements of database servers, from the documentation of each, and what has to be installed."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy
from sqlalchemy.dialects import mssql, mysql, oracle, postgresql, sqlite

from engine.errors import TableError
from engine.records.databases.address import (
    SYSTEMS,
    Login,
    ServerParts,
    missing_packages,
    parse_address,
    parts_of,
)
from engine.records.databases.statements import ServerColumn, Statements
from engine.records.databases.tables import connected

ODBC = "driver=ODBC%20Driver%2018%20for%20SQL%20Server"


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.title)
def test_parts_and_url_lead_to_each_other(system: Any) -> None:
    for host, port, name in (
        ("db.town.example", "5433", "registry"),
        ("localhost", "", "our people/2 of 50"),
        ("::1", "77", "r"),
        ("", "", ""),
    ):
        parts = ServerParts(system, host, port, name)
        assert parts_of(parts.url()) == parts
        assert parts_of(parts.url(parts.url())) == parts
        parse_address(f"{parts.url()}{'&' if '?' in parts.url() else '?'}table=t")


def test_each_system_has_its_url() -> None:
    urls = [ServerParts(system, "db.town", "", "r").url() for system in SYSTEMS]
    assert urls == [
        "postgresql+psycopg://db.town/r",
        "mysql+pymysql://db.town/r",
        "mariadb+pymysql://db.town/r",
        f"mssql+pyodbc://db.town/r?{ODBC}",
        "oracle+oracledb://db.town/?service_name=r",
    ]


def test_driver_user_and_settings_of_the_url_stay() -> None:
    before = "postgresql+psycopg2://me%40town@old:1/x?sslmode=verify-full&sslrootcert=%2Fca.pem"
    assert ServerParts(SYSTEMS[0], "new", "", "y").url(before) == before.replace("old:1/x", "new/y")
    assert ServerParts(SYSTEMS[1], "new", "", "y").url(before) == "mysql+pymysql://new/y"


@pytest.mark.parametrize(
    "text", ["", "people.db", "sqlite:///people.db", "sc://host/", "postgresql:", "trino://h/c"]
)
def test_other_places_have_no_parts(text: str) -> None:
    assert parts_of(text) is None
    assert missing_packages(text) == ()


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    absent = {"pymysql"}
    monkeypatch.setattr(
        "engine.records.databases.address.find_spec", lambda module: None if module in absent else module
    )
    assert missing_packages("mysql+pymysql://h/d") == ("PyMySQL",)
    assert missing_packages("postgresql+psycopg://h/d") == ()
    absent.add("psycopg")
    assert missing_packages("postgresql+psycopg://h/d") == ("psycopg[binary]",)


@pytest.mark.parametrize(
    ("url", "module", "package"),
    [
        ("mysql://localhost/d", "MySQLdb", "mysqlclient"),
        ("mysql+pymysql://localhost/d", "pymysql", "PyMySQL"),
        ("postgresql+psycopg://localhost/d", None, "psycopg[binary]"),  # without the library of PostgreSQL
        ("oracle://localhost/d", "oracledb", "oracledb"),
    ],
)
def test_a_missing_driver_is_named_by_its_package(
    url: str, module: str | None, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No package is called after the module MySQLdb: whoever registers it would run code beside the data."""

    def missing(*_given: object, **_more: object) -> None:
        raise ImportError("no driver", name=module)

    monkeypatch.setattr("sqlalchemy.create_engine", missing)
    with pytest.raises(TableError) as refused, connected(url, Login(), "d"):
        pass
    assert refused.value.hint == f'Install it with: pip install "{package}"'


COLUMNS = [ServerColumn("age", "age"), ServerColumn('to"wn; %', "town", "collated")]
DIALECTS = {
    "mariadb": mysql.dialect(),
    "mssql": mssql.dialect(),
    "mysql": mysql.dialect(),
    "oracle": oracle.dialect(),
    "postgresql": postgresql.dialect(),
    "sqlite": sqlite.dialect(),
}
TOWN = {
    "mariadb": '`to"wn; %%` COLLATE utf8mb4_nopad_bin',
    "mssql": '[to"wn; %] COLLATE latin1_general_bin2',
    "mysql": '`to"wn; %%` COLLATE utf8mb4_0900_bin',
    "oracle": '"to""wn; %"',
    "postgresql": '"to""wn; %%" COLLATE "C"',
    "sqlite": '"to""wn; %" COLLATE "BINARY"',
}


def compiled(dialect: str, statement: object) -> str:
    text = str(statement.compile(dialect=DIALECTS[dialect]))  # type: ignore[attr-defined]
    return " ".join(text.split())


def statements(dialect: str, *key: str) -> Statements:
    return Statements(sqlalchemy, dialect, "people", "", key, "db")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_texts_are_told_apart_by_all_their_characters(dialect: str) -> None:
    text = compiled(dialect, statements(dialect).tuples(COLUMNS))
    selected, _from, grouped = text.partition(" GROUP BY ")
    assert TOWN[dialect] + " AS " in selected
    assert TOWN[dialect] in grouped
    assert grouped.count("COLLATE") == (dialect != "oracle")
    assert ("datalength(" in grouped) == (dialect == "mssql")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_values_of_a_filter_are_bound_and_pages_are_ordered_by_the_key(dialect: str) -> None:
    text = compiled(
        dialect, statements(dialect, "id").page(COLUMNS, 500, 500, [(COLUMNS[1], ["'; --", None])])
    )
    assert "'; --" not in text
    assert "IS NULL" in text
    assert "ORDER BY" in text


def test_a_database_that_is_not_known_is_not_asked_to_group() -> None:
    with pytest.raises(TableError, match="does not know how this database compares texts"):
        statements("firebird")
