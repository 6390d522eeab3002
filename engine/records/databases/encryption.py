"""Encryption of connections with databases: verified certificates for all hosts but this machine."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from engine.errors import TableError
from engine.records.databases.address import CONNECTION, UNENCRYPTED, DatabaseAddress
from engine.words import _

_YES, _NO = ("1", "true", "yes", "on", "mandatory", "strict"), ("0", "false", "no", "off", "optional")
_ORACLE_PORT = 2484  # of encrypted connections
_PLAIN_NAME = re.compile(r"[\w.:$#-]+")
_SYSTEM_ROOTS = 160_000  # version of libpq that knows the certificates of the system
_NO_TLS = re.compile(r"(does not|doesn't) support (SSL|TLS)|SSL is required, but", re.IGNORECASE)
_CERTIFICATE = re.compile(r"certificate", re.IGNORECASE)
_DRIVERS = {"mysql": "mysqldb", "mariadb": "mysqldb", "mssql": "pyodbc"}  # if the URL names none


@dataclass(frozen=True)
class Protection:
    """Arguments that make a driver encrypt a connection and check the certificate of the server.

    Attributes
    ----------
    parameters : mapping of str to str
        Parameters of the URL that are set.
    arguments : mapping of str to value
        What the driver is given besides.
    removed : tuple of str
        Parameters of the URL that `arguments` replace.
    """

    parameters: Mapping[str, str] = field(default_factory=dict)
    arguments: Mapping[str, Any] = field(default_factory=dict)
    removed: tuple[str, ...] = ()

    def placed(self, place: Any) -> Any:
        """Return an URL of SQLAlchemy with these parameters."""
        return place.difference_update_query(self.removed).update_query_dict(self.parameters)

    def is_kept_by(self, connection: Any) -> bool:
        """Return whether a connection of the driver is encrypted; PyMySQL goes on if the server cannot."""
        return "ssl" not in self.arguments or getattr(connection, "_secure", True) is not False


def is_on_this_machine(address: DatabaseAddress) -> bool:
    """Return whether no connection leaves this machine: a file, a socket, or a local host."""
    return all(map(_is_local, _hosts(address)))


def protected(address: DatabaseAddress, accepted: str) -> Protection:
    """Return how to connect to a server.

    Parameters
    ----------
    accepted : str
        "not encrypted" if the user accepts that; then the URL is used unchanged.

    Raises
    ------
    TableError
        The connection would not be encrypted, and that is not accepted.
    """
    if is_on_this_machine(address) or accepted == UNENCRYPTED:
        return Protection()
    found = _protection(address)
    if found is None:
        raise refused(address)
    return found


def refused(address: DatabaseAddress) -> TableError:
    """Return the error for a connection that would not be encrypted."""
    return TableError(
        _(
            "The connection with '{name}' would not be encrypted with a checked certificate: "
            "others on the network could read the data."
        ).format(name=address.name),
        hint=_(
            "Remove settings from the URL that weaken encryption, or choose another driver. Or accept it "
            'with the words "{words}", in the window or in the environment variable {variable}.'
        ).format(words=UNENCRYPTED, variable=CONNECTION),
        file=address.name,
    )


def refusal_of(address: DatabaseAddress, protection: Protection, said: str) -> TableError | None:
    """Return the error for a connection that a driver did not make because of its encryption.

    Parameters
    ----------
    protection : Protection
        The protection requested from the driver.
    said : str
        Its message.

    Returns
    -------
    TableError or None
        None if the connection failed for another reason, or none was protected.
    """
    if protection == Protection():
        return None
    if _NO_TLS.search(said):
        return refused(address)
    if not _CERTIFICATE.search(said):
        return None
    return TableError(
        _("The certificate of '{name}' is not trusted: {error}.").format(name=address.name, error=said),
        hint=_(
            "Name the host as its certificate does. If your organization issued the certificate, name the "
            "file of its authority in the URL: sslrootcert=/path/ca.pem for PostgreSQL, ssl_ca=/path/ca.pem "
            "for MySQL and MariaDB."
        ),
        file=address.name,
    )


def _hosts(address: DatabaseAddress) -> list[str]:
    parts = urlsplit(address.url)
    own = parse_qsl(parts.query, keep_blank_values=True)
    named = [value for key, value in own if key.lower() == "host"]
    named += [parts.netloc.rpartition("@")[2]] if parts.netloc else []
    if not any(named) and parts.scheme.startswith("postgresql"):
        named = [os.environ.get(key, "") for key in ("PGHOST", "PGHOSTADDR")]
        named += ["a service"] if os.environ.get("PGSERVICE") else []
    return [host for text in named for host in text.split(",")]


def _is_local(host: str) -> bool:
    host = unquote(host)
    if host.startswith("/"):
        return True
    host = host[1:].partition("]")[0] if host.startswith("[") else re.sub(r":\d+$", "", host)
    host = host.partition("\\")[0].lower()
    if host in ("", ".", "localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _protection(address: DatabaseAddress) -> Protection | None:
    """Return how a connection is encrypted; None if the URL weakens it or the driver has no setting."""
    parts = urlsplit(address.url)
    dialect, _mark, driver = parts.scheme.partition("+")
    given = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if pair[0].lower() != "host"]
    own = {key.lower(): value for key, value in given}
    make = _MAKERS.get((dialect, driver or _DRIVERS.get(dialect, "")))
    if make is None or len(own) < len(given) or (make in _OF_MYSQL.values() and _is_weakened(own)):
        return None
    found = make(own, address)
    if found is None:
        return None
    return replace(found, removed=tuple(key for key, _value in given if key.lower() in found.removed))


def _by_libpq(own: Mapping[str, str], address: DatabaseAddress) -> Protection | None:
    if own.get("sslmode", "verify-full") != "verify-full":
        return None
    roots = {}
    if "sslrootcert" not in own and _takes_roots_of_system(address.url.partition(":")[0]):
        roots = {"sslrootcert": "system"}
    return Protection({"sslmode": "verify-full", **roots})


def _takes_roots_of_system(scheme: str) -> bool:
    """Return whether libpq checks certificates by those of the system: the user has no list of their own."""
    folder = (
        Path(os.environ["APPDATA"], "postgresql") if "APPDATA" in os.environ else Path.home() / ".postgresql"
    )
    if os.environ.get("PGSSLROOTCERT") or (folder / "root.crt").exists():
        return False
    try:
        if scheme.endswith("psycopg2"):
            version = import_module("psycopg2.extensions").libpq_version()
        else:
            version = import_module("psycopg").pq.version()
    except ImportError:
        return False
    return bool(version >= _SYSTEM_ROOTS)


def _by_pg8000(own: Mapping[str, str], _address: DatabaseAddress) -> Protection | None:
    import ssl  # only for connections with databases

    return None if "sslmode" in own else Protection({}, {"ssl_context": ssl.create_default_context()})


def _by_pymysql(own: Mapping[str, str], address: DatabaseAddress) -> Protection | None:
    import ssl  # only for connections with databases

    try:
        context = ssl.create_default_context(cafile=own.get("ssl_ca"))
        if "ssl_cert" in own:
            context.load_cert_chain(own["ssl_cert"], own.get("ssl_key"))
    except OSError:
        raise TableError(
            _("'{name}': the certificates that the URL names cannot be read.").format(name=address.name),
            hint=_("Check the paths of ssl_ca, ssl_cert and ssl_key."),
            file=address.name,
        ) from None
    return Protection({}, {"ssl": context}, _of_encryption(own))


def _by_mysqlclient(own: Mapping[str, str], _address: DatabaseAddress) -> Protection | None:
    files = {key.removeprefix("ssl_"): path for key, path in _certificates(own).items()}
    return Protection({}, {"ssl_mode": "VERIFY_IDENTITY", "ssl": files}, _of_encryption(own))


def _by_mysql_connector(own: Mapping[str, str], _address: DatabaseAddress) -> Protection | None:
    checks = {"ssl_disabled": False, "ssl_verify_cert": True, "ssl_verify_identity": True}
    return Protection({}, {**checks, **_certificates(own)}, _of_encryption(own))


def _by_mariadb_connector(own: Mapping[str, str], _address: DatabaseAddress) -> Protection | None:
    return Protection({}, {"ssl": True, "ssl_verify_cert": True, **_certificates(own)}, _of_encryption(own))


def _is_weakened(own: Mapping[str, str]) -> bool:
    """Return whether parameters of a driver for MySQL ask for less than a checked certificate."""
    wanted = {
        "ssl_mode": ("verify_identity",),
        "ssl_disabled": _NO,
        **dict.fromkeys(("ssl", "ssl_check_hostname", "ssl_verify_cert", "ssl_verify_identity"), _YES),
    }
    return any(key in wanted and value.lower() not in wanted[key] for key, value in own.items())


def _of_encryption(own: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(key for key in own if key.startswith("ssl"))


def _certificates(own: Mapping[str, str]) -> dict[str, str]:
    """Return the files of certificates: the trusted ones, and the user's own."""
    import ssl  # only for connections with databases

    paths = ssl.get_default_verify_paths()
    trusted = {"ssl_ca": paths.cafile or paths.openssl_cafile}
    return trusted | {key: own[key] for key in ("ssl_ca", "ssl_cert", "ssl_key") if key in own}


def _by_odbc(own: Mapping[str, str], _address: DatabaseAddress) -> Protection | None:
    encrypt = own.get("encrypt", "yes").lower()
    if encrypt not in _YES or own.get("trustservercertificate", "no").lower() not in _NO:
        return None
    wanted = {"Encrypt": "strict" if encrypt == "strict" else "yes", "TrustServerCertificate": "no"}
    return Protection(wanted, {}, ("encrypt", "trustservercertificate"))


def _by_oracle(own: Mapping[str, str], address: DatabaseAddress) -> Protection | None:
    parts = urlsplit(address.url)
    sid, service = unquote(parts.path).strip("/"), own.get("service_name", "")
    named = [name for name in (parts.hostname or "", sid, service) if name]
    if not parts.hostname or bool(sid) == bool(service) or not all(map(_PLAIN_NAME.fullmatch, named)):
        return None  # an entry of the user's own configuration, which says how it is reached
    wanted = f"SERVICE_NAME={service}" if service else f"SID={sid}"
    dsn = (
        f"(DESCRIPTION=(ADDRESS=(PROTOCOL=TCPS)(HOST={parts.hostname})(PORT={parts.port or _ORACLE_PORT}))"
        f"(CONNECT_DATA=({wanted}))(SECURITY=(SSL_SERVER_DN_MATCH=ON)))"
    )
    return Protection({}, {"dsn": dsn})


_Make = Callable[[Mapping[str, str], DatabaseAddress], Protection | None]
_OF_MYSQL: Mapping[str, _Make] = {
    "pymysql": _by_pymysql,
    "mysqldb": _by_mysqlclient,
    "mysqlconnector": _by_mysql_connector,
    "mariadbconnector": _by_mariadb_connector,
}
_MAKERS: Mapping[tuple[str, str], _Make] = {
    **{("postgresql", driver): _by_libpq for driver in ("", "psycopg", "psycopg2", "psycopg2cffi")},
    ("postgresql", "pg8000"): _by_pg8000,
    **{(dialect, driver): make for dialect in ("mysql", "mariadb") for driver, make in _OF_MYSQL.items()},
    ("mssql", "pyodbc"): _by_odbc,
    **{("oracle", driver): _by_oracle for driver in ("", "oracledb", "cx_oracle")},
}
