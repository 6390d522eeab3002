"""Counts of one attack on people of a release, on the control group, and by naive guesses."""

from __future__ import annotations

from dataclasses import dataclass

from engine.assessment.attack.statistics import AttackStatistics, attack_statistics, wilson_rate


@dataclass(frozen=True)
class AttackCounts:
    """Attacks and successful ones.

    Attributes
    ----------
    attacks, successes : int
        On people of the release.
    control_attacks, control_successes : int
        On the control group.
    naive_attacks, naive_successes : int
        By guesses that do not use the release.
    """

    attacks: int
    successes: int
    control_attacks: int
    control_successes: int
    naive_attacks: int
    naive_successes: int

    def statistics(self, level: float) -> AttackStatistics:
        """Return the risk above the control group."""
        return attack_statistics(
            self.attacks, self.successes, self.control_attacks, self.control_successes, level
        )

    def has_failed(self, level: float) -> bool:
        """Return whether the attack is not better than naive guesses."""
        own = wilson_rate(self.attacks, self.successes, level)
        return own.value <= wilson_rate(self.naive_attacks, self.naive_successes, level).value
