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
HEADLESS = f"{DISTRIBUTION}-headless"  # the same sources without the window and Qt
EXTRAS = {DISTRIBUTION: ("stats", "cluster"), HEADLESS: ("fast", "report", "stats", "cluster")}  # for use


def installed_version(package: str) -> str | None:
    """Return the version of an installed package; None if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # a third of the time of --help

    try:
        return version(package)
    except (PackageNotFoundError, ValueError):
        return None


def distributions() -> dict[str, str]:
    """Return the installed distributions of the program with their versions; usually it is one."""
    return {name: found for name in EXTRAS if (found := installed_version(name))}


def install_words(part: str = "") -> str:
    """Return the words to type that install a part of the program.

    Parameters
    ----------
    part : str
        An extra; a distribution without that extra always has the part. By default what both always have.
    """
    name = next(iter(distributions()), DISTRIBUTION)
    is_extra = part in EXTRAS[name]
    if not is_clone():
        return f'pip install "{name}[{part}]"' if is_extra else f"pip install {name}"
    place = f'pip install --editable "{resources_path().parent}"'
    return f"python3 resources/start.py add {part}" if is_extra else place


def words_for_the_window() -> tuple[str, str]:
    """Return the words to type that leave nothing but the distribution with a window.

    The distributions share their files: each takes those of the other along when it is uninstalled.
    """
    return f"pip uninstall {' '.join(distributions())}", f"pip install {DISTRIBUTION}"


def program_version() -> str:
    """Return the version; empty if the program is not installed."""
    return next(iter(distributions().values()), "")


def program_name() -> str:
    """Return name and version of the program."""
    return f"{NAME} {program_version()}".strip()
