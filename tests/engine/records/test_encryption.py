"""Connections with other machines: encrypted with a checked certificate, unless the user accepts less."""

from __future__ import annotations

import ssl
from types import SimpleNamespace
from typing import Any

import pytest

from engine.errors import TableError
from engine.records.databases import encryption
from engine.records.databases.address import CONNECTION, DatabaseAddress, Login, login_given, parse_address
from engine.records.databases.encryption import is_on_this_machine, protected
from engine.records.databases.tables import connected

ACCEPTED = "not encrypted"
TCPS = "(DESCRIPTION=(ADDRESS=(PROTOCOL=TCPS)(HOST=db.town)(PORT={port}))(CONNECT_DATA=({name}))"


@pytest.fixture(autouse=True)
def _own_list(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("PGHOST", "PGHOSTADDR", "PGSERVICE", "PGSSLROOTCERT"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(encryption, "_takes_roots_of_system", lambda scheme: False)


def compiled(url: str, accepted: str = "") -> dict[str, Any]:
    """Return what the driver of a URL is called with."""
    sqlalchemy = pytest.importorskip("sqlalchemy")
    found = protected(parse_address(url)[0], accepted)
    place = found.placed(sqlalchemy.make_url(url))
    dialect = place.get_dialect()()
    dialect.dbapi = SimpleNamespace(__name__="driver", makedsn=lambda *place, **name: "plain")
    arguments, given = dialect.create_connect_args(place)
    return {"": arguments, **given, **found.arguments}


def chosen(given: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name.startswith(names)}


@pytest.mark.parametrize("driver", ["", "+psycopg", "+psycopg2"])
def test_postgresql_checks_certificate_and_host(driver: str) -> None:
    given = compiled(f"postgresql{driver}://me@db.town/registry?connect_timeout=9&table=t")
    assert chosen(given, "ssl") == {"sslmode": "verify-full"}
    assert str(given["connect_timeout"]) == "9"
    own = compiled(f"postgresql{driver}://db.town/registry?sslmode=verify-full&sslrootcert=/ca.pem")
    assert chosen(own, "ssl") == {"sslmode": "verify-full", "sslrootcert": "/ca.pem"}


def test_postgresql_takes_the_certificates_of_the_system_if_the_user_has_no_list(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(encryption, "_takes_roots_of_system", lambda scheme: True)
    assert compiled("postgresql+psycopg://db.town/registry")["sslrootcert"] == "system"
    assert compiled("postgresql+psycopg://db.town/registry?sslrootcert=/ca.pem")["sslrootcert"] == "/ca.pem"


@pytest.mark.parametrize("dialect", ["mysql", "mariadb"])
def test_drivers_of_mysql_and_mariadb_check_certificate_and_host(dialect: str) -> None:
    context = compiled(f"{dialect}+pymysql://me@db.town/registry?ssl_verify_cert=true&charset=utf8mb4")
    assert chosen(context, "ssl", "charset") == {"ssl": context["ssl"], "charset": "utf8mb4"}
    assert (context["ssl"].verify_mode, context["ssl"].check_hostname) == (ssl.CERT_REQUIRED, True)
    given = compiled(f"{dialect}://me@db.town/registry?ssl_ca=/ca.pem&ssl_key=/own.key")
    assert chosen(given, "ssl") == {
        "ssl_mode": "VERIFY_IDENTITY",
        "ssl": {"ca": "/ca.pem", "key": "/own.key"},
    }
    given = compiled(f"{dialect}+mysqlconnector://me@db.town/registry?ssl_ca=/ca.pem")
    assert chosen(given, "ssl") == {
        "ssl_disabled": False,
        "ssl_verify_cert": True,
        "ssl_verify_identity": True,
        "ssl_ca": "/ca.pem",
    }
    given = compiled("mariadb+mariadbconnector://me@db.town/registry?ssl_ca=/ca.pem")
    assert chosen(given, "ssl") == {"ssl": True, "ssl_verify_cert": True, "ssl_ca": "/ca.pem"}


def test_pymysql_is_left_if_the_server_does_not_encrypt() -> None:
    found = protected(DatabaseAddress("mysql+pymysql://db.town/registry"), "")
    assert [found.is_kept_by(SimpleNamespace(_secure=secure)) for secure in (True, False)] == [True, False]
    local = protected(DatabaseAddress("mysql+pymysql://localhost/registry"), "")
    assert local.is_kept_by(SimpleNamespace(_secure=False))


def test_sql_server_checks_the_certificate() -> None:
    url = "mssql+pyodbc://me@db.town:1433/registry?driver=ODBC%20Driver%2018%20for%20SQL%20Server"
    for own, encrypt in (("", "yes"), ("&encrypt=strict", "strict"), ("&Encrypt=yes", "yes")):
        (text,) = compiled(url + own)[""]
        settings = [setting for setting in text.split(";") if setting.lower().startswith(("encr", "trusts"))]
        assert sorted(settings) == [f"Encrypt={encrypt}", "TrustServerCertificate=no"]


def test_oracle_is_asked_over_tls() -> None:
    given = compiled("oracle+oracledb://me@db.town:1700/?service_name=registry")
    assert given["dsn"].startswith(TCPS.format(port=1700, name="SERVICE_NAME=registry"))
    assert given["dsn"].endswith("(SECURITY=(SSL_SERVER_DN_MATCH=ON)))")
    assert compiled("oracle://db.town/XE")["dsn"].startswith(TCPS.format(port=2484, name="SID=XE"))


WEAKENED = (
    *(f"postgresql://db.town/r?sslmode={mode}" for mode in ("disable", "prefer", "require", "verify-ca")),
    "postgresql://db.town/r?sslmode=verify-full&sslmode=disable",
    "postgresql+psycopg:///r?host=db.town&sslmode=require",
    "postgresql+pg8000://db.town/r?sslmode=verify-full",  # unknown to that driver
    "postgresql+other://db.town/r",
    "mysql+pymysql://db.town/r?ssl_disabled=true",
    "mysql+pymysql://db.town/r?ssl_check_hostname=false",
    "mysql://db.town/r?SSL_VERIFY_CERT=0",
    "mssql+pyodbc://db.town/r?TrustServerCertificate=yes",
    "mssql+pyodbc://db.town/r?encrypt=optional",
    "mssql+pymssql://db.town/r",
    "oracle://entry_of_tnsnames",
    "oracle://db.town/x)(y",
    "trino://db.town/catalog",
)


@pytest.mark.parametrize("url", WEAKENED)
def test_less_needs_the_words_accepted(url: str) -> None:
    address = DatabaseAddress(url)
    for words in ("", "yes"):
        with pytest.raises(TableError, match="would not be encrypted with a checked certificate") as told:
            protected(address, words)
        assert CONNECTION in told.value.hint
    found = protected(address, ACCEPTED)
    assert (dict(found.parameters), dict(found.arguments), found.removed) == ({}, {}, ())


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg:///r?host=%2Fvar%2Frun%2Fpostgresql",
        "postgresql:///r",
        "postgresql://localhost:5433/r",
        "postgresql://127.0.0.1,127.0.0.2:5433/r",
        "postgresql://[::1]:5433/r?sslmode=disable",
        "mssql+pyodbc://localhost%5CTOWN/r",
        "trino://localhost/catalog",
    ],
)
def test_this_machine_is_asked_as_the_url_says(url: str) -> None:
    assert is_on_this_machine(DatabaseAddress(url))
    assert protected(DatabaseAddress(url), "").parameters == {}


def test_another_machine_is_noticed_wherever_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for url in (
        "postgresql://localhost,db.town/r",
        "postgresql://localhost/r?host=db.town",
        "postgresql://localhost.town/r",
        "postgresql://[2001:db8::1]/r",
        "postgresql://10.0.0.1/r",
    ):
        assert not is_on_this_machine(DatabaseAddress(url))
    for variable in ("PGHOST", "PGHOSTADDR", "PGSERVICE"):
        with monkeypatch.context() as patch:
            patch.setenv(variable, "db.town")
            assert protected(DatabaseAddress("postgresql:///r"), "").parameters == {"sslmode": "verify-full"}


def test_a_connection_is_made_so_and_no_other_way(monkeypatch: pytest.MonkeyPatch) -> None:
    sqlalchemy = pytest.importorskip("sqlalchemy")
    made: list[tuple[str, Any]] = []

    def create(place: Any, *, connect_args: Any, **_how: Any) -> None:
        made.append((place.render_as_string(), connect_args))
        raise OSError

    monkeypatch.setattr(sqlalchemy, "create_engine", create)

    def connect(url: str, login: Login) -> None:
        with pytest.raises(TableError), connected(url, login, "town"):
            pass

    connect("postgresql+psycopg://me@db.town/r", Login())
    connect("postgresql+psycopg://me@db.town/r?sslmode=prefer", Login())
    connect("postgresql+psycopg://me@db.town/r?sslmode=prefer", Login(accepted=ACCEPTED))
    assert made == [
        ("postgresql+psycopg://me@db.town/r?sslmode=verify-full", {}),
        ("postgresql+psycopg://me@db.town/r?sslmode=prefer", {}),
    ]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("server does not support SSL, but SSL was required", "would not be encrypted"),
        ("SSL is required, but the server does not support it", "would not be encrypted"),
        ("SSL error: certificate verify failed", r"certificate of 'db\.town/r' is not trusted: SSL error"),
        ('server certificate for "a" does not match host name "b"', "is not trusted"),
        ("timeout expired", "'town' cannot be read: timeout expired"),
    ],
)
def test_what_a_driver_says_of_encryption_is_told_in_words(
    said: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sqlalchemy = pytest.importorskip("sqlalchemy")

    def create(place: Any, **_how: Any) -> None:
        raise OSError(said)

    monkeypatch.setattr(sqlalchemy, "create_engine", create)
    with pytest.raises(TableError, match=message), connected("postgresql://db.town/r", Login(), "town"):
        pass
    with (
        pytest.raises(TableError, match="'town' cannot be read"),
        connected("postgresql://localhost/r", Login(), "town"),
    ):
        pass


def test_a_command_accepts_by_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    address = DatabaseAddress("postgresql://db.town/r")
    assert login_given(address).accepted == ""
    monkeypatch.setenv(CONNECTION, ACCEPTED)
    assert login_given(address).accepted == ACCEPTED
