"""The tutorials: each can be carried out as written, and each picture is that of a step."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from engine.findings.model_check import check
from tests.conftest import ROOT
from tests.tutorials import TUTORIALS
from tests.window_driver import Driver

HELP = ROOT / "resources" / "help"
LARGEST = 150_000  # bytes of a picture
RELEASES = {
    "hospital": ("clinic-anonymized.csv", ["visit date", "age", "sex", "postal code", "insurance"], 10),
    "survey": ("survey-anonymized.csv", ["answered", "birth year", "sex", "postal code", "education"], 5),
    "next-month": ("next-month-anonymized.csv", ["answered", "birth year", "sex", "education", "mode"], 5),
}


@pytest.mark.parametrize("name", TUTORIALS)
def test_a_tutorial_ends_with_a_file_that_meets_its_requirement(
    driver: Driver, examples: Path, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "examples"
    shutil.copytree(examples, folder)
    steps = [step for step, _ in TUTORIALS[name](driver, folder) if step]
    page = (HELP / f"tutorial-{name}.md").read_text(encoding="utf-8")
    assert re.findall(r"!\[[^\]]+\]\(pictures/tutorial-([\w-]+)\.png\)", page) == steps
    release, known, k = RELEASES[name]
    assert check(folder / release, known, leave_out_suppressed=True).k >= k


@pytest.mark.parametrize("name", TUTORIALS)
def test_a_tutorial_has_eight_to_twelve_numbered_steps(name: str) -> None:
    page = (HELP / f"tutorial-{name}.md").read_text(encoding="utf-8")
    numbers = [int(number) for number in re.findall(r"^## (\d+)\. ", page, re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert 8 <= len(numbers) <= 12


def test_pictures_are_small_and_each_is_on_a_page() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (*HELP.glob("*.md"), ROOT / "README.md"))
    for picture in (HELP / "pictures").glob("*.png"):
        assert picture.stat().st_size < LARGEST, picture.name
        assert f"pictures/{picture.name}" in text, picture.name
