"""Active filters as chips, one for each filter that can be removed separately."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from anonymizer_gui.perspectives.explore.node_filter import NodeFilter, Status
from engine.errors import InputError
from engine.filters import Filter, parse_filter
from engine.filters.conditions import Expression, Joined, Not, quoted_name
from engine.numbers import as_nodes
from engine.words import _

if TYPE_CHECKING:
    from anonymizer_gui.models.node_name import LevelWords
    from engine.frequency import Problem

Part = tuple[str, str | int]  # kind of filter, and which of them

TYPED, COLUMN, LEVELS, CHOSEN, STATUS = "typed", "column", "levels", "chosen", "status"
_SIGNS = (("<=", "≤"), (">=", "≥"), ("!=", "≠"))


@dataclass(frozen=True)
class FilterChip:
    """One filter as text, with the key to remove it."""

    part: Part
    text: str
    explanation: str = ""


def filter_chips(
    chosen: NodeFilter, problem: Problem, words: LevelWords, titles: Mapping[str, str], names: Sequence[str]
) -> Iterator[FilterChip]:
    """Return the active filters.

    Parameters
    ----------
    chosen : NodeFilter
    Problem and level descriptions of the nodes shown.
        Of the nodes shown.
    titles : mapping of str to str
        Titles of columns by key.
    names : sequence of str
        Names allowed in typed conditions.
    """
    if chosen.status.is_filter:
        yield FilterChip((STATUS, chosen.status.value), status_words(chosen.status))
    for place, part in enumerate(typed_parts(chosen.typed)):
        yield FilterChip((TYPED, place), _signs(plain_text(part, names)))
    for key, condition in chosen.columns.items():
        yield FilterChip((COLUMN, key), f"{titles.get(key, key)}: {_signs(condition.text)}")
    for q, shown in chosen.levels.items():
        name = problem.names[q]
        text = "\n".join(f"{level}: {words.level(q, level)}" for level in sorted(shown))
        levels = _("{name}: levels {shown}") if len(shown) > 1 else _("{name}: level {shown}")
        yield FilterChip((LEVELS, q), levels.format(name=name, shown=ranges(sorted(shown))), text)
    if chosen.chosen is not None:
        n_chosen = as_nodes(int(np.count_nonzero(chosen.chosen)))
        yield FilterChip(
            (CHOSEN, 0), _("{n_chosen} framed").format(n_chosen=n_chosen), _("Framed in the map")
        )


def status_words(status: Status) -> str:
    """Return the text of a status filter."""
    return {
        Status.SATISFIES: _("satisfies"),
        Status.ALL: _("all nodes"),
        Status.FAILS: _("fails"),
        Status.MINIMAL: _("minimal"),
        Status.SHORT: _("short-listed"),
    }[status]


def typed_parts(typed: Filter) -> tuple[Expression, ...]:
    """Return the parts of typed conditions that must all be met."""
    expression = typed.expression
    if expression is None:
        return ()
    if isinstance(expression, Joined) and expression.word == "and":
        return expression.parts
    return (expression,)


def typed_without(typed: Filter, place: int, names: Sequence[str]) -> str:
    """Return typed conditions without one of their parts, as they could be typed."""
    rest = tuple(part for i, part in enumerate(typed_parts(typed)) if i != place)
    if len(rest) == 1:
        return plain_text(rest[0], names)
    return plain_text(Joined("and", rest), names) if rest else ""


def plain_text(part: Expression, names: Sequence[str]) -> str:
    """Return a part as text, without quotation marks around names if it reads the same."""
    plain = _unquoted(part)
    try:
        return plain if parse_filter(plain, names, names).expression == part else part.text
    except InputError:
        return part.text


def _unquoted(part: Expression) -> str:
    """Return the text of a part with all names unquoted, whether or not it can be read."""
    if isinstance(part, Not):
        return f"not ({_unquoted(part.part)})"
    if isinstance(part, Joined):
        texts = ((_unquoted(inner), isinstance(inner, Joined)) for inner in part.parts)
        return f" {part.word} ".join(f"({text})" if is_joined else text for text, is_joined in texts)
    return part.text.replace(quoted_name(part.name), part.name, 1)


def ranges(levels: Sequence[int]) -> str:
    """Return ascending numbers with runs of three and more joined: 0, 2–5."""
    runs: list[list[int]] = []
    for level in levels:
        if runs and level == runs[-1][-1] + 1:
            runs[-1].append(level)
        else:
            runs.append([level])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)


def _signs(text: str) -> str:
    for typed, shown in _SIGNS:
        text = text.replace(typed, shown)
    return text
