"""Values of the three attacker models as lines of bars with numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.frequency.counted import PEOPLE, Noun, who
from engine.numbers import DASH, as_exact_count, as_risk, as_risk_limit
from engine.words import _

if TYPE_CHECKING:
    from engine.assessment.risk.attackers import Attacker, AttackerFigures, AttackersFound

_ICONS = {"prosecutor": "user-search", "journalist": "newspaper", "marketer": "megaphone"}


@dataclass(frozen=True)
class RiskLine:
    """One quantity before and after: name, lengths of the bars, numbers, and explanation."""

    name: str
    before: float
    after: float
    before_text: str
    after_text: str
    meaning: str


@dataclass(frozen=True)
class AttackerColumn:
    """One attacker model with lines of bars, or a sentence below them."""

    key: str
    icon: str
    title: str
    knows: str
    lines: tuple[RiskLine, ...]
    sentence: str = ""


def attacker_columns(found: AttackersFound) -> tuple[AttackerColumn, ...]:
    """Return all three attacker models, in display order."""
    return tuple(_column(found, attacker) for attacker in found.attackers)


def _column(found: AttackersFound, attacker: Attacker) -> AttackerColumn:
    counted = who(counts_people=found.counts_people)
    if attacker.key == "marketer":
        line = _line(
            _("Expected matches"),
            attacker.of_input.risk.average,
            None if attacker.after is None else attacker.after.risk.average,
            _("Share of {many} matched correctly if all are guessed. {attacker}").format(
                many=counted.many, attacker=_fewest(attacker, counted)
            ),
        )
        sentence = found.marketer_sentence
        lines: tuple[RiskLine, ...] = (line,)
    else:
        lines, sentence = _risks(attacker, found.threshold, counted), ""
    return AttackerColumn(attacker.key, _ICONS[attacker.key], attacker.title, attacker.knows, lines, sentence)


def _risks(attacker: Attacker, threshold: float, counted: Noun) -> tuple[RiskLine, ...]:
    before, after, many = attacker.of_input, attacker.after, counted.many
    limit = as_risk_limit(threshold)
    at_risk = None if after is None else after.risk.records_at_risk
    text = _("{before} {many} of the input").format(before=_counted(before), many=many)
    if after is not None:
        text += _(" and {after} {many} of the release").format(after=_counted(after), many=many)
    return (
        _line(
            _("Highest risk"),
            before.risk.highest,
            None if after is None else after.risk.highest,
            _(
                "Risk of the {one} with the highest risk: 1 divided by the number of records, or "
                "people, it could be. {attacker}"
            ).format(one=counted.one, attacker=_fewest(attacker, counted)),
        ),
        _line(
            _("{many} at risk").format(many=many.capitalize()),
            before.risk.records_at_risk,
            at_risk,
            _(
                "{many} with a risk above {limit}: {counts}. A risk of exactly {limit} is not counted. "
                "Set the limit above; 9 % to 20 % are usual."
            ).format(many=many.capitalize(), limit=limit, counts=text),
        ),
        _line(
            _("Average risk"),
            before.risk.average,
            None if after is None else after.risk.average,
            _("Mean over all {many}: the share that a guess for each of them gets right.").format(many=many),
        ),
    )


def _fewest(attacker: Attacker, counted: Noun) -> str:
    if attacker.after is None:
        return _("The release keeps no record.")
    people = f" {counted.many}" if counted is PEOPLE else ""
    return _("In the release, every record is in a class of at least {smallest}{people}.").format(
        smallest=as_exact_count(attacker.after.smallest), people=people
    )


def _counted(figures: AttackerFigures) -> str:
    return _("{n} of {total}").format(
        n=as_exact_count(figures.n_at_risk), total=as_exact_count(figures.n_records)
    )


def _line(name: str, before: float, after: float | None, meaning: str) -> RiskLine:
    return RiskLine(
        name, before, after or 0.0, _share(before), DASH if after is None else _share(after), meaning
    )


def _share(share: float) -> str:
    return as_risk(share)
