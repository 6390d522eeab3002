"""Version of the installed program."""

from __future__ import annotations

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
