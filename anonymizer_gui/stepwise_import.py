"""Import of a package of others in short steps, statement by statement."""

from __future__ import annotations

import ast
import sys
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from importlib.abc import InspectLoader
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any


def steps_to_import_package(name: str) -> Iterator[Callable[[], object]]:
    """Yield short calls that import a package, each a statement of its first file.

    Whoever reads a name of the package before the last call gets it: the rest is then imported at once.
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
