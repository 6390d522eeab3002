"""Parameters that differ from the defaults, for the contracts of every registered member."""

from __future__ import annotations

from typing import Any

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
from engine.structured_params import Groups, Tree


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
