"""Payout of a publisher at one node or of one release, and the classes an attacker would attack."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from engine.frequency import Measure, Problem
from engine.frequency.classes import INFORMATION, POPULATION
from engine.frequency.measured import MeasuredClasses
from engine.frequency.profit import JOURNALIST, expected_gains, payouts
from engine.kernels.arrays import BoolArray, Counts, FloatArray
from engine.numbers import as_exact_count, as_percent
from engine.privacy import Requirement
from engine.privacy.profitability import Profitability
from engine.utility import UtilityMetric
from engine.utility.payout import Payout
from engine.utility.recoded import RecodedRecords
from engine.utility.recoded_column import RecodedColumn
from engine.words import _, ngettext

ROUNDING = 1e-9  # relative; sums of money below are equal
_unchanged: WeakKeyDictionary[Problem, dict[Payout, float]] = WeakKeyDictionary()


def payout_asked(requirement: Requirement, metric: UtilityMetric | None) -> Payout | None:
    """Return the sums of money of a requirement, or of the metric; None if neither has all of them."""
    for model in requirement.models:
        if isinstance(model, Profitability):
            return Payout(*model.sums, attacker=model.attacker)
    return metric if isinstance(metric, Payout) else None


@dataclass(frozen=True)
class PayoutReport:
    """Money of a publisher, and the kept classes that are worth an attack.

    Attributes
    ----------
    payout : Payout
        The sums.
    n_records : int
        Records of the input.
    total : float
        What the publisher keeps.
    unchanged : float
        What publishing every record unchanged pays.
    n_classes, n_attacked, records_attacked : int
        Kept classes, those worth an attack, and the records in these.
    damage : float
        Expected damage of attacks, which `total` has deducted.
    """

    payout: Payout
    n_records: int
    total: float
    unchanged: float
    n_classes: int
    n_attacked: int
    records_attacked: int
    damage: float

    @classmethod
    def of(
        cls,
        problem: Problem,
        payout: Payout,
        classes: MeasuredClasses,
        kept: BoolArray,
        total: float | None = None,
    ) -> PayoutReport:
        """Measure the kept classes.

        Parameters
        ----------
        kept : ndarray of bool, shape (n_classes,)
        total : float, optional
            What the publisher keeps; by the information of the classes if it is not given.
        """
        people, records = people_searched(payout, classes), classes.records
        if total is None:
            total = float(class_payouts(payout, classes)[kept].sum())
        attacked = kept & (attack_profits(payout, classes) > 0)
        risk = float((records / np.maximum(people, 1))[attacked].sum())
        return cls(
            payout,
            problem.n_records,
            total,
            unchanged_payout(problem, payout),
            int(kept.sum()),
            int(attacked.sum()),
            int(records[attacked].sum()),
            payout.loss * risk,
        )

    @property
    def most(self) -> float:
        """The benefit of all records unchanged, without attacks."""
        return self.payout.benefit * self.n_records

    @property
    def gained(self) -> float:
        """Payout of the publisher beyond that of publishing all records unchanged; 0 within rounding."""
        gained = self.total - self.unchanged
        return 0.0 if abs(gained) <= ROUNDING * max(abs(self.total), self.most) else gained

    def warning(self, best: float | None = None) -> str:
        """Return a sentence if these sums require no protection; empty otherwise.

        Parameters
        ----------
        best : float, optional
            The best payout of all nodes, if it is known.
        """
        if best is not None and self.unchanged >= best - ROUNDING * max(abs(best), self.most):
            return _("Publishing unchanged pays best under these sums. That gives no protection.")
        if self.gained > 0:
            return ""
        if self.gained < 0:
            return _("Publishing unchanged pays more under these sums. That gives no protection.")
        return _("This publishes the table unchanged, which pays under these sums. That gives no protection.")

    @property
    def sentence(self) -> str:
        """The result in one sentence."""
        share = as_percent(self.total / self.most) if self.most else as_percent(0.0)
        return ngettext(
            "The publisher keeps {total} of {most} ({share}); {attacked} of {n} class is worth an attack.",
            "The publisher keeps {total} of {most} ({share}); {attacked} of {n} classes are worth an attack.",
            self.n_classes,
        ).format(
            total=as_money(self.total),
            most=as_money(self.most),
            share=share,
            attacked=as_exact_count(self.n_attacked),
            n=as_exact_count(self.n_classes),
        )


def as_money(amount: float) -> str:
    """Return a sum of money, rounded to a whole number."""
    return as_exact_count(round(amount))


def people_searched(payout: Payout, classes: MeasuredClasses) -> Counts:
    """Return among how many people the attacker looks for a record of each class."""
    if payout.attacker == JOURNALIST and classes.knows_members:
        return np.asarray(classes.measured(Measure(POPULATION, ""))).astype(np.int64)
    return classes.sizes.astype(np.int64)


def attack_profits(payout: Payout, classes: MeasuredClasses) -> FloatArray:
    """Return the expected gain of an attack on a record of each class, less its cost."""
    return expected_gains(payout.gain, people_searched(payout, classes)) - payout.cost


def class_payouts(payout: Payout, classes: MeasuredClasses) -> FloatArray:
    """Return what the records of each class pay the publisher together if they are kept."""
    losses: FloatArray = np.asarray(classes.measured(Measure(INFORMATION, "")), dtype=np.float64)
    return classes.records * payouts(payout.sums, losses, people_searched(payout, classes))


def unchanged_payout(problem: Problem, payout: Payout) -> float:
    """Return what publishing every record unchanged pays."""
    known = _unchanged.setdefault(problem, {})
    if payout not in known:
        columns = [
            RecodedColumn.of(
                attribute,
                np.zeros(problem.n_records, dtype=np.int16),
                attribute.hierarchy.levels[0].codes[attribute.leaves],
            )
            for attribute in problem.attributes
        ]
        records = RecodedRecords(problem, columns, problem.n_records, persons=problem.repeated)
        known[payout] = float(payout.total(records)[0])
    return known[payout]
