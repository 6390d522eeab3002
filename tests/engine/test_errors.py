"""Errors worded for people."""

from __future__ import annotations

import pytest

from engine.errors import AnonymizerError, CancelledError, HierarchyGapError, InputError, nearest


def test_an_error_says_the_problem_then_the_next_step_and_keeps_the_facts() -> None:
    error = HierarchyGapError("No entry for 'x'.", hint="Add it.", column="age", values=("x",))
    assert str(error) == "No entry for 'x'. Add it."
    assert (error.problem, error.hint) == ("No entry for 'x'.", "Add it.")
    assert error.context == {"column": "age", "values": ("x",)}
    assert isinstance(error, InputError)


def test_an_error_without_a_next_step_ends_after_the_problem() -> None:
    assert str(AnonymizerError("Too late.")) == "Too late."


def test_being_cancelled_is_not_an_error_to_show() -> None:
    assert not issubclass(CancelledError, AnonymizerError)


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("agee", ["sex", "age"], "Did you mean 'age'?"),
        ("zzz", ["sex", "age"], "Known: age, sex."),
        ("zzz", [], ""),
    ],
)
def test_a_hint_names_the_nearest_word_or_all_known_ones(name: str, known: list[str], hint: str) -> None:
    assert nearest(name, known) == hint
