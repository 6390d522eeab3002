"""Words that are read quickly become what typer makes of them, and wrong ones are left to it."""

from __future__ import annotations

from typing import Any

import pytest
from typer.main import get_command

from engine.cli import COMMANDS
from engine.cli.app import app, read_quickly
from engine.cli.console import Format

WORDS = [None, "", "text", "5", "0.5", "table", "json", "both", "true", ["a", "b"], ("a",), [], ()]


def parameters(command: str) -> dict[str, Any]:
    group: Any = get_command(app)
    found = group.get_command(None, command)
    return {parameter.name: parameter for parameter in found.params}


def outcome(read: Any, parameter: Any, value: Any) -> Any:
    """The value, or the kind of error."""
    try:
        return read.coerce(value, param=parameter, ctx=None)
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_reads_words_like_typer(command: str) -> None:
    quick = parameters(command)
    for name, parameter in quick.items():
        usual = type(parameter).get_runtime_param(parameter)
        for value in (*WORDS, parameter.default):
            found = outcome(parameter.get_runtime_param(), parameter, value)
            wanted = outcome(usual, parameter, value)
            assert (found, type(found)) == (wanted, type(wanted)), (name, value)


def test_usual_words_need_no_conversion() -> None:
    found = parameters("check")
    for name, word, value in (
        ("data", "t.csv", "t.csv"), ("output", "json", Format.JSON), ("person", "id", "id"),
    ):  # fmt: skip
        read = found[name].get_runtime_param()
        read._usual = None  # not asked
        assert read.coerce(word, param=found[name], ctx=None) == value


def test_a_command_is_made_quick_once() -> None:
    group: Any = get_command(app)
    command = group.get_command(None, "check")
    before = [parameter.get_runtime_param for parameter in command.params]
    assert [parameter.get_runtime_param for parameter in read_quickly(command).params] == before
