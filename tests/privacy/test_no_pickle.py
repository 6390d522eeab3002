"""No input is executed: no pickle, no evaluation of text, no pandas query."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.privacy.sources import importers_of, trees

RUNS_WHAT_IT_READS = {
    *("pickle", "_pickle", "cPickle", "cloudpickle", "dill", "joblib", "marshal", "shelve", "dbm", "yaml"),
    *("jsonpickle", "multiprocessing", "concurrent.futures.ProcessPoolExecutor", "code", "codeop"),
    *("pandas.read_pickle", "pandas.eval", "numexpr", "torch"),
}
EVALUATES = {"eval", "exec", "compile", "__import__"}
EVALUATES_AS_METHOD = {"eval", "query", "read_pickle", "to_pickle", "unpickle"}


def calls(tree: ast.Module) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def named(call: ast.Call) -> tuple[str, bool]:
    """Return the name of the called function, and whether it is a method."""
    match call.func:
        case ast.Name(id=name):
            return name, False
        case ast.Attribute(attr=name):
            return name, True
    return "", False


def test_no_module_imports_a_means_to_execute_input() -> None:
    assert importers_of(RUNS_WHAT_IT_READS) == set()


# Runs the statements of an installed package one by one, as its import does.
IMPORTS = "anonymizer_gui/import_order.py"


def test_no_code_evaluates_text() -> None:
    found = [
        f"{path}, line {call.lineno}"
        for path, tree in trees().items()
        for call in calls(tree)
        for name, is_method in [named(call)]
        if name in (EVALUATES_AS_METHOD if is_method else EVALUATES) and str(path) != IMPORTS
    ]
    assert found == []


def allows(keyword: ast.keyword) -> bool:
    return not (isinstance(keyword.value, ast.Constant) and keyword.value.value is False)


def test_no_shell_is_started() -> None:
    found = [
        f"{path}, line {call.lineno}"
        for path, tree in trees().items()
        for call in calls(tree)
        if (named(call)[0] in ("system", "popen", "startfile") and ast.unparse(call.func) != "QLocale.system")
        or any(keyword.arg in ("shell", "allow_pickle") and allows(keyword) for keyword in call.keywords)
    ]
    assert found == []
