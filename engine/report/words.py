"""Words that several sections of a report use."""

from __future__ import annotations

from engine.frequency import Attribute
from engine.hierarchies.words import describe_level
from engine.privacy import PrivacyModel
from engine.report.shown import shown

_NAMED = 3  # so few groups are described by their labels, or by bounds that may be those of the data


def level_words(attribute: Attribute, level: int, *, is_public: bool) -> str:
    """A level in words; for the public without any label of the hierarchy."""
    hierarchy, column = attribute.hierarchy, attribute.column
    words = describe_level(hierarchy, level, column.data_type, attribute.name)
    if not is_public or words in ("kept", "hidden"):
        return words
    labels = hierarchy.levels[level].labels
    grouped = [label for label in labels if label not in hierarchy.index]  # which the words are made of
    if len(grouped) > _NAMED and not any(label and label in words for label in labels):
        return words
    return "1 group" if len(labels) == 1 else f"{shown(len(labels))} groups"


def asked(model: PrivacyModel) -> str:
    """What a model asks, such as "k ≥ 5"."""
    words = f"{model.symbol} {model.relation.value} {shown(model.limit)}"
    return f"{words}, {model.details}" if model.details else words
