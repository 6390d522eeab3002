"""What a column means for privacy."""

from __future__ import annotations

from enum import Enum


class Role(Enum):
    """The four roles of a column; the values are the words of recipes and reports."""

    IDENTIFYING = "identifying"
    QUASI_IDENTIFYING = "quasi-identifying"
    SENSITIVE = "sensitive"
    INSENSITIVE = "insensitive"
