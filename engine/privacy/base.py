"""The base class of privacy models and their registry."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Protocol, Self

import numpy as np

from engine import plugins
from engine.frequency import EquivalenceClasses, Measure, Problem
from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray
from engine.params import Configurable, Integer, Param, describe
from engine.privacy.attacks import Attack
from engine.registry import Registry
from engine.words import N_


class Relation(Enum):
    """Comparison of a measured value with the threshold."""

    AT_LEAST = "≥"
    AT_MOST = "≤"
    BELOW = "<"


class Monotonic(Enum):
    """Conditions under which a model met at a node is also met at its successors."""

    ALWAYS = "always"
    WITHOUT_SUPPRESSION = "without suppression"
    NEVER = "never"


@dataclass(frozen=True)
class Conditions:
    """Conditions of a problem that decide whether models are monotonic.

    Attributes
    ----------
    in_parts : bool
        Whether a sensitive column is measured in parts of a class, of which the worst counts; see
        `Problem.measures_parts`.
    of_persons : bool
        Whether a person of the records or of the population may have several records, and so be in several
        classes; see `Problem.counts_persons`.
    """

    in_parts: bool = False
    of_persons: bool = False

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """Return the conditions of a problem."""
        return cls(in_parts=problem.measures_parts, of_persons=problem.counts_persons)


class Group(Enum):
    """The kind of condition; the window offers models in these groups."""

    CLASS_SIZES = "class sizes"
    SENSITIVE_VALUES = "sensitive values"
    ATTACKERS = "attackers"
    RISK = "risk"
    POPULATION = "population"
    COST = "cost and benefit"
    SAMPLING = "sampling"


class TableWideFigures(Protocol):
    """The kept records of some nodes, or of one table; arrays have shape (n_nodes,)."""

    @property
    def people(self) -> float | None:
        """Size of the population, if it is known."""

    @property
    def has_kept(self) -> BoolArray:
        """Return whether any class is kept."""

    def kept_people(self, wanted: BoolArray) -> Counts:
        """Return the people with a record in a kept class; any number for nodes outside `wanted`."""

    def people_below(self, size: float, wanted: BoolArray) -> Counts:
        """Return the people in kept classes of below `size` people; arbitrary outside `wanted`."""

    def average_risk(self, wanted: BoolArray) -> FloatArray:
        """Return the mean over people of 1 / size of their smallest kept class; nan if nothing is kept."""

    @property
    def has_all_members(self) -> BoolArray:
        """Return whether the whole population, if it is known one by one, is in kept classes."""

    def population_uniques(self, estimator: str, nodes: IntArray) -> FloatArray:
        """Estimate the population uniques of some nodes, shape (len(nodes),); inf if there is no estimate."""


class PrivacyModel(Configurable):
    """A condition that every equivalence class of a release must meet.

    A model measures one number per class and compares it with one of its parameters; knob, form, file and
    report follow from that. A further condition, or a tolerance for ties, is part of `critical`.

    Attributes
    ----------
    symbol : str
        Its usual letter.
    meaning : str
        The threshold in plain words, or what distinguishes it from related models.
    plain_name : str
        What its knob turns, in a few words; a model without it shows its meaning.
    summary : str
        What is true of a table that meets it, in one sentence for readers new to the field.
    group : Group
        What it measures.
    protects : tuple of Attack
        Attacks it hinders, according to the paper that `Attack` cites or to its own.
    source : str
        Author and year; the docstring has the full reference.
    formula : str
        Its condition, in letters that the page of models explains; without one, its symbol and threshold.
    reported : tuple of str
        Further parameters without which a measured value means nothing, such as the l of a measured c.
    threshold_name : str
        Name of the parameter that is compared.
    knobs : tuple of str
        Further parameters that are turned like the threshold; a larger value of those in `easing` keeps more.
    easing : tuple of str
        Those of `knobs` whose larger values keep more.
    relation : Relation
        How the measured value must compare with the threshold.
    monotonic : Monotonic
        Whether it carries over from a node to its successors if classes are measured undivided; a search
        prunes by `monotonic_under` the conditions of its problem.
    is_by_size : bool
        Whether `required_k` alone determines the kept classes.
    is_table_wide : bool
        Whether it is a condition on all kept records together and suppresses no class; see
        `engine.privacy.table_wide`.
    is_of_attackers : bool
        Whether it groups records by some of the columns only, so that suppression is repeated; see
        `engine.privacy.attackers`.
    is_costly : bool
        Whether `holds` is slow, so that other models are evaluated first.
    """

    __slots__ = ()
    symbol: ClassVar[str]
    meaning: ClassVar[str]
    plain_name: ClassVar[str] = ""
    summary: ClassVar[str]
    group: ClassVar[Group]
    protects: ClassVar[tuple[Attack, ...]]
    source: ClassVar[str]
    formula: ClassVar[str] = ""
    reported: ClassVar[tuple[str, ...]] = ()
    threshold_name: ClassVar[str]
    knobs: ClassVar[tuple[str, ...]] = ()
    easing: ClassVar[tuple[str, ...]] = ()
    relation: ClassVar[Relation]
    monotonic: ClassVar[Monotonic]
    is_by_size: ClassVar[bool] = False
    is_table_wide: ClassVar[bool] = False
    is_of_attackers: ClassVar[bool] = False
    is_costly: ClassVar[bool] = False

    @property
    def checks_table_wide(self) -> bool:
        """Return whether `holds` evaluates a condition on the kept classes together."""
        return self.is_table_wide

    def holds(self, kept: TableWideFigures, wanted: BoolArray) -> BoolArray:
        """Return whether the kept classes together meet the model, shape (n_nodes,).

        Parameters
        ----------
        kept : TableWideFigures
            The kept classes of every node.
        wanted : ndarray of bool, shape (n_nodes,)
            Nodes to evaluate; a costly model may return anything for the others.
        """
        return np.ones(len(wanted), dtype=np.bool_)

    def monotonic_under(self, conditions: Conditions) -> Monotonic:
        """Return whether it carries over to successors in a problem, so that a search may prune by it."""
        return self.monotonic

    @property
    def why_never(self) -> str:
        """Reason why no table can meet it; empty if one can."""
        return ""

    @property
    def needs_people(self) -> bool:
        """Return whether it needs a known population, at least its size."""
        return self.group is Group.POPULATION or self.needs_members

    @property
    def needs_members(self) -> bool:
        """Return whether it counts the population one by one, so that its size alone is not enough."""
        return False

    def of_suppressed(self) -> PrivacyModel | None:
        """Return what the suppressed records have to meet as one class; None if they need not meet it."""
        return self

    def among(self, names: Sequence[str]) -> Self | None:
        """Return the model for these quasi-identifying columns only; None if it does not concern them."""
        return self

    @property
    def needs_weights(self) -> bool:
        """Return whether it reads the weights of the records of a survey."""
        return False

    @property
    def needs_labels(self) -> bool:
        """Return whether it reads the labels of classes, so that all records must be on one node's levels."""
        return self.needs_members

    def measure(self, classes: EquivalenceClasses) -> IntArray | FloatArray:
        """Return the measured value per class, shape (n_classes,); by default the one that `measures` has."""
        (measure,) = self.measures("")
        return classes.measured(measure)

    def critical(self, classes: EquivalenceClasses) -> IntArray | FloatArray:
        """Return per class the strictest threshold it meets, shape (n_classes,).

        The measured value, unless a model has a tolerance, a strict comparison or a further condition; inf (0
        for `Relation.AT_LEAST`) if no threshold is met.
        """
        return self.measure(classes)

    def measures(self, default_distance: str) -> tuple[Measure, ...]:
        """Return what `measure` reads in addition to class sizes, given the usual distance of its column."""
        return ()

    def as_measured(self, classes: EquivalenceClasses, smallest: int) -> Self:
        """Return the model with the parameters named in `reported` as measured in some classes.

        Parameters
        ----------
        classes : EquivalenceClasses
            The classes in which its sensitive column is measured.
        smallest : int
            Size of the smallest class by the quasi-identifying columns.
        """
        return self

    def worst(self, classes: EquivalenceClasses) -> int | float | None:
        """Return the value of the class furthest from meeting it; None if it has no value."""
        measured = self.measure(classes)
        found: int | float = (measured.min() if self.relation is Relation.AT_LEAST else measured.max()).item()
        return found

    def fulfilled(self, classes: EquivalenceClasses) -> BoolArray:
        """Return per class whether the threshold is met.

        A measured value is exact except for one rounding to the nearest double and is compared with the
        double of the typed threshold, so classes meet every value that is printed for them.
        """
        return self.meets(self.critical(classes))

    def meets(self, critical: IntArray | FloatArray) -> BoolArray:
        """Return which values of `critical` meet the threshold; nan does not."""
        if self.relation is Relation.AT_LEAST:
            return critical >= self.limit
        return critical <= self.limit

    @classmethod
    def threshold_parameter(cls) -> Param:
        """Return the description of the parameter that is compared."""
        return next(found for found in describe(cls) if found.name == cls.threshold_name)

    @property
    def limit(self) -> float:
        """The threshold's value."""
        value: float = getattr(self, self.threshold_name)
        return value

    @property
    def details(self) -> str:
        """Its further parameters in words, such as "l = 3"; empty if it has none to show."""
        return ""

    @property
    def required_k(self) -> int | None:
        """The class size it requires in addition to its condition; None if it requires none."""
        return None

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the sensitive columns it reads."""
        column = getattr(self, "column", None)
        return (column,) if column else ()

    def with_limit(self, value: float) -> Self:
        """Return the same model with another threshold, which is made an integer if it counts something."""
        threshold = int(value) if isinstance(self.threshold_parameter(), Integer) else value
        return self.with_value(self.threshold_name, threshold)

    def with_value(self, name: str, value: float) -> Self:
        """Return the same model with another value of a parameter."""
        return dataclasses.replace(self, **{name: value})  # type: ignore[type-var]  # members are dataclasses


# a release is only written if its file can be verified
privacy_models: Registry[PrivacyModel] = Registry(
    "engine.privacy",
    N_("privacy model"),
    partners="engine.verification.models",
    group=plugins.MODELS,
    base=PrivacyModel,
    methods=("measure",),
)
