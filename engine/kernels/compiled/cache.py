"""Where the machine code of kernels is kept, told without importing numba."""

from __future__ import annotations

import atexit
import hashlib
import os
import platform
import shutil
import sys
import tempfile
import time
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import platformdirs

DAYS_KEPT = 30
PLACE = "ANONYMIZER_CACHE_DIR"  # environment variable; a folder other than the person's usual one
_MARK = "complete"


@cache
def folder() -> Path:
    """A folder named by the sources of all kernels, the compiler's version and Python's.

    Numba notices a change of a kernel's own file only, not of the kernels it calls, and would go on
    with machine code of the old ones.
    """
    try:
        compiler = version("numba")
    except PackageNotFoundError:
        compiler = "none"
    digest = hashlib.sha256(f"{compiler} {sys.implementation.cache_tag} {platform.machine()}".encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    return _place() / f"kernels-{digest.hexdigest()[:16]}"


def _place() -> Path:
    """The person's folder for what can be made again; one for this run alone where nothing can be kept.

    Numba refuses to compile what it cannot keep. The folder must be nobody else's: what numba loads
    from it is run.
    """
    base = Path(os.environ.get(PLACE) or platformdirs.user_cache_path("anonymizer", appauthor=False))
    try:
        base.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=base):
            return base
    except OSError:
        made = tempfile.mkdtemp(prefix="anonymizer-")
        atexit.register(shutil.rmtree, made, ignore_errors=True)
        return Path(made)


def is_complete() -> bool:
    """Whether an earlier run compiled all kernels, so that loading them is a matter of a moment."""
    return (folder() / _MARK).is_file()


def mark_complete() -> None:
    """Note that all kernels are compiled and in use, and drop what nobody used for long.

    Where nothing can be kept, they are compiled again next time.
    """
    try:
        folder().mkdir(parents=True, exist_ok=True)
        (folder() / _MARK).touch()
        os.utime(folder())  # the time of a folder tells of new files only, not of use
        for other in folder().parent.glob("kernels-*"):
            if time.time() - other.stat().st_mtime > DAYS_KEPT * 86_400:
                shutil.rmtree(other, ignore_errors=True)
    except OSError:
        return
