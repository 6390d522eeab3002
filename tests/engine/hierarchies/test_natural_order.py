"""Natural order: numbers in texts by size, whatever stands around them."""

from __future__ import annotations

from engine.hierarchies.natural_order import natural_key


def test_numbers_in_texts_count_by_size() -> None:
    texts = ["item 10", "Item 2", "item 2b", "2", "item", "10", "a07", "a7b"]
    assert sorted(texts, key=natural_key) == ["2", "10", "a07", "a7b", "item", "Item 2", "item 2b", "item 10"]


def test_numbers_of_any_length_and_alphabet_are_sorted() -> None:
    texts = ["9" * 5000, "1" + "0" * 5000, "x٣", "x١٢", ""]
    assert sorted(texts, key=natural_key) == ["", texts[0], texts[1], "x٣", "x١٢"]
