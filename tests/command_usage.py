"""Writes the file by which commands answer `--help` at once: `python -m tests.command_usage`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typer.main import get_command

from engine.cli import COMMANDS
from engine.cli.app import app
from engine.cli.usage import USAGE


def usage_of_commands() -> dict[str, tuple[str, dict[str, int]]]:
    """Return the page of every command, and the number of words that follow each of its options."""
    group: Any = get_command(app)
    found = {}
    for name in COMMANDS:
        context = group.make_context("anonymizer", [name, "--help"], resilient_parsing=True)
        command = group.get_command(context, name)
        own = command.context_class(command, info_name=name, parent=context)
        options = {"--help": 0}
        for parameter in command.params:
            if parameter.param_type_name == "option":
                names = (*parameter.opts, *parameter.secondary_opts)
                options |= dict.fromkeys(names, 0 if parameter.is_flag else parameter.nargs)
        found[name] = f"{command.get_help(own)}\n", options
    return found


def main(path: Path = USAGE) -> None:
    """Write the file."""
    pages = {name: page for name, (page, _options) in usage_of_commands().items()}
    path.write_text(json.dumps(pages, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
