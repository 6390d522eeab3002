"""What comes with the code: its version, and the folder of icons, fonts, languages, help, examples."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=1)
def resources_path() -> Path:
    """Return the folder `resources`: next to this package in a clone, inside it when installed."""
    here = Path(__file__).resolve().parent
    inside = here / "resources"
    return inside if inside.is_dir() else here.parent / "resources"


def is_clone() -> bool:
    """Return whether the program runs in a clone, and not as an installed package."""
    return resources_path().parent != Path(__file__).resolve().parent


def plugins_path() -> Path:
    """Return the folder of plug-ins that can be installed from here; a standalone folder has none."""
    return resources_path() / "plugins"


NAME = "Anonymizer"
DISTRIBUTION = "lattice-anonymizer"  # on the package index, where "anonymizer" is a package of somebody else


def program_version() -> str:
    """Return the version; empty if the program is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # a third of the time of --help

    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return ""


def extra(name: str) -> str:
    """Return optional dependencies of the program as a requirement for pip."""
    return f"{DISTRIBUTION}[{name}]"


def program_name() -> str:
    """Return name and version of the program."""
    return f"{NAME} {program_version()}".strip()
