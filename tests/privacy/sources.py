"""Syntax trees of the program's sources, parsed once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@cache
def trees() -> dict[str, ast.Module]:
    """Return the tree of every module, by its path from the top."""
    files = [
        path for package in ("engine", "anonymizer_gui") for path in sorted((ROOT / package).rglob("*.py"))
    ]
    return {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in files}


def imports_of(tree: ast.Module) -> Iterator[str]:
    """Return every module imported anywhere, and the names imported from it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def importers_of(modules: set[str]) -> set[str]:
    """Return the files that import one of some modules or a part of it."""
    return {
        f"{path}: {name}"
        for path, tree in trees().items()
        for name in imports_of(tree)
        if any(name == module or name.startswith(f"{module}.") for module in modules)
    }
