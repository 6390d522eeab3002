"""Every optional library that is missing is named in a sentence, with what installs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from engine import KAnonymity, anonymize
from engine.cli import main
from engine.errors import TableError
from engine.report.typesetting.face import Face, count_faces
from tests.conftest import EXAMPLES

RECIPE = str(EXAMPLES / "hospital" / "recipe.toml")
ROOT = Path(__file__).resolve().parents[2]


def without(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every import of a library fail."""
    for name in {library, *sys.modules}:
        if name.partition(".")[0] == library:
            monkeypatch.setitem(sys.modules, name, None)


def said(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Run a command that is refused; return what it says."""
    assert main(words) == 2
    text = " ".join(capsys.readouterr().err.split())
    assert "bug" not in text
    assert "Install it with: " in text
    return text


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with releases as workbook and SPSS file."""
    folder = tmp_path_factory.mktemp("written")
    for name in ("release.xlsx", "release.sav"):
        assert main(["anonymize", RECIPE, "--out", str(folder / name), "--quiet"]) == 0
    return folder


@pytest.mark.parametrize(("library", "name"), [("openpyxl", "release.xlsx"), ("pyreadstat", "release.sav")])
def test_a_file_is_neither_written_nor_judged_without_its_library(
    written: Path, tmp_path: Path, library: str, name: str, monkeypatch, capsys
) -> None:
    without(library, monkeypatch)
    words = f"'{name}' requires the library {library}, which is not installed."
    for command in (
        ["anonymize", RECIPE, "--out", str(tmp_path / name)],
        ["verify", str(written / name), "--recipe", RECIPE],
        ["report", RECIPE, "--release", str(written / name), "--out", str(tmp_path / "report.json")],
        ["check", str(written / name), "--qi", "age"],
    ):
        assert words in said(command, capsys)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", ["pdf", "html"])
def test_a_report_is_refused_before_the_release_is_made(
    ending: str, tmp_path: Path, monkeypatch, capsys
) -> None:
    without("fpdf", monkeypatch)
    report, release = tmp_path / f"report.{ending}", tmp_path / "release.csv"
    words = f"'report.{ending}' requires the library fpdf, which is not installed."
    assert words in said(["report", RECIPE, "--out", str(report)], capsys)
    assert words in said(["anonymize", RECIPE, "--out", str(release), "--report", str(report)], capsys)
    assert not list(tmp_path.iterdir())
    people = pd.DataFrame({"age": [1, 2, 3, 4]})
    with pytest.raises(TableError, match="fpdf"):
        anonymize(people, "age", models=KAnonymity(2)).report(report)
    assert main(["report", RECIPE, "--out", str(tmp_path / "report.json"), "--quiet"]) == 0


def test_letters_of_other_scripts_need_a_library_that_is_named(monkeypatch) -> None:
    without("uharfbuzz", monkeypatch)
    for read in (Face, count_faces):
        with pytest.raises(TableError, match=r"uharfbuzz, which is not installed\. Install it with: pip"):
            read("font.ttf")


def test_databases_name_the_library(tmp_path: Path, monkeypatch, capsys) -> None:
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        'format = 1\n[data]\npath = "postgresql+psycopg://reader@localhost/clinic?table=visits"\n'
        '[roles]\nquasi_identifying = ["age"]\n[[privacy]]\nmodel = "k_anonymity"\nk = 2\n', "utf-8"
    )  # fmt: skip
    command = ["anonymize", str(recipe), "--out", str(tmp_path / "release.csv")]
    without("sqlalchemy", monkeypatch)
    assert "requires the library sqlalchemy, which is not installed" in said(command, capsys)


WITHOUT_EXTRAS = """
import contextlib, io, sys
for name in "sklearn scipy openpyxl xlrd python_calamine pyreadstat sqlalchemy pyspark polars".split():
    sys.modules[name] = None
import engine
from engine import *
from engine.errors import InputError
with contextlib.redirect_stdout(io.StringIO()) as text:
    help(engine)
assert "KAnonymizer" in text.getvalue() and "anonymize(" in text.getvalue()
import pandas as pd
people = pd.DataFrame({"age": [1, 2, 3, 4]})
assert anonymize(people, "age", models=KAnonymity(2)).verdict.ok
try:
    KAnonymizer(2)
except InputError as error:
    print(error)
"""


def test_the_public_names_and_their_help_need_no_extras() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", WITHOUT_EXTRAS], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        "'KAnonymizer' requires the library sklearn, which is not installed. "
        "Install it with: python3 resources/start.py add stats\n"
    )
