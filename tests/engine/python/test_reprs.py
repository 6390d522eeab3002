"""What terminals and logs show of a result: a few lines without values, and what a verdict does not cover."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd
import pytest

import engine
from engine import DistinctLDiversity, KAnonymity, anonymize
from engine.findings.attack.statistics import attack_statistics
from engine.findings.given_table import given_table
from engine.findings.risk.survey import assess_special_uniques, assess_survey
from engine.findings.risk.wildcards import assess_wildcards
from engine.findings.subject import Subject
from engine.records.opening.data_frames import as_table

MARK = "Qx"  # in every cell that is a text, and in no other word
NUMBERS = (73019, 73021)
N = 60


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "name": [f"{MARK}{number}" for number in range(N)],
            "age": [NUMBERS[number % 2] for number in range(N)],
            "town": [f"{MARK}town{number % 3}" for number in range(N)],
            "ill": [f"{MARK}ill{number % 4}" for number in range(N)],
            "note": [f"{MARK}note{number}" for number in range(N)],
            "weight": [10] * N,
        }
    )


@pytest.fixture(scope="module")
def results(people: pd.DataFrame) -> dict[str, Any]:
    known = ["age", "town"]
    released = anonymize(
        people, known, "ill", ["note", "weight"], models=[KAnonymity(2), DistinctLDiversity("ill", 2)]
    )
    local = anonymize(people, known, "ill", recoding="mondrian", models=KAnonymity(2))
    return {
        "released": released,
        "local": local,
        "check": engine.check(people, known, "ill", population=1000, known=[["age"]], any_columns=1),
        "risk": engine.risk(people, known, population=people, subsets=2, person="name"),
        "utility": engine.utility(people, released.frame, known, "ill"),
        "detect": engine.detect(people),
        "singletons": engine.singletons(people, known),
        "roles": engine.suggest_roles(people),
        "hierarchies": engine.suggest_hierarchies(people),
        "survey": assess_survey(people, known, "weight", "town"),
        "wildcards": assess_wildcards(people, known, "ill"),
        "special": assess_special_uniques(people, [*known, "note"]),
        "attack": attack_statistics(500, 60, 500, 20),
        "given": given_table(people, known, "ill"),
        "table": as_table(people),
        "subject": Subject(released.project, released.outcome.release),
    }


@pytest.mark.parametrize(
    "name", ["released", "local", "check", "risk", "utility", "detect", "singletons", "survey"]
)
def test_results_can_be_pickled_without_the_original_table(results: dict[str, Any], name: str) -> None:
    own = results[name]
    stored = pickle.dumps(own)
    again = pickle.loads(stored)
    if name not in ("released", "local"):
        assert repr(again) == repr(own)
        return
    assert again.frame.equals(own.frame)
    assert again.scores == own.scores
    assert again.verdict == own.verdict
    assert again.node == own.node
    assert again.require("k >= 2", "suppressed <= 100 %") is again
    assert repr(again).startswith("<StoredRelease: verified: yes")
    assert f"{MARK}1".encode() not in stored, "names are identifying"


def reached(value: Any, seen: dict[int, Any]) -> Iterator[Any]:
    """Yield the objects of the engine that public attributes lead to."""
    if id(value) in seen:
        return
    seen[id(value)] = value
    if isinstance(value, Mapping):
        parts = list(value.values())
    elif isinstance(value, list | tuple):
        parts = list(value)
    elif dataclasses.is_dataclass(value) and type(value).__module__.startswith("engine."):
        yield value
        parts = [getattr(value, own.name) for own in dataclasses.fields(value) if own.name[0] != "_"]
    else:
        return
    for part in parts:
        yield from reached(part, seen)


def test_no_repr_shows_a_value_or_a_wall(results: dict[str, Any]) -> None:
    seen: dict[int, Any] = {}
    shown = [(type(value), repr(value)) for value in reached(results, seen)]
    assert len({kind for kind, _text in shown}) > 40
    for kind, text in shown:
        assert MARK not in text, kind
        assert not any(str(number) in text for number in NUMBERS), kind
        assert len(text) < 900, (kind, text)
        assert text.count("\n") < 4, kind


def test_the_repr_of_a_release_says_what_its_verdict_does_not_cover(results: dict[str, Any]) -> None:
    released = results["released"]
    singled_out = f"note {N}, together {N}, with the quasi-identifying columns {N}"
    for text in (repr(released), repr(released.verdict)):
        assert f"records singled out by columns released unchanged: {singled_out}" in text
        assert f"suppressed: {released.scores['suppressed']} of {N} records" in text
        assert "verified: yes" in text
    assert released.outcome.release.verdict in repr(released)
    assert "with the quasi-identifying columns" in released._repr_html_()
    assumed = dataclasses.replace(
        released.verdict, unchecked=("The key is secret.",), ok=False, problems=("x",)
    )
    assert repr(assumed).startswith("<Verdict: verified: no; problems: 1;")
    assert "not checked: The key is secret." in repr(assumed)
    assert "not checked: The key is secret." in repr(dataclasses.replace(released, verdict=assumed))


def test_the_repr_of_a_measured_table_says_what_was_not_assessed(results: dict[str, Any]) -> None:
    for name in ("check", "risk"):
        assert f"not assessed: {results[name].not_assessed.sentence()}" in repr(results[name])
    assert "k_anonymity: k 10" in repr(results["check"])
    assert "t_closeness: t 0.5 of ill" in repr(results["check"])
