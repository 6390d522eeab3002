"""Modules of the window come after those they import, and the engine is imported with them."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

from anonymizer_gui.import_order import import_engine_of
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


def test_an_unknown_name_is_left_out(tmp_path: Path) -> None:
    assert import_engine_of(["anonymizer_gui.no_such_module", str(tmp_path)]) == ()
