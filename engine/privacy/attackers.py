"""Models of attackers who know only some of the quasi-identifying columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from engine.errors import ParameterError
from engine.frequency import EquivalenceClasses
from engine.frequency.classes import DISTINCT, Measure
from engine.frequency.measured import KnownClasses, MeasuredClasses
from engine.kernels.arrays import BoolArray, IntArray
from engine.params import ColumnRef, Real, Texts, param
from engine.privacy.attacks import Attack
from engine.privacy.base import Conditions, Group, Monotonic, PrivacyModel, Relation
from engine.privacy.declared import least_number
from engine.words import N_, _

Columns = tuple[str, ...]


class AttackerModel(PrivacyModel):
    """A demand on the groups of records that are equal in the columns an attacker knows.

    Every set of columns gives its own classes, unions of the classes of all columns. A record is suppressed
    if its class of any set fails, which shrinks classes of other sets: suppression is repeated, see
    `engine.privacy.repetition`. If classes do not distinguish their columns, because levels vary by record,
    the class of all columns must meet the demand itself, which is enough for every set.

    Attributes
    ----------
    k : int
        Smallest class.
    column : str
        Sensitive column of the further demands; empty for none.
    l : int
        Fewest distinct values in a class.
    confidence : float
        Largest share of a value in a class.
    values : tuple of str
        Values whose share is limited; all if empty.
    """

    __slots__ = ()
    symbol: ClassVar[str] = "k"
    group: ClassVar[Group] = Group.ATTACKERS
    protects: ClassVar[tuple[Attack, ...]] = (Attack.LINKAGE, Attack.RE_IDENTIFICATION, Attack.HOMOGENEITY)
    threshold_name: ClassVar[str] = "k"
    relation: ClassVar[Relation] = Relation.AT_LEAST
    monotonic: ClassVar[Monotonic] = Monotonic.ALWAYS
    is_of_attackers: ClassVar[bool] = True
    k: int
    column: str
    l: int  # noqa: E741  the name the field, its papers and our files use
    confidence: float
    values: tuple[str, ...]

    def sets(self, names: Columns) -> tuple[Columns, ...]:
        """Return the sets of columns that attackers know, given all quasi-identifying columns in order."""
        raise NotImplementedError

    def __post_init__(self) -> None:
        """Refuse a demand on sensitive values without a column to look at."""
        super().__post_init__()
        if not self.column and (self.looks_at_values or self.values):
            raise ParameterError(
                _("l, confidence and values need a sensitive column."),
                hint=_("Choose the sensitive column, or leave them at their defaults."),
                parameter="column",
            )

    def measure(self, classes: EquivalenceClasses) -> IntArray:
        """Size of the smallest class that a class belongs to, over all sets of columns."""
        return self._smallest(classes, lambda own: own.sizes)

    def critical(self, classes: EquivalenceClasses) -> IntArray:
        """A class whose sensitive values are not as required meets no k."""
        return self._smallest(classes, lambda own: np.where(self.meets_values(own), own.sizes, 0))

    def critical_of(self, classes: KnownClasses) -> IntArray:
        """Return the same for one set of columns only, per class of all columns."""
        own = classes.classes
        return classes.spread(np.where(self.meets_values(own), own.sizes, 0))

    @property
    def looks_at_values(self) -> bool:
        """Return whether it demands something of sensitive values."""
        return self.l > 1 or self.confidence < 1.0

    def meets_values(self, classes: EquivalenceClasses) -> BoolArray:
        """Return per class whether its sensitive values are as required."""
        met = np.ones(len(classes.sizes), dtype=np.bool_)
        if self.l > 1:
            met &= classes.measured(Measure(DISTINCT, self.column)) >= self.l
        if self.confidence < 1.0:
            assert isinstance(classes, MeasuredClasses), "classes of a node have their values"
            met &= classes.largest_share(self.column, self.values) <= self.confidence
        return met

    def _smallest(self, classes: EquivalenceClasses, value: Any) -> IntArray:
        least: IntArray | None = None
        for known in self._known(classes):
            own = known.spread(value(known.classes))
            least = own if least is None else np.minimum(least, own)
        return np.asarray(value(classes)) if least is None else least

    def _known(self, classes: EquivalenceClasses) -> Iterator[KnownClasses]:
        """Yield the classes of every set; nothing if classes do not distinguish their columns."""
        if isinstance(classes, MeasuredClasses):
            for columns in self.sets(classes.names):
                known = classes.known_by(columns)
                if known is not None:
                    yield known

    def follows_from(self, other: PrivacyModel, names: Columns) -> bool:
        """Return whether kept records that meet another model meet this one too.

        Groups by fewer columns are unions of groups by more, so a size, a number of values and a largest
        share carry over to them.

        Parameters
        ----------
        names : tuple of str
            All quasi-identifying columns, in order.
        """
        if isinstance(other, AttackerModel):
            known, k = [set(own) for own in other.sets(names)], other.k
            if self.looks_at_values and not self._values_follow_from(other):
                return False
        elif other.required_k is not None and not self.looks_at_values:
            known, k = [set(names)], other.required_k
        else:
            return False
        return self.k <= k and all(any(set(own) <= more for more in known) for own in self.sets(names))

    def _values_follow_from(self, other: AttackerModel) -> bool:
        is_limited = self.confidence >= other.confidence and (
            not other.values or (bool(self.values) and set(self.values) <= set(other.values))
        )
        return self.column == other.column and self.l <= other.l and (self.confidence == 1.0 or is_limited)

    def monotonic_under(self, conditions: Conditions) -> Monotonic:
        """The largest records on which sizes and distinct values hold remain so above. A share that is
        allowed in two classes is allowed in their union, unless one lost records; counted by persons, it may
        grow in a union.
        """
        if self.confidence < 1.0:
            return Monotonic.NEVER if conditions.of_persons else Monotonic.WITHOUT_SUPPRESSION
        if self.l > 1 and conditions.in_parts:
            return Monotonic.WITHOUT_SUPPRESSION
        return self.monotonic

    @property
    def further(self) -> str:
        """The demands on sensitive values in words; empty if there are none."""
        found = []
        if self.l > 1:
            found.append(f"l = {self.l}")
        if self.confidence < 1.0:
            found.append(_("confidence {share:g}").format(share=self.confidence))
        return ", ".join(found)


def class_size(purpose: str) -> Any:
    """Declare the smallest class of an attacker."""
    return least_number(5, "k", purpose, (2, 3, 5, 10, 20))


def sensitive_column() -> Any:
    """Declare the optional sensitive column of the further demands."""
    return param(
        "",
        ColumnRef(
            label=N_("Sensitive column"),
            help=N_("For l and confidence; none if only the size of groups counts."),
            may_be_empty=True,
        ),
    )


def distinct_values() -> Any:
    """Declare the fewest distinct values in a class of an attacker."""
    purpose = N_("Fewest different sensitive values in a class; 1 requires nothing.")
    return least_number(1, "l", purpose, (1, 2, 3, 5))


def confidence_bound() -> Any:
    """Declare the largest share of a sensitive value in a class of an attacker."""
    return param(
        1.0,
        Real(
            minimum=0.0,
            maximum=1.0,
            label=N_("Confidence"),
            help=N_("Largest share of a sensitive value in a class; 1 allows any."),
            usual=(0.3, 0.5, 0.8, 1.0),
        ),
    )


def limited_values() -> Any:
    """Declare the sensitive values whose share is limited."""
    return param(
        (),
        Texts(
            label=N_("Values"),
            help=N_("Sensitive values whose share is limited; empty for all."),
            is_advanced=True,
        ),
    )
