"""Interface of recoding methods, and their registry."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from engine import plugins
from engine.errors import InputError
from engine.frequency import Problem
from engine.hierarchies.remainders import with_remainders
from engine.kernels.arrays import BoolArray, FloatArray
from engine.lattice import Node
from engine.monitor import Monitor, is_enough
from engine.notebook import Brief
from engine.params import Configurable
from engine.privacy import Requirement
from engine.registry import Registry
from engine.utility import UtilityMetric
from engine.utility.objective import Objective
from engine.utility.recoded import RecodedRecords
from engine.utility.recoded_column import RecodedColumn
from engine.words import N_, _, lazy


@dataclass(frozen=True, eq=False)
class Recoding(Brief):
    """A level for every cell: what a release looks like whose levels differ by record.

    Attributes
    ----------
    levels : ndarray of int16, shape (n_records, n_qi)
        Level of each record per quasi-identifier; meaningless for suppressed records.
    suppressed : ndarray of bool, shape (n_records,)
    stopped_after : int or None
        Steps of its method until the monitor stopped it; None if it was completed.
    remainders : tuple of tuple of str, of length n_qi, or empty
        Labels of remainders by column, which stand for the levels above that of the root; see
        `engine.hierarchies.remainders`.
    """

    levels: NDArray[np.int16]
    suppressed: BoolArray
    stopped_after: int | None = None
    remainders: tuple[tuple[str, ...], ...] = ()

    def labelled(self, problem: Problem) -> Problem:
        """Return the problem with a level for every label of the recoding."""
        if not any(self.remainders):
            return problem
        own = zip(problem.attributes, self.remainders, strict=True)
        attributes = (replace(a, hierarchy=with_remainders(a.hierarchy, texts)) for a, texts in own)
        return replace(problem, attributes=tuple(attributes))

    @classmethod
    def of_node(cls, node: Node, suppressed: BoolArray) -> Recoding:
        """Every record on the levels of one node."""
        return cls(np.tile(np.array(node, dtype=np.int16), (len(suppressed), 1)), suppressed)


@dataclass(frozen=True, eq=False)
class RecodingTask:
    """Input of a recoding method.

    Attributes
    ----------
    problem : Problem
        Every hierarchy ends in a single label (see `rooted`); the allowed levels are unchanged, so
        that an added top level of `*` may only be used for single cells and suppressed records.
    metric : str
        Key of the utility metric to minimize.
    weights : ndarray of float64, shape (n_qi,), or None
    chosen : UtilityMetric or None
        The metric with its settings; None for the usual ones.
    start : Recoding or None
        The release to improve, for methods that need one.
    seed : int
        Of methods that draw at random.
    """

    problem: Problem
    requirement: Requirement
    metric: str = "loss"
    weights: FloatArray | None = None
    start: Recoding | None = None
    seed: int = 0
    chosen: UtilityMetric | None = None

    @property
    def objective(self) -> Objective:
        """Data by which releases are compared."""
        return Objective(self.weights, self.chosen)


class RecodingMethod(Configurable):
    """Makes a release whose levels differ by record.

    A method answers with levels that it takes for good; the release made of them counts its classes again, by
    the texts that are written, and suppresses what misses the requirement.

    Attributes
    ----------
    summary : str
        What it does, in one sentence for people who do not know the field.
    weakness : str
        Conclusions from the release for an attacker who knows the method, in a sentence.
    needs_start : bool
        Whether it improves a release, instead of making one from scratch.
    can_stop : bool
        Whether it ends with the best so far if the monitor says so. It then has the parameter `steps`, with
        which it ends at the same step again.
    source : str
        Who published it, and when; the docstring has the full reference.
    """

    __slots__ = ()
    summary: ClassVar[str]
    weakness: ClassVar[str] = lazy(
        "Which cells are generalized depends on other records; an attacker who knows the method may "
        "learn which values a general label excludes."
    )
    needs_start: ClassVar[bool] = False
    can_stop: ClassVar[bool] = False
    source: ClassVar[str] = ""

    @classmethod
    def tried(cls) -> tuple[Self, ...]:
        """Return the method with each of the settings that are worth a try, the defaults first."""
        return (cls(),)

    @property
    def full_title(self) -> str:
        """Its title, with the setting in which it differs from others that are tried."""
        return self.title

    def improve(self, task: RecodingTask, monitor: Monitor) -> Recoding:
        """Recode the records of a problem.

        Raises
        ------
        CancelledError
            When the monitor asks to stop; the previous release stays unchanged.
        InputError
            If the method cannot deal with such a problem.
        """
        raise NotImplementedError


recoding_methods: Registry[RecodingMethod] = Registry(
    "engine.recoding",
    N_("recoding method"),
    group=plugins.RECODING,
    base=RecodingMethod,
    methods=("improve",),
)


def rooted(problem: Problem) -> Problem:
    """Return the problem with a single label on top of every hierarchy; allowed levels stay."""
    attributes = tuple(replace(a, hierarchy=a.hierarchy.rooted()) for a in problem.attributes)
    return replace(problem, attributes=attributes)


def refuse_unjudgeable(requirement: Requirement) -> None:
    """Refuse models that read the labels of a class: they belong to one node.

    Raises
    ------
    InputError
    """
    for model in requirement.models:
        if model.needs_labels:
            words = (
                _(
                    "{title} counts people of the population on the levels of one node, so it "
                    "cannot be used with a release whose levels vary by record."
                )
                if model.needs_members
                else _(
                    "{title} weighs the information of labels on the levels of one node, so it "
                    "cannot be used with a release whose levels vary by record."
                )
            )
            raise InputError(
                words.format(title=model.title),
                hint=_("Release a node, or use k-anonymity instead."),
                model=model.key,
            )


def leaf_codes(problem: Problem) -> NDArray[np.int32]:
    """Leaf of every record per quasi-identifier, shape (n_records, n_qi)."""
    columns: list[Any] = [attribute.leaves for attribute in problem.attributes]
    return np.column_stack(columns).astype(np.int32, copy=False)


def recoded_records(
    problem: Problem,
    recoding: Recoding,
    required_k: int | None = None,
    objective: Objective | FloatArray | None = None,
) -> RecodedRecords:
    """The records of a problem under a recoding, for `RecodedRecords.metric`.

    Parameters
    ----------
    recoding : Recoding
        Its suppressed records count as fully generalized.
    required_k : int, optional
        The class size that metrics divide by, if one is asked for.
    objective : Objective or ndarray of float64 of shape (n_qi,), optional
        Settings and weights, or weights alone.
    """
    kept = np.flatnonzero(~recoding.suppressed)
    counts = None if problem.counts is None else problem.counts[kept]
    columns = []
    for q, attribute in enumerate(problem.attributes):
        levels = recoding.levels[kept, q]
        codes = np.array([level.codes for level in attribute.hierarchy.levels], dtype=np.int32)
        columns.append(RecodedColumn.of(attribute, levels, codes[levels, attribute.leaves[kept]], counts))
    target = None if problem.target is None else problem.target.codes[kept]
    return RecodedRecords(
        problem,
        columns,
        len(kept) if counts is None else int(counts.sum()),
        required_k=required_k,
        target=target,
        objective=objective,
        persons=None if problem.repeated is None else problem.repeated.some(kept),
    )


class ImprovementSteps:
    """Steps that an improvement may still do; every one leaves a valid release.

    A recipe with the number of steps done reproduces a stopped release.

    Parameters
    ----------
    most : int
        Steps after which the improvement ends; 0 for no limit.
    monitor : Monitor
        Ends it earlier.
    """

    def __init__(self, most: int, monitor: Monitor) -> None:
        self._most, self._monitor, self._done = most, monitor, 0
        self._is_stopped = False

    @property
    def stopped_after(self) -> int | None:
        """Steps done until the monitor ended the improvement; None if it did not."""
        return self._done if self._is_stopped else None

    def may_go_on(self) -> bool:
        """Return whether to do one more step, and count it; the first one is always done."""
        if self._is_stopped or (self._most and self._done >= self._most):
            return False
        if self._done and is_enough(self._monitor):
            self._is_stopped = True
            return False
        self._done += 1
        return True
