"""What is installed of the program, and the words to type for what is missing."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QLabel

import anonymizer_gui.__main__ as desk
import engine
from anonymizer_gui.help.dialogs import AboutDialog
from engine import cli, shipped
from engine.cli import headless
from engine.shipped import DISTRIBUTION, EXTRAS, HEADLESS, install_words, resources_path
from tests.conftest import ROOT

BOTH = {DISTRIBUTION: "1.0", HEADLESS: "1.0"}
KEEP_ONE = f"pip uninstall {DISTRIBUTION} {HEADLESS}", f"pip install {DISTRIBUTION}"
Install = Callable[..., None]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Install:
    """Let distributions be installed, and be no clone."""

    def made(*names: str) -> None:
        monkeypatch.setattr(shipped, "distributions", lambda: dict.fromkeys(names, "1.0"))
        monkeypatch.setattr(shipped, "is_clone", lambda: False)

    return made


@pytest.mark.parametrize(
    ("names", "part", "words"),
    [
        ((), "stats", f'pip install "{DISTRIBUTION}[stats]"'),
        ((DISTRIBUTION,), "stats", f'pip install "{DISTRIBUTION}[stats]"'),
        ((DISTRIBUTION,), "report", f"pip install {DISTRIBUTION}"),
        ((HEADLESS,), "report", f'pip install "{HEADLESS}[report]"'),
        ((HEADLESS,), "", f"pip install {HEADLESS}"),
    ],
)
def test_the_words_name_what_is_installed(names: tuple[str, ...], part: str, words: str, install) -> None:
    install(*names)
    assert install_words(part) == words


def test_a_clone_is_asked_to_add_by_its_start_script() -> None:
    assert install_words("stats") == "python3 resources/start.py add stats"
    assert install_words("report") == f'pip install --editable "{ROOT}"'


def test_extras_are_those_of_both_project_files() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for_work = {"package", "docs", "test"}
    assert {*EXTRAS[DISTRIBUTION]} == {*declared["optional-dependencies"]} - for_work
    assert declared["name"] == DISTRIBUTION


@pytest.mark.parametrize("words", [[], ["--demo"], [os.devnull]], ids=["none", "option", "file"])
def test_a_window_is_refused_without_one_with_the_words_to_type(words, install, capsys) -> None:
    install(HEADLESS)
    assert headless.main(words) == 2
    text = capsys.readouterr().err
    assert f"pip uninstall {HEADLESS}\npip install {DISTRIBUTION}\n" in text


def test_commands_help_and_wrong_words_need_no_window(capsys) -> None:
    table = resources_path() / "examples" / "hospital" / "hospital.csv"
    assert headless.main(["check", str(table), "--qi", "age", "--format", "json"]) == 0
    assert '"k"' in capsys.readouterr().out
    assert headless.main(["-h"]) == 0
    assert "anonymize " in capsys.readouterr().out
    assert headless.main(["chek"]) == 2
    assert "chek" in capsys.readouterr().err


@pytest.mark.parametrize("library", ["PySide6", "pyqtgraph"])
def test_the_program_names_what_its_window_lacks(library: str, monkeypatch, install, capsys) -> None:
    install(DISTRIBUTION)
    monkeypatch.setattr(desk, "foreign_engine", lambda: "")
    monkeypatch.setattr(desk, "find_spec", lambda name: None if name == library else name)
    assert desk.main(["--demo"]) == 2
    said = capsys.readouterr().err
    assert f"needs {library}, which is not installed. Install it with: pip install {DISTRIBUTION}\n" in said
    assert desk.main(["--version"]) == 0


def test_two_distributions_say_so(install, monkeypatch, capsys, qtbot) -> None:
    install(*BOTH)
    assert cli.main(["--version"]) == 0
    first, both, *words = capsys.readouterr().out.splitlines()
    assert first == "Anonymizer 1.0"
    assert engine.__version__ == "1.0"
    assert both.startswith(f"{DISTRIBUTION} and {HEADLESS} are both installed")
    assert tuple(words[:2]) == KEEP_ONE
    monkeypatch.setattr("anonymizer_gui.help.dialogs.distributions", lambda: BOTH)
    dialog = AboutDialog(None)
    qtbot.addWidget(dialog)
    assert any("; ".join(KEEP_ONE) in label.text() for label in dialog.findChildren(QLabel))


def test_missing_numba_is_a_line_of_the_version(install, monkeypatch, capsys) -> None:
    install(HEADLESS)
    monkeypatch.setattr(cli, "find_spec", lambda name: None)
    assert cli.main(["--version"]) == 0
    assert f'Install it with: pip install "{HEADLESS}[fast]"' in capsys.readouterr().out
