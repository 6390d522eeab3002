"""The note on letters that no installed font has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from engine.numbers import as_exact_count
from engine.report.typesetting.scripts import script_title
from engine.words import _

_NAMED = 3  # code points per script


def lacking_note(letters: Iterable[str]) -> str:
    """Return which letters are shown as code points, by script, and the remedy."""
    scripts: defaultdict[str, list[str]] = defaultdict(list)
    for letter in letters:
        scripts[script_title(letter)].append(f"U+{ord(letter):04X}")
    listed = "; ".join(f"{script} {_points(points)}" for script, points in sorted(scripts.items()))
    return _(
        "Letters without an installed font are shown as code points: {scripts}. "
        "Install fonts for these scripts, such as Noto Sans, and write the report again."
    ).format(scripts=listed)


def _points(points: list[str]) -> str:
    named = ", ".join(points[:_NAMED]) + (", …" if len(points) > _NAMED else "")
    return f"{as_exact_count(len(points))} ({named})"
