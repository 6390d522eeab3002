"""Modules of the window come after those they import, and the engine is imported with them."""

from __future__ import annotations

import ast
import sys
from functools import partial
from importlib import import_module
from pathlib import Path

import pytest

from anonymizer_gui import import_order
from anonymizer_gui.import_order import import_engine_of, steps_to_import
from tests.privacy.sources import ROOT

RISK = "anonymizer_gui.perspectives.risk.presenter"


def imported_at_once(name: str) -> set[str]:
    """Return the modules that a module imports while it is imported itself, read by Python's own parser."""
    base = ROOT.joinpath(*name.split("."))
    path = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
    names: set[str] = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            names.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names.add(node.module)
    return names


def test_every_module_comes_after_those_it_imports() -> None:
    order = import_engine_of([RISK])
    assert order[-1] == RISK
    assert len(set(order)) == len(order) > 50
    place = {name: at for at, name in enumerate(order)}
    for name in order:
        of_window = {each for each in imported_at_once(name) if each.startswith("anonymizer_gui")}
        assert of_window <= set(order), name
        packages = {each for each in of_window if name.startswith(f"{each}.")}  # imported before any part
        assert all(place[each] < place[name] for each in of_window - packages), name


def test_the_engine_is_imported_with_them() -> None:
    order = import_engine_of([RISK])
    needed = {each for name in order for each in imported_at_once(name) if each.startswith("engine")}
    assert needed
    assert needed <= set(sys.modules)


def test_what_a_module_needs_of_the_engine_later_is_imported_too(monkeypatch: pytest.MonkeyPatch) -> None:
    named: list[str] = []
    monkeypatch.setattr(import_order, "import_module", named.append)
    name = "anonymizer_gui.perspectives.explore.inspector.report_presenter"
    later = "engine.scoring.nodes.inspection"
    assert later not in imported_at_once(name)
    import_engine_of([name])
    assert later in named
    assert "numpy.ma" in named


def test_modules_are_imported_one_by_one_after_the_names_that_pyqtgraph_reads() -> None:
    steps = [step for step in steps_to_import([RISK, "pyqtgraph"]) if isinstance(step, partial)]
    modules = [step.args[0] for step in steps if step.func is import_module]
    assert modules[-2:] == [RISK, "pyqtgraph"]
    read = [
        (step.args[0].__name__, name)
        for step in steps
        if step.func is not import_module
        for name in step.args[1]
    ]
    assert {module for module, _ in read} == {"PySide6.QtCore", "PySide6.QtGui", "PySide6.QtWidgets"}
    assert ("PySide6.QtWidgets", "QCalendarWidget") in read
    assert len(steps) - len(modules) > len(read) / 50, "few names in one step"


def test_an_unknown_name_is_left_out(tmp_path: Path) -> None:
    assert import_engine_of(["anonymizer_gui.no_such_module", str(tmp_path)]) == ()
