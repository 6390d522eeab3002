"""Database tables: SQLite by its file, others by an SQLAlchemy URL; passwords are never stored."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus, unquote, urlsplit

from engine.errors import AnonymizerError, CancelledError, TableError, nearest
from engine.monitor import SILENT, Monitor
from engine.params import made_of, unusual_values_of
from engine.records.databases.address import NOBODY, PASSWORD, SQLITE, DatabaseAddress, Login, driver_package
from engine.records.databases.encryption import protected, refusal_of, refused
from engine.records.databases.rows import BLOCK, blocks_of_rows, gathered, too_large
from engine.records.options import ReadOptions
from engine.records.raw import RawTable
from engine.records.reader_process import read_raw, write_raw
from engine.records.reading import tabled
from engine.records.table import Table
from engine.records.table_files import need
from engine.subprocess_job import run_in_subprocess
from engine.words import N_, _


def database_tables(
    address: DatabaseAddress, login: Login = NOBODY, monitor: Monitor = SILENT
) -> tuple[str, ...]:
    """Return the names of the tables and views in the default schema of a database.

    Raises
    ------
    TableError
        The database cannot be read.
    """
    _refuse_cluster(address)
    monitor.step(0, 1, _("Opening {name}").format(name=address.name))
    # Reading rows needs pandas, which loads slowly: only once a database is read.
    if address.is_file:
        from engine.records.databases import sqlite

        return sqlite.table_names(address.path, monitor)
    with asked_apart(__name__, address, login, monitor, lists=True) as folder:
        return listed(folder)


def read_database(
    address: DatabaseAddress,
    options: ReadOptions = ReadOptions(),
    login: Login = NOBODY,
    monitor: Monitor = SILENT,
    *,
    limit: int | None = None,
    most: int = 0,
) -> tuple[Table, ReadOptions]:
    """Read a table or a query result; also return the options with everything detected filled in.

    Parameters
    ----------
    address : DatabaseAddress
        The path of an SQLite file is relative to the working directory.
    options : ReadOptions
        Options without a meaning in a database, such as the delimiter, are ignored.
    login : Login
        Ignored for an SQLite file.
    limit : int, optional
        Maximum number of rows to read.
    most : int
        Records of a table above which it is not read, but refused with the context `is_too_large`; 0 for any.

    Raises
    ------
    TableError
        The database cannot be read or has no such table; the query is empty, fails or does more than read; a
        cell contains bytes; or a value does not fit the type given for its column.
    """
    options.refuse_impossible()
    _refuse_cluster(address)
    monitor.step(0, 1, _("Reading {name}").format(name=address.name))
    raw = _raw(address, options, login, monitor, limit, most)
    if not len(raw.columns[0].codes):
        raise no_records(address.name, address.table, is_query=bool(address.query))
    reading = tabled(raw, options, monitor)
    monitor.step(1, 1, _("Read {name}").format(name=address.name))
    return reading.table, reading.options


def no_records(name: str, table: str, *, is_query: bool = False) -> TableError:
    """Return the error for a table, or the result of a query, without records."""
    problem = _("'{name}': table '{table}' has no records.")
    if is_query:
        problem = _("'{name}': the query returns no records.")
    hint = _("Choose another table or query.")
    return TableError(problem.format(name=name, table=table), hint=hint, file=name)


def refuse_unnamed(address: DatabaseAddress) -> None:
    """Refuse an address that names neither a table nor a query, or files of a cluster."""
    if not (address.table or address.query or address.files):
        raise TableError(
            _("'{name}': no table is given.").format(name=address.name),
            hint=_("Add ?table= and its name, or ?path= and the path of its files.")
            if address.is_cluster
            else _("Add ?table= and its name, or ?query= and a SELECT."),
            file=address.name,
        )


def _refuse_cluster(address: DatabaseAddress) -> None:
    """Refuse the address of a cluster, whose tables are never read into memory."""
    if address.is_cluster:
        raise TableError(
            _("'{name}' is a cluster, whose tables are never read into memory.").format(name=address.name),
            hint=_('Use source = "cluster", or leave it out.'),
            file=address.name,
        )


def _raw(
    address: DatabaseAddress,
    options: ReadOptions,
    login: Login,
    monitor: Monitor,
    limit: int | None,
    most: int,
) -> RawTable:
    if address.query and address.system != SQLITE:  # SQLite itself tells whether a statement only reads
        address = replace(address, query=checked_query(address.query, address.name))
    if address.is_file:
        from engine.records.databases import sqlite

        return sqlite.read_sqlite(address, options, monitor, limit=limit, most=most)
    refuse_unnamed(address)
    choices = {"options": unusual_values_of(options), "limit": limit, "most": most}
    with asked_apart(__name__, address, login, monitor, lists=False, **choices) as folder:
        return read_raw(folder, address.name)


def asked_apart(
    module: str, address: DatabaseAddress, login: Login, monitor: Monitor, **choices: Any
) -> AbstractContextManager[Path]:
    """Query the server by a module in a subprocess: a driver that waits for an answer cannot be stopped."""
    need("sqlalchemy", address.name)
    request = {
        "url": address.url,
        "table": address.table,
        "schema": address.schema,
        "query": address.query,
        "name": address.name,
        "user": login.user,
        "accepted": login.accepted,
        "password": login.password,  # passed through a pipe; no part of the request is written to a file
        **choices,
    }
    return run_in_subprocess(module, request, monitor, subject=address.name)


_ONE = N_("Write a single SELECT, or WITH … SELECT.")
_VIEW = N_("Let a view of the database do that, and read the view.")
# The two quotation forms that end at the same place in every database, if there is no backslash and nothing
# of `_DIALECTS` before them; and names in the marks of some databases, which cannot hold a statement.
_QUOTED = re.compile(r"""'[^']*'|"[^"]*"|`[\w ]*`|\[[\w ]*\]""")
_MARK = "\0"  # replaces quoted parts; a statement itself has no NUL character
_DIALECTS = (
    (r"--|/\*|#", N_("the query contains a comment, or what some databases read as one"), N_("Remove it.")),
    (r"\$", N_("the query contains the sign $, which quotes in some databases"), _VIEW),
    (r"`|\[", N_("the query contains a quotation mark that not every database knows"), _VIEW),
    (rf"[qQ]{_MARK}", N_("the query contains a quotation that not every database knows"), _VIEW),
    (r"['\"]", N_("the query contains a quotation that does not end"), N_("Close it.")),
    (
        r"(?<!\w)\d[\d.]*[^\W\d]",
        N_("the query contains a number directly followed by a word"),
        N_("Put a space between them."),
    ),
)
_CHANGING = re.compile(
    r"\b(insert|update|delete|merge|into|drop|alter|create|truncate|grant|revoke|deny|call|exec|execute|copy|lock"
    r"|shutdown|backup|restore|kill|dbcc|outfile|dumpfile|set|commit|rollback|begin|do|declare|vacuum|attach"
    r"|pragma|install|load|waitfor|reconfigure|checkpoint|bulk|openrowset|openquery|opendatasource|writetext"
    r"|updatetext|disable|enable|revert|receive|send|add|nextval|next\s+value|use)\b",
    re.IGNORECASE,
)
_CTE = re.compile(rf"[\w{_MARK}]+\s*\([\w\s,{_MARK}]*\)(?=\s*as\s*\(\s*(select|with)\b)", re.IGNORECASE)
_CALLED = re.compile(rf"([\w.{_MARK}]+)\s*\(")
_WORDS = """
    select from where and or not in exists any all some as on join using by having when then else case
    between like over filter group within partition distinct union intersect except minus values limit
    offset top with materialized lateral is end order row rows sets rollup cube recursive
"""  # words before a parenthesis that are not functions
_TYPES = """
    decimal numeric number varchar varchar2 nvarchar nvarchar2 char nchar character varying text float
    double time timestamp datetime2 datetimeoffset binary varbinary interval
"""  # types that take a size
_FUNCTIONS = """
    abs avg cast ceil ceiling char_length character_length coalesce concat concat_ws convert corr count
    cume_dist date date_add date_format date_part date_sub date_trunc dateadd datediff datename datepart
    day decode dense_rank exp extract first_value floor greatest grouping hour if ifnull iif initcap
    instr isnull json_value lag last_value lead least left len length listagg ln log log10 lower lpad
    ltrim max median min minute mod month months_between nth_value ntile nullif nvl nvl2 octet_length
    percent_rank percentile_cont percentile_disc position pow power quarter rank regexp_replace
    regexp_substr replace reverse right round row_number rpad rtrim second sign split_part sqrt stddev
    stddev_pop stddev_samp strftime string_agg strpos substr substring sum timestampdiff to_char to_date
    to_number to_timestamp translate trim trunc try_cast try_convert typeof unicode upper var_pop
    var_samp variance week year
"""  # functions that only compute
_HARMLESS = frozenset(f"{_WORDS} {_TYPES} {_FUNCTIONS}".split())


def checked_query(query: str, name: str) -> str:
    """Return a statement that only selects, without its closing semicolon.

    The database is not known here, so the check is strict: what one database reads as a text or a comment may
    be a statement for another, and a function may do anything.

    Parameters
    ----------
    name : str
        Name of the database in messages.

    Raises
    ------
    TableError
        The query is empty, consists of several statements, contains a word that changes data or a function
        not known to only compute, or cannot be checked.
    """
    statement = query.strip().rstrip(";").rstrip()
    if ";" in statement:
        raise _refused(name, _("the query contains several statements, or the sign ;"), _(_ONE))
    if any(ord(sign) < 32 and sign not in "\t\r\n" for sign in statement):
        raise _refused(name, _("the query contains a control character"), _("Remove it."))
    if "\\" in statement:
        raise _refused(name, _("the query contains a backslash, which databases read differently"), _(_VIEW))
    bare = _QUOTED.sub(_MARK, statement)
    if odd := re.search(r"[^\x00-\x7f\w]", bare):  # such as an invisible one between a name and its bracket
        problem = _("the query contains the character {code}, which databases read differently")
        code = f"U+{ord(odd[0]):04X}"
        raise _refused(name, problem.format(code=code), _("Remove it, or write the name in quotation marks."))
    for pattern, problem, hint in _DIALECTS:
        if re.search(pattern, bare):
            raise _refused(name, _(problem), _(hint))
    if not re.match(r"\(*\s*(select|with)\b", bare, re.IGNORECASE):
        raise _refused(name, _("the query is not a SELECT"), _(_ONE))
    if found := _CHANGING.search(bare):
        problem = _("the query does more than read, by the word {word}").format(word=found[0].upper())
        hint = _("A column with this name needs quotation marks.")
        raise _refused(name, problem, f"{_(_ONE)} {hint}")
    for called in _CALLED.finditer(re.sub(r"\s*\.\s*", ".", _CTE.sub(" ", bare))):
        if called[1].lower() not in _HARMLESS:
            problem = (
                _("a function in quotation marks is not known to only read")
                if _MARK in called[1]
                else _("the function {function} is not known to only read").format(function=called[1])
            )
            raise _refused(name, problem, _(_VIEW))
    return statement


def _refused(name: str, problem: str, hint: str) -> TableError:
    return TableError(_("'{name}': {problem}.").format(name=name, problem=problem), hint=hint, file=name)


_TABLES = "tables.json"
_BEFORE = {  # starts a read-only transaction; PostgreSQL has an option for it
    "mysql": ("SET TRANSACTION READ ONLY",),
    "mariadb": ("SET TRANSACTION READ ONLY",),
    # texts are compared by their bytes; a read-only transaction of Oracle always sees one state
    "oracle": ("ALTER SESSION SET NLS_COMP = BINARY", "SET TRANSACTION READ ONLY"),
}
_STABLE = {  # isolation levels in which all statements see one state of the table
    "postgresql": "REPEATABLE READ",
    "mysql": "REPEATABLE READ",
    "mariadb": "REPEATABLE READ",
    "mssql": "SNAPSHOT",
}
_CHECKS_CLIENT = (14,)  # version of PostgreSQL


def work(request: Mapping[str, Any], folder: Path, monitor: Monitor) -> None:
    """List tables or read one, in the subprocess; the request, with its password, came through a pipe."""
    name = request["name"]
    login = Login(request["user"], request["password"], request["accepted"])
    with connected(request["url"], login, name) as (library, connection):
        if request["lists"]:
            found = names_there(library.inspect(connection), request["schema"] or None)
            (folder / _TABLES).write_text(json.dumps(found), encoding="utf-8")
            return
        if request["query"]:
            plain = connection.execution_options(no_parameters=True)  # % is no mark of a parameter
            rows = plain.exec_driver_sql(checked_query(request["query"], name))
        else:
            statement = _selection(library, connection, request, name)
            if most := request.get("most", 0):
                counted = library.select(library.func.count()).select_from(*statement.get_final_froms())
                if connection.execute(counted).scalar() > most:
                    raise too_large(name, most)
            rows = connection.execute(statement)
        if not rows.returns_rows:
            raise TableError(
                _("'{name}': the query returns no table.").format(name=name),
                hint=_("Write a single SELECT."),
                file=name,
            )
        blocks = blocks_of_rows(rows.fetchmany, name, monitor, request["limit"])
        write_raw(
            gathered(
                list(rows.keys()),
                blocks,
                file=name,
                monitor=monitor,
                options=made_of(ReadOptions, request["options"]),
            ),
            folder,
        )


def listed(folder: Path) -> tuple[str, ...]:
    """Return the tables that `work` listed."""
    return tuple(json.loads((folder / _TABLES).read_text(encoding="utf-8")))


def _selection(library: Any, connection: Any, request: Mapping[str, Any], name: str) -> Any:
    """Return the selection of a complete table, in the order of its key if it has one."""
    table, schema = request["table"], request["schema"] or None
    inspector = library.inspect(connection)
    refuse_absent(inspector, table, schema, name)
    quoted = library.sql.quoted_name
    source = library.table(quoted(table, quote=True), schema=schema)
    key = inspector.get_pk_constraint(table, schema=schema).get("constrained_columns") or []
    order = [library.column(quoted(column, quote=True)) for column in key]
    return library.select(library.text("*")).select_from(source).order_by(*order)


def names_there(inspector: Any, schema: str | None) -> list[str]:
    """Return the names of the tables and views that an inspector of SQLAlchemy finds."""
    return sorted({*inspector.get_table_names(schema), *inspector.get_view_names(schema)})


def refuse_absent(inspector: Any, table: str, schema: str | None, name: str) -> None:
    """Raise `TableError` if a database has no such table."""
    if not inspector.has_table(table, schema=schema):
        raise TableError(
            _("'{name}' has no table '{table}'.").format(name=name, table=table),
            hint=nearest(table, names_there(inspector, schema)),
            file=name,
        )


@contextmanager
def connected(
    url: str, login: Login, name: str, *, is_stable: bool = False, writes: bool = False
) -> Iterator[tuple[Any, Any]]:
    """Open a connection, encrypted to other machines, whose transaction is read-only and never committed.

    Parameters
    ----------
    name : str
        Name of the database in messages.
    is_stable : bool
        Whether all statements see the table in its state at the first one.
    writes : bool
        Whether the transaction may write, and is committed if the block ends without an error.
    """
    library, address = need("sqlalchemy", name), DatabaseAddress(url)
    protection = protected(address, login.accepted)
    try:
        name_of = unquote(urlsplit(url.replace("#", "%23")).path[1:])  # SQLAlchemy 2.0 leaves it quoted
        place = library.make_url(url).set(database=name_of or None)
        if login.user:
            place = place.set(username=login.user)
        if login.password is not None:
            place = place.set(password=login.password)
        engine = library.create_engine(
            protection.placed(place), connect_args=dict(protection.arguments), poolclass=library.pool.NullPool
        )
        kind = engine.dialect.name
        options: dict[str, Any] = {}
        if kind == "postgresql" and not writes:
            options["postgresql_readonly"] = True
        if is_stable and kind in _STABLE:
            options["isolation_level"] = _STABLE[kind]
        with engine.connect() as opened:
            if not protection.is_kept_by(opened.connection.driver_connection):
                raise refused(address)
            connection = opened.execution_options(**options)
            for statement in (*_BEFORE.get(kind, ()), *_during(kind, connection)):
                connection.exec_driver_sql(statement)
            connection = connection.execution_options(stream_results=True, max_row_buffer=BLOCK)
            try:
                yield library, connection
                if writes:
                    connection.commit()
            finally:
                connection.rollback()
    except (AnonymizerError, CancelledError):
        raise
    except ImportError as error:
        driver = driver_package(url, error.name)
        raise TableError(
            _("'{name}' requires the driver {driver}, which is not installed.").format(
                name=name, driver=driver
            ),
            hint=_("Install it with: {command}").format(command=f'pip install "{driver}"'),
            file=name,
        ) from None
    except Exception as error:
        said = _message(error, login.password)
        if (refusal := refusal_of(address, protection, said)) is not None:
            raise refusal from None
        raise TableError(
            (
                _("'{name}' cannot be written: {error}.")
                if writes
                else _("'{name}' cannot be read: {error}.")
            ).format(name=name, error=said),
            hint=_why_refused(login),
            file=name,
        ) from None


def _during(kind: str, connection: Any) -> list[str]:
    """Return settings of a transaction: PostgreSQL stops a statement soon after its client has ended."""
    if kind != "postgresql" or (connection.dialect.server_version_info or ()) < _CHECKS_CLIENT:
        return []
    return ["SET LOCAL client_connection_check_interval = 100", "SET LOCAL cursor_tuple_fraction = 1"]


def _why_refused(login: Login) -> str:
    """Return what to check, with the place of a password that was not given."""
    if login.password:
        return _("Check host, database, user and password, and the names of tables and columns.")
    return _(
        "Check host, database, user, and the names of tables and columns. No password was given; it "
        "belongs in {variable} or in the window."
    ).format(variable=PASSWORD)


def _message(error: Exception, password: str | None) -> str:
    """Return the message of the driver, unless it repeats the password."""
    text = " ".join(str(getattr(error, "orig", None) or error).split())
    written = {" ".join(form.split()) for form in _written(password)} if password else set()
    if not text or any(form in text for form in written):
        return type(error).__name__
    return text[:300].rstrip(".")


def _written(password: str) -> tuple[str, ...]:
    """Return the forms in which a message may contain a password: plain, URL-quoted or escaped."""
    return password, quote(password), quote(password, safe=""), quote_plus(password), repr(password)[1:-1]
