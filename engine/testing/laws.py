"""Laws of members, each a function that raises `BrokenLawError` for a member or a case that breaks it."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from engine.errors import HierarchyError, InputError, ParameterError
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.base import HierarchyBuilder
from engine.params import (
    Choice,
    ColumnRef,
    Configurable,
    Integer,
    Integers,
    Real,
    Text,
    describe,
    plain_values_of,
    values_of,
)
from engine.privacy import Attack, Group, Monotonic, PrivacyModel, Relation
from engine.records import Column
from engine.registry import Registry
from engine.scoring import Evaluation
from engine.utility import UtilityMetric

_SLACK = 1e-9
_PROMISES = ("optimal", "best_known", "none")


class BrokenLawError(AssertionError):
    """A member does not do what its family promises."""


def hold(condition: object, problem: str) -> None:
    """Raise the problem if a condition is false."""
    if not condition:
        raise BrokenLawError(problem)


# Members of any family -----------------------------------------------------------------------------


def made(kind: type[Configurable], **values: Any) -> Any:
    """Return a member with its defaults; columns that it needs are `s0`."""
    columns = {d.name: "s0" for d in describe(kind) if isinstance(d, ColumnRef)}
    return kind(**columns | values)


def it_is_made_from_its_defaults(registry: Registry[Any], key: str) -> None:
    """Hold a member to its key, its title, and equality of members with equal parameters."""
    kind = registry[key]
    member = made(kind)
    hold(member.key == key, f"its key is {member.key!r}, not {key!r}")
    hold(member.title, "it has no title")
    hold(member == made(kind), "two members with the same parameters are not equal")
    hold(hash(member) == hash(made(kind)), "two equal members have different hashes")


def its_parameters_are_explained(kind: type[Configurable]) -> None:
    """Hold every parameter to a caption, a help text, and usual values that are allowed and in order."""
    for descriptor in describe(kind):
        hold(descriptor.label, f"the parameter '{descriptor.name}' has no label")
        hold(descriptor.help, f"the parameter '{descriptor.name}' has no help text")
        if isinstance(descriptor, Integer | Real) and descriptor.usual:
            hold(
                list(descriptor.usual) == sorted(descriptor.usual),
                f"the usual values of '{descriptor.name}' are not in order",
            )
            hold(
                [descriptor.check(value) for value in descriptor.usual] == list(descriptor.usual),
                f"a usual value of '{descriptor.name}' is not allowed",
            )


def outside(descriptor: Any) -> tuple[Any, ...]:
    """Return values that a parameter must refuse, one step outside its bounds."""
    match descriptor:
        case Integer():
            return descriptor.minimum - 1, descriptor.maximum + 1, math.nan
        case Real():
            low, high = descriptor.minimum, descriptor.maximum
            return math.nextafter(low, -math.inf), math.nextafter(high, math.inf), math.nan
        case Integers():
            return [descriptor.minimum - 1], "2"
        case Choice():
            return ("no such choice",)
        case Text() if descriptor.length:
            return "", "**"
    return ()


def values_outside_bounds_are_refused(kind: type[Configurable]) -> None:
    """Hold every parameter to its bounds; the refusal says what is allowed."""
    for descriptor in describe(kind):
        for value in outside(descriptor):
            refusal = refused(partial(made, kind, **{descriptor.name: value}))
            hold(refusal is not None, f"'{descriptor.name}' may be {value!r}, which is outside its bounds")
            hold(refusal and refusal.hint, f"the error for '{descriptor.name}' = {value!r} has no hint")


def refused(make: Callable[[], object]) -> ParameterError | None:
    """Return the error with which a value is refused; None if it is accepted."""
    try:
        make()
    except ParameterError as error:
        return error
    return None


def it_is_restored_from_files(registry: Registry[Any], member: Any) -> None:
    """Hold a member to the values by which recipes and project files store it."""
    again = registry.create(member.key, **values_of(member))
    hold(again == member, "its stored values make another member")
    again = registry.create(member.key, **plain_values_of(member))
    hold(again == member, "its values in a recipe make another member")
    try:
        registry.create(member.key, **{**values_of(member), "no_such_parameter": 1})
    except InputError:
        return
    raise BrokenLawError("it accepts a parameter that it does not declare")


# Privacy models -------------------------------------------------------------------------------------


def a_model_describes_itself(kind: type[PrivacyModel]) -> None:
    """Hold a model to the words and declarations by which it is shown."""
    model = made(kind)
    hold(model.symbol, "it has no symbol")
    hold(model.meaning, "it has no meaning")
    hold(isinstance(model.relation, Relation), "its relation is not a Relation")
    hold(isinstance(model.monotonic, Monotonic), "its monotonic is not a Monotonic")
    hold(isinstance(kind.group, Group), "its group is not a Group")
    hold(kind.summary.endswith(".") and kind.summary[0].isupper(), "its summary is not a sentence")
    hold(kind.protects, "it protects against nothing")
    hold(set(kind.protects) <= set(Attack), "protects contains something else than attacks")
    hold(len(set(kind.protects)) == len(kind.protects), "protects names an attack twice")
    declared = {descriptor.name for descriptor in describe(kind)}
    hold(set(kind.reported) <= declared - {kind.threshold_name}, "reported names no other parameter")
    hold(set(kind.knobs) <= declared, "knobs names something else than parameters")
    hold(set(kind.easing) <= set(kind.knobs), "easing names something else than knobs")


def a_model_cites_its_source(kind: type[PrivacyModel]) -> None:
    """Hold a model to a reference in its docstring for its source."""
    *_names, year = kind.source.split()
    references = " ".join((kind.__doc__ or "").split("References")[-1].split())
    hold(f"({year})" in references, f"its docstring has no reference of {year}")
    for name in kind.source.removesuffix(year).replace(",", " ").split():
        hold(name in references, f"its docstring does not cite {name}")


def its_threshold_can_be_changed(kind: type[PrivacyModel]) -> None:
    """Hold a model to a threshold that is one of its parameters."""
    model = made(kind)
    descriptor = next((d for d in describe(kind) if d.name == kind.threshold_name), None)
    hold(isinstance(descriptor, Integer | Real), "its threshold is not one of its numbers")
    assert isinstance(descriptor, Integer | Real)
    hold(model.limit == getattr(model, kind.threshold_name), "its limit is not its threshold")
    turned = model.with_limit(descriptor.minimum)
    hold(turned.limit == descriptor.minimum, "with_limit gives another threshold")
    kept = values_of(turned) | {kind.threshold_name: model.limit}
    hold(kept == values_of(model), "with_limit changes other parameters")


def a_class_meets_exactly_what_it_measures(
    model: PrivacyModel,
    classes: Any,
    attained: float,
    tolerance: float = 0.0,
    *,
    has_further_condition: bool = False,
) -> None:
    """Hold a model to its measure: a threshold is met by the classes on its side of it, ties included.

    Parameters
    ----------
    attained : float
        The value of one of the classes.
    tolerance : float
        Relative difference up to which values count as equal.
    has_further_condition : bool
        Whether classes that meet the threshold may fail the model for another reason.
    """
    measured = model.measure(classes)
    hold(measured.shape == classes.sizes.shape, "measure does not return one number per class")
    met = model.with_limit(attained).fulfilled(classes)
    tied = np.isclose(measured, attained, rtol=tolerance, atol=0.0)
    better = measured > attained if model.relation is Relation.AT_LEAST else measured < attained
    expected = better & ~tied if model.relation is Relation.BELOW else better | tied
    if has_further_condition:
        expected &= met
    hold(np.array_equal(met, expected), f"classes with {measured[met != expected]} are wrong at {attained}")


# Utility metrics ------------------------------------------------------------------------------------


def a_metric_stays_within_its_bounds(metric: UtilityMetric, evaluation: Evaluation) -> None:
    """Hold a metric to one number per node, within its bounds, and to [0, 1] once normalized."""
    problem = evaluation.problem
    natural, normalized = metric.natural(evaluation), metric.normalized(evaluation)
    shape = (problem.lattice.n_nodes,)
    hold(natural.shape == normalized.shape == shape, "it does not return one number per node")
    hold(natural.dtype == normalized.dtype == np.float64, "it does not return numbers of type float64")
    low, high = metric.bounds(problem)
    hold(low <= high, f"its bounds {low} and {high} are not in order")
    exists = ~np.isnan(natural)
    hold(exists[evaluation.kept_classes > 0].all(), "it has no value although records are kept")
    slack = _SLACK * max(abs(high), 1)
    within = (natural[exists] >= low - slack) & (natural[exists] <= high + slack)
    hold(np.all(within), f"the values {natural[exists][~within]} are not from {low} to {high}")
    hold(are_shares(normalized[exists]), "a normalized value is not from 0 to 1")


def are_shares(values: Any) -> bool:
    """Return whether all values are from 0 to 1, up to rounding."""
    return bool(np.all((values >= -_SLACK) & (values <= 1 + _SLACK)))


def weights_change_a_metric_only_if_declared(
    metric: UtilityMetric, evaluation: Evaluation, weights: Any
) -> None:
    """Hold a metric to its declaration whether attribute weights change it."""
    if not metric.weighted:
        same = np.array_equal(metric.natural(evaluation, weights), metric.natural(evaluation), equal_nan=True)
        hold(same, "weights change it, which it does not declare")
    normalized = metric.normalized(evaluation, weights)
    hold(are_shares(normalized[~np.isnan(normalized)]), "a weighted value is not from 0 to 1")


def a_monotonic_metric_never_falls(metric: UtilityMetric, evaluation: Evaluation) -> None:
    """Hold a metric to its declared monotonicity, on an evaluation without suppression."""
    if not metric.monotonic:
        return
    values, lattice = metric.natural(evaluation), evaluation.problem.lattice
    for number in range(lattice.n_nodes):
        for successor in lattice.successors(lattice.node(number)):
            least = values[number] - _SLACK * abs(values[number]) - 1e-12
            hold(
                values[lattice.number(successor)] >= least,
                f"it falls from node {lattice.node(number)} to {successor}, so it is not monotonic",
            )


def suppression_never_lowers_a_metric(
    metric: UtilityMetric, evaluation: Evaluation, everything_kept: Evaluation, weights: Any
) -> None:
    """Hold a metric to its declaration that suppression costs."""
    if not metric.suppressing_costs:
        return
    values, least = metric.natural(evaluation, weights), metric.natural(everything_kept, weights)
    exists = ~np.isnan(values)
    worse = values[exists] >= (least - _SLACK * np.abs(least) - 1e-12)[exists]
    hold(np.all(worse), "suppressing records lowers it, although suppressing_costs is true")


# Hierarchy builders ---------------------------------------------------------------------------------


def a_builder_describes_itself(kind: type[HierarchyBuilder]) -> None:
    """Hold a builder to a title, a sentence, and a sentence for each parameter."""
    hold(kind.title, "it has no title")
    hold(kind.summary.endswith("."), "its summary is not a sentence")
    for descriptor in describe(kind):
        hold(descriptor.help.endswith("."), f"the help of '{descriptor.name}' is not a sentence")


def a_built_hierarchy_is_a_tree(builder: HierarchyBuilder, column: Column) -> None:
    """Hold a builder to a tree over all values that ends in `*`, or a refusal with a hint."""
    try:
        hierarchy = builder.build(column)
    except (HierarchyError, ParameterError) as error:
        hold(error.hint, f"its refusal of a column has no hint: {error.problem}")
        return
    hold(Hierarchy.from_rows(hierarchy.rows()).top_label == "*", "its last level is not *")
    hold(set(hierarchy.values) >= set(column.labels), "its hierarchy lacks values of the column")
    if column.missing_label is not None:
        path = {hierarchy.label(column.missing_label, level) for level in range(hierarchy.height)}
        hold(path == {column.missing_label}, "the missing value does not remain below the last level")


# Search algorithms ----------------------------------------------------------------------------------


def an_algorithm_describes_itself(kind: type[Any]) -> None:
    """Hold an algorithm to a sentence and a known promise."""
    hold(kind.summary.endswith("."), "its summary is not a sentence")
    hold(kind.promise in _PROMISES, f"its promise is not one of {', '.join(_PROMISES)}")


def the_claims_of_a_search_are_true(
    kind: type[Any], result: Any, evaluation: Evaluation, metric: str
) -> None:
    """Hold a result to the evaluation of the whole lattice, wherever the search ended.

    Parameters
    ----------
    kind : type
        The algorithm.
    evaluation : Evaluation
        Of all nodes under the requirement of the search.
    metric : str
        Metric of the search.
    """
    lattice = evaluation.problem.lattice
    optimum = evaluation.optimum(metric)
    best = None if optimum is None else lattice.node(optimum)
    hold(result.guarantee in ("none", "best_known", kind.promise), f"it claims {result.guarantee!r}")
    if result.node is not None:
        hold(evaluation.satisfies[lattice.number(result.node)], f"its node {result.node} does not satisfy")
    if result.guarantee == "optimal":
        hold(result.is_proved, "it claims an optimum that it has not proved")
    if result.is_proved:
        hold(result.node == best, f"it claims {result.node}, but the optimum is {best}")
    if optimum is not None:
        at = np.array([optimum])
        least = float(np.nan_to_num(evaluation.metric_at(metric, at), nan=np.inf)[0])
        hold(result.bound <= least + abs(least) * 1e-12, "its bound is above the optimum")
    if result.satisfying is not None:
        hold(np.array_equal(result.satisfying, evaluation.satisfies), "it decides nodes wrongly")
