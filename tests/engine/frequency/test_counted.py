"""Texts of models about records become texts about people if people are counted."""

from __future__ import annotations

import pytest

from engine.frequency.counted import PEOPLE, RECORDS, who
from engine.privacy import privacy_models


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("records at risk", "people at risk"),
        ("of any record", "of any person"),
        ("smallest class", "smallest class"),
    ],
)
def test_records_become_people_if_people_are_counted(words: str, said: str) -> None:
    assert who(counts_people=True).worded(words) == said
    assert who(counts_people=False).worded(words) == words


def test_no_caption_of_a_model_says_records_if_people_are_counted() -> None:
    for model in privacy_models.values():
        assert "record" not in PEOPLE.worded(model.title).lower()
        assert "record" not in PEOPLE.worded(model.meaning).lower()
    assert (PEOPLE.of(1), PEOPLE.of(2), RECORDS.of(1)) == ("person", "people", "record")
