"""Which program made a report."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def program() -> str:
    """Name and version of this program."""
    try:
        return f"Anonymizer {version('anonymizer')}"
    except PackageNotFoundError:
        return "Anonymizer"
