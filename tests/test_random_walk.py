"""The window survives random use; `python -m tests.random_walk` walks longer and with other seeds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.random_walk import main


@pytest.mark.parametrize(
    ("seed", "minutes"),
    [pytest.param(7, 1 / 3, id="short"), pytest.param(8, 10, id="long", marks=pytest.mark.thorough)],
)
def test_random_use_raises_no_exception_and_ends_no_process(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], seed: int, minutes: float
) -> None:
    words = ["--seed", str(seed), "--minutes", str(minutes), "--folder", str(tmp_path), "--count-stalls"]
    code = main(words)
    assert code == 0, capsys.readouterr().out
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text(encoding="utf-8").splitlines()]
    assert sum("do" in line for line in lines) > 30, "the walk did hardly anything"
    assert lines[-1]["end"] == "closed"


def test_a_fault_is_found_and_its_inputs_can_be_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A window that cannot open a file as asked raises in the walk's own process."""
    log = tmp_path / "given.jsonl"
    log.write_text(json.dumps({"do": "open", "path": 5, "wait": 1}) + "\n", encoding="utf-8")
    words = ["--minutes", "1", "--folder", str(tmp_path / "walk"), "--replay", str(log)]
    assert main(words) == 1
    said = capsys.readouterr().out
    assert "TypeError" in said
    assert "1 inputs: 1 exceptions, 0 crashes" in said
