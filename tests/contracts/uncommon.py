"""Parameters that differ from the defaults, for the contracts of every registered member."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from engine.params import (
    Choice,
    Choices,
    ColumnRef,
    ColumnRefs,
    Configurable,
    FilePath,
    Flag,
    Integer,
    Integers,
    Real,
    Reals,
    Text,
    Texts,
    default_of,
    describe,
)
from engine.privacy import PrivacyModel, privacy_models
from engine.structured_params import Groups, Tree
from engine.testing import laws

# Conditions of a model in addition to its threshold, which small tables meet.
FURTHER: dict[str, dict[str, Any]] = {"alpha_k_anonymity": {"k": 1}, "recursive_c_l_diversity": {"l": 2}}


def made(key: str, values: Mapping[str, Any]) -> PrivacyModel:
    """Return a model of the sensitive column `s0` that small tables can meet."""
    model: PrivacyModel = laws.made(privacy_models[key], **FURTHER.get(key, {}) | values)
    return model


def uncommon(kind: type[Configurable]) -> dict[str, Any]:
    """Return a value for each parameter that is allowed and differs from the default."""
    found: dict[str, Any] = {}
    for descriptor in describe(kind):
        match descriptor:
            case ColumnRef():
                found[descriptor.name] = "disease"
            case Choice():
                found[descriptor.name] = descriptor.options[-1][0]
            case Flag():
                found[descriptor.name] = not default_of(kind, descriptor.name)
            case Integer():
                found[descriptor.name] = descriptor.minimum + 7
            case Real():
                found[descriptor.name] = descriptor.minimum + 0.125
            case Choices():
                found[descriptor.name] = (descriptor.options[-1][0],)
            case ColumnRefs():
                found[descriptor.name] = ("zip",) if descriptor.role else ("disease", "salary")
            case FilePath():
                found[descriptor.name] = "levels/zip.csv"
            case Text():
                found[descriptor.name] = descriptor.usual[-1] if descriptor.usual else "#"
            case Tree():
                found[descriptor.name] = (("x", ("a", ("y", ("b c", "d")))), ("z", ("e",)))
            case Integers():
                found[descriptor.name] = _list(descriptor, (3, 2, 5))
            case Reals():
                found[descriptor.name] = _list(descriptor, (-1.5, 0, 20))
            case Texts():
                found[descriptor.name] = descriptor.usual[-1] if descriptor.usual else ("b", "a; c")
            case Groups():
                found[descriptor.name] = ((("x", ("a", "b c")), ("y", ("d",))), (("z", ("x", "y")),))
    return found


def _list(descriptor: Integers | Reals, otherwise: tuple[float, ...]) -> tuple[float, ...]:
    """Return a list that users would choose, since a member may require more than its kind does."""
    return tuple(descriptor.usual[-1]) if descriptor.usual else otherwise


def variants(members: Mapping[str, Any]) -> Iterator[Any]:
    """Return every member with its defaults, and with every other option of its choices."""
    for key, kind in members.items():
        yield pytest.param(key, {}, id=key)
        for choice in (d for d in describe(kind) if isinstance(d, Choice)):
            others = [option for option, _ in choice.options if option != default_of(kind, choice.name)]
            yield from (pytest.param(key, {choice.name: other}, id=f"{key}-{other}") for other in others)
