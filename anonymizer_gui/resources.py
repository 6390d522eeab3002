"""Finds the files shipped beside the code: icons, fonts, examples."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=1)
def resources_path() -> Path:
    """The `resources` folder, beside this package in a clone and in an installed wheel alike."""
    return Path(__file__).resolve().parent.parent / "resources"
