"""The commands, and the one place where errors become a message and an exit code."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from enum import Enum
from errno import ENOSPC
from importlib import import_module
from pathlib import Path
from typing import Any, get_args, get_origin

import typer
from typer.core import TyperGroup
from typer.main import get_command

from engine import plugins
from engine.cli.console import escape_what_the_output_lacks, file_named
from engine.cli.names import COMMANDS
from engine.cli.quiet import keep_values_out_of_logs
from engine.cli.usage import output_failed
from engine.errors import AnonymizerError, CancelledError, RequirementNotMetError
from engine.scratch import sweep

DONE, NOT_MET, BAD_INPUT, CANCELLED = 0, 1, 2, 130


def _new_typer(**settings: Any) -> typer.Typer:
    # Plain messages: they are read in logs as often as on a terminal.
    return typer.Typer(rich_markup_mode=None, **settings)


class _Group(TyperGroup):
    """The group of all commands, which imports the requested one and no other."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import a command; None if there is none of this name."""
        if cmd_name not in COMMANDS:
            return None
        made = _new_typer(add_completion=False)
        made.command(cmd_name)(getattr(import_module(f"engine.cli.{cmd_name}"), cmd_name))
        return read_quickly(get_command(made))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


app = _new_typer(
    cls=_Group,
    help="Anonymize tables about people and measure their privacy, risk and utility.",
    epilog="Exit codes: 0 done, 1 the requirement cannot be met (nothing is written), 2 invalid input.",
    no_args_is_help=True,
)


@app.callback()
def _group() -> None:
    """Make the program a group of commands."""


def run(argv: Sequence[str]) -> int:
    """Run one command; no traceback reaches the user, and no data value a log."""
    escape_what_the_output_lacks()
    keep_values_out_of_logs()
    sweep()
    try:
        return _run(argv)
    finally:
        for line in plugins.warnings():
            sys.stderr.write(f"Warning: {line}\n")


def _run(argv: Sequence[str]) -> int:
    """Run one command; errors become a message and an exit code."""
    try:
        read_quickly(get_command(app)).main(args=list(argv), prog_name="anonymizer")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else DONE if end.code is None else BAD_INPUT
    except RequirementNotMetError as error:
        return _failed(error, NOT_MET)
    except AnonymizerError as error:
        return _failed(error, BAD_INPUT)
    except (KeyboardInterrupt, CancelledError):
        sys.stderr.write("Cancelled; nothing was written.\n")
        return CANCELLED
    except MemoryError:
        sys.stderr.write("Error: not enough memory for this table and lattice.\n")
        return BAD_INPUT
    except Exception as error:
        if isinstance(error, OSError) and error.errno == ENOSPC and error.filename is None:
            return output_failed(error)
        sys.stderr.write(_internal(error))
        return BAD_INPUT
    return DONE


def _failed(error: AnonymizerError, code: int) -> int:
    sys.stderr.write(f"Error: {error.problem}\n")
    if error.hint:
        sys.stderr.write(f"{error.hint}\n")
    return code


def _internal(error: Exception) -> str:
    """Name the place of a bug; the exception's text is omitted because it may contain data values."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{frame.filename.replace(chr(92), '/').rsplit('/', 1)[-1]}, line {frame.lineno}"
    package = plugins.package_in(error)
    where = f"the plug-in {package}" if package else "the program"
    return (
        f"Internal error: {type(error).__name__} in {place}. "
        f"This is a bug in {where}, not in your files. Report this line.\n"
    )


_UNREAD = object()


class _Quick:
    """The interface by which typer converts the words of one option."""

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
            return file_named(value)
        if isinstance(value, str) and issubclass(kind, Enum):
            return next((member for member in kind if member.value == value), _UNREAD)
        return _UNREAD


def read_quickly(command: Any) -> Any:
    """Let a command read usual words without what typer imports for all others; return it.

    Typer converts words by a library whose import takes longer than measuring a small table. Words that need
    no conversion, or an obvious one, are read here; every other one, and every wrong one, by typer.
    """
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
