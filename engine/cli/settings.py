"""Options of commands made of declared settings."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Annotated, Any, Generic, TypeVar, get_type_hints

import typer

from engine.params import Choice, ColumnRefs, Flag, Integer, Param, Real, default_of, describe
from engine.records.options import ExportOptions

R = TypeVar("R")
S = TypeVar("S")

_TYPES: Mapping[type[Param], Any] = {Integer: int, Real: float, Flag: bool, ColumnRefs: list[str]}


@dataclass(frozen=True)
class Typed(Generic[S]):
    """Settings of a kind that were given to a command, over those of a recipe."""

    kind: type[S]
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def first(self) -> str | None:
        """Return the first option that was given, if any was."""
        return next((_flag(d.stored) for d in describe(self.kind) if d.name in self.values), None)

    def over(self, settings: S) -> S:
        """Return the settings with those that were given."""
        return replace(settings, **self.values)  # type: ignore[type-var]  # settings are dataclasses


EXPORT_AS_IN_RECIPE = Typed(ExportOptions)


def with_settings(command: Callable[..., R]) -> Callable[..., R]:
    """Replace a command's settings by options, and call it with the settings given.

    Each parameter whose default is a value with declared settings, or `Typed` of their kind, becomes one
    option per setting that commands support. Settings without an option keep their default.

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
        is_typed = isinstance(parameter.default, Typed)
        kind = parameter.default.kind if is_typed else type(parameter.default)
        options = {d.stored: d for d in describe(kind) if d.is_option}
        if not options:
            parameters.append(parameter.replace(annotation=hints[name], kind=parameter.KEYWORD_ONLY))
            continue
        taken[name], usual[name] = options, parameter.default
        parameters += [
            _option(own, None if is_typed else getattr(parameter.default, own.name))
            for own in options.values()
        ]

    @wraps(command)
    def call(**given: Any) -> R:
        for name, options in taken.items():
            typed = {option: given.pop(option) for option in options}
            values = {
                options[o].name: options[o].check(value) for o, value in typed.items() if value is not None
            }
            settings = usual[name]
            is_typed = isinstance(settings, Typed)
            given[name] = Typed(settings.kind, values) if is_typed else replace(settings, **values)
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


def _option(descriptor: Param, default: Any) -> inspect.Parameter:
    flag = _flag(descriptor.stored)
    is_switch = isinstance(descriptor, Flag)
    if isinstance(descriptor, Flag) and default is not False:
        flag = f"{flag}/--{descriptor.opposite or f'no-{flag[2:]}'}"
    metavar, text = descriptor.metavar or None, descriptor.help
    if isinstance(descriptor, ColumnRefs):
        flag, text = flag.removesuffix("s"), f"{text} Give it once per column."
    if metavar is None and isinstance(descriptor, Choice):
        metavar = f"<{'|'.join(key for key, _unused in descriptor.options)}>"
    option = typer.Option(flag, help=text, metavar=metavar)
    kind: Any = next((plain for own, plain in _TYPES.items() if isinstance(descriptor, own)), str)
    return inspect.Parameter(
        descriptor.stored,
        inspect.Parameter.KEYWORD_ONLY,
        default=False if is_switch and default is False else None,
        annotation=Annotated[kind if is_switch and default is False else kind | None, option],
    )
