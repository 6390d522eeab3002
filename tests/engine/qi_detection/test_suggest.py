"""Suggested roles follow the form of the values, the name of the column and how many values it has."""

from __future__ import annotations

import numpy as np
import pytest

from engine.qi_detection.suggest import suggest_role, suggest_roles
from engine.table import DataType, Kind, Role, Table
from engine.table.table import Column
from engine.table.values import make_column


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


def test_measurements_without_a_telling_name_are_insensitive() -> None:
    texts = [f"{i}.5" for i in range(20)]
    assert suggest_role(column("x", texts, Kind.DECIMAL), 20).role is Role.INSENSITIVE


def test_a_constant_column_tells_nothing() -> None:
    assert suggest_role(column("city", ["Pisa"] * 5), 5).role is Role.INSENSITIVE


def test_the_name_of_a_country_is_not_taken_for_a_persons_name() -> None:
    assert suggest_role(column("country name", ["it", "fr", "it"]), 3).role is Role.QUASI_IDENTIFYING


def test_every_column_gets_one_suggestion_with_one_sentence() -> None:
    table = Table((column("name", ["a", "b"]), column("x", ["1", "2"], Kind.INTEGER)))
    found = suggest_roles(table)
    assert [s.column for s in found] == ["name", "x"]
    assert all(s.reason.endswith(".") for s in found)
