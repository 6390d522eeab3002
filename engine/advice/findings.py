"""One thing that a look over a project finds, and the words that findings are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from engine.project.project import Project
from engine.words import N_

_NAMED = 3


class Severity(Enum):
    """How much a finding matters; in this order findings are listed."""

    BLOCKING = "blocking"
    LOOK_AT = N_("to check")
    NOTE = "note"
    READY = "ready"


@dataclass(frozen=True)
class Finding:
    """One thing found.

    Attributes
    ----------
    key : str
        Tells findings apart, such as "gaps:age".
    severity : Severity
    title, detail : str
        What, and one line about it.
    fix : str
        The effect of the edit in a few words; empty where there is none.
    edit : callable or None
        Project -> Project.
    other_fix, other_edit
        A second way to fix it, where there are two.
    """

    key: str
    severity: Severity
    title: str
    detail: str = ""
    fix: str = ""
    edit: Callable[[Project], Project] | None = None
    other_fix: str = ""
    other_edit: Callable[[Project], Project] | None = None


def listed(names: Sequence[str]) -> str:
    """Names in a row, the first few of many."""
    if len(names) > _NAMED:
        return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"
    return ", ".join(names[:-1]) + f" and {names[-1]}" if len(names) > 1 else "".join(names)


def counted(n: int, one: str, many: str) -> str:
    """A number with the word for what is counted."""
    return f"{count(n)} {one if n == 1 else many}"


def count(n: float) -> str:
    """A number with its thousands apart by a narrow space; decimals only where it has any."""
    return f"{int(n) if n == int(n) else n:,}".replace(",", "\u202f")
