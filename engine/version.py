"""Version of the installed program."""

from __future__ import annotations

NAME = "Anonymizer"


def program_version() -> str:
    """Return the version; empty if the program is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # a third of the time of --help

    try:
        return version("anonymizer")
    except PackageNotFoundError:
        return ""


def program_name() -> str:
    """Return name and version of the program."""
    return f"{NAME} {program_version()}".strip()
