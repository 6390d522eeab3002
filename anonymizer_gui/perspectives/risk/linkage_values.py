"""What the linkage test shows of its findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anonymizer_gui.perspectives.risk.linkage_page import OutcomeLine
from anonymizer_gui.widgets.numbers import NONE, as_exact_count, as_percent
from engine.frequency.counted import who

if TYPE_CHECKING:
    from engine.assessment.risk.linkage import LinkageFound

_OUTCOMES = (
    ("n_one_record", "Exactly one record", "Whoever they are, they are found."),
    (
        "n_one_class",
        "Several records that look alike",
        "They are not found, but what these records have in common is learned of them.",
    ),
    ("n_several", "Records of several classes", "A guess among records that differ."),
    (
        "n_none",
        "No record",
        "They are not in the table, their record is suppressed, or a value is written otherwise.",
    ),
)
_OF_RECORDS = ("n_several", "n_none")


def outcome_lines(found: LinkageFound) -> tuple[OutcomeLine, ...]:
    """The outcomes before and after, as shares of the people of the second table."""
    lines = []
    counted = who(counts_people=found.counts_people)
    for name, title, meaning in _OUTCOMES:
        before, after = getattr(found.before, name), getattr(found.after, name)
        lines.append(
            OutcomeLine(
                title if name in _OF_RECORDS else counted.worded(title),
                before / found.n_people,
                after / found.n_people,
                _text(before, found.n_people),
                _text(after, found.n_people),
                meaning,
            )
        )
    return tuple(lines)


def outcome_detail(found: LinkageFound) -> str:
    """What was compared, and what could not be in the release."""
    people = as_exact_count(found.n_people)
    pairs = ", ".join(own if own == theirs else f"{own} with {theirs}" for own, theirs in found.pairs)
    text = f"{people} people, compared by {pairs}. People of the second table, before and after:"
    if found.left_out:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in found.left_out)
        text = f"{text[:-1]}. The release cannot be compared by {reasons}."
    return text


def _text(count: int, n_people: int) -> str:
    return f"{as_exact_count(count)} ({as_percent(count / n_people)})" if count else NONE
