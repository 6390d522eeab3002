"""Rows that show how each level would change the optimum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

from anonymizer_gui.theming import ramp_classes
from engine.advice.level_effects import LevelEffect
from engine.numbers import as_exact_count, as_loss, as_significant
from engine.utility import utility_metrics
from engine.words import _


@dataclass(frozen=True)
class EffectRow:
    """Effect of one level.

    Attributes
    ----------
    words : str
        Description of the level.
    share : float or None
        Its value as a share of the largest one; None if unknown or undefined.
    colour : int or None
        Step of the utility colour ramp; None if the requirement is not met.
    value, outcome : str
        Metric value and suppressed records; empty while unknown.
    is_best : bool
        Whether no other level that meets the requirement has a lower value.
    details : str
        Full description in one sentence.
    """

    words: str
    share: float | None = None
    colour: int | None = None
    value: str = ""
    outcome: str = ""
    is_best: bool = False
    details: str = ""

    @property
    def fails(self) -> bool:
        """True if the level is known not to meet the requirement."""
        return bool(self.outcome) and self.colour is None


def effect_rows(
    effects: Sequence[LevelEffect], words: Sequence[str], metric: str, allowed: int | None
) -> tuple[EffectRow, ...]:
    """Return the rows of all levels, from level 0 on.

    `allowed` is the limit of suppressed records; None if people are counted instead.
    """
    good = [e.value for e in effects if e.satisfies and not isnan(e.value)]
    best, worst = (min(good), max(good)) if good else (0.0, 0.0)
    largest = max((e.value for e in effects if not isnan(e.value)), default=0.0)
    rows = []
    for effect in effects:
        text = value_text(metric, effect.value)
        colour = int(ramp_classes(effect.value, best, worst)) if effect.satisfies else None
        rows.append(
            EffectRow(
                words[effect.level],
                effect.value / largest if largest > 0 and not isnan(effect.value) else None,
                colour,
                _("loss {text}").format(text=text) if metric == "loss" else text,
                _outcome(effect),
                effect.satisfies and effect.value == best,
                _details(effect, words[effect.level], f"{utility_metrics[metric].title} {text}", allowed),
            )
        )
    return tuple(rows)


def value_text(metric: str, value: float) -> str:
    """Return a metric value as text: shares with three decimals, others by magnitude."""
    return as_significant(value) if utility_metrics[metric].unit else as_loss(value)


def _outcome(effect: LevelEffect) -> str:
    if not effect.is_within:
        return _("{suppressed} above the limit").format(suppressed=as_exact_count(effect.suppressed))
    if not effect.satisfies:
        return _("fails a model")
    return _("{suppressed} suppressed").format(suppressed=as_exact_count(effect.suppressed))


def _details(effect: LevelEffect, words: str, value: str, allowed: int | None) -> str:
    suppressed = _("{suppressed} records suppressed").format(suppressed=as_exact_count(effect.suppressed))
    if allowed is not None:
        suppressed += _(", {allowed} allowed").format(allowed=as_exact_count(allowed))
    lines = [
        _("Level {level}: {words}").format(level=effect.level, words=words),
        value,
        suppressed,
    ]
    if effect.is_within and not effect.satisfies:
        lines.append(_("The kept records do not meet a model of the whole release"))
    return "\n".join(lines)
