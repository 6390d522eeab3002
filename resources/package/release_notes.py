"""Write the notes of the version that a tag names: its part of the list of changes.

python resources/package/release_notes.py v1.2.0 > notes.md
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHANGES = ROOT / "resources" / "help" / "CHANGELOG.md"


def main(words: list[str]) -> int:
    """Write the notes; return 1 with a sentence if the tag does not fit the project."""
    if len(words) != 1:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    try:
        sys.stdout.write(notes_of(words[0], version, CHANGES.read_text(encoding="utf-8")))
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def notes_of(tag: str, version: str, changes: str) -> str:
    """Return the part of a list of changes under the heading of a version.

    Raises
    ------
    ValueError
        The tag names another version, or the list has no part of it or says that it is not released.
    """
    if tag != f"v{version}":
        raise ValueError(f"The tag is {tag}, and the project has version {version}.")
    part = re.search(
        rf"^## {re.escape(version)}(?P<when>,.*)?\n(?P<notes>(?s:.*?))(?=^## |\Z)", changes, re.MULTILINE
    )
    if part is None:
        raise ValueError(f"The list of changes has no heading '## {version}'.")
    if "not released" in (part["when"] or ""):
        raise ValueError(f"The heading of {version} in the list of changes says that it is not released.")
    return part["notes"].strip() + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
