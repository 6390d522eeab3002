"""Files do not import each other in rings, imports for types only included; the known rings may only go."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from scipy.sparse import dok_array
from scipy.sparse.csgraph import connected_components

ROOT = Path(__file__).resolve().parents[2]

# Each is to be taken apart; then it leaves this list. None is added, and none gets larger.
_SCORING = "engine.scoring."
_ICICLE = "anonymizer_gui.perspectives.configure.hierarchy.icicle_"
KNOWN = {
    frozenset({"engine.table.candidates", "engine.table.reading"}),
    frozenset({"engine.table.databases", "engine.table.server_tables"}),
    frozenset({"engine.privacy.base", "engine.privacy.table_wide"}),
    frozenset(f"engine.hierarchies.builders.{name}" for name in ("banding", "cut_moves", "intervals")),
    frozenset(
        _SCORING + name
        for name in (
            "evaluation",
            "joint_figures",
            "judged",
            "judged_sets",
            "kept_nodes",
            "kept_persons",
            "level_sums",
            "lookups",
            "lookups_by_cell",
            "lookups_by_node",
            "lookups_by_size",
            "lookups_compiled",
            "rolled",
            "scored",
            "size_tables",
            "suppressed",
        )
    ),
    frozenset(f"anonymizer_gui.perspectives.configure.{name}" for name in ("data_table", "frozen_columns")),
    frozenset(_ICICLE + name for name in ("keys", "mouse", "view")),
    frozenset(
        f"anonymizer_gui.perspectives.explore.listing.{name}" for name in ("column_menu", "list_panel")
    ),
}


def modules_of(*packages: Path) -> dict[str, Path]:
    """The modules of packages by their dotted names."""
    found = {}
    for package in packages:
        for path in package.rglob("*.py"):
            parts = path.relative_to(package.parent).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def statements(block: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All statements of a block and within them; imports stand in no expression, which are most of a file."""
    for statement in block:
        yield statement
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(statement, name, ())
            yield from statements(inner)


def imported(source: str, known: Mapping[str, Path]) -> Iterator[str]:
    """The known modules that a source imports, wherever in it that stands."""
    for statement in statements(ast.parse(source).body):
        if isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names if alias.name in known)
        elif isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                inner = f"{statement.module}.{alias.name}"
                named = inner if inner in known else str(statement.module)
                if named in known:
                    yield named


def rings_among(modules: Mapping[str, Path]) -> set[frozenset[str]]:
    """Modules that reach each other by imports, where they are several."""
    names = list(modules)
    imports = dok_array((len(names), len(names)), dtype=bool)
    for number, path in enumerate(modules.values()):
        for other in imported(path.read_text("utf-8"), modules):
            imports[number, names.index(other)] = True
    _, rings = connected_components(imports.tocsr(), connection="strong")
    members: dict[int, set[str]] = {}
    for name, ring in zip(names, rings, strict=True):
        members.setdefault(ring, set()).add(name)
    return {frozenset(ring) for ring in members.values() if len(ring) > 1}


def test_no_file_comes_into_a_ring_of_imports_and_a_ring_that_is_gone_leaves_the_list() -> None:
    found = rings_among(modules_of(ROOT / "engine", ROOT / "anonymizer_gui"))
    new, gone = ([sorted(ring) for ring in rings] for rings in (found - KNOWN, KNOWN - found))
    assert not new + gone, f"These files import each other: {new}. To be taken from the list: {gone}."


def test_a_ring_is_seen_through_packages_functions_and_imports_for_types(tmp_path: Path) -> None:
    sources = {
        "__init__.py": "from p.c import C",
        "a.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p.b import B\n",
        "b.py": "def f():\n    from p import a\n",
        "c.py": "import p.d\n",
        "d.py": "import os\nfrom p.a import A\n",
        "e/__init__.py": "from p.e.f import F\n",
        "e/f.py": "import p.e\n",
    }
    (tmp_path / "p" / "e").mkdir(parents=True)
    for name, text in sources.items():
        (tmp_path / "p" / name).write_text(text, encoding="utf-8")
    assert rings_among(modules_of(tmp_path / "p")) == {
        frozenset({"p.a", "p.b"}),
        frozenset({"p.e", "p.e.f"}),
    }
