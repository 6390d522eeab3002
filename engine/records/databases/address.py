"""Address of a table in a database or a cluster: its URL without a password, its parts, and the login."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlencode, urlsplit

from engine.errors import TableError
from engine.words import N_, _

SQLITE, DUCKDB, CLUSTER = "sqlite", "duckdb", "sc"
FILES = (f"{SQLITE}:", f"{DUCKDB}:")  # beginnings of the URL of a file
TOKEN, ACCEPTED = "ANONYMIZER_SPARK_TOKEN", "ANONYMIZER_SPARK_CONNECTION"  # names of environment variables
UNENCRYPTED = "not encrypted"  # accepted words; not translated, since they are also given to commands
USER, PASSWORD = "ANONYMIZER_DATABASE_USER", "ANONYMIZER_DATABASE_PASSWORD"  # names of environment variables
CONNECTION = "ANONYMIZER_DATABASE_CONNECTION"  # the same
DATABASE_ENDINGS = (".db", ".sqlite", ".sqlite3", ".duckdb")
_OWN = ("table", "schema", "query", "path")  # parameters that the program adds to a URL
_PARAMETERS = """
    application_name applicationintent authsource charset client_encoding collation connect_timeout driver
    encoding encrypt gssencmode host instance isolation_level krbsrvname mode multisubnetfailover port role
    service_name sid ssl ssl_ca ssl_cert ssl_check_hostname ssl_disabled ssl_key ssl_verify_cert
    ssl_verify_identity sslcert sslcrl sslkey sslmode sslrootcert target_session_attrs timeout
    trusted_connection trustservercertificate unix_socket use_ssl use_unicode warehouse
"""  # parameters of drivers, none of which is a password
_KNOWN = frozenset(_PARAMETERS.split())
# the second form is a path with its drive
_PLAIN = re.compile(r"[\w .,/\\+{}()*~-]*|[A-Za-z]:[\w .,/\\+{}()~-]*")
_PLACE = re.compile(r"[\w.~%,\\-]*(:\d+(,[\w.~-]+(:\d+)?)*)?|\[[0-9A-Fa-f:.%\w]+\](:\d+)?")
_SECRET = re.compile(r"pass|pwd|secret|token", re.IGNORECASE)
_SCHEME = re.compile(r"(?!https?:|ftp:|s3:)[A-Za-z][A-Za-z0-9]*(\+[A-Za-z0-9_]+)?://")
_FORM = N_("Write it as sqlite:///file.db?table=people or postgresql://user@host/database?table=people.")
_CLUSTER_FORM = N_(
    "Write it as sc://host:15002/?table=shop.people or sc://host:15002/?path=/data/people.parquet."
)
_BY_FIELD = N_(
    "Write special characters of a password as %40 for @, %2F for /, %3F for ?, %23 for # and "
    "%3A for :, or give the password separately from the URL."
)


@dataclass(frozen=True)
class DatabaseAddress:
    """A table or a query in a database, or a table or files on a cluster.

    Attributes
    ----------
    url : str
        The database without a password.
    table, schema : str
        The table, and its schema if it is not the default one.
    query : str
        A statement that selects the records, instead of a table.
    files : str
        Path of files that a cluster reads, instead of a table.
    """

    url: str
    table: str = ""
    schema: str = ""
    query: str = ""
    files: str = ""

    @property
    def is_cluster(self) -> bool:
        """Return whether it is a cluster, asked by Spark Connect."""
        return self.url.startswith(f"{CLUSTER}:")

    @property
    def system(self) -> str:
        """Kind of the database, as SQLAlchemy names it."""
        return self.url.partition(":")[0].partition("+")[0]

    @property
    def is_file(self) -> bool:
        """Return whether it is a file of SQLite or DuckDB, which is read without a connection."""
        return self.url.startswith(FILES)

    @property
    def path(self) -> Path:
        """Path of the file."""
        return _path_in(urlsplit(self.url).path)

    @property
    def name(self) -> str:
        """Name of the database in messages."""
        if self.is_file:
            return self.path.name
        parts = urlsplit(self.url)
        return f"{parts.hostname or ''}{unquote(parts.path).rstrip('/')}"

    @property
    def user(self) -> str:
        """User name in the URL; empty if it has none."""
        return unquote(urlsplit(self.url).username or "")

    @property
    def full(self) -> str:
        """URL with table or query, as recipes and projects store it."""
        values = {"table": self.table, "schema": self.schema, "query": self.query, "path": self.files}
        own = urlencode({key: value for key, value in values.items() if value}, quote_via=quote)
        return f"{self.url}{'&' if '?' in self.url else '?'}{own}" if own else self.url

    @property
    def without_user(self) -> DatabaseAddress:
        """Return the address that may be stored with data: without the name of the user."""
        scheme, mark, rest = self.url.partition("://")
        host, slash, tail = rest.partition("/")
        return replace(self, url=f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{tail}")

    def seen_from(self, base: Path, folder: Path | None = None) -> DatabaseAddress:
        """Return the address with its file, given relative to `base`, relative to `folder` or absolute."""
        if not self.is_file:
            return self
        path = Path(os.path.abspath(base / self.path))
        if folder is None:
            return replace(self, url=file_url(path))
        try:
            return replace(self, url=file_url(Path(os.path.relpath(path, folder))))
        except ValueError:  # another drive
            return replace(self, url=file_url(path))


def is_database(text: str) -> bool:
    """Return whether a text is the URL of a database and not a file name."""
    return text.startswith(FILES) or _SCHEME.match(text) is not None


def table_at(place: Path | str) -> DatabaseAddress | None:
    """Return the address of the table that a place of a release is; None for a file or folder."""
    system = str(place).partition(":")[0].partition("+")[0]
    is_table = isinstance(place, str) and system in (SQLITE, DUCKDB, *(own.dialect for own in SYSTEMS))
    return database_of(place) if is_table else None


def database_of(place: Path | str) -> DatabaseAddress | None:
    """Return the address of a URL or of the path of a database file; None for any other place.

    Raises
    ------
    TableError
        The URL is wrong, or contains a password.
    """
    if isinstance(place, Path) or not is_database(place):
        path = Path(place)
        return DatabaseAddress(file_url(path)) if path.suffix.lower() in DATABASE_ENDINGS else None
    address, password = parse_address(place)
    if password is not None:
        raise TableError(
            _("The URL of the database contains a password."),
            hint=_("Remove it, and give it in the environment variable {variable}.").format(
                variable=PASSWORD
            ),
        )
    return address


def is_placed(text: str) -> bool:
    """Return whether a URL says where its database is; the bare name of a file does not."""
    if not text:
        return False
    address = parse_address(text)[0]
    return not address.is_file or address.path.is_absolute()


def kept_in_file(text: str) -> str:
    """Return the URL as stored in a project file: only the name of an SQLite file, never a password."""
    try:
        address = parse_address(text)[0]
    except TableError:
        return ""
    return replace(address, url=file_url(Path(address.path.name))).full if address.is_file else address.full


def file_url(path: Path) -> str:
    """Return the URL of a file of SQLite, or of DuckDB by its ending."""
    system = DUCKDB if path.suffix.lower() == f".{DUCKDB}" else SQLITE
    return f"{system}:///{quote(path.as_posix(), safe='/:')}"


def parse_address(text: str) -> tuple[DatabaseAddress, str | None]:
    """Split a URL into the address and the password in it, if any.

    Raises
    ------
    TableError
        It is not the URL of a database, or may contain a password that cannot be removed. The
        message never repeats what may be a password.
    """
    text = text.strip()
    if not is_database(text):
        raise TableError(_("This is not the URL of a database."), hint=_(_FORM))
    try:
        parts = urlsplit(text)
        # raises ValueError for a port that is not a number, which may be part of a password
        _unused = parts.port
    except ValueError:
        raise TableError(
            _("The URL of the database cannot be read."), hint=f"{_(_FORM)} {_(_BY_FIELD)}"
        ) from None
    parameters = parse_qsl(parts.query, keep_blank_values=True)
    n_written = len([part for part in parts.query.split("&") if part])
    is_torn = bool(parts.fragment) or (f"{parts.scheme}:" not in FILES and "@" in parts.path)
    if is_torn or len(parameters) != n_written or not _all_named(parts.query):
        raise TableError(_("The URL of the database cannot be read."), hint=f"{_(_FORM)} {_(_BY_FIELD)}")
    if f"{parts.scheme}:" not in FILES:
        _check_place(parts)
        _check_parameters([pair for pair in parameters if pair[0] not in _OWN])
    own = {key: value for key, value in parameters if key in _OWN}
    rest = urlencode([(k, v) for k, v in parameters if k not in _OWN], quote_via=quote)
    if own.get("table") and own.get("query"):
        raise TableError(
            _("The URL of the database names both a table and a query."), hint=_("Use only one of them.")
        )
    if parts.scheme == CLUSTER:
        return _cluster_address(parts, rest, own), None
    if own.pop("path", ""):
        raise TableError(
            _("The URL of the database has a parameter that may contain a password."),
            hint=_("Only the address of a cluster has a path; name a table or a query."),
        )
    if parts.scheme.partition("+")[0] in (SQLITE, DUCKDB):
        return _file_address(parts.scheme, parts.netloc, parts.path, rest, own), None
    host = parts.netloc.rpartition("@")[2]
    user = quote(unquote(parts.username or ""), safe="")
    netloc = f"{user}@{host}" if user else host
    url = f"{parts.scheme}://{netloc}{parts.path}" + (f"?{rest}" if rest else "")
    password = None if parts.password is None else unquote(parts.password)
    return DatabaseAddress(url, own.get("table", ""), own.get("schema", ""), own.get("query", "")), password


def _check_place(parts: SplitResult) -> None:
    """Refuse host, user and database if they may hold a password, or part of one that broke the URL."""
    asking, _unused, host = parts.netloc.rpartition("@")
    user, path = unquote(parts.username or ""), unquote(parts.path)
    has_many_parts = path.count("/") > 1 and parts.port is not None and not asking  # user:1/rest/database
    if not _PLACE.fullmatch(host) or set(user) & set(":/;=") or set(path) & set(";@=?") or has_many_parts:
        raise TableError(
            _("The URL of the database is ambiguous."),
            hint=f"{_(_FORM)} {_(_BY_FIELD)}",
        )


def _check_parameters(parameters: list[tuple[str, str]]) -> None:
    """Refuse parameters that may hold a password; the message does not repeat them."""
    for key, value in parameters:
        if key.lower() not in _KNOWN or not _PLAIN.fullmatch(value) or _SECRET.search(value):
            raise TableError(
                _("The URL of the database has a parameter that may contain a password."),
                hint=_(
                    "Give user and password separately from the URL; passwords are never "
                    "stored. Other settings of the driver belong in its own configuration."
                ),
            )


def _all_named(query: str) -> bool:
    """Return whether every parameter has a name and a value, and is not part of a password."""
    return all("=" in part and "@" not in part.partition("=")[0] for part in query.split("&") if part)


def _file_address(scheme: str, netloc: str, path: str, rest: str, own: dict[str, str]) -> DatabaseAddress:
    url = file_url(_path_in(path))
    if not url.startswith(f"{scheme}:") or netloc or len(path) < 2 or rest:
        raise TableError(
            _("The URL of the database file cannot be read."),
            hint=_(
                "Write it as sqlite:///folder/file.db?table=people, or with duckdb: and file.duckdb, with "
                "three slashes."
            ),
        )
    return DatabaseAddress(url, own.get("table", ""), own.get("schema", ""), own.get("query", ""))


def _cluster_address(parts: SplitResult, rest: str, own: dict[str, str]) -> DatabaseAddress:
    """Return the address of a cluster, which never has a user or token."""
    table, files = own.get("table", ""), own.get("path", "")
    is_torn = "@" in parts.netloc or not parts.hostname or parts.path not in ("", "/")
    has_secret = "@" in files.partition("://")[2].partition("/")[0]  # of a storage
    is_strange = rest not in ("", "use_ssl=true", "use_ssl=false") or own.keys() - {"table", "path"}
    if is_torn or has_secret or is_strange or (table and files):
        raise TableError(
            _("The address of the cluster cannot be read."),
            hint=_(_CLUSTER_FORM) + " " + _("A token is given separately and never stored."),
        )
    url = f"{CLUSTER}://{parts.netloc}/" + (f"?{rest}" if rest else "")
    return DatabaseAddress(url, table, files=files)


def _path_in(path: str) -> Path:
    return Path(unquote(path.removeprefix("/")))


@dataclass(frozen=True)
class Login:
    """User name and password for a server, or the token of a cluster; passed on to it and never stored.

    Attributes
    ----------
    user : str
        Empty to use the one in the URL.
    accepted : str
        "not encrypted" if the user accepted that of the connection.
    """

    user: str = ""
    password: str | None = field(default=None, repr=False)
    accepted: str = ""


NOBODY = Login()


@dataclass(frozen=True)
class Connection:
    """A connection that the user confirmed."""

    address: DatabaseAddress
    login: Login = NOBODY


def login_given(address: DatabaseAddress) -> Login:
    """Return the login from the environment of a command; for a cluster, its token."""
    if address.is_cluster:
        return Login(password=os.environ.get(TOKEN) or None, accepted=os.environ.get(ACCEPTED, ""))
    return Login(os.environ.get(USER, ""), os.environ.get(PASSWORD), os.environ.get(CONNECTION, ""))


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
        The usual one.
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


def driver_package(url: str, module: str | None) -> str:
    """Return the package of the driver of a URL, for a module that is missing if it is known."""
    driver = urlsplit(url.strip()).scheme.partition("+")[2]
    of_modules = dict(_PACKAGES.values())
    return of_modules.get(module or "") or _PACKAGES.get(driver, ("", module or driver))[1]


def missing_packages(url: str) -> tuple[str, ...]:
    """Return the packages to install before a URL can be used, as for pip."""
    module, package = _PACKAGES.get(urlsplit(url.strip()).scheme.partition("+")[2], ("", ""))
    is_missing = module and parts_of(url) is not None and find_spec(module) is None
    return (package,) if is_missing else ()
