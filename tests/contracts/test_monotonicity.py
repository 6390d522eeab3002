"""What every privacy model declares a search may prune by: it holds, and what is not declared is refuted.

A declaration that promises too much loses optima; one that promises too little looks at nodes in vain.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.params import Choice, ColumnRef, Integer, Real, describe
from engine.privacy import Monotonic, PrivacyModel, Requirement, privacy_models
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.tuples import at_node, base_tuples, measured_classes
from engine.table import Kind
from tests.strategies import Attributes, Case, cases, few

LIMITS = (0.1, 0.25, 0.4)  # of suppression
ATTEMPTS = 3000  # random tables until a counterexample is given up
# Conditions beside the threshold, loosened so that small tables meet the model at all.
FURTHER = {"alpha_k_anonymity": {"k": 1}, "recursive_c_l_diversity": {"l": 2}}


def variants() -> Iterator[Any]:
    """Every model with its defaults, and with every other option of its choices."""
    for key, kind in privacy_models.items():
        yield pytest.param(key, {}, id=key)
        for descriptor in describe(kind):
            if isinstance(descriptor, Choice):
                default = getattr(kind(), descriptor.name)
                for option, _ in descriptor.options:
                    if option != default:
                        yield pytest.param(key, {descriptor.name: option}, id=f"{key}-{option}")


def made(key: str, values: dict[str, Any]) -> PrivacyModel:
    columns = {d.name: "s0" for d in describe(privacy_models[key]) if isinstance(d, ColumnRef)}
    return privacy_models.create(key, **columns | FURTHER.get(key, {}) | values)


VARIANTS = list(variants())
DECLARED = [v for v in VARIANTS if made(*v.values).monotonic is not Monotonic.NEVER]
UNDECLARED = [v for v in VARIANTS if made(*v.values).monotonic is not Monotonic.ALWAYS]


def broken(case: Case, model: PrivacyModel, limit: float) -> bool:
    """Whether a node of the case satisfies and one of its successors does not."""
    requirement = Requirement((model,), limit)
    profile = score_lattice(case.problem, profile=LatticeProfile(case.problem, requirement))
    satisfies = profile.evaluate(requirement).satisfies
    return any(
        not satisfies[profile.lattice.number(successor)]
        for number in np.flatnonzero(satisfies)
        for successor in profile.lattice.successors(profile.lattice.node(int(number)))
    )


def random_case(source: random.Random) -> Case:
    """A few records with one or two quasi-identifiers that can be raised twice."""
    n_records = source.randint(2, 20)
    qi = []
    for name in ("q0", "q1")[: source.randint(1, 2)]:
        values = [f"{name}{i}" for i in range(source.randint(2, 4))]
        group = [f"group {source.randrange(2)}" for _ in values]
        rows = tuple(zip(values, group, ["*"] * len(values), strict=True))
        qi.append(Attributes(name, tuple(source.choices(values, k=n_records)), rows=rows))
    values = [str(i) for i in range(source.randint(2, 4))]
    rows = tuple((value, f"half {int(value) // 2}", "*") for value in values)
    return Case(
        tuple(qi), (Attributes("s0", tuple(source.choices(values, k=n_records)), Kind.INTEGER, rows),)
    )


def thresholds(case: Case, model: PrivacyModel, source: random.Random) -> Iterator[PrivacyModel]:
    """The model with thresholds that classes of the case attain, and with the usual ones."""
    descriptor = next(d for d in describe(type(model)) if d.name == model.threshold_name)
    assert isinstance(descriptor, (Integer, Real))
    node = tuple(source.choice(attribute.levels) for attribute in case.qi)
    _, classes = measured_classes(case.problem, at_node(base_tuples(case.problem), node))
    attained = np.unique(model.critical(classes)).tolist()
    for value in [source.choice(attained), source.choice(descriptor.usual)]:
        if descriptor.minimum <= value <= descriptor.maximum:
            yield model.with_limit(value)


def found_counterexample(model: PrivacyModel, limits: tuple[float, ...]) -> bool:
    source = random.Random(0)
    for _ in range(ATTEMPTS):
        case = random_case(source)
        for turned in thresholds(case, model, source):
            if broken(case, turned, source.choice(limits)):
                return True
    return False


@pytest.mark.parametrize(("key", "values"), DECLARED)
def test_what_is_declared_holds_on_random_lattices(key: str, values: dict[str, Any]) -> None:
    model = made(key, values)
    limits = (0.0, *LIMITS) if model.monotonic is Monotonic.ALWAYS else (0.0,)

    @few
    @given(st.data())
    def check(data: st.DataObject) -> None:
        source = random.Random(data.draw(st.integers(0, 2**32)))
        is_wild = "hierarchical" not in values.values() and data.draw(st.booleans())
        case = data.draw(cases(min_sensitive=1, bounded=False)) if is_wild else random_case(source)
        for turned in thresholds(case, model, source):
            for limit in limits:
                assert not broken(case, turned, limit)

    check()


@pytest.mark.parametrize(("key", "values"), UNDECLARED)
def test_what_is_not_declared_is_refuted_by_a_table(key: str, values: dict[str, Any]) -> None:
    model = made(key, values)
    assert found_counterexample(model, LIMITS)
    if model.monotonic is Monotonic.NEVER:
        assert found_counterexample(model, (0.0,))
