"""Questions to a database about one table, in a subprocess that can be ended; see `databases.server`."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import TableError, nearest
from engine.monitor import Monitor
from engine.numbers import as_exact_count
from engine.params import made_of
from engine.records.databases import sqlite
from engine.records.databases.address import Login
from engine.records.databases.rows import BLOCK, counted_values, gathered, write_codes
from engine.records.databases.statements import MOST_BOUND, ROWID, ServerColumn, Statements
from engine.records.databases.tables import connected, names_there, no_records, refuse_absent
from engine.records.options import ReadOptions
from engine.records.raw import RawTable
from engine.records.reader_process import write_raw
from engine.records.table_files import need
from engine.words import _

ABOUT, COUNTS = "about.json", "counts.npy"
OPEN = "open"  # names of actions are those of methods


def work(request: Mapping[str, Any], folder: Path, monitor: Monitor) -> None:
    """Ask one question and write the answer; the request, with its password, came through a pipe."""
    name = request["name"]
    monitor.step(0, 1, _("Waiting for '{name}'").format(name=name))
    with _connected(request) as (library, connection):
        found = _Asked(library, connection, dict(request), folder, monitor)
        getattr(found, request["action"])()


class _Asked:
    """One question."""

    def __init__(
        self, library: Any, connection: Any, request: dict[str, Any], folder: Path, monitor: Monitor
    ) -> None:
        self.library, self.connection, self.request = library, connection, request
        self.folder, self.monitor, self.name = folder, monitor, request["name"]
        self.options = made_of(ReadOptions, request["options"])
        self.columns = [ServerColumn(**column) for column in request["columns"]]
        self.say = self._statements(request["key"])

    def _statements(self, key: Sequence[str]) -> Statements:
        kind, asked = self.connection.dialect.name, self.request
        is_mariadb = getattr(self.connection.dialect, "is_mariadb", False)
        return Statements(
            self.library, "mariadb" if is_mariadb else kind, asked["table"], asked["schema"], key, self.name
        )

    def _one(self, statement: Any) -> tuple[Any, ...] | None:
        row = self.connection.execute(statement, execution_options={"stream_results": False}).first()
        return None if row is None else tuple(row)

    def _count(self, statement: Any) -> int:
        found = self._one(statement)
        assert found is not None, "a count has one row"
        return int(found[0])

    def _blocks(self, statement: Any, n: int, words: str) -> Iterator[Sequence[Any]]:
        rows, done = self.connection.execute(statement), 0
        while block := rows.fetchmany(BLOCK):
            done += len(block)
            self.monitor.step(min(done, n), n, words.format(n=as_exact_count(done)))
            yield block

    def _write(self, **about: Any) -> None:
        (self.folder / ABOUT).write_text(json.dumps(about), encoding="utf-8")

    def open(self) -> None:
        """Describe the table and list the values of its columns."""
        self.columns, key = self._reflected()
        self.say = self._statements(key)
        if self.request["order_by"]:
            self._refuse_other_keys(key)
        if self.connection.dialect.name == "sqlite":
            sqlite.hold_to_reading(self.connection.connection.driver_connection)
        n_records = self._count(self.say.count())
        if not n_records:
            raise no_records(self.name, self.request["table"])
        about = self._labels(n_records)
        columns = [asdict(column) for column in self.columns]
        self._write(
            n_records=n_records,
            table=self.request["table"],
            key=key,
            columns=columns,
            taken=self.taken,
            headings=self.taken.headings,
            state=self._state(key),
            **about,
        )

    def labels(self) -> None:
        """List the values of columns."""
        self._write(**self._labels(self._count(self.say.count())))

    def _labels(self, n_records: int) -> dict[str, Any]:
        kinds: list[list[str]] = []
        cut: dict[str, int] = {}
        for place, column in enumerate(self.columns):
            self.monitor.step(
                place,
                len(self.columns),
                _("Waiting for the values of {column}").format(column=column.taken),
            )
            statement = self.say.labels(column, self.request["most_values"])
            found, own, counts = counted_values(
                [column.taken],
                self._blocks(statement, n_records, _("Fetched {n} values")),
                missing=self.options.missing,
                declared=[column.declared],
            )
            kinds += own
            if len(counts) > self.request["most_values"]:
                cut[column.taken] = self._count(self.say.count(column))
                continue
            self._write_grouped(self.folder / str(place), found, counts)
        return {"kinds": kinds, "cut": cut}

    def tuples(self) -> None:
        """Count the combinations of columns."""
        statement, n_records = self.say.tuples(self.columns), self.request["n_records"]
        columns, _kinds, counts = counted_values(
            [column.taken for column in self.columns],
            self._blocks(statement, n_records, _("Fetched {n} combinations")),
            missing=self.options.missing,
            declared=[column.declared for column in self.columns],
        )
        self._write_grouped(self.folder, columns, counts)

    def records(self) -> None:
        """Write the codes of all records."""
        columns, n_records = write_codes(
            [column.taken for column in self.columns],
            self._blocks(self.say.records(self.columns), self.request["n_records"], _("Fetched {n} records")),
            self.folder,
            monitor=self.monitor,
            missing=self.options.missing,
            declared=[column.declared for column in self.columns],
        )
        for place, column in enumerate(columns):
            values = self.folder / f"values-{place}"
            values.mkdir()
            write_raw(RawTable(self.name, (column,)), values)
        self._write(n_records=n_records)

    def page(self) -> None:
        """Fetch some records."""
        asked = self.request
        by_name = {column.taken: column for column in (ServerColumn(**c) for c in asked["all"])}
        where = [
            (by_name[name], [_bound(text, asked["kinds"][name], self.name) for text in texts])
            for name, texts in asked["where"].items()
        ]
        for _column, values in where:
            if len(values) > MOST_BOUND:
                raise TableError(
                    _("'{name}': the filter selects more than {n} values of a column.").format(
                        name=self.name, n=as_exact_count(MOST_BOUND)
                    ),
                    hint=_("Select fewer values."),
                    file=self.name,
                )
        statement = self.say.page(self.columns, asked["first"], asked["count"], where)
        rows = [tuple(row) for row in self.connection.execute(statement)]
        # One more row, so that dates of a few records are written as precisely as those of all.
        precise = tuple(_PRECISE.get(asked["formats"].get(column.taken, "")) for column in self.columns)
        raw = gathered(
            [column.taken for column in self.columns],
            [[*rows, precise]],
            file=self.name,
            options=ReadOptions(missing=self.options.missing),
            declared=[column.declared for column in self.columns],
        )
        texts = [
            [None if code < 0 else column.texts[code] for code in column.codes[: len(rows)].tolist()]
            for column in raw.columns
        ]
        self._write(rows=list(zip(*texts, strict=True)))

    def alone(self) -> None:
        """Count the records that are alone in their combination."""
        self._write(n=self._count(self.say.alone(self.columns)))

    def state(self) -> None:
        """Distinguish states of the table."""
        self._write(state=self._state(self.request["key"]))

    def _state(self, key: Sequence[str]) -> str:
        n_records = self._count(self.say.count())
        if not key:
            return str(n_records)
        ends = [self._one(self.say.end(is_last=is_last)) for is_last in (False, True)]
        return f"{n_records} {hashlib.sha256(repr(ends).encode()).hexdigest()}"

    def _write_grouped(self, folder: Path, columns: Sequence[Any], counts: Any) -> None:
        folder.mkdir(exist_ok=True)
        write_raw(RawTable(self.name, tuple(columns)), folder)
        np.save(folder / COUNTS, counts)

    def _reflected(self) -> tuple[list[ServerColumn], list[str]]:
        """Return the chosen columns of the table, and the key that orders its records."""
        asked, inspector = self.request, self.library.inspect(self.connection)
        table, schema = asked["table"], asked["schema"] or None
        if not table and self.connection.dialect.name == "sqlite":
            names = names_there(inspector, None)
            table = asked["table"] = names[0] if len(names) == 1 else ""
        refuse_absent(inspector, table, schema, self.name)
        found = inspector.get_columns(table, schema=schema)
        self.taken = taken = self.options.columns_of([column["name"] for column in found], self.name)
        declared = self._declared(table)
        columns = [
            ServerColumn(
                found[place]["name"],
                name,
                self._texts(found[place]["type"]),
                declared.get(found[place]["name"], ""),
            )
            for place, name in taken
        ]
        if asked["order_by"]:
            by_name = {column.taken: column.name for column in columns} | {
                c["name"]: c["name"] for c in found
            }
            for name in asked["order_by"]:
                if name not in by_name:
                    raise TableError(
                        _("'{file}' has no column '{column}', by which its records are ordered.").format(
                            file=self.name, column=name
                        ),
                        hint=nearest(name, tuple(by_name)),
                        column=name,
                    )
            return columns, [by_name[name] for name in asked["order_by"]]
        if self.connection.dialect.name == "sqlite" and (numbers := self._row_numbers(table)):
            return columns, numbers
        return columns, inspector.get_pk_constraint(table, schema=schema).get("constrained_columns") or []

    def _row_numbers(self, table: str) -> list[str]:
        """Return the number that SQLite gives each record, in whose order a table is read into memory."""
        quoted = table.replace('"', '""')
        names = {row[0].lower() for row in self._declarations(table)}
        try:
            self.connection.exec_driver_sql(f'SELECT rowid FROM "{quoted}" LIMIT 0').close()
        except self.library.exc.DBAPIError:  # a view, or a table without
            return []
        return [] if ROWID in names else [ROWID]

    def _declarations(self, table: str) -> list[tuple[str, str]]:
        rows = self.connection.exec_driver_sql("SELECT name, type FROM pragma_table_xinfo(?)", (table,))
        return [(row[0], row[1] or "") for row in rows]

    def _declared(self, table: str) -> dict[str, str]:
        return dict(self._declarations(table)) if self.connection.dialect.name == "sqlite" else {}

    def _texts(self, kind: Any) -> str:
        """Return how texts of a column are compared."""
        if self.connection.dialect.name == "sqlite":
            return "collated"  # any column may hold texts
        if type(kind).__name__ == "CITEXT":
            return "cast"
        is_text = isinstance(kind, self.library.String) and not isinstance(kind, self.library.Enum)
        return "collated" if is_text else ""

    def _refuse_other_keys(self, key: Sequence[str]) -> None:
        """Refuse an order by columns that do not distinguish all records."""
        names = ", ".join(self.request["order_by"])
        if self._count(self.say.without_key()):
            problem = _("'{file}': records without a value in '{columns}' cannot be ordered by it.")
        elif self._one(self.say.repeated()) is not None:
            problem = _("'{file}': several records have the same '{columns}', which cannot order them.")
        else:
            return
        raise TableError(
            problem.format(file=self.name, columns=names),
            hint=_("Order by columns that are unique and always have a value, such as the primary key."),
            file=self.name,
        )


_PRECISE = {
    "%Y-%m-%d %H:%M:%S": datetime(2000, 1, 1, 0, 0, 1),
    "%Y-%m-%d %H:%M:%S.%f": datetime(2000, 1, 1, 0, 0, 0, 1),
}


def _bound(text: str | None, kinds: Sequence[str], name: str) -> Any:
    """Return the value that a text of a column was made of."""
    if text is None:
        return None
    known = set(kinds)
    if known == {"str"}:
        return text
    if known == {"bool"}:
        return text == "True"
    if known == {"int"}:
        return int(text)
    if known == {"float"}:
        return float(text)
    if known <= {"int", "float", "Decimal"}:
        return Decimal(text)
    if known == {"date"}:
        return date.fromisoformat(text)
    if known == {"datetime"}:
        return datetime.fromisoformat(text)
    raise TableError(
        _("'{name}' cannot be filtered by this column, because its values are of mixed types.").format(
            name=name
        ),
        hint=_("Filter by another column."),
        file=name,
    )


@contextmanager
def _connected(request: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Open the database so that it can only be read, and is seen in one state."""
    name = request["name"]
    if not request["path"]:
        login = Login(request["user"], request["password"], request["accepted"])
        with connected(request["url"], login, name, is_stable=True) as opened:
            yield opened
        return
    library, path = need("sqlalchemy", name), Path(request["path"])
    engine = library.create_engine(
        "sqlite+pysqlite://", creator=lambda: sqlite.connected(path), poolclass=library.pool.NullPool
    )
    try:
        with engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA trusted_schema = OFF")
            connection.exec_driver_sql("BEGIN")
            own = connection.connection.driver_connection
            if request["action"] != OPEN:  # which reads the schema first
                sqlite.hold_to_reading(own)
            try:
                yield library, connection
            finally:
                own.set_authorizer(None)
    except (library.exc.DBAPIError, sqlite3.Error) as error:
        raise sqlite.refused(name, getattr(error, "orig", error)) from None
