"""The requirement on a release: privacy models and a suppression limit."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Decimal

import numpy as np

from engine.frequency import EquivalenceClasses
from engine.frequency.earlier import Left
from engine.kernels.arrays import BoolArray
from engine.params import Choice, Flag, Real, check_declared, param
from engine.privacy.base import PrivacyModel, TableWideFigures, privacy_models
from engine.privacy.differential_privacy import DifferentialPrivacy
from engine.privacy.earlier import ALIGNED, Earlier
from engine.privacy.k_anonymity import KAnonymity
from engine.words import N_

RECORDS, PERSONS = LIMITED = ("records", "persons")


@dataclass(frozen=True)
class Requirement:
    """Privacy models joined by "and", and the fraction of records that may be suppressed.

    Attributes
    ----------
    suppression_limit : float
        In [0, 1]; compared as the decimal that was typed.
    limit_counts : {"records", "persons"}
        Whether the limit is a fraction of the records, or of the persons who lose a record.
    whole_persons : bool
        Whether a person who loses a record loses all of them, after which classes are evaluated again.
    holds_group : bool
        Whether the suppressed records must meet the models as one class too, so that a node satisfies only
        if they do. It follows from how a project writes them (`Transformation.holds_group`).
    large_must_hold : bool
        Whether only classes that are too small are suppressed: a node fails if a larger class does. It
        follows from when a project enforces models of sensitive columns (`SearchSettings.enforce`).
    earlier : Earlier or None
        What a release has to withstand beside earlier ones; None without a ledger.
    """

    models: tuple[PrivacyModel, ...] = ()
    suppression_limit: float = param(
        0.05,
        Real(
            label=N_("The suppression limit"),
            help=N_("Largest share of records that may be suppressed."),
            rule=N_("a fraction from 0 to 1 (5 % is 0.05)"),
            is_always_written=True,
        ),
    )
    limit_counts: str = param(
        RECORDS,
        Choice(
            label=N_("What the suppression limit counts"),
            help=N_("Records, or persons who lose a record."),
            options=((RECORDS, N_("Records")), (PERSONS, N_("Persons"))),
        ),
    )
    whole_persons: bool = param(
        False,
        Flag(
            label=N_("Suppress whole persons"),
            help=N_("A person who loses a record loses all of them."),
        ),
    )
    holds_group: bool = False
    large_must_hold: bool = False
    earlier: Earlier | None = None

    def __post_init__(self) -> None:
        check_declared(self)
        if any("key" not in vars(type(model)) for model in self.models):
            len(privacy_models)  # loads the plug-ins, which give their classes a key

    def allowed(self, n_records: int) -> int:
        """Return how many of n may be lost: floor(limit * n) on the decimal as typed (0.29 of 100 is 29).

        All, if records are drawn at random: no limit applies then.
        """
        if self.sampling is not None:
            return n_records
        # repr returns the shortest decimal of a float, which is the one that was typed
        limit = Decimal(repr(float(self.suppression_limit)))
        return int((limit * n_records).to_integral_value(ROUND_FLOOR))

    def fulfilled(self, classes: EquivalenceClasses) -> BoolArray:
        """Return per class whether every model is met."""
        met = np.ones(len(classes.sizes), dtype=np.bool_)
        for model in self.models:
            met &= model.fulfilled(classes)
        return met

    @property
    def size_part(self) -> Requirement:
        """The models that never look at a sensitive column, and the class size that others demand."""
        alone = [model for model in self.models if not model.columns]
        sizes = [model.required_k for model in alone if model.required_k is not None]
        if self.k is not None and self.k > max(sizes, default=0):
            alone.append(KAnonymity(self.k))
        return replace(self, models=tuple(alone), holds_group=False, large_must_hold=False, earlier=None)

    @property
    def sensitive_part(self) -> Requirement:
        """The models that look at a sensitive column."""
        models = tuple(model for model in self.models if model.columns)
        return replace(self, models=models, holds_group=False, large_must_hold=False, earlier=None)

    @property
    def sampling(self) -> DifferentialPrivacy | None:
        """The model that draws records at random; None if all are released."""
        return next((model for model in self.models if isinstance(model, DifferentialPrivacy)), None)

    @property
    def table_wide(self) -> tuple[PrivacyModel, ...]:
        """The table-wide models, slow ones last."""
        found = [model for model in self.models if model.checks_table_wide]
        return tuple(sorted(found, key=lambda model: model.is_costly))

    @property
    def by_class(self) -> Requirement:
        """The requirement without table-wide models, which keeps the same classes."""
        return replace(self, models=tuple(model for model in self.models if not model.is_table_wide))

    def holds(self, kept: TableWideFigures, within: BoolArray) -> BoolArray:
        """Return which nodes satisfy.

        Parameters
        ----------
        kept : TableWideFigures
            The kept records of every node.
        within : ndarray of bool, shape (n_nodes,)
            Nodes whose suppressed records are within the limit; only these are evaluated further.
        """
        for model in self.table_wide:
            within = within & model.holds(kept, within)
        return within

    @property
    def joint_k(self) -> int:
        """People with the same classes in all releases that are required beside earlier ones."""
        return (self.earlier.k if self.earlier is not None else None) or self.k or 1

    def joint_l(self, column: str) -> int | None:
        """Return the number of values of a sensitive column that is required beside earlier releases."""
        if self.earlier is not None and self.earlier.l is not None:
            return self.earlier.l
        asked = (getattr(model, "l", None) for model in self.models if column in model.columns)
        return max((math.ceil(n) for n in asked if n is not None), default=None)

    def withstands(self, attacker: str, left: Left) -> bool:
        """Return whether a release leaves enough candidates to an attacker who has the earlier ones too."""
        if attacker == ALIGNED and left.people is not None and left.people < self.joint_k:
            return False
        return all(n >= (self.joint_l(column) or 1) for column, n in left.values.items())

    @property
    def has_attackers(self) -> bool:
        """Return whether a model groups records by some of the columns only."""
        return any(model.is_of_attackers for model in self.models)

    @property
    def is_by_size(self) -> bool:
        """Return whether class sizes alone determine the kept classes."""
        return all(model.is_by_size for model in self.models)

    @property
    def k(self) -> int | None:
        """The required class size, the largest if several models require one; None if none does."""
        return max((model.required_k for model in self.models if model.required_k is not None), default=None)

    def distance(self, column: str) -> str | None:
        """Return the distance of the first model that names one for a sensitive column."""
        named = (getattr(model, "distance", None) for model in self.models if column in model.columns)
        return next((str(kind) for kind in named if kind), None)

    def with_limit(self, index: int, value: float) -> Requirement:
        """Return the requirement with another threshold for one of its models."""
        return self._with_model(index, self.models[index].with_limit(value))

    def with_value(self, index: int, name: str, value: float) -> Requirement:
        """Return the requirement with another value of a parameter of one of its models."""
        return self._with_model(index, self.models[index].with_value(name, value))

    def _with_model(self, index: int, model: PrivacyModel) -> Requirement:
        models = (*self.models[:index], model, *self.models[index + 1 :])
        return replace(self, models=models)
