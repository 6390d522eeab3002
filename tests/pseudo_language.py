"""Pseudo-language for tests: every translated text is accented, about 35 % longer and in brackets.

A text of the window without accents is not marked for translation; one that is clipped has no room for a
longer language. The texts are computed from the English ones, so that no catalogue has to be kept up to date.
"""

from __future__ import annotations

import re
from gettext import NullTranslations

GROWTH = 0.35  # additional characters per character, as German needs for short texts
_ACCENTS = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "àƀçđéƒĝĥîĵķļɱñôþɋŕšţúṽŵẋýžÀƁÇĐÉƑĜĤÎĴĶĻṀÑÔÞɊŔŠŢÚṼŴẊÝŽ",
)
_FIXED = re.compile(r"\{[^{}]*\}|<[^<>]+>|&\w+;|%[a-z]|\w+://\S+")  # placeholders, tags, entities, addresses
_PADDING = "·"


class PseudoLanguage(NullTranslations):
    """Catalogue that has every text."""

    def gettext(self, message: str) -> str:
        return pseudo(message)

    def pgettext(self, context: str, message: str) -> str:
        return pseudo(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return pseudo(msgid1 if n == 1 else msgid2)


def pseudo(text: str) -> str:
    """Return a text with accents and padding in brackets; placeholders and tags are unchanged."""
    if not text or text.startswith("["):
        return text
    parts, end = [], 0
    for fixed in _FIXED.finditer(text):
        parts += [text[end : fixed.start()].translate(_ACCENTS), fixed[0]]
        end = fixed.end()
    parts.append(text[end:].translate(_ACCENTS))
    return f"[{''.join(parts)}{_PADDING * round(GROWTH * len(text))}]"
