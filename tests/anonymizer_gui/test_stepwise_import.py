"""A package that is imported statement by statement is the same, and whole for whoever reads it early."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from anonymizer_gui.import_order import steps_to_import_package

NAME = "package_in_steps"
FIRST = '''"""Words."""
first = 1
from .part import *
second = seen, total
'''
PART = """import package_in_steps as whole
from package_in_steps import first
seen = hasattr(whole, "second")
total = first + 1
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / NAME
    folder.mkdir()
    (folder / "__init__.py").write_text(FIRST, encoding="utf-8")
    (folder / "part.py").write_text(PART, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == NAME]:
        del sys.modules[name]


@pytest.mark.usefixtures("package")
def test_all_steps_leave_the_package_that_an_import_makes() -> None:
    n_steps = 0
    for step in steps_to_import_package(NAME):
        step()
        n_steps += 1
    made = import_module(NAME)
    assert n_steps == len(FIRST.splitlines())
    assert (made.__doc__, made.first, made.total, made.second) == ("Words.", 1, 2, (False, 2))
    assert not hasattr(made, "third")
    assert not hasattr(made, "__getattr__")
    assert list(steps_to_import_package(NAME)) == []


@pytest.mark.usefixtures("package")
def test_a_name_read_between_two_steps_is_there() -> None:
    steps = steps_to_import_package(NAME)
    next(steps)()
    made = import_module(NAME)
    assert "first" not in vars(made)
    assert made.second == (False, 2)
    for step in steps:
        step()
    assert made.second == (False, 2)
    assert sys.modules[NAME] is made


@pytest.mark.usefixtures("package")
def test_a_package_imported_before_the_first_step_is_kept() -> None:
    steps = steps_to_import_package(NAME)
    first = next(steps)
    made = import_module(NAME)
    first()
    for step in steps:
        step()
    assert sys.modules[NAME] is made


def test_a_package_that_fails_is_not_imported(package: Path) -> None:
    (package / "part.py").write_text("raise OSError('broken')", encoding="utf-8")
    steps = steps_to_import_package(NAME)
    next(steps)()
    next(steps)()
    with pytest.raises(OSError, match="broken"):
        next(steps)()
    assert NAME not in sys.modules
    with pytest.raises(OSError, match="broken"):
        import_module(NAME)
