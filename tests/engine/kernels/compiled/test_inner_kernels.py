"""What makes kernels compile twice or for nobody: literals as arguments, and wrappers that nobody calls."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType

from engine.kernels import covering, partitions, worlds
from engine.kernels.compiled import rebuilding

ROOT = Path(__file__).resolve().parents[4]
COMPILED = ROOT / "engine" / "kernels" / "compiled"
CALLED = {"common_of", "cover", "refresh", "count_deal", "excess", "suppresses"}
INTERPRETED = (*rebuilding.MODULES, worlds, covering, partitions)


def is_kernel(node: ast.AST) -> bool:
    """Return whether a definition is compiled: it is decorated, or its arguments have no declared types."""
    if not isinstance(node, ast.FunctionDef):
        return False
    decorated = any(ast.unparse(d) == "compiled" for d in node.decorator_list)
    return decorated or {ast.unparse(a.annotation) for a in node.args.args if a.annotation} == {"Any"}


def sources() -> list[Path]:
    return [*COMPILED.glob("*.py"), *(Path(module.__file__ or "") for module in INTERPRETED)]


def kernels() -> Iterator[tuple[Path, ast.FunctionDef]]:
    for path in sources():
        for node in ast.parse(path.read_text("utf-8")).body:
            if is_kernel(node):
                assert isinstance(node, ast.FunctionDef)
                yield path, node


def begun_by_literals(kernel: ast.FunctionDef) -> set[str]:
    """Return the variables that have a written integer first and the result of a call later."""
    kinds: dict[str, set[type]] = defaultdict(set)
    for node in ast.walk(kernel):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                pairs = [(target, node.value)]
                if isinstance(target, ast.Tuple):
                    values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value] * 99
                    pairs = [*zip(target.elts, values, strict=False)]
                for name, value in pairs:
                    kinds[ast.unparse(name)].add(type(value))
    return {name for name, found in kinds.items() if found >= {ast.Constant, ast.Call}}


def test_no_call_makes_a_second_type_by_a_literal() -> None:
    """Numba takes an integer that is written in a call for a type of its own, and compiles again for it."""
    names = {node.name for _, node in kernels()}
    passed: dict[tuple[str, int], dict[bool, str]] = defaultdict(dict)
    for path, kernel in kernels():
        begun = begun_by_literals(kernel)
        for call in ast.walk(kernel):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in names:
                for place, given in enumerate(call.args):
                    where, kind = (
                        f"{path.name}:{call.lineno} {ast.unparse(call)[:60]}",
                        passed[call.func.id, place],
                    )
                    kind.setdefault(isinstance(given, ast.Constant), where)
                    if isinstance(given, ast.Name) and given.id in begun:
                        kind |= {True: where, False: where}
    twice = [both[True] for both in passed.values() if len(both) == 2]
    assert twice == []


def test_python_calls_no_kernel_without_wrappers() -> None:
    """Such a call would end the process."""
    inner: set[str] = set()
    for modules in (rebuilding.MODULES, (worlds,), (covering,), (partitions,)):
        own = [
            f
            for module in modules
            for f in vars(module).values()
            if isinstance(f, FunctionType) and {*f.__annotations__.values()} <= {"Any", "None"}
        ]
        inner |= {used for f in own for used in f.__code__.co_names} & {f.__name__ for f in own}
    inner -= CALLED
    assert len(inner) > 20
    interpreted = "|".join(Path(module.__file__ or "").stem for module in INTERPRETED)
    of_modules = re.compile(rf"\b_?(kernels?|interpreted|compiled|{interpreted})\.(\w+)")
    for path in [*(ROOT / "engine").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]:
        used = {name for _, name in of_modules.findall(path.read_text("utf-8"))}
        assert not used & inner, path
    private = {node.name for _, node in kernels() if node.name.startswith("_")}
    for path in COMPILED.glob("*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if not is_kernel(node):
                used = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
                assert not used & private, (path, getattr(node, "name", ""))
