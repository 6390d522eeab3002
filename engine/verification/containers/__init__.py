"""Content of the container of a released file other than the cells of its table, with its place.

Cells are compared elsewhere. Here a file is refused for what could carry data, not for differing from the
files that the program writes: programs name themselves, and some add dates and the name of their user.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from engine.verification.findings import UnverifiableError, library
from engine.words import N_, _

MOST_EXTRAS = 100  # listed of one file
MOST_TOLD = 5  # of them in a sentence
_LONGEST_SHOWN = 60
KINDS: Mapping[str, str] = {
    "sheet": N_("sheet {at}"),
    "sheet_name": N_("name of the sheet, {at}"),
    "hidden": N_("hidden rows or columns, {at}"),
    "merged": N_("merged cells, {at}"),
    "repeated_cell": N_("a cell that is there twice, {at}"),
    "formula": N_("formula, {at}"),
    "comment": N_("comment, {at}"),
    "link": N_("link, {at}"),
    "validation": N_("data validation, {at}"),
    "condition": N_("conditional format, {at}"),
    "filter": N_("filter, {at}"),
    "page_text": N_("page header or footer, {at}"),
    "defined_name": N_("defined name, {at}"),
    "number_format": N_("number format, {at}"),
    "style": N_("style, {at}"),
    "phonetic": N_("phonetic text, {at}"),
    "unused_text": N_("texts that no cell uses, {at}"),
    "picture": N_("drawing, image or embedded object, {at}"),
    "pivot": N_("pivot table, {at}"),
    "property": N_("property of the document, {at}"),
    "program": N_("program that saved the file, {at}"),
    "date": N_("date of saving, {at}"),
    "user": N_("user who saved the file, {at}"),
    "member": N_("part of the archive, {at}"),
    "bytes": N_("further bytes, {at}"),
    "element": N_("unknown content, {at}"),
    "metadata": N_("metadata, {at}"),
    "unused_value": N_("dictionary entries that no cell uses, {at}"),
    "file_label": N_("label of the file, {at}"),
    "label": N_("label of a column, {at}"),
    "value_label": N_("labels of values, {at}"),
    "note": N_("note or document, {at}"),
    "attribute": N_("attribute or characteristic, {at}"),
    "header": N_("name or comment in the header, {at}"),
    "uninspected": N_("a format that cannot be inspected, {at}"),
}


@dataclass(frozen=True)
class Extra:
    """Something in a file that is not a cell of its table.

    Attributes
    ----------
    kind : str
        A key of `KINDS`.
    at : str
        Its place in the terms of the format, such as "Data!B2" or "docProps/core.xml".
    shown : str
        The beginning of its text; empty if there is none.
    is_refused : bool
        Whether it could carry data; the others are notes.
    """

    kind: str
    at: str
    shown: str = ""
    is_refused: bool = True

    @property
    def words(self) -> str:
        """Kind, place and beginning, for people."""
        words = _(KINDS[self.kind]).format(at=self.at)
        return f'{words}: "{self.shown}"' if self.shown else words

    def as_json(self) -> dict[str, Any]:
        """Return kind, place, beginning, and whether the file is refused for it."""
        return {"kind": self.kind, "place": self.at, "shown": self.shown, "refused": self.is_refused}


@dataclass(frozen=True)
class Explained:
    """Content of a file that the recipe or the original explains.

    Attributes
    ----------
    labels : mapping of str to sequence of str
        Labels that a column may have, by its name in the file.
    codes : mapping of str to mapping, or None
        By column the labels of its codes if cells are codes; None if cells are labels, which are compared.
    sheet : str
        Sheet of the table; empty for the first one.
    """

    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    codes: Mapping[str, Mapping[float | str, str]] | None = None
    sheet: str = ""


Inspector = Callable[[Path, Explained], Iterable[Extra]]
_OWN = "engine.verification.containers."
INSPECTORS: Mapping[str, tuple[str, str]] = {
    "csv": (f"{_OWN}text", "inspect_text"),
    "jsonl": (f"{_OWN}text", "inspect_text"),
    "xlsx": (f"{_OWN}workbook", "inspect_workbook"),
    "parquet": (f"{_OWN}arrow", "inspect_parquet"),
    "sav": (f"{_OWN}statistical", "inspect_spss"),
    "dta": (f"{_OWN}statistical", "inspect_stata"),
}


def inspect(path: Path, kind: str, explained: Explained = Explained()) -> list[Extra]:
    """Return what a file holds besides its table, at most `MOST_EXTRAS` of them, notes last.

    Parameters
    ----------
    kind : str
        Ending of its format, without the point.

    Raises
    ------
    UnverifiableError
        If the file cannot be read.
    """
    if kind not in INSPECTORS:
        return [Extra("uninspected", path.name)]
    module, name = INSPECTORS[kind]
    with library(path):
        inspector: Inspector = getattr(import_module(module), name)
        found = dict.fromkeys(inspector(path, explained))
        return sorted(found, key=lambda own: not own.is_refused)[:MOST_EXTRAS]


def besides(path: Path, sheet: str = "") -> list[Extra]:
    """Return what any table file holds besides its table, except labels of columns, which explain it.

    Empty for formats that cannot be inspected, and for files that cannot be read.
    """
    kind = path.suffix.lower().removeprefix(".")
    with suppress(UnverifiableError, OSError):
        found = inspect(path, "csv" if kind == "gz" else kind, Explained(sheet=sheet))
        return [own for own in found if own.is_refused and own.kind not in ("label", "uninspected")]
    return []


def refusal(name: str, extras: Sequence[Extra]) -> str:
    """Return what a file is refused for, as a sentence; empty if nothing is."""
    refused = [own.words for own in extras if own.is_refused]
    if not refused:
        return ""
    shown = "; ".join(refused[:MOST_TOLD]) + ("; …" if len(refused) > MOST_TOLD else "")
    return _("'{name}' holds something besides its table: {shown}.").format(name=name, shown=shown)


def excerpt(text: str | bytes) -> str:
    """Return the beginning of a text in one line."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    text = " ".join("".join(mark if mark.isprintable() else " " for mark in text[:1_000]).split())
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
