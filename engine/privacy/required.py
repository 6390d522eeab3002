"""Conditions on measured values, of commands and of reports in Python, for gates of pipelines."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from engine.errors import InputError, RequirementNotMetError
from engine.notebook import Shown
from engine.numbers import as_exact_count
from engine.words import _

if TYPE_CHECKING:
    from engine.filters.conditions import Columns, Expression

_BY_COLUMN = ("by_attribute", "classification", "columns", "entropy", "l", "t")
"""Keys whose values are objects by column: `t` of the column `illness` is the name `t(illness)`."""

Figures = Mapping[str, float | int]


@dataclass(frozen=True)
class Requirements:
    """Conditions, and the values that they refer to.

    Attributes
    ----------
    conditions : tuple of (str, bool)
        Each given condition, and whether the values meet it.
    values : tuple of mapping of str to number
        For each condition the values it names; one that does not exist is nan.
    """

    conditions: tuple[tuple[str, bool], ...] = ()
    values: tuple[Figures, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.conditions)

    def as_list(self) -> list[dict[str, Any]]:
        """Return the conditions as plain JSON values."""
        return [
            {"condition": text, "met": met, "values": dict(values)}
            for (text, met), values in zip(self.conditions, self.values, strict=True)
        ]

    def rows(self) -> list[tuple[str, str, str]]:
        """Return a row of a table for each condition."""
        return [
            ("required", f"{text}: {'met' if met else 'not met'}", _in_words(values))
            for (text, met), values in zip(self.conditions, self.values, strict=True)
        ]

    def added_to(self, result: dict[str, Any]) -> dict[str, Any]:
        """Return the result of a command with the conditions, if there are any."""
        return {**result, "required": self.as_list()} if self else result

    @property
    def unmet(self) -> list[str]:
        """Lines that list the conditions that are not met; none if all are."""
        pairs = zip(self.conditions, self.values, strict=True)
        unmet = [f"  {text}: {_in_words(values)}" for (text, met), values in pairs if not met]
        first = _("Required conditions that are not met: {n} of {total}.").format(
            n=len(unmet), total=len(self.conditions)
        )
        return [first, *unmet] if unmet else []

    def refuse_unmet(self, hint: str = "") -> None:
        """Raise `RequirementNotMetError` that lists every condition that is not met."""
        if unmet := self.unmet:
            raise RequirementNotMetError("\n".join(unmet), hint=hint)


class Measured(Shown):
    """Base of results with values that conditions can name."""

    command_key: ClassVar[str] = ""  # of the values in a command that has others too, such as "survey"

    def figures(self) -> dict[str, float | int]:
        """Return every value that a condition can name; one that does not exist is nan."""
        return {**dict(_named(self.as_dict())), **self.further_values()}

    def require(self, *conditions: str) -> Self:
        """Return the result if it meets all conditions, in the grammar and names of `--require`.

        Parameters
        ----------
        *conditions : str
            Such as "k >= 5" or "t(illness) <= 0.2". A value that does not exist meets none.

        Raises
        ------
        RequirementNotMetError
            It lists every condition that is not met.
        InputError
            A condition cannot be read, or names a value that is not measured.
        """
        self._required(conditions).refuse_unmet()
        return self

    def _required(self, conditions: Sequence[str]) -> Requirements:
        further, totals = self.further_values(), self.totals()
        return required(conditions, self.as_dict(), further=further, totals=totals, key=self.command_key)

    def further_values(self) -> Figures:
        """Return values under names of their own; see `required`."""
        return {}

    def totals(self) -> Mapping[str, int]:
        """Return the number of all records for values that count some of them; see `required`."""
        return {}


def required(
    texts: Sequence[str] | None,
    result: Mapping[str, Any],
    *,
    further: Figures | None = None,
    totals: Mapping[str, int] | None = None,
    key: str = "",
) -> Requirements:
    """Read the conditions and evaluate them.

    Parameters
    ----------
    texts : sequence of str, optional
        Filters in the grammar of `engine.filters`, over names of values.
    result : mapping
        Result of a command or report as plain JSON values. Keys of nested objects are joined by dots; what
        has a value per column is named like `t(illness)`. A privacy model is also named by its key and
        threshold.
    further : mapping of str to number, optional
        Values under names of their own.
    totals : mapping of str to int, optional
        Of values that count records, the number of all records: these also have a percentage.
    key : str
        With "survey", the value `highest` may also be named `survey.highest`, as in a command.

    Raises
    ------
    InputError
        A condition cannot be read, or names a value that is not measured.
    """
    if not texts:
        return Requirements()
    import numpy as np

    from engine.filters import ValueKind, parse

    figures = {**dict(_named(result)), **(further or {})}
    shares = {name: figures[name] / total for name, total in (totals or {}).items() if total}
    shares |= {name: value for name, value in figures.items() if not isinstance(value, int)}
    if key:
        figures |= {f"{key}.{name}": value for name, value in figures.items()}
        shares |= {f"{key}.{name}": value for name, value in shares.items()}
    known = {name: ValueKind.SHARES if name in shares else ValueKind.NUMBERS for name in figures}
    columns = {name: np.array([float(value)]) for name, value in figures.items()}
    columns |= {f"{name} %": np.array([float(value)]) for name, value in shares.items()}
    conditions, values = [], []
    for text in texts:
        try:
            condition = parse(text, known)
        except InputError as error:
            listed = ", ".join(sorted(name for name in known if not _is_long(name, key)))
            hint = _("The values are {names}.").format(names=listed)
            raise InputError(
                _("Required condition '{condition}': {problem}").format(
                    condition=text, problem=error.problem
                ),
                hint=f"{error.hint} {hint}",
            ) from None
        if not condition.conditions:
            raise InputError(
                _("A required condition is empty."), hint=_("Write a condition, such as 'k >= 5'.")
            )
        named = {leaf.name: figures[leaf.name] for leaf in condition.conditions}
        assert condition.expression is not None, "it has conditions"
        conditions.append((text, _holds(condition.expression, columns)))
        values.append(named)
    return Requirements(tuple(conditions), tuple(values))


def _holds(expression: Expression, columns: Columns, *, negated: bool = False) -> bool:
    """Return whether an expression, or its opposite, holds; a value that does not exist meets neither."""
    from engine.filters.conditions import Joined, Missing, Not

    if isinstance(expression, Not):
        return _holds(expression.part, columns, negated=not negated)
    if isinstance(expression, Joined):
        holds = (_holds(part, columns, negated=negated) for part in expression.parts)
        return all(holds) if (expression.word == "and") != negated else any(holds)
    exists = isinstance(expression, Missing) or not math.isnan(columns[expression.name][0])
    return exists and bool(expression.mask(columns)[0]) != negated


def _in_words(values: Figures) -> str:
    return ", ".join(f"{name} is {_shown(value)}" for name, value in values.items())


def _shown(value: float | int) -> str:
    if math.isnan(value):
        return "missing"
    return repr(value) if isinstance(value, float) else as_exact_count(value)


def _is_long(name: str, own: str) -> bool:
    """Return whether a value also has a shorter name: that of the privacy model, or without its `own` key."""
    from engine.privacy import privacy_models

    key, _dot, rest = name.partition(".")
    model = privacy_models.get(key)
    return key == own or (model is not None and rest.partition("(")[0] == model.threshold_name)


def _named(result: Mapping[str, Any]) -> Iterator[tuple[str, float | int]]:
    """Yield the name and value of every number."""
    for path, column, value in _numbers(result, (), ""):
        plain = math.nan if value is None else math.inf if value == "inf" else value
        for name in _names(path):
            yield (f"{name}({column})" if column else name), plain


def _numbers(value: Any, path: tuple[str, ...], column: str) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    if isinstance(value, Mapping):
        for key, entry in value.items():
            if path and path[-1] in _BY_COLUMN and not column:
                without = path[:-1] if path[-1] == "by_attribute" else path
                yield from _numbers(entry, without, key)
            else:
                yield from _numbers(entry, (*path, key), column)
    elif value is None or value == "inf" or (isinstance(value, int | float) and not isinstance(value, bool)):
        yield path, column, value


def _names(path: tuple[str, ...]) -> Iterator[str]:
    """Yield the names of one value: its path, and short ones for the threshold of a privacy model."""
    from engine.privacy import privacy_models

    yield ".".join(path)
    model = privacy_models.get(path[0]) if len(path) == 2 else None
    if model is not None and path[1] == model.threshold_name:
        yield path[0]
        if path[0] in _SHORT:
            yield _SHORT[path[0]]


_SHORT = {
    "alpha_k_anonymity": "alpha",
    "basic_beta_likeness": "beta",
    "delta_disclosure": "delta",
    "distinct_l_diversity": "l",
    "k_anonymity": "k",
    "recursive_c_l_diversity": "c",
    "t_closeness": "t",
}
"""Short names of thresholds, where several models have the same one for the most usual."""
