"""Counts how often each mechanism of the program was built: one of each is wanted.

`tests/ceilings.toml` holds the most that each count may be, and `python -m tests.sizes` prints them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, permutations
from pathlib import Path

from tests.imports import ROOT, imports_of, product_modules

Trees = Mapping[str, Sequence[ast.AST]]  # every node of each module
COUNTS: dict[str, Callable[[Trees], int]] = {}
_RECORDS = re.compile(r"is_(stored|remote|cut)")
_RECORDS_HOME = "engine.records."


def counts(trees: Trees) -> dict[str, int]:
    """Return every count by its name; `trees` are the nodes of the modules by their dotted names."""
    return {name: count(trees) for name, count in COUNTS.items()}


def counted(name: str) -> Callable[[Callable[[Trees], int]], object]:
    """Register a count under the name that the ceilings use."""
    return lambda count: COUNTS.setdefault(name, count)


def methods_named(name: str, trees: Trees) -> int:
    """Return how many functions or methods have this name."""
    return sum(isinstance(node, ast.FunctionDef) and node.name == name for node in nodes(trees))


def classes_based_on(pattern: str, trees: Trees) -> int:
    """Return how many classes name a base that matches the pattern."""
    return sum(
        isinstance(node, ast.ClassDef)
        and any(re.fullmatch(pattern, ast.unparse(base).rpartition(".")[2]) for base in node.bases)
        for node in nodes(trees)
    )


def nodes(trees: Trees) -> Iterator[ast.AST]:
    """Return every node of every module."""
    return chain.from_iterable(trees.values())


@counted("paintEvent methods")
def _painted(trees: Trees) -> int:
    return methods_named("paintEvent", trees)


@counted("resizeEvent methods")
def _resized(trees: Trees) -> int:
    return methods_named("resizeEvent", trees)


@counted("connections to theme_changed")
def _themed(trees: Trees) -> int:
    return sum(
        isinstance(node, ast.Call) and ast.unparse(node.func).endswith("theme_changed.connect")
        for node in nodes(trees)
    )


@counted("table models")
def _table_models(trees: Trees) -> int:
    return classes_based_on(r"QAbstract(Table|List|Item)Model", trees)


@counted("second report sections")
def _second_sections(trees: Trees) -> int:
    return methods_named("of_file", trees)


@counted("files that word the highest risk")
def _highest_risk(trees: Trees) -> int:
    return sum(
        any(
            isinstance(node, ast.Constant) and node.value in {"Highest risk", "highest risk"} for node in tree
        )
        for tree in trees.values()
    )


@counted("verifiers")
def _verifiers(trees: Trees) -> int:
    """Return the classes that count the classes of a written release, of any place and order."""
    return sum(
        isinstance(node, ast.ClassDef)
        and not any(ast.unparse(base) == "Protocol" for base in node.bases)
        and (node.name in {"Judge", "ReleaseVerifier"} or node.name.endswith("Counter"))
        for name, tree in trees.items()
        if name.startswith("engine.verification")
        for node in tree
    )


@counted("names that ask where records are")
def _places_of_records(trees: Trees) -> int:
    return sum(
        _RECORDS.fullmatch(getattr(node, "attr", getattr(node, "id", getattr(node, "name", ""))) or "")
        is not None
        for name, tree in trees.items()
        if not name.startswith(_RECORDS_HOME)
        for node in tree
    )


@counted("window dataclasses without a method")
def _view_dataclasses(trees: Trees) -> int:
    return sum(
        isinstance(node, ast.ClassDef)
        and any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list)
        and not any(isinstance(part, ast.FunctionDef) for part in node.body)
        for name, tree in trees.items()
        if name.startswith("anonymizer_gui")
        for node in tree
    )


@counted("files of the risk, utility and given table pages")
def _page_files(trees: Trees) -> int:
    pages = tuple(f"anonymizer_gui.perspectives.{page}" for page in ("risk", "utility", "given_table"))
    return sum(name.startswith(pages) for name in trees)


@counted("files directly in engine/verification")
def _verification_files(_: Trees) -> int:
    return len(list((ROOT / "engine/verification").glob("*.py")))


@counted("pairs of folders that import each other")
def _mutual_folders(_: Trees) -> int:
    modules = product_modules()
    folders: dict[Path, set[Path]] = {}
    for name, others in imports_of(modules).items():
        folder = modules[name].parent
        folders.setdefault(folder, set()).update(modules[other].parent for other in others)
    return sum(
        first < second and second in folders[first] and first in folders.get(second, ())
        for first, second in permutations(folders, 2)
    )
