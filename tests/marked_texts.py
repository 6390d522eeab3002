"""Literals of the code that look like texts for a user but are not marked for the catalogue."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

MARKS = {"_", "N_", "lazy", "ngettext", "pgettext", "npgettext", "tr"}
# Errors for programmers, object names, and calls whose texts are not sentences for a user.
EXEMPT = {
    *("ValueError", "TypeError", "RuntimeError", "AssertionError", "NotImplementedError", "InvariantError"),
    *(
        "KeyError",
        "OSError",
        "ImportError",
        "LookupError",
        "TypeVar",
        "NewType",
        "cast",
        "getattr",
        "compile",
    ),
    *(
        "compile",
        "setObjectName",
        "setProperty",
        "named",
        "QKeySequence",
        "setStyleSheet",
        "execute",
        "split",
    ),
    *("start", "warning", "debug", "info", "translate", "setFamilies", "QFont", "add_argument", "ContextVar"),
    *("setApplicationName", "ArgumentParser", "ArgumentTypeError", "write", "sub", "match", "search"),
}
# Commands and contract tests stay English; values of other libraries keep the terms of the library.
ENGLISH = (
    "engine/cli",
    "engine/compat",
    "engine/testing",
    "anonymizer_gui/arguments.py",
    "anonymizer_gui/app.py",
    "anonymizer_gui/__main__.py",  # before a language is known
)
_SENTENCE = re.compile(r"[A-Za-z]{2,}[,;:]? [a-zA-Z]{2,}.*[a-z]{2,}[.!?…]$")


def unmarked(root: Path, package: str) -> Iterator[str]:
    """Return places of unmarked sentences as `file:line: text`."""
    for path in sorted((root / package).rglob("*.py")):
        name = path.relative_to(root).as_posix()
        if not name.startswith(ENGLISH):
            for line, text in _texts(ast.parse(path.read_text(encoding="utf-8"))):
                yield f"{name}:{line}: {text[:80]}"


def _texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue  # a docstring
        if isinstance(node, ast.Assert | ast.Compare):
            continue
        if isinstance(node, ast.Call) and _called(node.func) in MARKS | EXEMPT:
            continue
        text = _text_of(node)
        if text is None:
            yield from _texts(node)
        elif _SENTENCE.search(text):
            assert isinstance(node, ast.expr)
            yield node.lineno, text


def _text_of(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return None


def _called(function: ast.expr) -> str:
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) else ""
