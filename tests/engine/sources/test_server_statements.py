"""Statements for database systems that no test can run: compiled only, from the documentation of each."""

from __future__ import annotations

import pytest
import sqlalchemy
from sqlalchemy.dialects import mssql, mysql, oracle, postgresql, sqlite

from engine.errors import TableError
from engine.sources.server_statements import ServerColumn, Statements

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
