"""Statistics of an attack test, recomputed from its counts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from engine.words import _

_TOLERANCE = 1e-9


def wrong_statistics(claimed: Mapping[str, float]) -> tuple[str, ...]:
    """Return a sentence for each claimed value that does not follow from the claimed counts.

    Parameters
    ----------
    claimed : mapping of str to number
        The counts `attacks`, `successes`, `control_attacks` and `control_successes`, the `level`, and the
        values that follow: `attack_rate`, `attack_error`, `control_rate`, `control_error`, `residual`,
        `residual_error`, `risk`, `risk_low` and `risk_high`.
    """
    problems = []
    for name, value in recomputed(
        int(claimed["attacks"]),
        int(claimed["successes"]),
        int(claimed["control_attacks"]),
        int(claimed["control_successes"]),
        float(claimed["level"]),
    ).items():
        if not math.isclose(claimed[name], value, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE):
            problems.append(
                _("The attack test claims {name} = {claimed:.6g}, but its counts give {value:.6g}.").format(
                    name=name, claimed=claimed[name], value=value
                )
            )
    return tuple(problems)


def recomputed(
    attacks: int, successes: int, control_attacks: int, control_successes: int, level: float
) -> dict[str, float]:
    """Return the values that follow from the counts of an attack and of its control group."""
    square = Fraction(_quantile(level)) ** 2
    low, high = _ends(attacks, successes, square)
    control_low, control_high = _ends(control_attacks, control_successes, square)
    attack, control = (low + high) / 2, (control_low + control_high) / 2
    attack_error, control_error = (high - low) / 2, (control_high - control_low) / 2
    # The risk is 1 - (1 - a) / (1 - c): its relative errors add in quadrature.
    fails, control_fails = 1 - attack, 1 - control
    residual = 1 - fails / control_fails
    error = math.sqrt(
        (attack_error / control_fails) ** 2 + (fails / control_fails * control_error / control_fails) ** 2
    )
    return {
        "attack_rate": attack,
        "attack_error": attack_error,
        "control_rate": control,
        "control_error": control_error,
        "residual": residual,
        "residual_error": error,
        "risk": _clipped(residual),
        "risk_low": _clipped(residual - error),
        "risk_high": _clipped(residual + error),
    }


def _ends(attacks: int, successes: int, square: Fraction) -> tuple[float, float]:
    """Return the rates p at which (s - n p)^2 = z^2 n p (1 - p): the ends of Wilson's interval."""
    if not attacks:
        return 0.0, 1.0
    n, s = Fraction(attacks), Fraction(successes)
    middle = (2 * s + square) / (2 * (n + square))
    root = math.sqrt(middle**2 - s * s / (n * (n + square)))
    return float(middle) - root, float(middle) + root


def _quantile(level: float) -> float:
    """Return z with a probability of `level` between -z and z of a standard normal variable."""
    low, high = 0.0, 40.0
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if math.erf(middle / math.sqrt(2)) < level else (low, middle)
    return low


def _clipped(value: float) -> float:
    return min(max(value, 0.0), 1.0)
