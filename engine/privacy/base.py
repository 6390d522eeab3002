"""What a privacy model is, and the registry of them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Protocol, Self

import numpy as np

from engine.frequency import EquivalenceClasses, Measure, Problem
from engine.kernels.arrays import BoolArray, Counts, IntArray, Reals
from engine.params import Configurable
from engine.privacy.attacks import Attack
from engine.registry import Registry
from engine.words import N_


class Relation(Enum):
    """How a measured value is compared with the threshold."""

    AT_LEAST = "≥"
    AT_MOST = "≤"
    BELOW = "<"


class Monotonic(Enum):
    """Where a model that holds at a node surely holds at its successors."""

    ALWAYS = "always"
    WITHOUT_SUPPRESSION = N_("without suppression")
    NEVER = "never"


@dataclass(frozen=True)
class Conditions:
    """How a problem counts its classes, as far as it decides what carries over.

    Attributes
    ----------
    in_parts : bool
        Whether a sensitive column is measured in parts of classes, of which a class has the worst; see
        `Problem.measures_parts`.
    of_persons : bool
        Whether a person of the records or of the population may have several, and so be in several
        classes; see `Problem.counts_persons`.
    """

    in_parts: bool = False
    of_persons: bool = False

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """Those of a problem."""
        return cls(in_parts=problem.measures_parts, of_persons=problem.counts_persons)


class Group(Enum):
    """What a model looks at; models are offered in these groups."""

    CLASS_SIZES = N_("class sizes")
    SENSITIVE_VALUES = N_("sensitive values")
    RISK = "risk"
    POPULATION = "population"


class KeptFigures(Protocol):
    """What is kept of some nodes, or of one table; arrays have shape (n_nodes,)."""

    @property
    def people(self) -> float | None:
        """Size of the population, if it is known."""

    @property
    def has_kept(self) -> BoolArray:
        """Whether any class is kept."""

    def kept_people(self, wanted: BoolArray) -> Counts:
        """People with a record in a kept class; of nodes not wanted any number."""

    def people_below(self, size: float, wanted: BoolArray) -> Counts:
        """People with a record in a kept class of less than `size` people; of nodes not wanted any number."""

    def average_risk(self, wanted: BoolArray) -> Reals:
        """Mean over people of 1 / size of the smallest kept class they are in; nan where nothing is kept."""

    @property
    def has_all_members(self) -> BoolArray:
        """Whether the whole population, where it is known one by one, is in kept classes."""

    def population_uniques(self, estimator: str, nodes: IntArray) -> Reals:
        """Estimate unique people of the population for some nodes, shape (len(nodes),); inf for no answer."""


class PrivacyModel(Configurable):
    """A condition every equivalence class of a release must meet.

    A member measures one number per class and compares it with one of its parameters; everything
    else (knob, form, file, report) follows from that. What else it asks for, or a rule for ties of
    its own, it says in `critical`.

    Attributes
    ----------
    symbol : str
        The letter people know it by.
    meaning : str
        The threshold in plain words, as a knob's caption.
    summary : str
        What holds of a table that meets it, in one sentence for people who do not know the field.
    group : Group
        What it looks at.
    protects : tuple of Attack
        What it makes harder, by the paper `Attack` names or by its own.
    source : str
        Who defined it, and when; the docstring has the full reference.
    told : tuple of str
        Further parameters that a measured value says nothing without, such as the l of a measured c.
    threshold_name : str
        Name of the parameter compared with.
    relation : Relation
        When the measured value meets the threshold.
    monotonic : Monotonic
        Where it carries over from a node to its successors, with classes measured whole; what a search may
        prune by is `monotonic_under` the conditions of its problem.
    is_by_size : bool
        Whether which classes are kept follows from `required_k` alone.
    is_table_wide : bool
        Whether it judges what is kept as a whole, and keeps or suppresses no class itself; see
        `engine.privacy.table_wide`.
    is_costly : bool
        Whether `holds` takes long, so that other models are asked first.
    """

    __slots__ = ()
    symbol: ClassVar[str]
    meaning: ClassVar[str]
    summary: ClassVar[str]
    group: ClassVar[Group]
    protects: ClassVar[tuple[Attack, ...]]
    source: ClassVar[str]
    told: ClassVar[tuple[str, ...]] = ()
    threshold_name: ClassVar[str]
    relation: ClassVar[Relation]
    monotonic: ClassVar[Monotonic]
    is_by_size: ClassVar[bool] = False
    is_table_wide: ClassVar[bool] = False
    is_costly: ClassVar[bool] = False

    @property
    def judges_whole(self) -> bool:
        """Whether it asks something of the kept classes together, in `holds`."""
        return self.is_table_wide

    def holds(self, kept: KeptFigures, wanted: BoolArray) -> BoolArray:
        """Return whether what it asks of the kept classes together is met, shape (n_nodes,).

        Parameters
        ----------
        kept : KeptFigures
            What is kept of every node.
        wanted : ndarray of bool, shape (n_nodes,)
            Of the others a costly model may return anything.
        """
        return np.ones(len(wanted), dtype=np.bool_)

    def monotonic_under(self, conditions: Conditions) -> Monotonic:
        """Return where it carries over under the conditions of a problem: what a search may prune by."""
        return self.monotonic

    @property
    def why_never(self) -> str:
        """Why no table can meet it, as its parameters contradict each other; empty where one can."""
        return ""

    @property
    def needs_people(self) -> bool:
        """Whether it cannot be judged unless the population is known, by its size at least."""
        return self.group is Group.POPULATION

    @property
    def needs_members(self) -> bool:
        """Whether it counts people of the population one by one, so that their number alone is no help."""
        return False

    def measure(self, classes: EquivalenceClasses) -> IntArray | Reals:
        """Return the measured value per class, shape (n_classes,)."""
        raise NotImplementedError

    def critical(self, classes: EquivalenceClasses) -> IntArray | Reals:
        """Return per class the strictest threshold it meets, shape (n_classes,).

        The measured value itself, but where a model has a tolerance, a strict comparison or a further
        condition: inf (or 0 for `Relation.AT_LEAST`) where no threshold is met.
        """
        return self.measure(classes)

    def measures(self, default_distance: str) -> tuple[Measure, ...]:
        """What `measure` reads beside class sizes, given the usual distance of its column."""
        return ()

    def as_measured(self, classes: EquivalenceClasses, smallest: int) -> Self:
        """Return the model with the parameters named in `told` as some classes have them.

        Parameters
        ----------
        classes : EquivalenceClasses
            Those in which its sensitive column is looked at.
        smallest : int
            Records of the smallest class by the quasi-identifying columns.
        """
        return self

    def worst(self, classes: EquivalenceClasses) -> int | float | None:
        """The measured value of the class furthest from meeting it; None where there is no such value."""
        measured = self.measure(classes)
        found: int | float = (measured.min() if self.relation is Relation.AT_LEAST else measured.max()).item()
        return found

    def fulfilled(self, classes: EquivalenceClasses) -> BoolArray:
        """Return per class whether the threshold is met.

        What is measured is exact but for one rounding, to the nearest double, and is compared with the
        double of the threshold as typed: so classes meet every value that is printed of them.
        """
        critical = self.critical(classes)
        if self.relation is Relation.AT_LEAST:
            return critical >= self.limit
        return critical <= self.limit

    @property
    def limit(self) -> float:
        """The threshold's value."""
        value: float = getattr(self, self.threshold_name)
        return value

    @property
    def details(self) -> str:
        """Its further parameters in words, such as "l = 3"; empty where there are none to tell."""
        return ""

    @property
    def required_k(self) -> int | None:
        """The class size it asks for, beside all else; None where it asks for none."""
        return None

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the sensitive columns it reads."""
        column = getattr(self, "column", None)
        return (column,) if column else ()

    def with_limit(self, value: float) -> Self:
        """Return the same model with another threshold."""
        return dataclasses.replace(self, **{self.threshold_name: value})  # type: ignore[type-var]  # members are dataclasses


# A release is only written where its file can be judged.
privacy_models: Registry[PrivacyModel] = Registry(
    "engine.privacy", "privacy model", partners="engine.verification.models"
)
