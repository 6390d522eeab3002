"""Where a table of a database lies: its URL, and never a password; and who asks for it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlencode, urlsplit

from engine.errors import TableError
from engine.words import N_, _

SQLITE = "sqlite"
USER, PASSWORD = "ANONYMIZER_DATABASE_USER", "ANONYMIZER_DATABASE_PASSWORD"  # in the environment
DATABASE_ENDINGS = (".db", ".sqlite", ".sqlite3")
_OWN = ("table", "schema", "query")  # what the program adds to a URL
_PARAMETERS = """
    application_name applicationintent authsource charset client_encoding collation connect_timeout driver
    encoding encrypt gssencmode host instance isolation_level krbsrvname mode multisubnetfailover port role
    service_name sid ssl ssl_ca ssl_cert ssl_check_hostname ssl_disabled ssl_key ssl_verify_cert
    ssl_verify_identity sslcert sslcrl sslkey sslmode sslrootcert target_session_attrs timeout
    trusted_connection trustservercertificate unix_socket use_unicode warehouse
"""  # of drivers: none of them takes a password there
_KNOWN = frozenset(_PARAMETERS.split())
_PLAIN = re.compile(r"[\w .,/\\+{}()*~-]*|[A-Za-z]:[\w .,/\\+{}()~-]*")  # the second a path with its drive
_PLACE = re.compile(r"[\w.~%,\\-]*(:\d+(,[\w.~-]+(:\d+)?)*)?|\[[0-9A-Fa-f:.%\w]+\](:\d+)?")
_SECRET = re.compile(r"pass|pwd|secret|token", re.IGNORECASE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9]*(\+[A-Za-z0-9_]+)?://")
_FORM = N_("It is written as sqlite:///file.db?table=people or postgresql://user@host/database?table=people.")
_BY_FIELD = N_(
    "Write a password with %40 for @, %2F for /, %3F for ?, %23 for # and %3A for :, "
    "or give it apart from the URL."
)


@dataclass(frozen=True)
class DatabaseAddress:
    """A table, or what a query gives, in a database.

    Attributes
    ----------
    url : str
        The database alone, without a password.
    table, schema : str
        The table; its schema where it is not the usual one.
    query : str
        A statement that selects the records, instead of a table.
    """

    url: str
    table: str = ""
    schema: str = ""
    query: str = ""

    @property
    def is_file(self) -> bool:
        """Whether it is an SQLite file, read without any connection."""
        return self.url.startswith(f"{SQLITE}:")

    @property
    def path(self) -> Path:
        """The SQLite file."""
        return _path_in(urlsplit(self.url).path)

    @property
    def name(self) -> str:
        """What messages call the database."""
        if self.is_file:
            return self.path.name
        parts = urlsplit(self.url)
        return f"{parts.hostname or ''}{unquote(parts.path)}"

    @property
    def user(self) -> str:
        """Who the URL says asks; empty where it does not."""
        return unquote(urlsplit(self.url).username or "")

    @property
    def full(self) -> str:
        """The URL with table or query, as recipes and projects keep it."""
        values = {"table": self.table, "schema": self.schema, "query": self.query}
        own = urlencode({key: value for key, value in values.items() if value}, quote_via=quote)
        return f"{self.url}{'&' if '?' in self.url else '?'}{own}" if own else self.url

    def seen_from(self, base: Path, folder: Path | None = None) -> DatabaseAddress:
        """The same, an SQLite file named relative to `folder`, or else absolutely if it was to `base`."""
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
    """Whether what a recipe names is the URL of a database, and no file."""
    return text.startswith(f"{SQLITE}:") or _SCHEME.match(text) is not None


def is_placed(text: str) -> bool:
    """Whether a URL tells where a database is; that of a file known by its name alone does not."""
    if not text:
        return False
    address = parse_address(text)[0]
    return not address.is_file or address.path.is_absolute()


def kept_in_file(text: str) -> str:
    """The URL as a project file keeps it: of an SQLite file the name alone, and never a password."""
    try:
        address = parse_address(text)[0]
    except TableError:
        return ""
    return replace(address, url=file_url(Path(address.path.name))).full if address.is_file else address.full


def file_url(path: Path) -> str:
    """The URL of an SQLite file."""
    return f"{SQLITE}:///{quote(path.as_posix(), safe='/:')}"


def parse_address(text: str) -> tuple[DatabaseAddress, str | None]:
    """Take a URL apart; returns the address and the password that stood in it, if one did.

    Raises
    ------
    TableError
        It is no URL of a database, or hides a password where it could not be taken out. The message
        never repeats what may be one.
    """
    text = text.strip()
    if not _SCHEME.match(text) and not text.startswith(f"{SQLITE}:"):
        raise TableError(_("That is no URL of a database."), hint=_(_FORM))
    try:
        parts = urlsplit(text)
        _unused = parts.port  # looked at for the error of one that is no number: the rest of a password
    except ValueError:
        raise TableError(_("The URL of the database cannot be read."), hint=f"{_FORM} {_BY_FIELD}") from None
    parameters = parse_qsl(parts.query, keep_blank_values=True)
    n_written = len([part for part in parts.query.split("&") if part])
    is_torn = bool(parts.fragment) or (parts.scheme != SQLITE and "@" in parts.path)
    if is_torn or len(parameters) != n_written or not _all_named(parts.query):
        raise TableError(_("The URL of the database cannot be read."), hint=f"{_FORM} {_BY_FIELD}")
    if parts.scheme != SQLITE:
        _check_place(parts)
        _check_parameters([pair for pair in parameters if pair[0] not in _OWN])
    own = {key: value for key, value in parameters if key in _OWN}
    rest = urlencode([(k, v) for k, v in parameters if k not in _OWN], quote_via=quote)
    if own.get("table") and own.get("query"):
        raise TableError(
            _("The URL of the database names both a table and a query."), hint=_("Leave one out.")
        )
    if parts.scheme.partition("+")[0] == SQLITE:
        return _file_address(parts.scheme, parts.netloc, parts.path, rest, own), None
    host = parts.netloc.rpartition("@")[2]
    user = quote(unquote(parts.username or ""), safe="")
    netloc = f"{user}@{host}" if user else host
    url = f"{parts.scheme}://{netloc}{parts.path}" + (f"?{rest}" if rest else "")
    password = None if parts.password is None else unquote(parts.password)
    return DatabaseAddress(url, own.get("table", ""), own.get("schema", ""), own.get("query", "")), password


def _check_place(parts: SplitResult) -> None:
    """Refuse host, user and database that may hold a password, or the rest of one that broke the URL."""
    asking, _unused, host = parts.netloc.rpartition("@")
    user, path = unquote(parts.username or ""), unquote(parts.path)
    has_many_parts = path.count("/") > 1 and parts.port is not None and not asking  # user:1/rest/database
    if not _PLACE.fullmatch(host) or set(user) & set(":/;=") or set(path) & set(";@=?") or has_many_parts:
        raise TableError(
            _("The URL of the database cannot be read without doubt."),
            hint=f"{_FORM} {_BY_FIELD}",
        )


def _check_parameters(parameters: list[tuple[str, str]]) -> None:
    """Refuse those that a password may stand in; the message does not repeat them."""
    for key, value in parameters:
        if key.lower() not in _KNOWN or not _PLAIN.fullmatch(value) or _SECRET.search(value):
            raise TableError(
                _("The URL of the database has a parameter that may hold a password."),
                hint=_(
                    "Give user and password apart from the URL; passwords are never kept. "
                    "Other settings of the driver belong into its own configuration."
                ),
            )


def _all_named(query: str) -> bool:
    """Whether every parameter is a name and a value, and no rest of a password cut off."""
    return all("=" in part and "@" not in part.partition("=")[0] for part in query.split("&") if part)


def _file_address(scheme: str, netloc: str, path: str, rest: str, own: dict[str, str]) -> DatabaseAddress:
    if scheme != SQLITE or netloc or len(path) < 2 or rest:
        raise TableError(
            _("The URL of the SQLite file cannot be read."),
            hint=_("It is written as sqlite:///folder/file.db?table=people, with three slashes."),
        )
    url = file_url(_path_in(path))
    return DatabaseAddress(url, own.get("table", ""), own.get("schema", ""), own.get("query", ""))


def _path_in(path: str) -> Path:
    return Path(unquote(path.removeprefix("/")))


@dataclass(frozen=True)
class Login:
    """Who asks a server; passed on to it and forgotten.

    Attributes
    ----------
    user : str
        Empty for the one in the URL.
    password : str or None
    """

    user: str = ""
    password: str | None = field(default=None, repr=False)


NOBODY = Login()


def login_given() -> Login:
    """Who asks in the environment of a command."""
    return Login(os.environ.get(USER, ""), os.environ.get(PASSWORD))
