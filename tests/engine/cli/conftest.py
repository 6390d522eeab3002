"""What tests of a command share: the module's `TABLE` as a file, and its `COMMAND` to run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.cli.running import Command


@pytest.fixture
def people(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The module's `TABLE`, written to a CSV file."""
    path = tmp_path / "people.csv"
    path.write_text(request.module.TABLE, encoding="utf-8")
    return path


@pytest.fixture
def run(request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]) -> Command:
    """The module's `COMMAND`; call it with the words that follow."""
    return Command(request.module.COMMAND, capsys)
