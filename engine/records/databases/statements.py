"""Statements that let a database group its records: built by SQLAlchemy, without texts of the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from engine.errors import TableError
from engine.records.databases.address import DatabaseAddress
from engine.words import _

# Collations that keep every difference between texts; a dialect without one is not asked to group.
COLLATIONS: Mapping[str, str] = {
    "mariadb": "utf8mb4_nopad_bin",
    "mssql": "latin1_general_bin2",
    "mysql": "utf8mb4_0900_bin",
    "oracle": "",  # by a setting of the session
    "postgresql": "C",
    "sqlite": "BINARY",
}
COUNT = "#n"
MOST_BOUND = 1_000  # values of a condition
ROWID = "rowid"  # of SQLite, which numbers the records of a table without being asked


def may_group(address: DatabaseAddress) -> bool:
    """Return whether a database tells texts apart in a statement, and the library for it is there."""
    return address.system in COLLATIONS and find_spec("sqlalchemy") is not None


def refuse_unknown(dialect: str, name: str) -> None:
    """Raise `TableError` for a database that is not asked to group texts."""
    if dialect not in COLLATIONS:
        raise TableError(
            _("'{name}': the program does not know how this database compares texts.").format(name=name),
            hint=_('Read the table into memory: source = "memory".'),
            file=name,
        )


@dataclass(frozen=True)
class ServerColumn:
    """A column as the database has it.

    Attributes
    ----------
    name : str
        Its name there.
    taken : str
        Its name in the table.
    texts : {"", "collated", "cast"}
        How texts are compared; empty for a column of other values.
    declared : str
        Its type, if the database does not enforce it.
    """

    name: str
    taken: str
    texts: str = ""
    declared: str = ""


class Statements:
    """Statements about one table.

    Parameters
    ----------
    library : module
        SQLAlchemy.
    dialect : str
        Its name of the database system.
    key : sequence of str
        Columns that order the records; none if there is no order.
    name : str
        Name of the database in messages.

    Raises
    ------
    TableError
        The texts of this database cannot be compared exactly in a statement.
    """

    def __init__(
        self, library: Any, dialect: str, table: str, schema: str, key: Sequence[str], name: str
    ) -> None:
        refuse_unknown(dialect, name)
        self._library, self._dialect, self._key = library, dialect, tuple(key)
        self._table = library.table(self._quoted(table), schema=self._quoted(schema) if schema else None)

    def labels(self, column: ServerColumn, most: int) -> Any:
        """Select the different values of a column with their records, at most one more than `most`."""
        return self._grouped([column]).limit(most + 1)

    def tuples(self, columns: Sequence[ServerColumn]) -> Any:
        """Select the different combinations of columns with their records."""
        return self._grouped(columns)

    def alone(self, columns: Sequence[ServerColumn]) -> Any:
        """Select the number of records that are alone in their combination of columns."""
        library = self._library
        groups = (
            library.select(library.literal_column("1").label("one"))
            .select_from(self._table)
            .group_by(*self._groups(columns))
            .having(library.func.count() == library.literal_column("1"))
        )
        return library.select(library.func.count()).select_from(groups.subquery(self._quoted("#alone")))

    def count(self, column: ServerColumn | None = None) -> Any:
        """Select the number of records, of those with a value in a column if one is given."""
        counted = self._library.func.count(*([] if column is None else [self._plain(column.name)]))
        return self._library.select(counted).select_from(self._table)

    def repeated(self) -> Any:
        """Select a row if the key has the same values twice."""
        library = self._library
        key = [self._plain(name) for name in self._key]
        return (
            library.select(library.literal_column("1"))
            .select_from(self._table)
            .group_by(*key)
            .having(library.func.count() > library.literal_column("1"))
            .limit(1)
        )

    def without_key(self) -> Any:
        """Select the number of records without a value in the key."""
        library = self._library
        is_lacking = library.or_(*(self._plain(name).is_(None) for name in self._key))
        return library.select(library.func.count()).select_from(self._table).where(is_lacking)

    def end(self, *, is_last: bool) -> Any:
        """Select the least or the greatest value of the key."""
        key = [self._plain(name) for name in self._key]
        order = [column.desc() for column in key] if is_last else key
        return self._library.select(*key).select_from(self._table).order_by(*order).limit(1)

    def records(self, columns: Sequence[ServerColumn]) -> Any:
        """Select all records, ordered by the key if there is one."""
        chosen = [self._plain(c.name).label(self._quoted(c.taken)) for c in columns]
        order = [self._plain(name) for name in self._key]
        return self._library.select(*chosen).select_from(self._table).order_by(*order)

    def page(
        self,
        columns: Sequence[ServerColumn],
        first: int,
        count: int,
        where: Sequence[tuple[ServerColumn, Sequence[Any]]],
    ) -> Any:
        """Select some records, of those with one of some values in each column of `where`."""
        found = self.records(columns)
        for column, values in where:
            present = [value for value in values if value is not None]
            own = self._told_apart(column)
            tests = [own.in_(present)] if present else []
            if len(present) < len(values):
                tests.append(self._plain(column.name).is_(None))
            found = found.where(self._library.or_(*tests))
        if not self._key and self._dialect == "mssql":
            found = found.order_by(self._library.text("(SELECT NULL)"))
        return found.limit(count).offset(first)

    def _grouped(self, columns: Sequence[ServerColumn]) -> Any:
        library = self._library
        chosen = [self._told_apart(c).label(self._quoted(c.taken)) for c in columns]
        n_records = library.func.count().label(self._quoted(COUNT))
        return library.select(*chosen, n_records).select_from(self._table).group_by(*self._groups(columns))

    def _groups(self, columns: Sequence[ServerColumn]) -> list[Any]:
        """Return what a group has in common; SQL Server ignores blanks at the end of a text elsewhere."""
        found = []
        for column in columns:
            found.append(self._told_apart(column))
            if column.texts and self._dialect == "mssql":
                found.append(self._library.func.datalength(self._plain(column.name)))
        return found

    def _told_apart(self, column: ServerColumn) -> Any:
        """Return a column whose texts are equal only if all their characters are."""
        library, own = self._library, self._plain(column.name)
        if not column.texts or not COLLATIONS[self._dialect]:
            return own
        if column.texts == "cast":
            own = library.cast(own, library.Text())
        return library.collate(own, COLLATIONS[self._dialect])

    def _plain(self, name: str) -> Any:
        # without a type, so that values come as the driver gives them
        if name == ROWID and self._dialect == "sqlite" and self._key == (ROWID,):
            return self._library.literal_column(ROWID)
        return self._library.column(self._quoted(name))

    def _quoted(self, name: str) -> Any:
        return self._library.sql.quoted_name(name, quote=True)
