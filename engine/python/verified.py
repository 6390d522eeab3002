"""The verdict on a released table, with values that conditions can name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from engine.errors import RequirementNotMetError
from engine.notebook import Facts
from engine.privacy.required import Measured, Requirements, required
from engine.verification import Verdict
from engine.words import _


@dataclass(frozen=True)
class Verification(Measured):
    """The verdict on a released table, by its recipe alone.

    Attributes
    ----------
    verdict : Verdict
        With everything that was measured, and what the verification cannot see.
    """

    verdict: Verdict

    @property
    def verified(self) -> bool:
        """Whether the table keeps everything that the recipe promises."""
        return self.verdict.ok

    @property
    def problems(self) -> tuple[str, ...]:
        """What is not kept, as sentences, which may quote cells."""
        return self.verdict.problems

    def as_dict(self) -> dict[str, Any]:
        """Return the values as `anonymizer verify --format json` prints them."""
        verdict = self.verdict
        return {
            "verified": verdict.ok,
            "problems": list(verdict.problems),
            **verdict.measured,
            "compared": verdict.compared,
            "judge": verdict.judge,
            "unchecked": list(verdict.unchecked),
            "besides": [own.as_json() for own in verdict.besides],
            "notes": [*verdict.notes, *verdict.revealed],
        }

    def conditions(self, texts: Sequence[str] | None) -> Requirements:
        """Evaluate conditions; none if the tables could not be compared, because the verdict says so."""
        measured, n_records = self.verdict.measured, self.verdict.measured.get("records", 0)
        values = {name: value for name, value in measured.items() if name != "unchanged"}
        totals = {"suppressed": n_records, "kept": n_records}
        return required(texts if measured else None, values, totals=totals)

    def require(self, *conditions: str) -> Self:
        """Return the verdict if the table is verified and meets all conditions; see `Measured.require`."""
        found = self.conditions(conditions)
        if not self.verified:
            first = _("The table does not keep what its recipe promises.")
            problems = (f"  {words}" for words in self.problems)
            raise RequirementNotMetError("\n".join([first, *problems, *found.unmet]))
        found.refuse_unmet()
        return self

    def _facts(self) -> Facts:
        return self.verdict._facts()
