"""The folder of files that come with the code: icons, fonts, languages, help, examples."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=1)
def resources_path() -> Path:
    """Return the folder `resources`: next to this package in a clone, inside it when installed."""
    here = Path(__file__).resolve().parent
    inside = here / "resources"
    return inside if inside.is_dir() else here.parent / "resources"
