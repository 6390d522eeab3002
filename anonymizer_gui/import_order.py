"""Import of the modules of the window one by one, each in a short step."""

from __future__ import annotations

import ast
import re
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from importlib.abc import InspectLoader
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from engine.registry import Registry


def steps_to_import_package(name: str) -> Iterator[Callable[[], object]]:
    """Yield short calls that import a package, each a statement of its first file.

    A name of the package can be read before the last call: the rest is then imported at once.
    """
    if name in sys.modules:
        return
    spec = find_spec(name)
    source = spec.loader.get_source(name) if spec and isinstance(spec.loader, InspectLoader) else None
    if spec is None or source is None:
        yield partial(import_module, name)
        return
    package = _Package(module_from_spec(spec), source)
    for _statement in range(package.n_left):
        yield package.run_next


class _Package:
    """A package of which some statements have run."""

    def __init__(self, module: ModuleType, source: str) -> None:
        self._module = module
        self._left = deque(ast.parse(source).body)
        self._is_running = False
        module.__getattr__ = self._missing  # type: ignore[method-assign]

    @property
    def n_left(self) -> int:
        """Number of statements that have not run."""
        return len(self._left)

    def run_next(self) -> None:
        """Run a statement, unless all have run or the package was imported before the first one."""
        if self._left and sys.modules.setdefault(self._module.__name__, self._module) is not self._module:
            self._left.clear()
        if not self._left:
            return
        self._is_running = True
        statement = ast.Module([self._left.popleft()], [])
        code = compile(statement, str(self._module.__file__), "exec", dont_inherit=True)
        try:
            exec(code, vars(self._module))  # noqa: S102  # what importing the package does
        except BaseException:
            self._left.clear()
            del sys.modules[self._module.__name__]
            raise
        finally:
            self._is_running = False
            if not self._left:
                vars(self._module).pop("__getattr__", None)

    def _missing(self, name: str) -> Any:
        """Return a name that the package does not have yet; a statement that runs sees what there is."""
        if not self._is_running:
            while self._left:
                self.run_next()
            if name in vars(self._module):
                return vars(self._module)[name]
        raise AttributeError(f"module {self._module.__name__!r} has no attribute {name!r}")


_WINDOW = "anonymizer_gui"
# An indented import is made later, or by type checkers alone; of the engine it is made ahead too.
_OF_ENGINE = re.compile(r"^ *(?:from|import) +(engine[\w.]*)", re.MULTILINE)
_IMPORT = re.compile(r"^(?:from|import) +([\w.]+)(?: +import +(\([^)]*\)|.*))?", re.MULTILINE)
_ROOT = Path(__file__).parent.parent
# What pyqtgraph imports: parts of Python, modules of Qt, and those of which it reads every name.
_OF_PYTHON = ("cProfile", "multiprocessing.connection", "pydoc", "sysconfig", "xml.etree.ElementTree")
_OF_NUMPY = ("numpy.ma",)  # imported by the first call of `unique`
_OF_QT = ("PySide6.QtSvg", "PySide6.QtTest", "PySide6.QtOpenGL", "PySide6.QtOpenGLWidgets")
_READ = ("PySide6.QtCore", "PySide6.QtGui", "PySide6.QtWidgets")
_AT_ONCE = 40  # names


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
    for name in (*needed, *_OF_PYTHON, *_OF_NUMPY):
        import_module(name)
    for module in filter(None, map(sys.modules.get, needed)):
        for value in tuple(vars(module).values()):
            if isinstance(value, Registry):
                len(value)  # imports its members
    return tuple(found)


def steps_to_import(names: Iterable[str]) -> Iterator[Callable[[], object]]:
    """Yield short calls for the window's thread that import modules in their order, pyqtgraph among them.

    PySide creates a class when its name is first read, and pyqtgraph reads all of them.
    """
    for name in _READ:
        module = import_module(name)
        words = dir(module)
        for at in range(0, len(words), _AT_ONCE):
            yield partial(_read, module, words[at : at + _AT_ONCE])
    for name in _OF_QT:
        yield partial(import_module, name)
    yield from steps_to_import_package("pyqtgraph")
    for name in names:
        yield partial(import_module, name)


def _read(module: ModuleType, names: Iterable[str]) -> None:
    for name in names:
        getattr(module, name, None)


def _visit(name: str, found: dict[str, None], needed: dict[str, None], open_ones: set[str]) -> None:
    """Add a module after those it imports; modules that import each other keep the order of reading."""
    if name in found or name in open_ones:
        return
    open_ones.add(name)
    path = _path(name)
    if path is None:
        return
    source = path.read_text(encoding="utf-8")
    needed.update(dict.fromkeys(_OF_ENGINE.findall(source)))
    for module, imported in _IMPORT.findall(source):
        if module.partition(".")[0] == _WINDOW:
            parts = re.findall(r"\w+", imported)
            for part in (module, *(f"{module}.{each}" for each in parts)):
                _visit(part, found, needed, open_ones)
    found[name] = None


def _path(name: str) -> Path | None:
    """Return the source file of a module, or None for any other name."""
    base = _ROOT.joinpath(*name.split("."))
    for path in (base / "__init__.py", base.with_suffix(".py")):
        if path.is_file():
            return path
    return None
