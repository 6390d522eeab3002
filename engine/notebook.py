"""What notebooks show of a result: a small table of its values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

_MOST_LISTED = 10  # entries of a list, or of values by column


class Shown:
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
            yield name, _listed(value)
        else:
            yield name, _text(value)


def _listed(values: Sequence[Any]) -> str:
    if any(isinstance(value, Mapping) for value in values):
        return f"{len(values)} entries"
    texts = [
        ", ".join(map(_text, value)) if isinstance(value, list | tuple) else _text(value)
        for value in values[:_MOST_LISTED]
    ]
    more = len(values) - len(texts)
    return "; ".join([*texts, *([f"{more} more"] if more else [])])


def _text(value: Any) -> str:
    if value is None:
        return "does not exist"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
