"""Sums of money per record, of a publisher and of an attacker who weighs gain against cost [1].

The attacker re-identifies a record of a class of n people with probability 1 / n, and attacks if the expected
gain exceeds the cost. Sums are compared as the decimals that were typed.

References
----------
.. [1] Wan, Vorobeychik, Xia, Clayton, Kantarcioglu, Ganta, Heatherly, Malin (2015). A Game Theoretic
   Framework for Analyzing Re-Identification Risk. PLoS ONE 10(3).
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import ceil, inf
from typing import Any, NamedTuple

import numpy as np

from engine.kernels.arrays import Counts, FloatArray
from engine.params import Choice, Real, param
from engine.words import N_

PROSECUTOR, JOURNALIST = ATTACKERS = ("prosecutor", "journalist")
MOST_MONEY = 1_000_000_000_000.0
TIE = 1e-10  # relative; logarithms of the same records differ by rounding
_EXACT = 1 << 53  # integers below are doubles


class Sums(NamedTuple):
    """Money per record.

    Attributes
    ----------
    benefit, loss : float
        What an unchanged record brings the publisher, and what a re-identified one costs.
    gain, cost : float
        What a re-identified record brings the attacker, and what an attack on a record costs.
    """

    benefit: float
    loss: float
    gain: float
    cost: float

    @property
    def most_attacked(self) -> float:
        """Largest number of people of a class that is worth an attack; 0 if none is, inf if all are."""
        return most_attacked(self.gain, self.cost)


def most_attacked(gain: float, cost: float) -> float:
    """Return the largest n for which gain / n exceeds the cost; 0 if there is none, inf if all do."""
    if not gain:
        return 0
    return ceil(_typed(gain) / _typed(cost)) - 1 if cost else inf


def least_unattacked(gain: float, cost: float) -> float:
    """Return the class size that a requirement of no attacks demands: floor(gain / cost) + 1.

    If the gain is a multiple of the cost, the attacker neither gains nor loses at one person less, which ARX
    does not accept either. inf if no size is large enough.
    """
    if not gain:
        return 1
    return int(_typed(gain) / _typed(cost)) + 1 if cost else inf


def expected_gains(gain: float, people: Counts) -> FloatArray:
    """Return gain / people per class, rounded once; inf without people."""
    typed = _typed(gain)
    numerator, denominator = typed.numerator, typed.denominator
    sizes = np.maximum(people, 1).astype(np.int64)
    if numerator < _EXACT and denominator * int(sizes.max(initial=1)) < _EXACT:
        found = numerator / (sizes * denominator).astype(np.float64)
    else:
        distinct, places = np.unique(sizes, return_inverse=True)
        found = np.array([float(typed / size) for size in distinct.tolist()])[places]
    return np.where(people > 0, found, np.inf if gain else 0.0)


def benefit_needed(sums: Sums, losses: FloatArray, people: Counts) -> FloatArray:
    """Return per class the benefit of an unchanged record that a kept record must exceed to pay.

    A record pays ``benefit (1 - information loss) - loss / people``, the latter only if it is attacked; it
    is kept if that is above 0.

    Parameters
    ----------
    sums : Sums
        The benefit is not read.
    losses : ndarray of float64, shape (n_classes,)
        Information loss per record, in [0, 1].
    people : ndarray of int64, shape (n_classes,)
        People among whom the attacker looks for a record.
    """
    is_attacked = expected_gains(sums.gain, people) > sums.cost
    damage = np.where(is_attacked, sums.loss / np.maximum(people, 1), 0.0)
    left = 1 - losses
    needed = np.full(len(losses), np.inf)
    np.divide(damage, left, out=needed, where=left > TIE)
    return needed


def payouts(sums: Sums, losses: FloatArray, people: Counts) -> FloatArray:
    """Return what a record of each class pays the publisher if it is kept."""
    is_attacked = expected_gains(sums.gain, people) > sums.cost
    return sums.benefit * (1 - losses) - np.where(is_attacked, sums.loss / np.maximum(people, 1), 0.0)


def benefit_parameter() -> Any:
    """Declare the publisher's benefit from an unchanged record."""
    return _money(1200.0, N_("Benefit"), N_("What an unchanged record brings the publisher."), (100, 1200))


def loss_parameter() -> Any:
    """Declare the publisher's loss from a re-identified record."""
    return _money(
        300.0, N_("Damage"), N_("What the publisher pays for each re-identified record."), (300, 1000, 2400)
    )


def gain_parameter() -> Any:
    """Declare the attacker's gain from a re-identified record."""
    return _money(300.0, N_("Gain"), N_("What a re-identified record brings the attacker."), (300, 1000))


def cost_parameter() -> Any:
    """Declare the attacker's cost of attacking a record."""
    return _money(4.0, N_("Attack cost"), N_("What an attack on one record costs the attacker."), (4, 10))


def attacker_parameter() -> Any:
    """Declare among whom the attacker looks for a record."""
    return param(
        PROSECUTOR,
        Choice(
            label=N_("Attacker"),
            help=N_(
                "A prosecutor knows that the person is in the table; a journalist only knows that they "
                "belong to the population."
            ),
            options=((PROSECUTOR, N_("Prosecutor")), (JOURNALIST, N_("Journalist"))),
        ),
    )


def _money(default: float, label: str, purpose: str, usual: tuple[float, ...]) -> Any:
    return param(
        default,
        Real(minimum=0.0, maximum=MOST_MONEY, label=label, help=purpose, usual=usual),
    )


def _typed(value: float) -> Fraction:
    """Return the decimal that was typed."""
    return Fraction(Decimal(repr(float(value))))
