"""Where the machine code of kernels is kept, told without importing numba."""

from __future__ import annotations

import hashlib
import shutil
import time
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import platformdirs

DAYS_KEPT = 30
_MARK = "complete"


@cache
def folder() -> Path:
    """A folder named by the sources of all kernels and the compiler's version.

    Numba notices a change of a kernel's own file only, not of the kernels it calls, and would go on
    with machine code of the old ones.
    """
    try:
        compiler = version("numba")
    except PackageNotFoundError:
        compiler = "none"
    digest = hashlib.sha256(compiler.encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    base = Path(platformdirs.user_cache_path("anonymizer", appauthor=False))
    return base / f"kernels-{digest.hexdigest()[:16]}"


def is_complete() -> bool:
    """Whether an earlier run compiled all kernels, so that loading them is a matter of a moment."""
    return (folder() / _MARK).is_file()


def mark_complete() -> None:
    """Note that all kernels are compiled, and drop what earlier versions left long ago.

    Where nothing can be kept, they are compiled again next time.
    """
    try:
        folder().mkdir(parents=True, exist_ok=True)
        (folder() / _MARK).touch()
        for other in folder().parent.glob("kernels-*"):
            if time.time() - other.stat().st_mtime > DAYS_KEPT * 86_400:
                shutil.rmtree(other, ignore_errors=True)
    except OSError:
        return
