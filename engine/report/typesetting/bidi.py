"""Order of characters in a line of left-to-right and right-to-left text.

The Unicode Bidirectional Algorithm (Unicode Standard Annex #9) for text without explicit formatting
characters, which reports show as code points.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import groupby

_BRACKETS = "()[]{}⁅⁆〈〉《》「」『』【】〔〕〖〗〘〙〚〛（）［］｛｝｟｠｢｣"
_CLOSING = dict(zip(_BRACKETS[::2], _BRACKETS[1::2], strict=True))
_PAIRS = _BRACKETS + "<>«»‹›≤≥"
_MIRRORED = dict(zip(_PAIRS, (_PAIRS[i ^ 1] for i in range(len(_PAIRS))), strict=True))
_RIGHT_TO_LEFT = ("R", "AL")
_NEUTRAL = ("B", "S", "WS", "ON")


def first_direction(text: str, otherwise: int = 0) -> int:
    """Return the level of the first letter with a direction: 0 for left to right, 1 for right to left."""
    for character in text:
        kind = unicodedata.bidirectional(character)
        if kind == "L":
            return 0
        if kind in _RIGHT_TO_LEFT:
            return 1
    return otherwise


def levels_of(text: str, base: int) -> list[int]:
    """Return the embedding level of every character of a paragraph; odd levels are right to left."""
    kinds = [unicodedata.bidirectional(c) or "L" for c in text]
    if base == 0 and not any(kind in ("R", "AL", "AN") for kind in kinds):
        return [0] * len(text)
    places = [i for i, kind in enumerate(kinds) if kind != "BN"]
    start = "R" if base else "L"
    resolved = _weak([kinds[i] for i in places], start)
    resolved = _brackets([text[i] for i in places], resolved, base, start)
    resolved = _neutral(resolved, start)
    levels = [base] * len(text)
    for i, kind in zip(places, resolved, strict=True):
        levels[i] = base + _step(kind, base)
    for i, kind in enumerate(kinds):
        if kind == "BN" and i:
            levels[i] = levels[i - 1]
    return levels


def level_runs(text: str, levels: Sequence[int], base: int) -> list[tuple[int, int, int]]:
    """Return the runs of a line in visual order, from the left: start, end and level (rules L1 and L2)."""
    levels = list(levels)
    for i in range(len(text) - 1, -1, -1):
        if not text[i].isspace():
            break
        levels[i] = base
    runs: list[tuple[int, int, int]] = []
    for level, part in groupby(range(len(text)), key=levels.__getitem__):
        places = list(part)
        runs.append((places[0], places[-1] + 1, level))
    for level in range(max(levels, default=0), 0, -1):
        runs = _turned(runs, level)
    return runs


def _turned(runs: list[tuple[int, int, int]], least: int) -> list[tuple[int, int, int]]:
    """Reverse the order of adjacent runs of at least a level."""
    ordered: list[tuple[int, int, int]] = []
    for is_turned, part in groupby(runs, key=lambda run: run[2] >= least):
        group = list(part)
        ordered += reversed(group) if is_turned else group
    return ordered


def mirrored(character: str) -> str:
    """Return the character that is drawn for one in a right-to-left run."""
    return _MIRRORED.get(character, character)


def _step(kind: str, base: int) -> int:
    """Return how much higher than the base the level of a resolved type is (rules I1 and I2)."""
    if base:
        return 0 if kind == "R" else 1
    return {"L": 0, "R": 1}.get(kind, 2)


def _weak(kinds: list[str], start: str) -> list[str]:
    """Resolve marks, numbers and their separators (rules W1 to W7)."""
    found = list(kinds)
    before = strong = start
    for i, kind in enumerate(found):
        if kind == "NSM":
            found[i] = kind = before
        if kind in ("L", "R", "AL"):
            strong = kind
        elif kind == "EN" and strong == "AL":
            found[i] = kind = "AN"
        before = kind
    found = ["R" if kind == "AL" else kind for kind in found]
    for i in range(1, len(found) - 1):
        left, kind, right = found[i - 1 : i + 2]
        if left == right and ((kind == "ES" and left == "EN") or (kind == "CS" and left in ("EN", "AN"))):
            found[i] = left
    for kind, part in groupby(range(len(found)), key=lambda i: found[i]):
        places = list(part)
        around = found[max(places[0] - 1, 0) : places[0]] + found[places[-1] + 1 : places[-1] + 2]
        if kind == "ET" and "EN" in around:
            found[places[0] : places[-1] + 1] = ["EN"] * len(places)
    strong = start
    for i, kind in enumerate(found):
        if kind in ("ES", "ET", "CS"):
            found[i] = "ON"
        elif kind in ("L", "R"):
            strong = kind
        elif kind == "EN" and strong == "L":
            found[i] = "L"
    return found


def _brackets(text: Sequence[str], kinds: list[str], base: int, start: str) -> list[str]:
    """Give pairs of brackets the direction of their content or context (rule N0)."""
    found = list(kinds)
    own = "R" if base else "L"
    for first, last in _bracket_pairs(text, kinds):
        inside = {_strong(kind) for kind in found[first + 1 : last]} - {""}
        if not inside:
            continue
        if own in inside:
            direction = own
        else:
            before = next((_strong(kind) for kind in reversed(found[:first]) if _strong(kind)), start)
            direction = before if before != own else own
        found[first] = found[last] = direction
    return found


def _bracket_pairs(text: Sequence[str], kinds: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of matching brackets, by the opening one."""
    pairs, stack = [], []
    for i, character in enumerate(text):
        if kinds[i] != "ON":
            continue
        if character in _CLOSING:
            stack.append((_CLOSING[character], i))
        else:
            match = next((j for j in range(len(stack) - 1, -1, -1) if stack[j][0] == character), None)
            if match is not None:
                pairs.append((stack[match][1], i))
                del stack[match:]
    return sorted(pairs)


def _neutral(kinds: list[str], start: str) -> list[str]:
    """Give the remaining characters the direction around them, or that of the paragraph (rules N1, N2)."""
    found = list(kinds)
    for is_neutral, part in groupby(range(len(kinds)), key=lambda i: kinds[i] in _NEUTRAL):
        if not is_neutral:
            continue
        places = list(part)
        first, end = places[0], places[-1] + 1
        before = _strong(kinds[first - 1]) if first else start
        after = _strong(kinds[end]) if end < len(kinds) else start
        found[first:end] = [before if before == after else start] * len(places)
    return found


def _strong(kind: str) -> str:
    """Return the direction that a resolved type has for neutral characters: numbers count as R."""
    if kind == "L":
        return "L"
    return "R" if kind in ("R", "AL", "EN", "AN") else ""
