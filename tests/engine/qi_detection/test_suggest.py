"""Suggested roles follow the form of the values, the name of the column and how many values it has."""

from __future__ import annotations

import numpy as np
import pytest

from engine.qi_detection.suggest import suggest_role, suggest_roles
from engine.records import DataType, Kind, Role, Table
from engine.records.table import Column
from engine.records.values import make_column


def column(name: str, texts: list[str], kind: Kind = Kind.TEXT) -> Column:
    distinct = list(dict.fromkeys(texts))
    codes = np.array([distinct.index(text) for text in texts], dtype=np.int32)
    return make_column(name, distinct, codes, DataType(kind))


@pytest.mark.parametrize(
    ("name", "texts", "role"),
    [
        ("contact", ["a@b.org", "c@d.it", "e@f.net"], Role.IDENTIFYING),
        ("reach", ["+39 055 123456", "(055) 987-6543", "055/11 22 33"], Role.IDENTIFYING),
        ("name", ["Ada", "Bob", "Ada"], Role.IDENTIFYING),
        ("patient id", ["P1", "P2", "P3"], Role.IDENTIFYING),
        ("patient", ["P233", "P001", "P233", "P001", "P001"], Role.IDENTIFYING),
        ("Kunde", ["k-17", "k-18", "k-17", "k-18"], Role.IDENTIFYING),
        ("client no", [str(4000 + i % 70) for i in range(300)], Role.IDENTIFYING),
        ("patient", ["yes", "no", "yes"], Role.QUASI_IDENTIFYING),
        ("person", ["1", "2", "1", "3", "1", "2", "1"], Role.QUASI_IDENTIFYING),
        ("patient age", ["41", "42", "41", "43"], Role.QUASI_IDENTIFYING),
        ("disease", ["flu", "cold", "flu"], Role.SENSITIVE),
        ("sex", ["m", "f", "m"], Role.QUASI_IDENTIFYING),
        ("postal code", ["50100", "50122", "50133"], Role.QUASI_IDENTIFYING),
    ],
)
def test_names_and_forms_decide_the_role(name: str, texts: list[str], role: Role) -> None:
    assert suggest_role(column(name, texts), len(texts)).role is role


def test_a_value_for_every_record_identifies_unless_the_name_says_it_is_known_or_sensitive() -> None:
    texts = [str(i) for i in range(20)]
    assert suggest_role(column("row", texts, Kind.INTEGER), 20).role is Role.IDENTIFYING
    assert suggest_role(column("age", texts, Kind.INTEGER), 20).role is Role.QUASI_IDENTIFYING


def test_measurements_without_a_telling_name_are_never_guessed_to_be_insensitive() -> None:
    for texts in ([f"{i}.5" for i in range(20)], [f"{i % 7}.5" for i in range(20)]):
        found = suggest_role(column("x", texts, Kind.DECIMAL), 20)
        assert (found.role, found.confidence_word) == (Role.QUASI_IDENTIFYING, "guess")


def test_a_constant_column_tells_nothing() -> None:
    assert suggest_role(column("city", ["Pisa"] * 5), 5).role is Role.INSENSITIVE


def test_the_name_of_a_country_is_not_taken_for_a_persons_name() -> None:
    assert suggest_role(column("country name", ["it", "fr", "it"]), 3).role is Role.QUASI_IDENTIFYING


def test_every_column_gets_one_suggestion_with_one_sentence() -> None:
    table = Table((column("name", ["a", "b"]), column("x", ["1", "2"], Kind.INTEGER)))
    found = suggest_roles(table)
    assert [s.column for s in found] == ["name", "x"]
    assert all(s.reason.endswith(".") for s in found)


def test_confidence_says_what_speaks_for_a_role() -> None:
    sure = suggest_role(column("email", ["a@b.org", "c@d.it"]), 2)
    likely = suggest_role(column("sex", ["m", "f"]), 2)
    guess = suggest_role(column("ward", ["a", "b"] * 9), 18)
    assert [s.confidence_word for s in (sure, likely, guess)] == ["sure", "likely", "guess"]
    assert 1 >= sure.confidence > likely.confidence > guess.confidence > 0


def test_every_suggestion_has_a_confidence_and_the_identifier_of_hipaa_if_any() -> None:
    table = Table(
        (
            column("email", ["a@b.org", "c@d.it", "e@f.net"]),
            column("city", ["Pisa", "Rome", "Pisa"]),
            column("sex", ["m", "f", "m"]),
        )
    )
    found = suggest_roles(table)
    assert all(0 < s.confidence <= 1 for s in found)
    assert [s.hipaa.identifier.value if s.hipaa else "" for s in found] == ["F", "B", ""]
    assert [s.role for s in found] == [Role.IDENTIFYING, Role.QUASI_IDENTIFYING, Role.QUASI_IDENTIFYING]


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["f"] * 8 + ["x"], "1 record has a unique value."),
        (["f"] * 8 + ["x", "y", "z"], "3 records have a unique value."),
    ],
)
def test_the_reason_tells_how_many_records_are_alone(texts: list[str], words: str) -> None:
    assert words in suggest_role(column("sex", texts), len(texts)).reason
    assert "no other person has an equal record" not in suggest_role(column("sex", ["f", "m"] * 5), 10).reason


def test_a_missing_value_is_nobodys_own_value() -> None:
    made = make_column("sex", ["f", ""], np.array([0, 0, 1], dtype=np.int32), DataType(Kind.TEXT), "")
    assert "no other person has an equal record" not in suggest_role(made, 3).reason


def test_measurements_that_single_out_are_not_called_harmless() -> None:
    reason = suggest_role(column("x", [f"{i}.5" for i in range(20)], Kind.DECIMAL), 20).reason
    assert "it singles people out" in reason
    assert "20 records have a unique value." in reason


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("sesso", Role.QUASI_IDENTIFYING),
        ("Geschlecht", Role.QUASI_IDENTIFYING),
        ("anno_nascita", Role.QUASI_IDENTIFYING),
        ("Diagnose", Role.SENSITIVE),
        ("reddito", Role.SENSITIVE),
        ("Hausnummer", Role.IDENTIFYING),
    ],
)
def test_words_of_other_languages_are_known(name: str, role: Role) -> None:
    assert suggest_role(column(name, ["1", "2", "3"] * 9 + ["4"]), 28).role is role
