"""URLs of database servers by their parts, and what has to be installed for them."""

from __future__ import annotations

from typing import Any

import pytest

from engine.table import database_systems
from engine.table.database_address import parse_address
from engine.table.database_systems import SYSTEMS, ServerParts, missing_packages, parts_of

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
    absent = {"pymysql", "sqlalchemy"}
    monkeypatch.setattr(database_systems, "find_spec", lambda module: None if module in absent else module)
    assert missing_packages("mysql+pymysql://h/d") == ("lattice-anonymizer[formats]", "PyMySQL")
    assert missing_packages("postgresql+psycopg://h/d") == ("lattice-anonymizer[formats]",)
    absent.clear()
    assert missing_packages("mysql+pymysql://h/d") == ()
    absent.add("psycopg")
    assert missing_packages("postgresql+psycopg://h/d") == ("psycopg[binary]",)
