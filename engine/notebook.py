"""Display of a result in notebooks and terminals: a small table of its values, and a few facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import fields
from html import escape
from typing import Any, TypeAlias

_MOST_LISTED = 10  # entries of a list, or of values by column


Facts: TypeAlias = Iterable[tuple[str, str]]
"""Names and texts, in the order of display; a name may be empty."""


class Brief:
    """Base of dataclasses that hold data: their repr has a few facts, and no value of a cell."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__repr__ = cls.__repr__  # type: ignore[method-assign]  # @dataclass replaces an inherited one only

    def __repr__(self) -> str:
        facts = "; ".join(f"{name}: {text}" if name else text for name, text in self._facts() if text)
        return f"<{type(self).__name__}: {facts}>"

    def _facts(self) -> Facts:
        """Return what the repr has; by default the numbers among the fields, and the sizes of the others."""
        for field in fields(self):  # type: ignore[arg-type]  # subclasses are dataclasses
            value = getattr(self, field.name) if field.repr else None
            if isinstance(value, int | float):
                yield field.name, fact(value)
            elif isinstance(value, Brief):
                yield field.name, f"a {type(value).__name__}"
            elif isinstance(value, Sized) and not isinstance(value, str):
                yield field.name, f"{len(value)} entries"


class Shown(Brief):
    """Base of results with `as_dict`, which notebooks show as a table."""

    def as_dict(self) -> dict[str, Any]:
        """Return the values as plain JSON values."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return table_html(("value", ""), _rows(self.as_dict()))


def table_html(titles: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table; all texts are escaped."""
    head = "".join(f"<th style='text-align:left'>{escape(title)}</th>" for title in titles)
    body = "".join(
        "<tr>" + "".join(f"<td style='text-align:left'>{escape(str(cell))}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _rows(values: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    """Yield the names and values of nested objects; names of nested ones are joined by dots."""
    for key, value in values.items():
        name = f"{before}{key}"
        if isinstance(value, Mapping):
            yield from _rows(value, f"{name}.")
        elif isinstance(value, list | tuple):
            yield name, listed(value)
        else:
            yield name, fact(value)


def listed(values: Sequence[Any]) -> str:
    """Return the first of some values as a text, and the number of the others."""
    if any(isinstance(value, Mapping) for value in values):
        return f"{len(values)} entries"
    has_lists = any(isinstance(value, list | tuple) for value in values)
    texts = [
        ", ".join(map(fact, value)) if isinstance(value, list | tuple) else fact(value)
        for value in values[:_MOST_LISTED]
    ]
    more = len(values) - len(texts)
    return ("; " if has_lists else ", ").join([*texts, *([f"{more} more"] if more else [])])


def fact(value: Any) -> str:
    """Return a number as a text of at most six digits; None does not exist."""
    if value is None:
        return "does not exist"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
