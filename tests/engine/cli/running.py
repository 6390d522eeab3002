"""A command run in this process, and what it says."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from engine.cli import main


@dataclass(frozen=True)
class Command:
    """Called with words and paths, it gives the exit code, the output and the errors."""

    name: str
    capsys: pytest.CaptureFixture[str]

    def __call__(self, *words: str | Path) -> tuple[int, str, str]:
        code = main([self.name, *map(str, words)])
        captured = self.capsys.readouterr()
        return code, captured.out, captured.err

    def json(self, *words: str | Path) -> Any:
        """The JSON of a command that must succeed and say nothing else."""
        code, printed, errors = self(*words, "--format", "json")
        assert (code, errors) == (0, "")
        return json.loads(printed)

    def refuses(self, message: str, *words: str | Path) -> None:
        """Check that the command ends with 2 and this message, and prints nothing else."""
        code, printed, errors = self(*words)
        assert (code, printed) == (2, "")
        assert message in " ".join(errors.split()) or message in errors
        assert "Traceback" not in errors
