"""Outlines of statements: headings of the sources, and the facts and answers that fill them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

from engine.project.statement import StatementAnswers
from engine.shipped import resources_path

CORE = ("data", "method", "risk")  # subjects that a project knows; context and governance are asked for


@dataclass(frozen=True)
class Field:
    """Field of an outline.

    Attributes
    ----------
    heading, number : str
        As in the source; some sources have no numbers.
    about : {"data", "method", "risk", "context", "governance"}
        Subject.
    facts : tuple of str
        Keys of the facts of a project that fill it.
    asks : tuple of str
        Keys of the answers that fill it.
    """

    heading: str
    about: str
    number: str = ""
    facts: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Heading after its number."""
        return f"{self.number} {self.heading}".strip()


@dataclass(frozen=True)
class Outline:
    """Outline of a recipient.

    Attributes
    ----------
    title : str
        Name of the form, to be translated.
    source, edition : str
        In the language of the source.
    published : date
        Of the edition.
    note : str
        Where the headings are from.
    """

    key: str
    title: str
    source: str
    edition: str
    published: date
    address: str
    note: str
    fields: tuple[Field, ...]

    @property
    def asks(self) -> tuple[str, ...]:
        """Questions of all fields, each once."""
        return tuple(dict.fromkeys(name for field in self.fields for name in field.asks))

    def open_questions(self, answers: StatementAnswers) -> tuple[str, ...]:
        """Return the questions that have no answer."""
        return tuple(name for name in self.asks if not answers.has(name))


@cache
def outline_of(key: str) -> Outline:
    """Return the outline with a key."""
    path = resources_path() / "statements" / f"{key}.toml"
    values: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    return Outline(
        key,
        values["title"],
        values["source"],
        values["edition"],
        values["date"],
        values["address"],
        values["note"],
        tuple(_fields(values["fields"])),
    )


def _fields(entries: list[dict[str, Any]]) -> Iterator[Field]:
    for entry in entries:
        lists = {name: tuple(entry.get(name, ())) for name in ("facts", "asks")}
        yield Field(entry["heading"], entry["about"], entry.get("number", ""), **lists)
