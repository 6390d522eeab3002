"""Reads the usual words of a command without what typer imports for all others.

Typer converts words by a library whose import takes longer than measuring a small table. Words that need no
conversion, or an obvious one, are read here; every other one, and every wrong one, by typer.
"""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Any, get_args, get_origin

_UNREAD = object()


class _Quick:
    """What typer asks to convert the words of one option."""

    def __init__(self, parameter: Any) -> None:
        self._usual = parameter.get_runtime_param
        self._kind = parameter.type_descriptor.annotation
        self._is_repeated = parameter.multiple or parameter.nargs == -1
        is_path = self._kind is Path
        info = parameter.type_descriptor.parameter_info
        self._is_plain = not is_path or not (info.exists or info.resolve_path or info.readable is False)

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value of the words that were given."""
        found = self._read(value) if self._is_plain else _UNREAD
        return self._usual().coerce(value, param=param, ctx=ctx) if found is _UNREAD else found

    def _read(self, value: Any) -> Any:
        kind = self._kind
        if value is None:
            return () if self._is_repeated else None
        if get_origin(kind) is list and get_args(kind) == (str,):
            is_texts = isinstance(value, list | tuple) and all(isinstance(word, str) for word in value)
            return list(value) if is_texts else _UNREAD
        if not isinstance(kind, type):
            return _UNREAD
        if isinstance(value, kind):  # typed words are texts, so numbers are defaults
            return value
        if isinstance(value, str) and kind is Path:
            return Path(value)
        if isinstance(value, str) and issubclass(kind, Enum):
            return next((member for member in kind if member.value == value), _UNREAD)
        return _UNREAD


def read_quickly(command: Any) -> Any:
    """Let a command read usual words quickly; return it."""
    for parameter in command.params:
        _quicken(parameter)
    help_option = command.get_help_option

    def quick_help_option(context: Any) -> Any:
        option = help_option(context)
        if option is not None:
            _quicken(option)
        return option

    command.get_help_option = quick_help_option
    return command


def _quicken(parameter: Any) -> None:
    is_known = hasattr(parameter, "get_runtime_param") and hasattr(parameter, "type_descriptor")
    if is_known and not isinstance(parameter.get_runtime_param, _Constant):
        parameter.get_runtime_param = _Constant(_Quick(parameter))


class _Constant:
    """A method that returns the same value each time."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __call__(self) -> Any:
        return self._value
