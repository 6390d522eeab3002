"""Files do not import each other in rings, including imports for types."""

from __future__ import annotations

from pathlib import Path

from tests.imports import modules_of, product_modules, rings_among


def test_no_files_import_each_other() -> None:
    found = [sorted(ring) for ring in rings_among(product_modules())]
    assert not found, f"These files import each other: {found}."


def test_a_ring_is_detected_through_packages_functions_and_imports_for_types(tmp_path: Path) -> None:
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
