"""Prints the size of the program in the numbers that limit its growth.

    .venv/bin/python -m tests.sizes

Lines are those of files; lines of code contain more than a comment or a docstring.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from tests.imports import imports_of, product_modules, rings_among

SHORT_FILE, LONG_FUNCTION = 110, 60  # lines
SESSION = "anonymizer_gui.session.session"

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DOCUMENTED = (ast.Module, ast.ClassDef, *_FUNCTIONS)
_SPACE = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def sizes() -> dict[str, str]:
    """Return the numbers by their names, as printed."""
    modules = product_modules()
    sources = {name: path.read_text("utf-8") for name, path in modules.items()}
    lines = {name: source.count("\n") for name, source in sources.items()}
    trees = {name: ast.parse(source) for name, source in sources.items()}
    alone = [name for name in with_one_neighbour(modules) if lines[name] < SHORT_FILE]
    kinds: Counter[str] = Counter()
    for name, source in sources.items():
        kinds += kinds_of_lines(source, trees[name])
    lengths = [length for tree in trees.values() for length in lengths_of_functions(tree)]
    return {
        "product lines": f"{sum(lines.values()):,}",
        "product files": f"{len(modules):,}",
        "pairs or rings of files that import each other": f"{len(rings_among(modules)):,}",
        "lines of Session": f"{lines[SESSION]:,}",
        "signals of Session": f"{n_signals(trees[SESSION]):,}",
        f"files below {SHORT_FILE} lines that only one neighbour imports": f"{len(alone):,}",
        "lines in those files": f"{sum(lines[name] for name in alone):,}",
        f"functions of more than {LONG_FUNCTION} lines": f"{sum(n > LONG_FUNCTION for n in lengths):,}",
        "lines of code": f"{kinds['code']:,}",
        "lines of docstrings per line of code": f"{kinds['docstring'] / kinds['code']:.3f}",
        "lines with a comment per line of code": f"{kinds['comment'] / kinds['code']:.3f}",
    }


def with_one_neighbour(modules: Mapping[str, Path]) -> list[str]:
    """Return modules imported by only one other module, in the same folder."""
    users: dict[str, list[str]] = {}
    for name, others in imports_of(modules).items():
        for other in others:
            users.setdefault(other, []).append(name)
    return [
        name
        for name, found in users.items()
        if len(found) == 1 and modules[found[0]].parent == modules[name].parent
    ]


def kinds_of_lines(source: str, tree: ast.Module) -> Counter[str]:
    """Return how many lines are code, are docstrings, or have a comment, alone or after code."""
    docstring: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            docstring |= _lines_of(node.body[0])
    code: set[int] = set()
    comment: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            comment.add(token.start[0])
        elif token.type not in _SPACE:
            code |= set(range(token.start[0], token.end[0] + 1))
    return Counter(code=len(code - docstring), docstring=len(docstring), comment=len(comment))


def lengths_of_functions(tree: ast.Module) -> list[int]:
    """Return the lines of each function, from its `def` to its end."""
    return [len(_lines_of(node)) for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)]


def n_signals(tree: ast.Module) -> int:
    """Return the number of class attributes created by `Signal`."""
    made = [node.value for node in ast.walk(tree) if isinstance(node, ast.Assign | ast.AnnAssign)]
    return sum(isinstance(call, ast.Call) and ast.unparse(call.func) == "Signal" for call in made)


def _lines_of(node: ast.stmt) -> set[int]:
    return set(range(node.lineno, (node.end_lineno or node.lineno) + 1))


def main() -> None:
    """Print the numbers."""
    found = sizes()
    width = max(map(len, found))
    sys.stdout.writelines(f"{what:<{width}}  {figure:>8}\n" for what, figure in found.items())


if __name__ == "__main__":
    main()
