"""Changes the program in one place at a time and counts how many changes the tests detect.

    .venv/bin/python -m pip install coverage
    .venv/bin/python -m tests.mutation --sample 500 engine/privacy engine/recoding engine/verification

A mutant is one changed operator, constant or condition, of Python or of SQL in its texts. Its tests are
those that run its line, fastest first, and it is killed when one of them fails or time runs out. Files on
disk do not change: the interpreter of a forked process gets the changed source, so this requires a system
with `fork`.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.machinery
import io
import json
import os
import random
import re
import resource
import signal
import sys
import tempfile
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import CodeType

import coverage
import pytest

ROOT = Path(__file__).resolve().parents[1]
TESTS = ("tests/engine", "tests/contracts")  # run in this process, unlike journeys by the command line
PRELOADED = ("numpy", "pandas", "scipy.sparse.csgraph", "numba")
CONTROLS = 20  # places tested without a change, which must not be detected
MOST_TESTS = 60  # of one mutant
MOST_SECONDS = 90  # of processor time, for the tests of one mutant

_COMPARED = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip
_COMPUTED = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "*",
    ast.BitAnd: "|", ast.BitOr: "&",
}  # fmt: skip


_STATEMENT = re.compile(
    r"\b(?:SELECT|FROM|WHERE|JOIN|GROUP BY|HAVING|CASE|DISTINCT|IS NULL|UNION)\b"
    r"|\b(?:coalesce|count|sum|min)\("
)
_SQL = tuple(
    (re.compile(pattern), text)
    for pattern, text in {
        r"\bIS DISTINCT FROM\b": "IS NOT DISTINCT FROM",
        r"\bIS NOT DISTINCT FROM\b": "IS DISTINCT FROM",
        r"\bIS NULL\b": "IS NOT NULL",
        r"\bIS NOT NULL\b": "IS NULL",
        r"(?<=SELECT )DISTINCT |(?<=count\()DISTINCT ": "",
        r"\bANTI JOIN\b": "SEMI JOIN",
        r"\bSEMI JOIN\b": "ANTI JOIN",
        r"\bLEFT JOIN\b": "JOIN",
        r"(?<!IS )\bNOT (?!IN\b)": "",
        r"(?<!PARTITION) AND ": " OR ",
        r" OR ": " AND ",
        r"\bcount\(\*\)": "(count(*) + 1)",
        r"\b(?:sum|min)(?=\()": "max",
        r"\bmax(?=\()": "min",
        r"\bgreatest(?=\()": "least",
        r"\bcoalesce(?=\()": "nullif",
        r"(?<=[\w)}]) = (?=[\w{?])": " <> ",
        r"(?<=[\w)}]) > (?=[\w{?])": " >= ",
        r"(?<=[\w)}]) [-] (?=[\w{])": " + ",
        r"(?<=[\w)}]) [+] (?=[\w{])": " - ",
        r"\btrue\b": "false",
        r"\bfalse\b": "true",
    }.items()
)


Place = tuple[int, int]  # line and byte


@dataclass(frozen=True, slots=True)
class Mutant:
    """Place in a file and its replacement text."""

    path: Path
    line: int
    start: int
    end: int
    text: str

    def source(self) -> str:
        """Return the complete file with the change; places count bytes, as `ast` does."""
        lines = self.path.read_bytes().splitlines(keepends=True)
        before = sum(map(len, lines[: self.line - 1]))
        whole = b"".join(lines)
        return (whole[: before + self.start] + self.text.encode() + whole[before + self.end :]).decode()

    def __str__(self) -> str:
        line = self.path.read_text("utf-8").splitlines()[self.line - 1]
        changed = self.source().splitlines()[self.line - 1]
        return f"{self.path.relative_to(ROOT)}:{self.line}\n  - {line.strip()}\n  + {changed.strip()}"


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Return every mutant of a file, types and documentation excluded."""
    source = path.read_text("utf-8")
    lines = source.encode().splitlines()
    for node in _executed(ast.parse(source)):
        for first, last, text in _changes(node):
            if first[0] == last[0]:  # a change must not span lines
                place = _between(lines[first[0] - 1], first[1], last[1], node)
                if place is not None:
                    yield Mutant(path, first[0], *place, text)
    yield from _statements(path, source)


def _statements(path: Path, source: str) -> Iterator[Mutant]:
    """Yield every mutant of statements of a database: texts with their words, documentation excluded."""
    documented = {
        line
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    kinds = {"STRING", "FSTRING_MIDDLE"}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        (line, column), (last, _unused) = token.start, token.end
        is_text = tokenize.tok_name[token.type] in kinds and line == last and line not in documented
        if not is_text or not _STATEMENT.search(token.string):
            continue
        before = token.line[:column].encode()
        for pattern, text in _SQL:
            for found in pattern.finditer(token.string):
                start, end = (len(before + token.string[:at].encode()) for at in found.span())
                yield Mutant(path, line, start, end, text)


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            text = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            typed = isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"
            if isinstance(child, ast.AST) and not text and not typed:
                yield from _executed(child)


def _changes(node: ast.AST) -> Iterator[tuple[Place, Place, str]]:
    """Return start, end and replacement of each change; an operator is between its operands."""
    if isinstance(node, ast.Compare):
        operands = [node.left, *node.comparators]
        for left, right, operator in zip(operands, operands[1:], node.ops, strict=False):
            if text := _COMPARED.get(type(operator)):
                yield _end(left), _start(right), text
    elif isinstance(node, ast.BinOp) and (text := _COMPUTED.get(type(node.op))):
        yield _end(node.left), _start(node.right), text
    elif isinstance(node, ast.BoolOp):
        text = "or" if isinstance(node.op, ast.And) else "and"
        for left, right in zip(node.values, node.values[1:], strict=False):
            yield _end(left), _start(right), text
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield _start(node), _end(node), f"({ast.unparse(node.operand)})"
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        yield _start(node.test), _end(node.test), f"not ({ast.unparse(node.test)})"
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield _start(node), _end(node), str(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield _start(node), _end(node), repr(node.value + 1)
    elif isinstance(node, ast.Return) and node.value is not None and ast.unparse(node.value) != "None":
        yield _start(node.value), _end(node.value), "None"


def _start(node: ast.expr) -> Place:
    return node.lineno, node.col_offset


def _end(node: ast.expr) -> Place:
    return node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def _between(line: bytes, first: int, last: int, node: ast.AST) -> tuple[int, int] | None:
    """Return the place of an operator between its operands; None if there are brackets too."""
    if not isinstance(node, ast.Compare | ast.BinOp | ast.BoolOp):
        return first, last
    between = line[first:last]
    operator = between.strip()
    if not operator or b"(" in operator or b")" in operator:
        return None
    start = first + between.index(operator)
    return start, start + len(operator)


class _Recorder:
    """Records for coverage which test runs, and how long each took."""

    def __init__(self, measured: coverage.Coverage) -> None:
        self.measured = measured
        self.seconds: dict[str, float] = {}

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.measured.switch_context(nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.passed:
            self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
        else:
            self.seconds.pop(report.nodeid, None)


def tests_by_line(folders: Sequence[str]) -> dict[tuple[Path, int], list[str]]:
    """Return the tests that run a line, fastest first; all run once in another process."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        with os.fdopen(writer, "w") as out:
            json.dump(_tests_by_line(folders), out)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as found:
        lines = json.load(found)
    os.waitpid(child, 0)
    return {(Path(file), line): tests for file, line, tests in lines}


def _tests_by_line(folders: Sequence[str]) -> list[tuple[str, int, list[str]]]:
    with tempfile.TemporaryDirectory() as folder:
        measured = coverage.Coverage(
            data_file=str(Path(folder, "data")),
            source=[str(ROOT / name) for name in folders],
            config_file=False,
        )
        recorder = _Recorder(measured)
        measured.start()
        result = pytest.main(["-q", "-p", "no:cacheprovider", *TESTS], plugins=[recorder])
        measured.stop()
        if result != pytest.ExitCode.OK:
            say("Some tests fail as the program is; they count for no change.")
        data = measured.get_data()
        return [
            (file, line, sorted(set(contexts) & recorder.seconds.keys(), key=recorder.seconds.__getitem__))
            for file in data.measured_files()
            for line, contexts in data.contexts_by_lineno(file).items()
        ]


def judged(mutants: Sequence[Mutant], tests: Mapping[tuple[Path, int], Sequence[str]], n: int) -> list[bool]:
    """Return which mutants their tests kill, each in its own process, `n` at a time."""
    for module in PRELOADED:
        importlib.import_module(module)  # once instead of in every process
    of_file: dict[Path, list[str]] = {}  # for lines that run when a module is imported
    for (path, _), found in tests.items():
        of_file.setdefault(path, []).extend(test for test in found[:5] if test not in of_file.get(path, ()))
    killed = [False] * len(mutants)
    running: dict[int, int] = {}
    for number, mutant in enumerate(mutants):
        chosen = tests.get((mutant.path, mutant.line)) or of_file.get(mutant.path, [])
        if not chosen:
            continue
        if len(running) == n:
            _wait_for_one(running, killed)
        child = os.fork()
        if child == 0:
            _fail_on(mutant, chosen[:MOST_TESTS])
        running[child] = number
    while running:
        _wait_for_one(running, killed)
    return killed


def _wait_for_one(running: dict[int, int], killed: list[bool]) -> None:
    child, status = os.wait()
    killed[running.pop(child)] = status != 0


def _fail_on(mutant: Mutant, tests: Sequence[str]) -> None:
    """Run tests with the changed file, and end this process with their result."""
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    signal.alarm(10 * MOST_SECONDS)  # a test that waits forever uses no processor time
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    untouched = importlib.machinery.SourceFileLoader.get_code

    def get_code(loader: importlib.machinery.SourceFileLoader, name: str) -> CodeType | None:
        if Path(loader.path) == mutant.path:
            return compile(mutant.source(), loader.path, "exec", dont_inherit=True)
        return untouched(loader, name)

    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[method-assign, assignment]
    code = 1
    try:
        code = int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *tests]))
    finally:
        os._exit(code)


def say(text: str) -> None:
    """Print a line without buffering."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> None:
    """Draw mutants, run their tests, and print the survivors and the share killed."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("folders", nargs="+", help="what is changed")
    words.add_argument("--sample", type=int, default=500, help="how many changes are drawn")
    words.add_argument("--seed", type=int, default=0)
    words.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = words.parse_args()
    os.chdir(ROOT)
    files = sorted(path for folder in given.folders for path in (ROOT / folder).rglob("*.py"))
    possible = [mutant for path in files for mutant in mutants_of(path)]
    drawn = random.Random(given.seed).sample(possible, min(given.sample, len(possible)))
    say(f"{len(possible):,} changes are possible, {len(drawn):,} are drawn.")
    tests = tests_by_line(given.folders)
    unchanged = [replace(mutant, end=mutant.start, text="") for mutant in drawn[:CONTROLS]]
    if any(judged(unchanged, tests, given.processes)):
        sys.exit("Tests that are run by themselves fail without a change; nothing can be said.")
    killed = judged(drawn, tests, given.processes)
    for mutant, is_killed in zip(drawn, killed, strict=True):
        if not is_killed:
            say(f"lives: {mutant}")
    say(f"{sum(killed):,} of {len(drawn):,} are noticed: {sum(killed) / len(drawn):.1%}")


if __name__ == "__main__":
    main()
