"""Order in which modules of the window can be imported one by one, each in a short step."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

_WINDOW, _ENGINE = "anonymizer_gui", "engine"
# An indented import is made later, or by type checkers alone.
_IMPORT = re.compile(r"^(?:from|import) +([\w.]+)(?: +import +(\([^)]*\)|.*))?", re.MULTILINE)
_ROOT = Path(__file__).parent.parent


def import_engine_of(names: Iterable[str]) -> tuple[str, ...]:
    """Import what modules of the window need of the engine; return the modules of the window themselves.

    A class derived from a class of Qt may be defined on the window's thread only: PySide registers it in a
    table that the event loop reads without a lock, and the program would crash. So a task calls this
    function, and the window's thread imports the names returned.

    Parameters
    ----------
    names : iterable of str
        Full names of modules of the window.

    Returns
    -------
    tuple of str
        These modules and all of the window that they import, every module after those it imports.
    """
    found: dict[str, None] = {}
    needed: dict[str, None] = {}
    for name in names:
        _visit(name, found, needed, set())
    for name in needed:
        import_module(name)
    return tuple(found)


def _visit(name: str, found: dict[str, None], needed: dict[str, None], open_ones: set[str]) -> None:
    """Add a module after those it imports; modules that import each other keep the order of reading."""
    if name in found or name in open_ones:
        return
    open_ones.add(name)
    path = _path(name)
    if path is None:
        return
    for module, imported in _IMPORT.findall(path.read_text(encoding="utf-8")):
        package = module.partition(".")[0]
        if package == _ENGINE:
            needed[module] = None
        elif package == _WINDOW:
            parts = re.findall(r"\w+", imported)
            for part in (module, *(f"{module}.{each}" for each in parts)):
                _visit(part, found, needed, open_ones)
    found[name] = None


def _path(name: str) -> Path | None:
    """Return the source file of a module, or None for a name that is no module."""
    base = _ROOT.joinpath(*name.split("."))
    for path in (base / "__init__.py", base.with_suffix(".py")):
        if path.is_file():
            return path
    return None
