"""Records in a database: it groups and counts them in place, by SQLAlchemy in a subprocess."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import TableError
from engine.kernels.arrays import Codes
from engine.monitor import SILENT, Monitor
from engine.params import unusual_values_of
from engine.records.databases.address import DatabaseAddress, Login
from engine.records.databases.job import ABOUT, COUNTS
from engine.records.databases.statements import ServerColumn, refuse_unknown
from engine.records.databases.tables import asked_apart, refuse_unnamed
from engine.records.disk.coded_copy import CodedCopy, most_values
from engine.records.options import SERVER, ReadOptions
from engine.records.raw import FileColumns, RawColumn, RawTable
from engine.records.reader_process import read_raw
from engine.records.remote import (
    Cells,
    CountedTuples,
    Order,
    SourceColumn,
    ValueCounts,
    Vocabulary,
    changed_remotely,
    cut_values,
)
from engine.records.stored import Spill
from engine.records.table_files import checked_path
from engine.words import _


@dataclass(eq=False)
class ServerSource:
    """A table of a database.

    Attributes
    ----------
    address : DatabaseAddress
        With the name of the table, and an absolute path if it is a file.
    login : Login
        Kept for later questions, never stored.
    state : str
        Fingerprint when it was opened.
    spilled_bytes : int
        Of records that were fetched.
    empty : RawTable
        Where the columns are in the table of the database.
    """

    address: DatabaseAddress
    options: ReadOptions
    login: Login = field(repr=False)
    columns: tuple[SourceColumn, ...] = ()
    order: Order = Order.NONE
    n_records: int = 0
    state: str = ""
    _known: Mapping[str, ServerColumn] = field(default_factory=dict, repr=False)
    _key: tuple[str, ...] = ()
    _kinds: Mapping[str, list[str]] = field(default_factory=dict, repr=False)
    _most: int = 0
    _opened: dict[str, ValueCounts] = field(default_factory=dict, repr=False)
    empty: RawTable = field(default_factory=lambda: RawTable("", ()), repr=False)
    spilled_bytes: int = 0

    kind = SERVER
    most_shown = 0  # all records can be looked at

    @property
    def name(self) -> str:
        """Name of the table in messages."""
        return self.address.table

    @property
    def place(self) -> str:
        """Place of the records."""
        return _("in a database") if self.address.is_file else _("on a server")

    def labels(self, columns: Sequence[str], monitor: Monitor) -> Mapping[str, ValueCounts]:
        """Return the different values of columns; those that opening listed are given away once."""
        if set(columns) <= set(self._opened):
            return {name: self._opened.pop(name) for name in columns}
        with self._asked("labels", monitor, columns, most_values=self._most) as folder:
            return _labels(folder, columns, self._most, self.n_records)[0]

    def tuples(self, vocabulary: Mapping[str, Vocabulary], monitor: Monitor) -> CountedTuples:
        """Count the distinct combinations of columns in the database."""
        names = tuple(vocabulary)
        with self._asked("tuples", monitor, names) as folder:
            raw, counts = read_raw(folder, self.name), np.load(folder / COUNTS)
        codes = [
            _recode(column, vocabulary[name])[column.codes]
            for name, column in zip(names, raw.columns, strict=True)
        ]
        return CountedTuples(names, tuple(codes), counts).of_all(self.n_records)

    def page(
        self,
        first: int,
        count: int,
        columns: Sequence[str],
        where: Mapping[str, Sequence[str | None]] | None = None,
        monitor: Monitor = SILENT,
    ) -> list[tuple[str | None, ...]]:
        """Return the texts of some records."""
        formats = {c.name: c.declared.format for c in self.columns if c.declared is not None}
        formats = {name: own for name, own in formats.items() if set(self._kinds[name]) <= _DATES}
        with self._asked(
            "page",
            monitor,
            columns,
            first=first,
            count=count,
            where=dict(where or {}),
            formats=formats,
            kinds=dict(self._kinds),
            all=[asdict(column) for column in self._known.values()],
        ) as folder:
            return [tuple(row) for row in _about(folder)["rows"]]

    def singled_out(self, columns: Sequence[str], monitor: Monitor) -> int:
        """Return the records that are alone in their combination of columns."""
        with self._asked("alone", monitor, columns) as folder:
            return int(_about(folder)["n"])

    def fingerprint(self, monitor: Monitor) -> str:
        """Return the number of records, with a digest of the least and greatest value of the key."""
        with self._asked("state", monitor, ()) as folder:
            return str(_about(folder)["state"])

    def coded(self, vocabulary: Mapping[str, Vocabulary], monitor: Monitor) -> Mapping[str, Cells]:
        """Fetch all records into a private coded copy."""
        names = [name for name, own in vocabulary.items() if own]
        with self._asked("records", monitor, names) as folder:
            if _about(folder)["n_records"] != self.n_records:
                raise changed_remotely()
            copy = CodedCopy(0, 0, Spill(self.options.scratch), self.n_records)
            found: dict[str, Cells] = {}
            for place, name in enumerate(names):
                (column,) = read_raw(folder / f"values-{place}", self.name).columns
                cells = np.memmap(folder / str(place), np.int32, "r", shape=(self.n_records,))
                recode = _recode(column, vocabulary[name])
                by_value = np.append(recode[column.codes], recode[-1:])
                del column
                found[name] = copy.recoded(cells, by_value, vocabulary[name].n_labels, monitor)
                del cells, recode, by_value
                (folder / str(place)).unlink()
                self.spilled_bytes += 4 * self.n_records + found[name].nbytes
        return found | {
            name: copy.recoded(None, np.zeros(1, dtype=np.int32), 1, monitor)
            for name, own in vocabulary.items()
            if not own
        }

    def _asked(self, action: str, monitor: Monitor, columns: Sequence[str], **choices: Any) -> Any:
        asked = [asdict(self._known[name]) for name in columns]
        return _asked(
            self.address,
            self.login,
            self.options,
            monitor,
            action=action,
            columns=asked,
            key=list(self._key),
            n_records=self.n_records,
            **choices,
        )


_DATES = {"date", "datetime"}


def open_server(
    address: DatabaseAddress,
    options: ReadOptions,
    login: Login,
    memory: int,
    monitor: Monitor = SILENT,
) -> ServerSource:
    """Open a table in place, and list the values of its columns.

    Parameters
    ----------
    memory : int
        Bytes that may be taken.

    Raises
    ------
    TableError
        The database cannot be read, has no such table, or cannot tell texts apart in a statement; the
        records cannot be ordered by `order_by`; or the address holds a query.
    """
    options.refuse_impossible()
    if address.query:
        raise TableError(
            _("'{name}': the result of a query is only read into memory.").format(name=address.name),
            hint=_("Let a view of the database select the records, and name the view as the table."),
            file=address.name,
        )
    if address.is_file:
        refuse_unknown(address.system, address.name)
        checked_path(address.path)
        address = address.seen_from(Path.cwd())
    else:
        refuse_unnamed(address)
    most = most_values(memory)
    choices = {"action": "open", "columns": [], "key": [], "most_values": most}
    with _asked(address, login, options, monitor, **choices) as folder:
        about = _about(folder)
        columns = [ServerColumn(**column) for column in about["columns"]]
        names = [column.taken for column in columns]
        found, declared = _labels(folder, names, most, about["n_records"])
    return ServerSource(
        replace(address, table=about["table"]),
        options,
        login,
        tuple(SourceColumn(name, declared.get(name)) for name in names),
        Order.KEY if about["key"] else Order.NONE,
        about["n_records"],
        about["state"],
        dict(zip(names, columns, strict=True)),
        tuple(about["key"]),
        dict(zip(names, about["kinds"], strict=True)),
        most,
        found,
        RawTable(about["table"], (), taken=FileColumns(about["headings"], map(tuple, about["taken"]))),
    )


def _asked(
    address: DatabaseAddress, login: Login, options: ReadOptions, monitor: Monitor, **choices: Any
) -> AbstractContextManager[Path]:
    """Ask a question in a subprocess; the context is the folder with its answer."""
    choices |= {
        "path": str(address.path) if address.is_file else "",
        "order_by": list(options.order_by),
        "options": unusual_values_of(replace(options, types={}, guessed=())),
    }
    return asked_apart("engine.records.databases.job", address, login, monitor, **choices)


def _about(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    return found


def _labels(
    folder: Path, names: Sequence[str], most: int, n_records: int
) -> tuple[dict[str, ValueCounts], dict[str, Any]]:
    """Return the values that were listed, and the types by them."""
    cut, found, declared = _about(folder)["cut"], {}, {}
    for place, name in enumerate(names):
        if name in cut:
            found[name] = cut_values(most, cut[name], n_records - cut[name])
            continue
        (column,) = read_raw(folder / str(place), name).columns
        counts = np.load(folder / str(place) / COUNTS)
        own = np.zeros(len(column.texts) + 1, dtype=np.int64)
        np.add.at(own, column.codes, counts)  # the last one is of cells without a value, whose code is -1
        found[name] = ValueCounts(column.texts, own if own[-1] else own[:-1])
        if column.data_type is not None:
            declared[name] = column.data_type
    return found, declared


def _recode(column: RawColumn, vocabulary: Vocabulary) -> Codes:
    """Return the label of each text of a column, and last of a cell without a value."""
    last = vocabulary.of([None]) if column.has_empty or vocabulary.has_empty else [0]
    return np.append(vocabulary.of(column.texts), last).astype(np.int32)
