"""[data] of a recipe: the path of the table and how it is read; and the text of recipe tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import tomli_w

from engine.errors import TableError
from engine.params import Kept
from engine.project.project import Project
from engine.project.recipe.section import IN_RECIPE, Section
from engine.project.recipe.settings import read_settings, written
from engine.records import DataType, Kind
from engine.records.databases.address import PASSWORD, database_of, is_database, parse_address
from engine.records.options import ReadOptions
from engine.records.values import DECIMAL_MARKS, THOUSANDS_MARKS
from engine.words import _


def read_data_path(data: Section) -> str:
    """Return the path of the table in [data]."""
    path: str = data.get("path", str, "")
    if not path:
        raise data.error(_("[data] has no path."), _('Add the path of the table: path = "data.csv".'), "path")
    if is_database(path):
        _check_address(data, path)
    elif (address := database_of(path)) is not None:
        hint = _('Name its table by its URL: path = "{url}?table=people".').format(url=address.url)
        raise data.error(_("[data]: '{path}' is a database.").format(path=path), hint, "path")
    return path


def _check_address(data: Section, text: str) -> None:
    try:
        password = parse_address(text)[1]
    except TableError as error:
        raise data.error(f"[data]: {error.problem}", error.hint, "path") from None
    if password is not None:
        raise data.error(
            _("[data]: the URL of the database contains a password."),
            _("Remove it, and give it in the environment variable {variable} or in the window.").format(
                variable=PASSWORD
            ),
            "path",
        )


def read_data_options(data: Section) -> ReadOptions:
    """Return the reading options of the table."""
    types = data.section("types")
    (given,) = read_settings(data, ReadOptions)
    return ReadOptions(
        **given,
        types={column: _data_type(types, column) for column in types.values},
    )


def data_blocks(project: Project, path: str, encoding: str | None) -> list[str]:
    """Return the tables of [data]; a text file that the program itself writes needs few of them."""
    options = replace(project.options, encoding=encoding)
    kept: tuple[Kept, ...] = IN_RECIPE
    if project.source is None and not project.is_in_database:  # the program writes the file that is read
        options = replace(options, delimiter=options.delimiter or ",", header=options.header is not False)
        kept = (Kept.RECIPE, Kept.BOTH)
    mark = options.decimal or "."
    types = {column.name: _plain_type(column.data_type, mark) for column in project.table.columns}
    return table_blocks("data", {"path": path, "types": types, **written(options, kept)})


def _plain_type(data_type: DataType, mark: str) -> str | dict[str, Any]:
    word = data_type.kind.value
    if data_type.kind is Kind.ORDERED:
        return {"type": word, "values": list(data_type.values)}
    if data_type.kind is Kind.DECIMAL:
        own = data_type.format or "."
        return word if own == mark else {"type": word, "format": own}
    return {"type": word, "format": data_type.format} if data_type.format else word


def _data_type(types: Section, column: str) -> DataType:
    entry = types.values[column]
    own = Section(types.file, f'data.types."{column}"', entry if isinstance(entry, dict) else {"type": entry})
    own.check_keys(("type", "format", "values"))
    word = own.one_of("type", _("column type"), [kind.value for kind in Kind], "")
    data_type = DataType(Kind(word), own.get("format", str, ""), own.texts("values"))
    # an empty list is right for a column without values
    if data_type.kind is Kind.ORDERED and "values" not in own.values:
        raise own.error(
            _("{title}: an ordered column needs its values.").format(title=own.title),
            _('Write them from low to high: values = ["low", "high"].'),
            "values",
        )
    if len(set(data_type.values)) < len(data_type.values):
        raise own.error(
            _("{title}: a value is listed twice.").format(title=own.title),
            _("List each value once."),
            "values",
        )
    if data_type.is_numeric and not _is_number_format(data_type.format):
        raise own.wrong(
            "format", _("a decimal mark (point or comma), optionally followed by a thousands separator")
        )
    formatted = (Kind.DATE, Kind.DECIMAL, Kind.INTEGER)
    for key, kinds in (("format", formatted), ("values", (Kind.ORDERED,))):
        if own.values.get(key) and data_type.kind not in kinds:
            raise own.error(
                _("{title}: '{key}' is not used for the type '{word}'.").format(
                    title=own.title, key=key, word=word
                ),
                _("Remove it."),
                key,
            )
    return data_type


def _is_number_format(text: str) -> bool:
    mark, thousands = text[:1], text[1:]
    return not text or (
        mark in DECIMAL_MARKS and (not thousands or thousands in THOUSANDS_MARKS) and mark != thousands
    )


def table_text(title: str, values: Mapping[str, Any]) -> str:
    """Return a titled table; absent values (None) are omitted."""
    lines = [f"{key} = {value_text(value)}" for key, value in values.items() if value is not None]
    return "\n".join([title, *lines])


def table_blocks(title: str, values: Mapping[str, Any]) -> list[str]:
    """Return a titled table, followed by the tables and lists of tables in it, each with its own title."""
    inner = {key: value for key, value in values.items() if _is_table(value)}
    blocks = [table_text(f"[{title}]", {key: v for key, v in values.items() if key not in inner})]
    for key, value in inner.items():
        if isinstance(value, Mapping):
            lines = [f"{quoted(name)} = {value_text(entry)}" for name, entry in value.items()]
            blocks.append("\n".join([f"[{title}.{key}]", *lines]))
        else:
            blocks += [table_text(f"[[{title}.{key}]]", entry) for entry in value]
    return blocks


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, list) and bool(value) and isinstance(value[0], Mapping)
    )


def value_text(value: Any) -> str:
    """Return a value on one line, as tomli-w writes only plain values."""
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(value_text, value)) + "]"
    if isinstance(value, Mapping):
        pairs = (
            f"{key if key.isidentifier() and key.isascii() else quoted(key)} = {value_text(v)}"
            for key, v in value.items()
        )
        return "{" + ", ".join(pairs) + "}"
    return tomli_w.dumps({"v": value})[len("v = ") : -1]


def quoted(name: str) -> str:
    """Return a name as written in a title, whatever characters it has."""
    return value_text(name)
