"""What each level would do to the optimum, ready to show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

from anonymizer_gui.theming import ramp_classes
from anonymizer_gui.widgets.numbers import as_exact_count, as_loss, as_significant
from engine.advice.level_effects import LevelEffect
from engine.utility import utility_metrics
from engine.words import _


@dataclass(frozen=True)
class EffectRow:
    """One level.

    Attributes
    ----------
    words : str
        What the level does.
    share : float or None
        Its value as a share of the largest one; None where it is not known, or does not exist.
    colour : int or None
        Number on the utility ramp; None where the requirement is not met.
    value, outcome : str
        The metric, and what is suppressed; empty while they are not known.
    is_best : bool
        Whether no other level that meets the requirement has a lower value.
    details : str
        The whole in a sentence.
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
        """Whether it is known not to meet the requirement."""
        return bool(self.outcome) and self.colour is None


def effect_rows(
    effects: Sequence[LevelEffect], words: Sequence[str], metric: str, allowed: int | None
) -> tuple[EffectRow, ...]:
    """Prepare the effects of all levels, from level 0 on.

    So many records may be suppressed; None where people are counted instead.
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
    """A value of a metric: shares with three decimals, others by size."""
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
