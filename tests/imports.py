"""Imports between modules, at any place in them and for any purpose."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from scipy.sparse import dok_array
from scipy.sparse.csgraph import connected_components

ROOT = Path(__file__).resolve().parents[1]


def product_modules() -> dict[str, Path]:
    """Return the modules of the engine, of the window and of the plug-ins by their dotted names."""
    plugins = (path.parent for path in (ROOT / "resources" / "plugins").glob("*/*/__init__.py"))
    return modules_of(ROOT / "engine", ROOT / "anonymizer_gui", *plugins)


def modules_of(*packages: Path) -> dict[str, Path]:
    """Return the modules of packages by their dotted names."""
    found = {}
    for package in packages:
        for path in package.rglob("*.py"):
            parts = path.relative_to(package.parent).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def statements(block: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Return all statements of a block, nested ones included; expressions contain no imports."""
    for statement in block:
        yield statement
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(statement, name, ())
            yield from statements(inner)


def imported(source: str, known: Mapping[str, Path]) -> Iterator[str]:
    """Return the known modules that a source imports anywhere."""
    for statement in _import_statements(source):
        if isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names if alias.name in known)
        else:
            for alias in statement.names:
                inner = f"{statement.module}.{alias.name}"
                named = inner if inner in known else str(statement.module)
                if named in known:
                    yield named


@cache
def _import_statements(source: str) -> tuple[ast.Import | ast.ImportFrom, ...]:
    found = statements(ast.parse(source).body)
    return tuple(statement for statement in found if isinstance(statement, ast.Import | ast.ImportFrom))


def imports_of(modules: Mapping[str, Path]) -> dict[str, set[str]]:
    """Return the modules that each module imports."""
    return {name: set(imported(path.read_text("utf-8"), modules)) - {name} for name, path in modules.items()}


def rings_among(modules: Mapping[str, Path]) -> set[frozenset[str]]:
    """Return groups of modules that import each other directly or indirectly."""
    place = {name: number for number, name in enumerate(modules)}
    imports = dok_array((len(place), len(place)), dtype=bool)
    for name, others in imports_of(modules).items():
        for other in others:
            imports[place[name], place[other]] = True
    _, rings = connected_components(imports.tocsr(), connection="strong")
    members: dict[int, set[str]] = {}
    for name, ring in zip(place, rings, strict=True):
        members.setdefault(ring, set()).add(name)
    return {frozenset(ring) for ring in members.values() if len(ring) > 1}
