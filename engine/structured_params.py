"""Descriptors of parameters with a structure: values by column, groups of values, and trees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

from engine.errors import ParameterError
from engine.numbers import as_exact_count
from engine.params import Param, Real, Texts
from engine.words import _


@dataclass(frozen=True, kw_only=True)
class TextsByColumn(Param):
    """Lists of texts by the name of a column: `{age = ["99", "0"]}`."""

    def check(self, value: Any) -> Mapping[str, tuple[str, ...]]:
        """Return a dict of tuples; whether the columns exist is checked when they are read."""
        if not isinstance(value, Mapping):
            raise self._refuse(value, _("a mapping from columns to lists of texts"))
        texts = Texts(name=self.name, label=self.label)
        return _each(texts, value)

    def plain(self, value: Any) -> dict[str, list[str]]:
        """Return a dict of lists."""
        return {column: list(entry) for column, entry in value.items()}


@dataclass(frozen=True, kw_only=True)
class NumbersByColumn(Param):
    """Numbers by the name of a column, from 0 to `maximum`: `{age = 2.5}`."""

    maximum: float = 1.0

    def check(self, value: Any) -> Mapping[str, float]:
        """Return a read-only mapping; the project checks whether the columns exist."""
        if not isinstance(value, Mapping):
            raise self._refuse(value, _("a mapping from columns to numbers"))
        rule = _("a number of at least 0 and at most {maximum}").format(maximum=as_exact_count(self.maximum))
        number = Real(name=self.name, maximum=self.maximum, rule=rule)
        return MappingProxyType(_each(number, value))

    def plain(self, value: Any) -> dict[str, float]:
        """Return a dict."""
        return dict(value)


@dataclass(frozen=True, kw_only=True)
class Groups(Param):
    """Named groups of values per level: `[{label: [value, ...]}, ...]`, as nested tuples once checked."""

    def check(self, value: Any) -> tuple[tuple[tuple[str, tuple[str, ...]], ...], ...]:
        """Return levels, each a tuple of (label, members)."""
        rule = _("a list of levels, each a mapping from label to list of values")
        if not isinstance(value, (list, tuple)):
            raise self._refuse(value, rule)
        levels = []
        for level in value:
            if not isinstance(level, (dict, list, tuple)):
                raise self._refuse(level, rule)
            pairs = level.items() if isinstance(level, dict) else level
            try:
                levels.append(tuple((str(label), _members(members)) for label, members in pairs))
            except (TypeError, ValueError):
                raise self._refuse(level, rule) from None
        return tuple(levels)

    def plain(self, value: Any) -> list[dict[str, list[str]]]:
        """Return levels as mappings."""
        return [{label: list(members) for label, members in level} for level in value]


TreeNode: TypeAlias = "str | tuple[str, tuple[TreeNode, ...]]"
"""A value, or a group with its members."""


@dataclass(frozen=True, kw_only=True)
class Tree(Param):
    """Nested groups of values: `{Europe = {Italy = ["Rome"]}, Asia = ["Tokyo"]}`.

    A group is a table of groups, or a list in which values and tables of groups may be mixed. Once
    checked, a value is its text and a group a tuple of label and members.
    """

    def check(self, value: Any) -> tuple[TreeNode, ...]:
        """Return the nodes that are in no group; no group is empty and no value is repeated."""
        try:
            nodes = _nodes(value, _DEEPEST)
        except (TypeError, ValueError):
            rule = _("nested mappings of groups, down to lists of values")
            raise self._refuse(value, rule) from None
        seen: set[str] = set()
        for text in _values_in(nodes):
            if text in seen:
                raise ParameterError(
                    _("{label}: '{value}' is listed twice.").format(
                        label=self.label or self.name, value=text
                    ),
                    hint=_("A value belongs to one group. Keep it in one place."),
                    parameter=self.name,
                )
            seen.add(text)
        if not seen:
            raise self._refuse(value, _("at least one group with a value"))
        return nodes

    def plain(self, value: Any) -> Any:
        """Return mappings and lists."""
        if all(not isinstance(node, str) for node in value) and _are_distinct(
            label for label, _unused in value
        ):
            return {label: self.plain(members) for label, members in value}
        return [node if isinstance(node, str) else {node[0]: self.plain(node[1])} for node in value]


_DEEPEST = 50  # levels of groups


def _nodes(value: Any, deepest: int) -> tuple[TreeNode, ...]:
    """Return nodes from mappings, lists, or pairs of nodes that were checked before."""
    if deepest < 0 or not isinstance(value, (dict, list, tuple)):
        raise TypeError
    found: list[TreeNode] = []
    for entry in value.items() if isinstance(value, dict) else value:
        if isinstance(entry, dict):
            found += _nodes(entry, deepest)
        elif isinstance(entry, (list, tuple)):
            label, members = entry
            inner = _nodes(members, deepest - 1)
            if not isinstance(label, str) or not label or not inner:
                raise TypeError
            found.append((label, inner))
        elif isinstance(entry, (str, int)) and not isinstance(entry, bool):
            found.append(str(entry))
        else:
            raise TypeError
    return tuple(found)


def _values_in(nodes: Iterable[TreeNode]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, str):
            yield node
        else:
            yield from _values_in(node[1])


def _each(descriptor: Param, values: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the values by column, each checked."""
    found = {}
    for column, value in values.items():
        try:
            found[str(column)] = descriptor.check(value)
        except ParameterError as error:
            raise ParameterError(error.problem, hint=error.hint, column=str(column)) from None
    return found


def _are_distinct(texts: Iterable[str]) -> bool:
    listed = list(texts)
    return len(set(listed)) == len(listed)


def _members(values: Any) -> tuple[str, ...]:
    """Return the members of a group; a single text is refused, because its letters are not members."""
    if isinstance(values, (str, dict)):
        raise TypeError
    return tuple(str(value) for value in values)
