"""How the program starts itself as a child, from Python and as a stand-alone program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from anonymizer_gui.__main__ import main as program
from engine import child
from engine.scoring import acceleration


def test_a_child_is_found_from_any_folder(tmp_path: Path) -> None:
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "__init__.py").write_text("raise SystemExit(9)", encoding="utf-8")
    line = child.command("engine.scoring.acceleration")
    assert subprocess.run(line, cwd=tmp_path, check=False).returncode == 0


def test_a_stand_alone_program_starts_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    asked: list[list[str]] = []
    monkeypatch.setattr(acceleration, "serve", lambda words: asked.append(words) or 7)
    executable, *words = child.command("engine.scoring.acceleration", "roots", "distinct")
    assert executable == sys.executable
    assert program(words) == 7
    assert asked == [["roots", "distinct"]]


@pytest.mark.parametrize("name", ["anonymizer", "anonymizer-window"])
@pytest.mark.parametrize("ending", ["", ".exe"])
def test_children_of_the_window_are_the_program_with_standard_streams(
    name: str, ending: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(tmp_path / f"{name}{ending}"))
    executable, *_words = child.command("engine.subprocess_job")
    assert executable == str(tmp_path / f"anonymizer{ending}")


def test_a_child_serves_by_modules_that_are_meant_to_serve() -> None:
    with pytest.raises(ValueError, match="'os'"):
        program([child.WORD, "os", "getcwd"])
