"""Attacks judged before and after: by the models of a given table, with a reason that its rows bear out."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import assume, given

from engine.findings.model_check import check
from engine.findings.risk.attacks import Attacks, AttackVerdict
from engine.findings.risk.resistance import Resistance, attacks_resisted
from engine.findings.subject import Subject
from engine.privacy import Attack
from engine.project.compile import compile_problem
from engine.project.subset import Subset
from engine.recoding import make_release
from engine.records import DataType, Kind, Role
from engine.records.values import make_column
from tests.engine.findings.risk.subjects import Released, letters, releases
from tests.strategies import few


def by_attack(made: Released) -> dict[Attack, AttackVerdict]:
    return {verdict.attack: verdict for verdict in Attacks().run(made.subject).attacks}


@few
@given(releases(max_sensitive=1))
def test_the_input_is_judged_as_a_given_table_is(made: Released) -> None:
    found = by_attack(made)
    assert [verdict.attack for verdict in found.values()] == [a for a in Attack if a is not Attack.MEMBERSHIP]
    sensitive = made.subject.sensitive
    distances = {name: made.subject.release.distances[name] for name in sensitive}
    if "hierarchical" not in distances.values():
        names = made.subject.quasi_identifying
        report = check(made.case.project.table, names, sensitive, distances=distances)
        for wanted in attacks_resisted(report.models):
            if wanted.attack is Attack.SIMILARITY and wanted.resistance is Resistance.RESISTED:
                assert found[wanted.attack].before in (Resistance.RESISTED, Resistance.IN_PART)
            elif wanted.attack in found:
                assert found[wanted.attack].before is wanted.resistance
    if not made.after:
        assert {verdict.after for verdict in found.values()} == {Resistance.UNKNOWN}
        assert {verdict.reason for verdict in found.values()} == {"no record is kept"}


@few
@given(releases(max_sensitive=0))
def test_the_release_is_judged_as_its_written_rows_are(made: Released) -> None:
    assume(made.after)
    frame = pd.DataFrame(made.after, columns=[attribute.name for attribute in made.case.qi])
    found = by_attack(made)
    for wanted in attacks_resisted(check(frame, list(frame.columns)).models):
        if wanted.attack in found:
            assert found[wanted.attack].after is wanted.resistance
    assert found[Attack.SKEWNESS].reason == "no column is marked as sensitive, so nothing was measured"


def test_large_diverse_classes_resist_with_reasons_in_plain_words() -> None:
    found = by_attack(letters(q="aaaaaabbbbbb", s="xyxyxyxyxyxy"))
    assert {verdict.after for verdict in found.values()} == {Resistance.RESISTED}
    assert {attack.value: verdict.reason for attack, verdict in found.items()} == {
        "linkage": "linking with this file alone returns 6 or more candidates",
        "re_identification": "each record shares its values with at least 5 others",
        "homogeneity": "no class has a single value of 's'",
        "background_knowledge": "one value of 's' can be excluded before one remains",
        "skewness": "no class differs much from the table",
        "similarity": (
            "no class differs much from the table; which values of 's' have a similar meaning is not measured"
        ),
        "inference": "each value is about as frequent in every class as in the table",
    }
    assert found[Attack.LINKAGE].value == "k = 6"


def test_classes_of_one_value_leave_attacks_open_and_say_how_many() -> None:
    found = by_attack(letters(q="aaaaabbbbbcccccc", s="xxxxxyyyyyxyxyxy"))
    for attack in (Attack.HOMOGENEITY, Attack.SKEWNESS, Attack.SIMILARITY, Attack.INFERENCE):
        assert found[attack].after is Resistance.OPEN
        assert found[attack].reason == "2 of 3 classes have a single value of 's'"
        assert found[attack].value == "l = 1"
    assert found[Attack.BACKGROUND_KNOWLEDGE].reason.startswith("without any knowledge: 2 of 3")
    assert found[Attack.RE_IDENTIFICATION].after is Resistance.RESISTED


def test_before_and_after_differ_where_values_are_hidden() -> None:
    found = by_attack(letters(q="aaabbbcd", s="xyxyxyxy", node=(1,)))
    linkage = found[Attack.LINKAGE]
    assert (linkage.before, linkage.after) == (Resistance.OPEN, Resistance.RESISTED)
    assert (linkage.value_before, linkage.value) == ("k = 1", "k = 8")
    assert (
        linkage.reason_before
        == "linking with this file alone returns a single candidate for 2 of the records"
    )


def test_t_compares_what_is_kept_with_the_whole_input() -> None:
    # The class b is suppressed; in what is kept x and y are even, in the input y is rare.
    found = by_attack(letters(q="aaaabbb", s="xyxyxxx", k=4))
    assert found[Attack.SIMILARITY].model.value == pytest.approx(5 / 7 - 1 / 2)


def test_numbers_that_lie_close_are_given_as_an_example_beside_the_reason() -> None:
    made = letters(q="aabb")
    numbers = make_column("s", ["40", "42", "1", "99"], [0, 1, 2, 3], DataType(Kind.INTEGER), "")
    project = made.subject.project
    project = replace(
        project,
        table=replace(project.table, columns=(*project.table.columns, numbers)),
        roles={**project.roles, "s": Role.SENSITIVE},
    )
    subject = Subject(project, make_release(project, compile_problem(project), (0,)))
    verdict = next(v for v in Attacks().run(subject).attacks if v.attack is Attack.SIMILARITY)
    assert verdict.example == "40 and 42"
    assert verdict.reason.endswith("but the values of 's' in a class may be close to each other")
    assert "40" not in verdict.reason


def test_close_numbers_are_resisted_in_part_however_near_the_class_is_to_the_table() -> None:
    made = letters(q="aaaaabbbbb")
    texts = ["39", "40", "41", "42"]
    codes = [0, 1, 2, 1, 0, 1, 2, 1, 0, 3]
    for far in ("43", "99"):
        numbers = make_column("s", [*texts[:3], far], codes, DataType(Kind.INTEGER), "")
        project = made.subject.project
        project = replace(
            project,
            table=replace(project.table, columns=(*project.table.columns, numbers)),
            roles={**project.roles, "s": Role.SENSITIVE},
        )
        subject = Subject(project, make_release(project, compile_problem(project), (0,)))
        verdict = next(v for v in Attacks().run(subject).attacks if v.attack is Attack.SIMILARITY)
        # Within 39 to 43 the values of the first class are not close, within 39 to 99 they are.
        assert verdict.after is (Resistance.RESISTED if far == "43" else Resistance.IN_PART)
        assert verdict.example == ("" if far == "43" else "39 and 41")


def test_columns_released_unchanged_are_named_where_rules_may_be_mined() -> None:
    made = letters(q="aaaaaabbbbbb", s="xyxyxyxyxyxy")
    project = made.subject.project
    other = replace(project.table.column("s"), name="town")
    project = replace(
        project,
        table=replace(project.table, columns=(*project.table.columns, other)),
        roles={**project.roles, "town": Role.INSENSITIVE},
    )
    subject = Subject(project, make_release(project, compile_problem(project), (0,)))
    verdict = next(v for v in Attacks().run(subject).attacks if v.attack is Attack.INFERENCE)
    assert verdict.reason.endswith("no model covers 'town', which is released unchanged")


def test_membership_is_judged_where_people_are_known_one_by_one() -> None:
    made = letters(q="aaaaabbbbb", s="xxyyyxxxyy")
    project = replace(made.subject.project, subset=Subset(filter="s = 'x'"))
    subject = Subject(project, make_release(project, compile_problem(project), (0,)))
    last = Attacks().run(subject).attacks[-1]
    assert last.attack is Attack.MEMBERSHIP
    assert last.reason == "up to 60.0\u202f% of the people who match a class are in the table"
    linkage = Attacks().run(subject).attacks[0]
    assert linkage.reason.endswith("5 or more people of the population match each")
