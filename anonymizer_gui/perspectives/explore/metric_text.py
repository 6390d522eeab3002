"""Names and formatted values of utility metrics in Explore."""

from __future__ import annotations

from collections.abc import Callable

from engine.numbers import DASH, MINUS, as_change, as_count, as_decimal, as_exact_count, as_general

# Short names for titles that are too long for a column or a card.
SHORT_NAMES = {
    "loss": "loss",
    "gen_iloss": "gen. loss",
    "precision": "precision",
    "discernibility": "discernib.",
    "aecs": "aecs",
    "c_avg": "c avg",
    "non_uniform_entropy": "entropy",
    "classification": "classif.",
    "ambiguity": "ambiguity",
    "kl_divergence": "KL diverg.",
}


def metric_title(key: str) -> str:
    """Return the title of a metric."""
    from engine.utility import utility_metrics

    return utility_metrics[key].title


def metric_name(key: str) -> str:
    """Return a short name for a sentence or a column header."""
    return SHORT_NAMES.get(key, key.replace("_", " "))


def metric_text(key: str) -> Callable[[float], str]:
    """Return a formatter of a metric: few bits and shares with three decimals, others by magnitude."""
    from engine.utility import utility_metrics

    if key != "kl_divergence" and (key == "c_avg" or utility_metrics[key].unit):
        return _measured
    return as_decimal


def _measured(value: float) -> str:
    """Return a value with one decimal, comparable in a column; large numbers abbreviated."""
    return as_count(value) if abs(value) >= 1_000_000 else as_decimal(value, 1)


def metric_exact(key: str, value: float) -> str:
    """Return a value with all its digits, for tooltips."""
    if value != value:
        return DASH
    return as_exact_count(value) if abs(value) >= 1_000_000 else as_general(value, 12)


def metric_change(key: str, difference: float) -> str:
    """Return a signed difference."""
    if difference != difference:
        return DASH
    if metric_text(key) is as_decimal:
        return as_change(difference)
    if abs(difference) >= 1_000_000:
        return (MINUS if difference < 0 else "+") + as_count(abs(difference))
    return as_change(difference, 1)
