"""Keys of all jobs that the window starts, found in its source code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import anonymizer_gui

ROOT = Path(anonymizer_gui.__file__).parent
GIVEN = {"self._key": ("open",)}  # by the creator of the part that reads a table
Function = ast.FunctionDef | ast.AsyncFunctionDef


def job_keys() -> dict[str, str]:
    """Return every key with a place that starts it; jobs without a key have their place as key."""
    found: dict[str, str] = {}
    for path in sorted(ROOT.rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for function, call in _starts(tree):
            keyword = next((k.value for k in call.keywords if k.arg == "key"), None)
            for key in [place] if keyword is None else _texts(keyword, function, tree, path):
                found.setdefault(key, place)
    return found


def _starts(tree: ast.Module) -> Iterator[tuple[Function, ast.Call]]:
    for function in ast.walk(tree):
        if isinstance(function, Function):
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("runner.start"):
                    yield function, node


def _texts(node: ast.expr, function: Function, tree: ast.Module, path: Path) -> list[str]:
    """Return the possible values of an expression."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.Tuple(elts=[first, *_]):
            return _texts(first, function, tree, path)
        case ast.JoinedStr(values=parts):
            texts = [""]
            for part in parts:
                inner = part.value if isinstance(part, ast.FormattedValue) else part
                texts = [a + b for a in texts for b in _texts(inner, function, tree, path)]
            return texts
        case ast.Attribute():
            return list(GIVEN[ast.unparse(node)])
        case ast.Name(id=name) if name in {arg.arg for arg in function.args.args}:
            return _given(name, function, path)
        case ast.Name(id=name):
            return [_constants(tree)[name]]
    raise AssertionError(f"a key that cannot be read in {path.name}: {ast.unparse(node)}")


def _given(name: str, function: Function, path: Path) -> list[str]:
    """Return the arguments for a parameter in all calls of a function in its module and folder."""
    place = [arg.arg for arg in function.args.args if arg.arg != "self"].index(name)
    beside = [path] if "_presenter" in path.name and "trial" not in path.name else []
    texts = set()
    for other in beside or path.parent.glob("*.py"):
        tree = ast.parse(other.read_text(encoding="utf-8"))
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == f"self.{function.name}":
                given = call.args[place]
                if isinstance(given, ast.Constant):
                    texts.add(str(given.value))
                elif isinstance(given, ast.Name) and given.id in (known := _constants(tree)):
                    texts.add(known[given.id])
    return sorted(texts)


def _constants(tree: ast.Module) -> dict[str, str]:
    found = {}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            target, value = node.targets[0], node.value
            pairs = [(target, value)]
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs = list(zip(target.elts, value.elts, strict=True))
            for one, other in pairs:
                if isinstance(one, ast.Name) and isinstance(other, ast.Constant):
                    found[one.id] = str(other.value)
    return found
