"""Counts of an attack, and its risk above that of a control group with an interval."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from statistics import NormalDist

from engine.findings.blocks import as_column, figure_row
from engine.privacy.required import Measured
from engine.words import N_

LEVEL = 0.95  # usual level of the intervals


@dataclass(frozen=True)
class Rate:
    """Estimated share of successful attacks.

    Attributes
    ----------
    value : float
        Middle of the interval.
    error : float
        Half of its width.
    """

    value: float
    error: float


@dataclass(frozen=True)
class AttackStatistics(Measured):
    """Risk of an attack by its counts and those of its control group.

    Attributes
    ----------
    attacks, successes : int
        Attacks on people of the release, and successful ones.
    control_attacks, control_successes : int
        The same on people who are not in the release.
    level : float
        Level of the intervals.
    attack_rate, attack_error, control_rate, control_error : float
        Wilson's rate of both groups, and half of the width of its interval.
    residual, residual_error : float
        Risk before it is clipped to [0, 1], and half of the width of its interval.
    risk, risk_low, risk_high : float
        Risk above the control group, and the ends of its interval, from 0 to 1.
    """

    attacks: int
    successes: int
    control_attacks: int
    control_successes: int
    level: float
    attack_rate: float
    attack_error: float
    control_rate: float
    control_error: float
    residual: float
    residual_error: float
    risk: float
    risk_low: float
    risk_high: float

    def as_dict(self) -> dict[str, float]:
        """Return all values by name."""
        return asdict(self)


def wilson_rate(attacks: int, successes: int, level: float = LEVEL) -> Rate:
    """Return the rate of successful attacks with Wilson's interval [1]_; 0.5 within 0.5 without attacks.

    Parameters
    ----------
    level : float
        Level of the interval, between 0 and 1.

    References
    ----------
    .. [1] Wilson (1927). Probable Inference, the Law of Succession, and Statistical Inference. Journal of
       the American Statistical Association 22, 209-212.
    """
    if not 0 <= successes <= attacks:
        raise ValueError(f"{successes} of {attacks} attacks cannot be successful")
    z = NormalDist().inv_cdf((1 + level) / 2)
    divisor = attacks + z * z
    spread = successes * (attacks - successes) / attacks if attacks else 0.0
    return Rate((successes + z * z / 2) / divisor, z / divisor * math.sqrt(spread + z * z / 4))


def attack_statistics(
    attacks: int, successes: int, control_attacks: int, control_successes: int, level: float = LEVEL
) -> AttackStatistics:
    """Return the risk of an attack above its control group [1]_.

    The risk is (a - c) / (1 - c) for the rates a of the attack and c of the control group: the share of
    people at whom the attack succeeds among those for whom it would fail if they were not in the release.

    Parameters
    ----------
    attacks, successes : int
        Attacks on people of the release, and successful ones.
    control_attacks, control_successes : int
        The same attacks on people who are not in it.
    level : float
        Level of the intervals, between 0 and 1.

    References
    ----------
    .. [1] Giomi, Boenisch, Wehmeyer, Tasnadi (2023). A Unified Framework for Quantifying Privacy Risk in
       Synthetic Data. Proceedings on Privacy Enhancing Technologies 2023(2), 312-328.
    """
    attack = wilson_rate(attacks, successes, level)
    control = wilson_rate(control_attacks, control_successes, level)
    rest = 1 - control.value
    residual = (attack.value - control.value) / rest
    error = math.hypot(attack.error / rest, (1 - attack.value) * control.error / rest**2)
    return AttackStatistics(
        attacks,
        successes,
        control_attacks,
        control_successes,
        level,
        attack.value,
        attack.error,
        control.value,
        control.error,
        residual,
        error,
        *(min(max(value, 0.0), 1.0) for value in (residual, residual - error, residual + error)),
    )


_OF_RELEASE = N_("On people of the test release.")
_OF_CONTROL, _NAIVE = N_("On the control group."), N_("Guesses without the release.")


@figure_row
class AttackCounts:
    """Attacks and successful ones."""

    attacks: int = as_column(N_("Attacks"), "", _OF_RELEASE, default=0)
    successes: int = as_column(N_("Successful"), "", _OF_RELEASE, default=0)
    control_attacks: int = as_column(N_("Attacks, control"), "", _OF_CONTROL, default=0)
    control_successes: int = as_column(N_("Successful, control"), "", _OF_CONTROL, default=0)
    naive_attacks: int = as_column(N_("Attacks, naive"), "", _NAIVE, default=0)
    naive_successes: int = as_column(N_("Successful, naive"), "", _NAIVE, default=0)

    def statistics(self, level: float) -> AttackStatistics:
        """Return the risk above the control group."""
        return attack_statistics(
            self.attacks, self.successes, self.control_attacks, self.control_successes, level
        )

    def has_failed(self, level: float) -> bool:
        """Return whether the attack is not better than naive guesses."""
        own = wilson_rate(self.attacks, self.successes, level)
        return own.value <= wilson_rate(self.naive_attacks, self.naive_successes, level).value
