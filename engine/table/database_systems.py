"""Database systems that a form can name: their URL by its parts, and the packages that they require."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from engine.version import extra

_ODBC = "ODBC Driver 18 for SQL Server"
_SERVICE = "service_name"  # of Oracle, whose path is an older kind of name


@dataclass(frozen=True)
class DatabaseSystem:
    """A kind of database server.

    Attributes
    ----------
    dialect, driver : str
        Of its URL.
    title : str
        Its name.
    port : int
        Where it usually is.
    """

    dialect: str
    driver: str
    title: str
    port: int


@dataclass(frozen=True)
class ServerParts:
    """Parts of the URL of a database server.

    Attributes
    ----------
    system : DatabaseSystem
    host, port, name : str
        Host, port as typed, and database; empty if the URL does not name them.
    """

    system: DatabaseSystem
    host: str = ""
    port: str = ""
    name: str = ""

    def url(self, before: str = "") -> str:
        """Return the URL, with driver, user and settings of another one for the same system."""
        system, scheme, user = self.system, f"{self.system.dialect}+{self.system.driver}", ""
        settings = {"driver": _ODBC} if system.driver == "pyodbc" else {}
        if (other := parts_of(before)) is not None and other.system == system:
            split = urlsplit(before.strip())
            scheme, user = split.scheme, split.netloc.rpartition("@")[0]
            settings = dict(parse_qsl(split.query, keep_blank_values=True))
        settings.pop(_SERVICE, None)
        path = quote(self.name, safe="")
        if system.dialect == "oracle" and self.name:
            path, settings[_SERVICE] = "", self.name
        host = f"[{self.host}]" if ":" in self.host else quote(self.host, safe=",\\")
        place = (f"{user}@" if user else "") + host + (f":{self.port}" if self.port else "")
        query = urlencode(settings, quote_via=quote)
        return f"{scheme}://{place}/{path}" + (f"?{query}" if query else "")


SYSTEMS = (
    DatabaseSystem("postgresql", "psycopg", "PostgreSQL", 5432),
    DatabaseSystem("mysql", "pymysql", "MySQL", 3306),
    DatabaseSystem("mariadb", "pymysql", "MariaDB", 3306),
    DatabaseSystem("mssql", "pyodbc", "SQL Server", 1433),
    DatabaseSystem("oracle", "oracledb", "Oracle", 2484),
)
_PACKAGES: Mapping[str, tuple[str, str]] = {  # module and package of drivers
    "cx_oracle": ("cx_Oracle", "cx_Oracle"),
    "mariadbconnector": ("mariadb", "mariadb"),
    "mysqlconnector": ("mysql", "mysql-connector-python"),
    "mysqldb": ("MySQLdb", "mysqlclient"),
    "oracledb": ("oracledb", "oracledb"),
    "pg8000": ("pg8000", "pg8000"),
    "psycopg": ("psycopg", "psycopg[binary]"),
    "psycopg2": ("psycopg2", "psycopg2-binary"),
    "pymssql": ("pymssql", "pymssql"),
    "pymysql": ("pymysql", "PyMySQL"),
    "pyodbc": ("pyodbc", "pyodbc"),
}


def parts_of(url: str) -> ServerParts | None:
    """Return the parts of a URL; None if it names none of these systems."""
    try:
        split = urlsplit(url.strip())
    except ValueError:
        return None
    dialect = split.scheme.partition("+")[0]
    system = next((system for system in SYSTEMS if system.dialect == dialect), None)
    if system is None or not url.strip().startswith(f"{split.scheme}://"):
        return None
    place = split.netloc.rpartition("@")[2]
    found = re.fullmatch(r"\[([^\]]*)\](?::(\d*))?|(.*?)(?::(\d*))?", place)
    assert found is not None, "any text fits"
    host, port = found[1] or unquote(found[3] or ""), found[2] or found[4] or ""
    service = dict(parse_qsl(split.query)).get(_SERVICE, "") if dialect == "oracle" else ""
    return ServerParts(system, host, port, unquote(split.path.removeprefix("/")) or service)


def missing_packages(url: str) -> tuple[str, ...]:
    """Return the packages to install before a URL can be used, as for pip."""
    parts = parts_of(url)
    if parts is None:
        return ()
    driver = urlsplit(url.strip()).scheme.partition("+")[2]
    missing = [] if find_spec("sqlalchemy") is not None else [extra("formats")]
    if driver in _PACKAGES and find_spec(_PACKAGES[driver][0]) is None:
        missing.append(_PACKAGES[driver][1])
    return tuple(missing)
