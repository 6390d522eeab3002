"""Options of commands made of declared settings."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import Annotated, Any, TypeVar, get_type_hints

import typer

from engine.params import Choice, Flag, Integer, Param, Real, Text, default_of, describe

R = TypeVar("R")

_TYPES: Mapping[type[Param], type] = {Integer: int, Real: float, Flag: bool, Text: str, Choice: str}


def with_settings(command: Callable[..., R]) -> Callable[..., R]:
    """Replace a command's settings by options, and call it with the settings given.

    Each parameter whose default is a value with declared settings becomes one option per setting that
    commands support. Settings without an option keep their default.

    Raises
    ------
    ParameterError
        When the command is called: a value is invalid.
    """
    hints = get_type_hints(command, include_extras=True)
    parameters: list[inspect.Parameter] = []
    taken: dict[str, dict[str, Param]] = {}
    usual: dict[str, Any] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        options = {d.name: d for d in describe(type(parameter.default)) if d.is_option}
        if not options:
            parameters.append(parameter.replace(annotation=hints[name], kind=parameter.KEYWORD_ONLY))
            continue
        taken[name], usual[name] = options, parameter.default
        parameters += [_option(descriptor, parameter.default) for descriptor in options.values()]

    @wraps(command)
    def call(**given: Any) -> R:
        for name, options in taken.items():
            typed = {option: given.pop(option) for option in options}
            values = {o: options[o].check(value) for o, value in typed.items() if value is not None}
            given[name] = replace(usual[name], **values)
        return command(**given)

    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # typer reads it
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return call


def typed_options(settings: Any) -> dict[str, Any]:
    """Return the settings given, by option; None for defaults."""
    kind = type(settings)
    held = {d.name: getattr(settings, d.name) for d in describe(kind) if d.is_option}
    return {_flag(n): None if value == default_of(kind, n) else value for n, value in held.items()}


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _option(descriptor: Param, usual: Any) -> inspect.Parameter:
    flag, default = _flag(descriptor.name), getattr(usual, descriptor.name)
    is_switch = isinstance(descriptor, Flag)
    if is_switch and default is not False:
        flag = f"{flag}/--no-{flag[2:]}"
    option = typer.Option(flag, help=descriptor.help, metavar=descriptor.metavar or None)
    kind: Any = next(plain for own, plain in _TYPES.items() if isinstance(descriptor, own))
    return inspect.Parameter(
        descriptor.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=False if is_switch and default is False else None,
        annotation=Annotated[kind if is_switch and default is False else kind | None, option],
    )
