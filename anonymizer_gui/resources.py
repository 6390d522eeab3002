"""Location of the files shipped with the code: icons, fonts, examples."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=1)
def resources_path() -> Path:
    """Return the `resources` folder, next to this package both in a clone and in an installed wheel."""
    return Path(__file__).resolve().parent.parent / "resources"
