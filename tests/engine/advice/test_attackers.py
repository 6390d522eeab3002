"""The pre-flight names attackers whose demand follows from another model, and only those."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.advice.preflight import preflight
from engine.advice.requirement import attacker_findings
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.any_columns import AnyColumns
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.known_columns import KnownColumns
from tests import attackers_by_hand as by_hand
from tests.attackers import REFERENCE, attackers, case_of, rows_of
from tests.strategies import cases, modest, nodes

CASE = case_of(next(entry for entry in REFERENCE if entry["name"] == "random_16"))  # zip, job, sex, age
FOLLOWING: list[tuple[PrivacyModel, ...]] = [
    (KnownColumns(known=("zip", "job"), k=3), KnownColumns(known=("zip",), k=3)),
    (AnyColumns(m=2, k=3), KnownColumns(known=("zip", "age"), k=2)),
    (AnyColumns(m=3, k=3), AnyColumns(m=2, k=3)),
    (KAnonymity(3), AnyColumns(m=3, k=3)),
    (KnownColumns(k=3), AnyColumns(m=3, k=3)),
    (KnownColumns(known=("zip",), k=3), KnownColumns(known=("zip",), k=3, attacker="twin")),
    (AnyColumns(m=2, k=2, column="s", confidence=0.5), AnyColumns(m=1, k=2, column="s", confidence=0.6)),
]
NOT_FOLLOWING: list[tuple[PrivacyModel, ...]] = [
    (KnownColumns(known=("zip", "job"), k=2), KnownColumns(known=("zip",), k=3)),
    (AnyColumns(m=2, k=3), KnownColumns(known=("zip", "age", "sex"), k=2)),
    (KAnonymity(3), AnyColumns(m=2, k=2, column="s", l=2)),
    (
        AnyColumns(m=2, k=2, column="s", confidence=0.5, values=("hiv",)),
        AnyColumns(m=1, k=2, column="s", confidence=0.5),
    ),
]


@pytest.mark.parametrize("models", FOLLOWING)
def test_an_attacker_who_adds_nothing_is_named_and_can_be_removed(models: tuple[PrivacyModel, ...]) -> None:
    project = CASE.under(Requirement(models, 1.0))
    (found,) = [finding for finding in preflight(project) if finding.key.startswith("follows")]
    assert found.key == "follows:1"
    assert "adds nothing" in found.title
    assert found.edit(project).requirement.models == models[:1]


@pytest.mark.parametrize("models", NOT_FOLLOWING)
def test_an_attacker_who_asks_for_more_is_not_named(models: tuple[PrivacyModel, ...]) -> None:
    assert list(attacker_findings(CASE.under(Requirement(models, 1.0)))) == []


@modest
@given(data=st.data())
def test_what_follows_is_met_by_what_the_other_model_keeps(data: st.DataObject) -> None:
    case = data.draw(cases(max_sensitive=1))
    (first, demand), (second, other) = data.draw(attackers(case)), data.draw(attackers(case))
    names = tuple(attribute.name for attribute in case.qi)
    if not first.follows_from(second, names):
        return
    rows = rows_of(case, data.draw(nodes(case)))
    left = by_hand.kept(rows, [other]).left
    assert not by_hand.failing(rows, left, [demand])
    assert demand.confidence <= Fraction(1)
