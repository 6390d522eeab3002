"""What measured values say of attacks: nothing promised is open, usual thresholds are resistance."""

from __future__ import annotations

import math

import pytest

from engine.findings.model_check import check
from engine.findings.risk.resistance import AttackReport, Resistance, attacks_resisted, resistance_of
from engine.privacy import privacy_models
from engine.privacy.attacks import Attack
from engine.privacy.values import MeasuredModel, measured_kinds
from tests.engine.findings.test_given_table import table


def by_attack(**columns: str) -> dict[Attack, AttackReport]:
    sensitive = ("s",) if "s" in columns else ()
    return {found.attack: found for found in attacks_resisted(check(table(**columns), "q", sensitive).models)}


def measured(key: str, value: float | None, **told: int | str | None) -> MeasuredModel:
    return MeasuredModel(privacy_models[key], value, told, "s")


@pytest.mark.parametrize(
    ("model", "wanted"),
    [
        (measured("k_anonymity", 1), Resistance.OPEN),
        (measured("k_anonymity", 2), Resistance.IN_PART),
        (measured("k_anonymity", 4), Resistance.IN_PART),
        (measured("k_anonymity", 5), Resistance.RESISTED),  # the least of the usual values
        (measured("distinct_l_diversity", 1), Resistance.OPEN),
        (measured("distinct_l_diversity", 2), Resistance.RESISTED),
        (measured("entropy_l_diversity", 1.0), Resistance.OPEN),
        (measured("entropy_l_diversity", 1.9), Resistance.IN_PART),
        (measured("t_closeness", 1.0, distance="equal"), Resistance.OPEN),
        (measured("t_closeness", 0.61, distance="equal"), Resistance.OPEN),
        (measured("t_closeness", 0.6, distance="equal"), Resistance.IN_PART),
        (measured("basic_beta_likeness", 669.3), Resistance.OPEN),
        (measured("t_closeness", 0.3, distance="equal"), Resistance.RESISTED),
        (measured("delta_disclosure", math.inf), Resistance.OPEN),
        (measured("recursive_c_l_diversity", None, l=1), Resistance.OPEN),
        (measured("recursive_c_l_diversity", 4.9, l=2), Resistance.RESISTED),
        (measured("recursive_c_l_diversity", 10.1, l=2), Resistance.OPEN),
        (measured("recursive_c_l_diversity", 5.0, l=2), Resistance.IN_PART),  # c has to be greater
        (measured("alpha_k_anonymity", 0.8, k=5), Resistance.RESISTED),
        (measured("alpha_k_anonymity", 0.8, k=2), Resistance.IN_PART),
        (measured("alpha_k_anonymity", 0.8, k=1), Resistance.OPEN),
        (measured("alpha_k_anonymity", 1.0, k=9), Resistance.OPEN),
    ],
)
def test_a_value_is_read_beside_the_usual_thresholds(model: MeasuredModel, wanted: Resistance) -> None:
    assert resistance_of(model) is wanted


def test_records_that_are_alone_leave_every_attack_open() -> None:
    found = by_attack(q="abc", s="xyx")
    assert found[Attack.RE_IDENTIFICATION].resistance is Resistance.OPEN
    assert found[Attack.LINKAGE].resistance is Resistance.OPEN
    assert found[Attack.HOMOGENEITY].resistance is Resistance.OPEN
    assert found[Attack.INFERENCE].resistance is Resistance.OPEN  # values absent from classes


def test_an_attack_is_resisted_only_where_every_model_says_so() -> None:
    report = attacks_resisted(
        [
            MeasuredModel(privacy_models["t_closeness"], 0.1, {"distance": "equal"}, "s"),
            MeasuredModel(privacy_models["basic_beta_likeness"], 1000.0, {}, "s"),
        ]
    )
    by_name = {entry.attack: entry for entry in report}
    assert by_name[Attack.SKEWNESS].resistance is Resistance.IN_PART
    assert by_name[Attack.SKEWNESS].model.key == "t_closeness"
    assert [model.key for model in by_name[Attack.SKEWNESS].weaker] == ["basic_beta_likeness"]
    assert by_name[Attack.SIMILARITY].resistance is Resistance.RESISTED


def test_one_class_of_one_value_leaves_every_attack_on_values_open() -> None:
    # A quarter of the table has y, so that a class of y alone gains no more than beta = 3.
    found = by_attack(q="aabbbbbb", s="yyxxxxxx")
    for attack in (Attack.HOMOGENEITY, Attack.SKEWNESS, Attack.SIMILARITY, Attack.INFERENCE):
        assert found[attack].resistance is Resistance.OPEN
        assert (found[attack].model.key, found[attack].model.value) == ("distinct_l_diversity", 1)


def test_large_classes_spread_like_the_table_resist() -> None:
    found = by_attack(q="aaaaaabbbbbb", s="xyxyxyxyxyxy")
    assert {a for a, r in found.items() if r.resistance is Resistance.RESISTED} == set(Attack) - {
        Attack.MEMBERSHIP
    }
    decisive = found[Attack.RE_IDENTIFICATION].model
    assert (decisive.key, decisive.value) == ("k_anonymity", 6)


def test_homogeneous_classes_are_open_whatever_their_size() -> None:
    found = by_attack(q="aaaaabbbbb", s="xxxxxyyyyy")
    assert found[Attack.RE_IDENTIFICATION].resistance is Resistance.RESISTED
    assert found[Attack.HOMOGENEITY].resistance is Resistance.OPEN
    assert found[Attack.BACKGROUND_KNOWLEDGE].resistance is Resistance.OPEN


def test_without_a_sensitive_column_only_finding_people_is_judged() -> None:
    found = by_attack(q="aaabbb")
    judged = {attack for attack, report in found.items() if report.resistance is not Resistance.UNKNOWN}
    assert judged == {Attack.LINKAGE, Attack.RE_IDENTIFICATION}


def test_every_measured_model_can_be_read() -> None:
    for kind in measured_kinds():
        assert (
            resistance_of(MeasuredModel(kind, math.inf if kind.threshold_name != "k" else 1))
            is Resistance.OPEN
        )
