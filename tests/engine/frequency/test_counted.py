"""Texts of models about records become texts about people if people are counted."""

from __future__ import annotations

import pytest

from engine.frequency.counted import PEOPLE, RECORDS, who
from engine.privacy import privacy_models
from engine.words import speaking


@pytest.mark.parametrize(
    ("key", "name", "words", "said"),
    [
        ("records_at_risk", "title", "records at risk", "people at risk"),
        ("highest_risk", "meaning", "of any record", "of any person"),
        ("k_anonymity", "meaning", "smallest class", "smallest class"),
    ],
)
def test_records_become_people_if_people_are_counted(key: str, name: str, words: str, said: str) -> None:
    model = privacy_models[key]
    assert who(counts_people=True).worded(model, name) == said
    assert who(counts_people=False).worded(model, name) == words


def test_no_caption_of_a_model_says_records_if_people_are_counted() -> None:
    for model in privacy_models.values():
        assert "record" not in PEOPLE.worded(model, "title").lower()
        assert "record" not in PEOPLE.worded(model, "meaning").lower()
        with speaking("de"):
            assert "Datens" not in PEOPLE.worded(model, "title")
    assert (PEOPLE.of(1), PEOPLE.of(2), RECORDS.of(1)) == ("person", "people", "record")
