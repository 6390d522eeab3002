"""Scripts of characters, by their names in Unicode, and places where lines may break."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

CJK = "CJK"
_CJK_NAMES = (
    "BOPOMOFO",
    "CJK",
    "FULLWIDTH",
    "HALFWIDTH",
    "HANGUL",
    "HIRAGANA",
    "IDEOGRAPHIC",
    "KANGXI",
    "KATAKANA",
    "KATAKANA-HIRAGANA",
)
_BREAKING = ("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "FULLWIDTH", "IDEOGRAPHIC", "BOPOMOFO")
_NOT_FIRST = set(
    "、。，．・：；？！）」』】〕〉》］｝〙〗〟ーゝゞ々ヽヾ…,.:;?!)]}»›”’%"
    "ぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶ"
)
_NOT_LAST = set("（「『【〔〈《［｛〘〖〝([{«‹“‘")
_NOT_BREAKING = "\u00a0\u2007\u202f"  # spaces within a number
_KANA = ("HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA")


def script_of(character: str) -> str:
    """Return the script of a character as in its name, such as "DEVANAGARI"; Chinese, Japanese and Korean
    are "CJK", "" stands for a character without a name.
    """
    word = _first_word(character)
    return CJK if word in _CJK_NAMES else word


def script_title(character: str) -> str:
    """Return the script of a character for readers, such as "Devanagari"."""
    word = _first_word(character)
    return word if word == CJK else word.capitalize()


def language_of(text: str) -> str:
    """Return the language whose forms of Chinese characters suit a text: by its kana or Hangul."""
    words = {_first_word(character) for character in text if ord(character) >= 0x1100}
    if words.intersection(_KANA):
        return "ja"
    return "ko" if "HANGUL" in words else "zh-hans" if "CJK" in words else ""


def is_attached(character: str) -> bool:
    """Return whether a character is drawn with the one before it: a mark or a joiner."""
    return unicodedata.category(character) in ("Mn", "Mc", "Me", "Cf")


def graphemes(text: str) -> Iterator[str]:
    """Yield every letter with its marks."""
    start = 0
    for i in range(1, len(text) + 1):
        if i == len(text) or not is_attached(text[i]):
            yield text[start:i]
            start = i


def segments(text: str) -> Iterator[str]:
    """Yield the parts of a text between which a line may break; spaces belong to the part before them."""
    start = 0
    for i in range(1, len(text)):
        before, after = text[i - 1], text[i]
        if _may_break(before, after):
            yield text[start:i]
            start = i
    if text:
        yield text[start:]


def _may_break(before: str, after: str) -> bool:
    if after.isspace() or is_attached(after) or before in _NOT_BREAKING:
        return False
    if before.isspace():
        return True
    if after in _NOT_FIRST or before in _NOT_LAST:
        return False
    if before in "-/" and after.isalpha():
        return True
    return _first_word(before) in _BREAKING or _first_word(after) in _BREAKING


def _first_word(character: str) -> str:
    return unicodedata.name(character, "").split(" ")[0]
