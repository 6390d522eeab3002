"""One thing that a look over a project finds, and the words that findings are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from engine.words import N_, _

if TYPE_CHECKING:  # commands that open no project take notes from here
    from engine.project.project import Project

_NAMED = 3


class Severity(Enum):
    """Severity of a finding; findings are listed in this order."""

    BLOCKING = N_("blocking")
    LOOK_AT = N_("to check")
    NOTE = N_("note")
    READY = N_("ready")


@dataclass(frozen=True)
class Finding:
    """One thing found.

    Attributes
    ----------
    key : str
        Tells findings apart, such as "gaps:age".
    title, detail : str
        What, and one line about it.
    fix : str
        The effect of the edit in a few words; empty if there is none.
    edit : callable or None
        Project -> Project.
    other_fix, other_edit
        A second way to fix it, if there are two.
    """

    key: str
    severity: Severity
    title: str
    detail: str = ""
    fix: str = ""
    edit: Callable[[Project], Project] | None = field(default=None, compare=False)
    other_fix: str = ""
    other_edit: Callable[[Project], Project] | None = field(default=None, compare=False)


def listed(names: Sequence[str]) -> str:
    """Return names in a row, only the first few if there are many."""
    if len(names) > _NAMED:
        return _("{names} and {n} more").format(names=", ".join(names[:_NAMED]), n=len(names) - _NAMED)
    if len(names) > 1:
        return _("{names} and {last}").format(names=", ".join(names[:-1]), last=names[-1])
    return "".join(names)
