"""The folder of machine code: one for each version of the kernels, and the removal of old ones."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import numba
import pytest

from engine.kernels.compiled import cache, jit
from engine.kernels.compiled.subtree import walk_subtree
from tests.conftest import ROOT

KERNEL = """
import numpy as np
from engine.kernels.compiled.jit import compiled

@compiled
def doubled(values):
    for i in range(len(values)):
        values[i] *= 2

values = np.arange(3)
doubled(values)
print(values.tolist())
"""


LOADED = """
import engine
import numpy as np
from engine.kernels.compiled.rollup import lowest_bit

lowest_bit(np.uint64(6))
stats = lowest_bit.stats
print(engine.__file__)
print(len(stats.cache_hits), "loaded,", len(stats.cache_misses), "compiled")
"""


def name() -> str:
    cache.folder.cache_clear()
    return cache.folder().name


def test_the_folder_changes_with_any_source_the_compiler_and_python_but_not_with_place_and_time(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = tmp_path / "kernels" / "compiled"
    sources.mkdir(parents=True)
    (sources / "cache.py").write_text("", encoding="utf-8")
    (sources / "kernel.py").write_text("one", encoding="utf-8")
    monkeypatch.setattr(cache, "__file__", str(sources / "cache.py"))
    names = [name()]
    assert name() == names[0]
    (sources / "kernel.py").write_text("two", encoding="utf-8")
    names.append(name())
    (sources / "called.py").write_text("three", encoding="utf-8")
    names.append(name())
    os.utime(sources / "called.py", (0, 0))
    assert name() == names[-1]
    sources.parent.rename(tmp_path / "elsewhere")
    monkeypatch.setattr(cache, "__file__", str(tmp_path / "elsewhere" / "compiled" / "cache.py"))
    assert name() == names[-1]
    monkeypatch.setattr(cache, "version", lambda _: "1000.0")
    names.append(name())
    monkeypatch.setattr(sys.implementation, "cache_tag", "another")
    names.append(name())
    assert len(set(names)) == len(names)
    assert all(found.startswith("kernels-") for found in names)


def test_without_a_compiler_a_folder_can_be_named(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_compiler = name()

    def missing(package: str) -> str:
        raise PackageNotFoundError(package)

    monkeypatch.setattr(cache, "version", missing)
    assert name() != with_compiler
    assert not cache.is_complete("roots")


def test_kernels_are_complete_once_that_is_noted(place: Path) -> None:
    assert not cache.is_complete("roots")
    assert not cache.folder().exists()
    cache.mark_complete("roots")
    assert cache.is_complete("roots")
    assert [path.parent for path in place.rglob("*") if path.is_file()] == [cache.folder()]


def test_folders_unused_for_long_are_removed_and_those_in_use_are_not(place: Path) -> None:
    ages = {"kernels-old": cache.DAYS_KEPT + 1, "kernels-recent": cache.DAYS_KEPT - 1, "other": 1000}
    cache.mark_complete("roots")
    for other, days in {**ages, cache.folder().name: 1000}.items():
        (place / other / "inside").mkdir(parents=True, exist_ok=True)
        os.utime(place / other, times=(time.time() - 86_400 * days,) * 2)
    cache.mark_complete("roots")
    kept = {path.name for path in place.iterdir()}
    assert kept == {"kernels-recent", "other", cache.folder().name}
    assert cache.is_complete("roots")


def test_a_mark_that_cannot_be_written_is_ignored(place: Path) -> None:
    cache.folder().write_text("in the way", encoding="utf-8")
    cache.mark_complete("roots")
    assert not cache.is_complete("roots")


def test_machine_code_is_in_the_folder_and_is_loaded_by_the_next_run(place: Path, tmp_path: Path) -> None:
    script = tmp_path / "kernel.py"
    script.write_text(KERNEL, encoding="utf-8")

    def run() -> dict[Path, int]:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        ended = subprocess.run(
            [sys.executable, str(script)], env=environment, check=True, capture_output=True, text=True
        )
        assert ended.stdout.strip() == "[0, 2, 4]"
        return {path: path.stat().st_mtime_ns for path in cache.folder().rglob("*.nb*")}

    first = run()
    assert {path.suffix for path in first} == {".nbi", ".nbc"}
    assert run() == first


def test_kernels_of_another_place_and_time_are_loaded_and_not_compiled_again(
    place: Path, tmp_path: Path
) -> None:
    """A clone that is made again finds the machine code of the first one."""
    found = []
    for n, clone in enumerate((tmp_path / "first", tmp_path / "second")):
        shutil.copytree(ROOT / "engine", clone / "engine", ignore=shutil.ignore_patterns("__pycache__"))
        for source in (clone / "engine" / "kernels").rglob("*.py"):
            os.utime(source, (n, n))
        ended = subprocess.run(
            [sys.executable, "-c", LOADED], cwd=clone, check=True, capture_output=True, text=True
        )
        origin, counts = ended.stdout.splitlines()
        assert Path(origin) == clone / "engine" / "__init__.py"
        found.append(counts)
    assert found == ["0 loaded, 1 compiled", "1 loaded, 0 compiled"]


def test_kernels_let_other_threads_run_and_are_kept() -> None:
    assert str(jit.folder()) == numba.config.CACHE_DIR
    options = walk_subtree.targetoptions  # type: ignore[attr-defined]
    assert options["nogil"]
    assert not options["boundscheck"]
    assert isinstance(walk_subtree._cache, numba.core.caching.FunctionCache)  # type: ignore[attr-defined]
