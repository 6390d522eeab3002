"""Numbers in a row are written and read by the marks of the language."""

from __future__ import annotations

import pytest

from anonymizer_gui.forms.list_editors import numbers_to_text, text_to_number, text_to_numbers
from anonymizer_gui.widgets.typed_entry import read_number
from engine.errors import InputError, ParameterError
from engine.words import speaking

VALUES = [5, 0.25, -3.5, 1000]


@pytest.mark.parametrize(("language", "text"), [("en", "5, 0.25, -3.5, 1000"), ("de", "5; 0,25; -3,5; 1000")])
def test_a_row_of_numbers_returns_from_its_text(language: str, text: str) -> None:
    with speaking(language):
        assert numbers_to_text(VALUES) == text
        assert text_to_numbers(text, "Cuts") == VALUES


@pytest.mark.parametrize(
    ("language", "text", "numbers"),
    [
        ("en", "5,10,20", [5, 10, 20]),
        ("de", "5,10,20", [5, 10, 20]),
        ("de", "5, 10, 20", [5, 10, 20]),
        ("en", "1,5", [1, 5]),
        ("de", "1,5", [1.5]),
        ("de", "1.5; 2,5 3", [1.5, 2.5, 3]),
        ("en", "1.5 2.5\t3;", [1.5, 2.5, 3]),
        ("de", "", []),
    ],
)
def test_commas_separate_numbers_or_decimals(language: str, text: str, numbers: list[float]) -> None:
    with speaking(language):
        assert text_to_numbers(text, "Cuts") == numbers


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_single_number_has_a_comma_or_a_point(language: str) -> None:
    with speaking(language):
        assert read_number("1,125") == read_number("1.125") == 1.125
        assert text_to_number("1,125", "Width") == text_to_number("1.125", "Width") == 1.125
        for several in ("1,2,3", "1.2.3"):
            with pytest.raises(InputError):
                read_number(several)
            with pytest.raises(ParameterError):
                text_to_number(several, "Width")
