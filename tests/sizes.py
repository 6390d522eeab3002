"""Prints the size of the program in the numbers that limit its growth, and compares them with their ceilings.

    .venv/bin/python -m tests.sizes
    .venv/bin/python -m tests.sizes --check
    .venv/bin/python -m tests.sizes --lower

`--check` fails above a ceiling of `tests/ceilings.toml`; `--lower` lowers each ceiling to what was reached.
Lines are those of files; lines of code contain more than a comment or a docstring. The program is the engine,
the window, their plug-ins, and what they would need if it stood in `resources/`: SQL, templates.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import tomli_w

from tests.imports import ROOT, imports_of, modules_of, product_modules, rings_among
from tests.mechanisms import counts

CEILINGS = Path(__file__).with_name("ceilings.toml")
# Folders and files of `resources/` that hold no part of the program.
NO_PROGRAM = {"examples", "fonts", "help", "icons", "locale", "package", "site", "start.py", "statements"}
SHORT_FILE, LONG_FUNCTION = 110, 60  # lines
SESSION = "anonymizer_gui.session.session"

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DOCUMENTED = (ast.Module, ast.ClassDef, *_FUNCTIONS)
_SPACE = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def sizes() -> dict[str, float]:
    """Return the numbers by their names, those of the mechanisms included."""
    modules = product_modules()
    sources = {name: path.read_text("utf-8") for name, path in modules.items()}
    lines = {name: source.count("\n") for name, source in sources.items()}
    trees = {name: tuple(ast.walk(ast.parse(source))) for name, source in sources.items()}
    others = [path.read_text("utf-8").count("\n") for path in other_files(modules.values())]
    tests = [path.read_text("utf-8").count("\n") for path in modules_of(ROOT / "tests").values()]
    alone = [name for name in with_one_neighbour(modules) if lines[name] < SHORT_FILE]
    kinds: Counter[str] = Counter()
    for name, source in sources.items():
        kinds += kinds_of_lines(source, trees[name])
    lengths = [length for tree in trees.values() for length in lengths_of_functions(tree)]
    return {
        "product lines": sum(lines.values()) + sum(others),
        "product files": len(modules) + len(others),
        "test lines": sum(tests),
        "pairs or rings of files that import each other": len(rings_among(modules)),
        "lines of Session": lines[SESSION],
        "signals of Session": n_signals(trees[SESSION]),
        f"files below {SHORT_FILE} lines that only one neighbour imports": len(alone),
        "lines in those files": sum(lines[name] for name in alone),
        f"functions longer than {LONG_FUNCTION} lines": sum(n > LONG_FUNCTION for n in lengths),
        "lines of code": kinds["code"],
        "lines of docstrings per line of code": round(kinds["docstring"] / kinds["code"], 3),
        "lines with a comment per line of code": round(kinds["comment"] / kinds["code"], 3),
        **counts(trees),
    }


def other_files(modules: Collection[Path]) -> list[Path]:
    """Return files of the program that are no modules of its packages, as statements and templates are."""
    moved = [
        path
        for path in (ROOT / "resources").rglob("*")
        if path.relative_to(ROOT / "resources").parts[0] not in NO_PROGRAM and path not in modules
    ]
    beside = [
        path
        for package in ("engine", "anonymizer_gui")
        for path in (ROOT / package).rglob("*")
        if path.suffix != ".py"
    ]
    compiled = "__pycache__"
    return [path for path in (*moved, *beside) if path.is_file() and compiled not in path.parts]


def ceilings() -> dict[str, float]:
    """Return the most that each limited number may be."""
    return tomllib.loads(CEILINGS.read_text("utf-8"))["most"]


def above_ceilings(found: Mapping[str, float]) -> list[str]:
    """Return a sentence for each number above its ceiling."""
    return [
        f"{what}: {found[what]:,}, and at most {most:,} are allowed"
        for what, most in ceilings().items()
        if found[what] > most
    ]


def below_least(found: Mapping[str, float]) -> list[str]:
    """Return a sentence for each number below the least that is wanted."""
    return [
        f"{what}: {found[what]:,}, and at least {least:,} are wanted"
        for what, least in tomllib.loads(CEILINGS.read_text("utf-8"))["least"].items()
        if found[what] < least
    ]


def lower_ceilings(found: Mapping[str, float]) -> None:
    """Lower each ceiling to what was reached; the head of the file stays."""
    head, _, _ = CEILINGS.read_text("utf-8").partition("[")
    limits = tomllib.loads(CEILINGS.read_text("utf-8"))
    limits["most"] = {what: min(most, found[what]) for what, most in limits["most"].items()}
    CEILINGS.write_text(head + tomli_w.dumps(limits), "utf-8")


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


def kinds_of_lines(source: str, tree: Sequence[ast.AST]) -> Counter[str]:
    """Return how many lines are code, are docstrings, or have a comment, alone or after code."""
    docstring: set[int] = set()
    for node in tree:
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


def lengths_of_functions(tree: Sequence[ast.AST]) -> list[int]:
    """Return the lines of each function, from its `def` to its end."""
    return [len(_lines_of(node)) for node in tree if isinstance(node, _FUNCTIONS)]


def n_signals(tree: Sequence[ast.AST]) -> int:
    """Return the number of class attributes created by `Signal`."""
    made = [node.value for node in tree if isinstance(node, ast.Assign | ast.AnnAssign)]
    return sum(isinstance(call, ast.Call) and ast.unparse(call.func) == "Signal" for call in made)


def _lines_of(node: ast.stmt) -> set[int]:
    return set(range(node.lineno, (node.end_lineno or node.lineno) + 1))


def main() -> int:
    """Print the numbers; return 1 if one is above its ceiling and `--check` asks for it."""
    found = sizes()
    if "--lower" in sys.argv:
        lower_ceilings(found)
    width, limits = max(map(len, found)), ceilings()
    sys.stdout.writelines(
        f"{what:<{width}}  {figure:>9,}{f'  at most {limits[what]:,}' if what in limits else ''}\n"
        for what, figure in found.items()
    )
    wrong = [*above_ceilings(found), *below_least(found)]
    sys.stdout.writelines(f"Not allowed. {sentence}.\n" for sentence in wrong)
    return int(bool(wrong) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
