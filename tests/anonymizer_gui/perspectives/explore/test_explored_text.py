"""Texts about a partly scored lattice state known facts only."""

from __future__ import annotations

import pytest

from anonymizer_gui.perspectives.explore.lattice.presenter import explored_words, proof_words
from anonymizer_gui.session.results import Exploring
from engine.privacy import Requirement

NOTHING_KNOWN = Exploring(Requirement(), "loss", {})


def test_the_line_shows_the_numbers_of_scored_and_all_nodes() -> None:
    text = explored_words(None, 5_014, 10**21, "loss").replace("\u202f", " ")
    assert text.startswith("5 014 of 1.00 × 10²¹ nodes scored (< 0.01 %), each exactly; ")
    assert "250 000 of 1.00 M nodes scored (25 %)" in explored_words(None, 250_000, 10**6, "loss").replace(
        "\u202f", " "
    )


@pytest.mark.parametrize(
    ("bound", "is_proved", "text"),
    [
        (float("-inf"), False, "the optimum shown is the best so far"),
        (0.0, False, "the optimum shown is the best so far"),
        (0.25, False, "no satisfying node is below loss 0.250"),
        (0.25, True, "no other node is better: proven"),
        (float("inf"), True, "no other node satisfies: proven"),
    ],
)
def test_only_proven_facts_are_stated(bound: float, is_proved: bool, text: str) -> None:
    state = Exploring(Requirement(), "loss", {}, bound, is_proved)
    assert proof_words(state, "loss") == text


def test_of_other_settings_nothing_is_claimed() -> None:
    assert proof_words(None, "loss") == "the optimum shown is the best so far"
    assert Exploring(Requirement((), 0.1), "loss", {}) != NOTHING_KNOWN
    assert Exploring(Requirement(), "precision", {}) != NOTHING_KNOWN
    assert Exploring(Requirement(), "loss", {"age": 2.0}) != NOTHING_KNOWN
    assert Exploring(Requirement(), "loss", {}, 0.5, True) == NOTHING_KNOWN
