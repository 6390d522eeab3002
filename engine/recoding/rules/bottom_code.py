"""Small numbers are written alike."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from engine.numbers import as_typed
from engine.recoding.rules.base import column_rules
from engine.recoding.rules.coding import LABEL, Coding
from engine.words import _, lazy


@column_rules.register("bottom_code")
@dataclass(frozen=True, slots=True)
class BottomCode(Coding):
    """Every number below a limit becomes "<= limit", or the limit; missing stays missing.

    Parameters
    ----------
    limit : float
        As typed; with the label, numbers at the limit are replaced too.
    written : {"label", "limit"}
        What replaces them.
    """

    title: ClassVar[str] = lazy("Bottom coding")
    summary: ClassVar[str] = lazy("Small numbers are written alike, such as <= 10.")
    unprotected: ClassVar[str] = lazy(
        "Numbers above the limit stay exact. If only a few people are at or below it, the "
        "label points at them."
    )
    sign: ClassVar[str] = "<="

    @classmethod
    def lies_beyond(cls, number: Fraction, limit: Fraction) -> bool:
        return number < limit

    def statement(self, person: str | None = None) -> str:
        limit = as_typed(self.limit, 0)
        if self.written == LABEL:
            return _("Numbers up to {limit} written as one label.").format(limit=limit)
        return _("Numbers below {limit} written as {limit}.").format(limit=limit)
