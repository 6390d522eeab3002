"""How often the calls of a run enter another file, and one they were in before, is at most as here.

Only the first call of each function is followed: by these, a reader of the program meets its files.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType

import pytest

from engine.pipeline import anonymize
from engine.project.recipe.files import read_recipe
from engine.records.opening import open_table
from engine.records.opening.files import read
from tests.conftest import EXAMPLES

PRODUCT = str(Path(sys.modules["engine"].__path__[0]))
HOSPITAL = EXAMPLES / "hospital"
TABLE = HOSPITAL / "hospital.csv"


def walked(run: Callable[[], object]) -> tuple[int, int]:
    """Return how often calls enter another file, and how often one that they were in before."""
    functions: dict[tuple[str, str], None] = {}

    def follow(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(PRODUCT):
            functions.setdefault((frame.f_code.co_filename, frame.f_code.co_qualname))

    run()  # Imports and what is computed once are no part of the walk.
    before = sys.getprofile()
    sys.setprofile(follow)
    try:
        run()
    finally:
        sys.setprofile(before)
    files = [file for file, _function in functions]
    stays = [file for last, file in zip(["", *files], files, strict=False) if file != last]
    return len(stays), len(stays) - len(set(stays))


@pytest.mark.usefixtures("by_numpy")
@pytest.mark.parametrize(
    ("run_of", "most"),
    [
        (lambda: partial(read, TABLE), (58, 39)),
        (lambda: partial(open_table, TABLE), (64, 43)),
        (lambda: partial(anonymize, read_recipe(HOSPITAL / "recipe.toml")), (278, 206)),
    ],
    ids=["read", "open_table", "anonymize"],
)
def test_a_run_enters_files_at_most_so_often(
    run_of: Callable[[], Callable[[], object]], most: tuple[int, int]
) -> None:
    assert all(number <= limit for number, limit in zip(walked(run_of()), most, strict=True))
