"""[data] of a recipe: where the table lies, and how it is read."""

from __future__ import annotations

from collections.abc import Iterator

from engine.errors import TableError
from engine.project.sections import Section
from engine.table import DataType, Kind
from engine.table.database_address import PASSWORD, is_database, parse_address
from engine.table.reading import RAGGED, REFUSE, ReadOptions, Replacement, TakenColumn
from engine.table.values import DECIMAL_MARKS, THOUSANDS_MARKS


def read_data_path(data: Section) -> str:
    """Return where the table lies, as [data] says it."""
    path: str = data.get("path", str, "")
    if not path:
        raise data.error("[data] names no table.", 'Add the path of the table: path = "data.csv".', "path")
    if is_database(path):
        _check_address(data, path)
    return path


def _check_address(data: Section, text: str) -> None:
    try:
        password = parse_address(text)[1]
    except TableError as error:
        raise data.error(f"[data]: {error.problem}", error.hint, "path") from None
    if password is not None:
        raise data.error(
            "[data]: the URL of the database holds a password.",
            f"Take it out, and give it in the environment variable {PASSWORD} or in the window.",
            "path",
        )


def read_data_options(data: Section) -> ReadOptions:
    """Return how the table is read."""
    types = data.section("types")
    return ReadOptions(
        delimiter=data.get("delimiter", str, None),
        encoding=data.get("encoding", str, None),
        decimal=data.get("decimal", str, None),
        header=data.get("header", bool, None),
        missing=data.texts("missing", ("",)),
        trim=data.get("trim", bool, False),
        types={column: _data_type(types, column) for column in types.values},
        sheet=data.get("sheet", str, None),
        quote=data.get("quote", str, None),
        comment=data.get("comment", str, ""),
        skip_lines=data.count("skip_lines", 0),
        thousands=data.get("thousands", str, ""),
        ragged=data.one_of("ragged", "way to read short records", RAGGED, REFUSE),
        take=tuple(_taken(data)),
        column_missing=_column_missing(data),
        replacements=tuple(_replacements(data)),
    )


def _taken(data: Section) -> Iterator[TakenColumn]:
    for entry in _entries(data, "columns", ("source", "name")):
        source = entry.values.get("source")
        if isinstance(source, bool) or not isinstance(source, (str, int)) or source in ("", 0):
            raise entry.error(
                f"{entry.title} does not say which column of the file it is.",
                'Add source = "name", or the place of the column, counted from 1.',
                "source",
            )
        name = entry.get("name", str, source if isinstance(source, str) else "")
        if not name:
            raise entry.error(f"{entry.title} has no name.", 'Add name = "...".', "name")
        yield TakenColumn(source, name)


def _replacements(data: Section) -> Iterator[Replacement]:
    for entry in _entries(data, "replace", ("column", "old", "new")):
        for key in ("column", "old"):
            if key not in entry.values:
                raise entry.error(f"{entry.title} lacks '{key}'.", f'Add {key} = "...".', key)
        yield Replacement(
            entry.get("column", str, ""), entry.get("old", str, ""), entry.get("new", str, None)
        )


def _entries(data: Section, key: str, known: tuple[str, ...]) -> Iterator[Section]:
    for number, values in enumerate(data.get(key, list, []), start=1):
        if not isinstance(values, dict):
            raise data.wrong(key, f"a list of tables, each [[data.{key}]]")
        entry = Section(data.file, f"data.{key} {number}", values)
        entry.check_keys(known)
        yield entry


def _column_missing(data: Section) -> dict[str, tuple[str, ...]]:
    section = data.section("column_missing")
    return {column: section.texts(column) for column in section.values}


def _data_type(types: Section, column: str) -> DataType:
    entry = types.values[column]
    own = Section(types.file, f'data.types."{column}"', entry if isinstance(entry, dict) else {"type": entry})
    own.check_keys(("type", "format", "values"))
    word = own.one_of("type", "column type", [kind.value for kind in Kind], "")
    data_type = DataType(Kind(word), own.get("format", str, ""), own.texts("values"))
    if data_type.kind is Kind.ORDERED and "values" not in own.values:  # a column without values has none
        raise own.error(
            f"{own.title}: an ordered column needs its values.",
            'Write them from low to high: values = ["low", "high"].',
            "values",
        )
    if len(set(data_type.values)) < len(data_type.values):
        raise own.error(f"{own.title}: a value is listed twice.", "Keep it in one place.", "values")
    if data_type.is_numeric and not _is_number_format(data_type.format):
        raise own.wrong("format", "the decimal mark, a point or a comma, and what stands between thousands")
    formatted = (Kind.DATE, Kind.DECIMAL, Kind.INTEGER)
    for key, kinds in (("format", formatted), ("values", (Kind.ORDERED,))):
        if own.values.get(key) and data_type.kind not in kinds:
            raise own.error(
                f"{own.title}: '{key}' means nothing for the type '{word}'.", "Leave it out.", key
            )
    return data_type


def _is_number_format(text: str) -> bool:
    mark, thousands = text[:1], text[1:]
    return not text or (
        mark in DECIMAL_MARKS and (not thousands or thousands in THOUSANDS_MARKS) and mark != thousands
    )
