"""The folder of compiled kernels, found without importing numba."""

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
PLACE = "ANONYMIZER_CACHE_DIR"  # environment variable with a folder other than the user's default
_MARK = ".complete"


@cache
def folder() -> Path:
    """Return a folder named by the sources of all kernels and the versions of compiler and Python.

    Numba detects changes of a kernel's own file only, not of the kernels it calls, and would continue with
    outdated machine code. Some kernels are compiled from the interpreted ones. Where the sources are and when
    they were written makes no difference, so a second clone or a reinstallation finds what is compiled; `jit`
    makes numba compare nothing else either. Numba itself separates processors within the folder.
    """
    try:
        compiler = version("numba")
    except PackageNotFoundError:
        compiler = "none"
    digest = hashlib.sha256(f"{compiler} {sys.implementation.cache_tag} {platform.machine()}".encode())
    kernels = Path(__file__).parents[1]
    for source in sorted(kernels.rglob("*.py")):
        digest.update(source.relative_to(kernels).as_posix().encode())
        digest.update(source.read_bytes())
    return _place() / f"kernels-{digest.hexdigest()[:16]}"


def _place() -> Path:
    """Return the user's cache folder, or one for this run if that is not writable.

    Numba refuses to compile without a writable folder. No one else may write to it, since numba runs what it
    loads from it.
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


def is_complete(name: str) -> bool:
    """Return whether an earlier run compiled all kernels of a module, so that loading them takes a moment."""
    return (folder() / f"{name}{_MARK}").is_file()


def mark_complete(name: str) -> None:
    """Note that all kernels of a module are compiled and in use, and remove folders unused for long.

    If nothing can be stored, the next run compiles them again.
    """
    try:
        folder().mkdir(parents=True, exist_ok=True)
        (folder() / f"{name}{_MARK}").touch()
        os.utime(folder())  # the time of a folder shows new files only, not use
        for other in folder().parent.glob("kernels-*"):
            if time.time() - other.stat().st_mtime > DAYS_KEPT * 86_400:
                shutil.rmtree(other, ignore_errors=True)
    except OSError:
        return
