"""Texts that ARX counts behind a masked one, whether or not the table has them.

With the alphabet and the length of texts from its wizard, ARX measures a text with two of five digits
masked as 100 of 100,000. A hierarchy with all texts of this length as values is measured the same here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.arx.intervals import MOST_VALUES
from engine.arx.java_stream import JavaObject, plain
from engine.hierarchies import Hierarchy, Level

_DIGITS = "0123456789"


def states_alphabet(builder: JavaObject) -> bool:
    """Return whether a builder of masked texts states how many texts there could be."""
    return builder.name.endswith("RedactionBased") and None not in _stated(builder)


def with_whole_alphabet(hierarchy: Hierarchy, builder: JavaObject) -> Hierarchy | None:
    """Return a hierarchy of ARX with all texts of digits of its length as values.

    Parameters
    ----------
    hierarchy : Hierarchy
        As the project stores it: with the values of the table only.
    builder : JavaObject
        ARX's HierarchyBuilderRedactionBased that states an alphabet.

    Returns
    -------
    Hierarchy or None
        None if the alphabet is not that of the digits, the domain is not all of its texts of one length,
        there are more than `MOST_VALUES`, or the hierarchy does not mask one more character on each level.
    """
    stated = _stated(builder)
    if not all(isinstance(number, int | float) and number == number // 1 for number in stated):
        return None
    n_texts, n_letters, length = map(int, stated)
    is_known = n_letters == len(_DIGITS) and 0 < length < 10 and n_texts == n_letters**length
    if not is_known or n_texts > MOST_VALUES:
        return None
    if hierarchy.height > length or not all(_is_code(value, length) for value in hierarchy.values):
        return None
    numbers = np.arange(n_texts)
    texts = tuple(f"{number:0{length}}" for number in numbers.tolist())
    levels = [Level(texts, numbers.astype(np.int32))]
    masked: set[int] = set()
    for height, level in enumerate(hierarchy.levels[1:], start=1):
        labels = [level.labels[code] for code in level.codes.tolist()]
        if height == length and len(set(labels)) == 1:  # all texts behind one label, however it is written
            levels.append(Level((labels[0],), np.zeros(len(numbers), dtype=np.int32)))
            continue
        found = _masked(hierarchy.values, labels)
        if found is None or len(found[0]) != height or not masked <= found[0]:
            return None
        masked, mark = found
        rest = numbers.copy()  # the number with zeros for masked digits
        for place in masked:
            power = 10 ** (length - 1 - place)
            rest -= numbers // power % 10 * power
        keys, codes = np.unique(rest, return_inverse=True)
        own = tuple(_with_mask(f"{key:0{length}}", masked, mark) for key in keys.tolist())
        levels.append(Level(own, codes.astype(np.int32)))
    return Hierarchy(tuple(levels))


def _stated(builder: JavaObject) -> tuple[Any, Any, Any]:
    """Return how many texts, letters of the alphabet and letters of a text a builder states; None for not."""
    number, letters, length = (
        plain(builder.fields.get(name)) for name in ("domainSize", "alphabetSize", "maxValueLength")
    )
    return number, letters, length


def _is_code(value: str, length: int) -> bool:
    return len(value) == length and value.isascii() and value.isdigit()


def _masked(values: tuple[str, ...], labels: list[str]) -> tuple[set[int], str] | None:
    """Return the masked places and their character; None if labels are not values masked alike."""
    mark = next((letter for letter in labels[0] if letter not in _DIGITS), None)
    if mark is None:
        return None
    places = {place for place, letter in enumerate(labels[0]) if letter == mark}
    are_same = all(
        _with_mask(value, places, mark) == label for value, label in zip(values, labels, strict=True)
    )
    return (places, mark) if are_same else None


def _with_mask(text: str, places: set[int], mark: str) -> str:
    return "".join(mark if place in places else letter for place, letter in enumerate(text))
