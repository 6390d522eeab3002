"""Names and formatted values of utility metrics in Explore."""

from __future__ import annotations

from collections.abc import Callable

from engine.numbers import DASH, MINUS, as_change, as_count, as_decimal, as_exact_count, as_general, with_unit
from engine.words import N_, _

# Short names for titles that are too long for a column or a card.
SHORT_NAMES = {
    "loss": N_("loss"),
    "gen_iloss": N_("gen. loss"),
    "precision": N_("precision"),
    "discernibility": N_("discernib."),
    "aecs": N_("aecs"),
    "c_avg": N_("c avg"),
    "non_uniform_entropy": N_("entropy"),
    "normalized_entropy": N_("norm. entropy"),
    "height": N_("height"),
    "entropy_loss": N_("info. loss"),
    "payout": N_("missed"),
    "classification": N_("classif."),
    "ambiguity": N_("ambiguity"),
    "kl_divergence": N_("KL diverg."),
}


def metric_title(key: str) -> str:
    """Return the title of a metric."""
    from engine.utility import utility_metrics

    return utility_metrics[key].title


def metric_name(key: str) -> str:
    """Return a short name for a sentence or a column header."""
    return _(SHORT_NAMES[key]) if key in SHORT_NAMES else key.replace("_", " ")


def metric_text(key: str) -> Callable[[float], str]:
    """Return a formatter of a metric: few bits and shares with three decimals, others by magnitude."""
    if key == "payout":
        return _money
    if key != "kl_divergence" and not has_unit_scale(key):
        return _measured
    return as_decimal


def has_unit_scale(key: str) -> bool:
    """Return whether a metric is a share, from 0 to 1."""
    from engine.utility import utility_metrics

    return key != "c_avg" and not utility_metrics[key].unit


def _measured(value: float) -> str:
    """Return a value with one decimal, comparable in a column; large numbers abbreviated."""
    return as_count(value) if abs(value) >= 1_000_000 else as_decimal(value, 1)


def _money(amount: float) -> str:
    """Return a sum of money as a whole number, from a hundred thousand on in millions."""
    if abs(amount) >= 1_000_000:
        return as_count(amount)
    if abs(amount) >= 100_000:
        return with_unit(as_decimal(amount / 1_000_000, 2), "M")
    return as_exact_count(amount)


def metric_exact(key: str, value: float) -> str:
    """Return a value with all its digits, for tooltips."""
    if value != value:
        return DASH
    return as_exact_count(value) if abs(value) >= 1_000_000 else as_general(value, 12)


def is_shown_equal(key: str, difference: float) -> bool:
    """Return whether a difference has no digit other than zero in its shown form."""
    return not any(digit in metric_change(key, difference) for digit in "123456789" + DASH)


def metric_change(key: str, difference: float) -> str:
    """Return a signed difference."""
    if difference != difference:
        return DASH
    if metric_text(key) is as_decimal:
        return as_change(difference)
    if key == "payout":
        return (MINUS if difference < 0 else "+") + _money(abs(difference))
    if abs(difference) >= 1_000_000:
        return (MINUS if difference < 0 else "+") + as_count(abs(difference))
    return as_change(difference, 1)
