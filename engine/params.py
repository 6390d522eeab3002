"""Parameter descriptors: one declaration for check, form, command line and file."""

from __future__ import annotations

import dataclasses
import itertools
import math
from dataclasses import dataclass
from typing import Any, ClassVar

from engine.errors import ParameterError, nearest


@dataclass(frozen=True, kw_only=True)
class Param:
    """What every parameter tells about itself.

    Attributes
    ----------
    name : str
        Field name; filled in by `describe`.
    label, help : str
        Short caption and one explaining sentence, in plain words.
    usual : tuple
        Values people commonly choose.
    section : str
        Title that forms put above it and those that follow with the same.
    is_advanced : bool
        Whether forms fold it away until it is asked for.
    replaces : tuple of str
        Parameters without effect while this one has a value other than its default.
    switch : str
        Words of the check box by which forms give an absent number a value, or take it away.
    """

    name: str = ""
    label: str = ""
    help: str = ""
    usual: tuple[Any, ...] = ()
    section: str = ""
    is_advanced: bool = False
    replaces: tuple[str, ...] = ()
    switch: str = ""

    def check(self, value: Any) -> Any:
        """Return the value in its proper type, or raise `ParameterError`."""
        return value

    def _refuse(self, value: Any, rule: str) -> ParameterError:
        return ParameterError(
            f"{self.label or self.name} cannot be {value!r}.", hint=f"It must be {rule}.", parameter=self.name
        )


@dataclass(frozen=True, kw_only=True)
class Integer(Param):
    """A whole number between two inclusive bounds."""

    minimum: int = 0
    maximum: int = 2**31 - 1

    def check(self, value: Any) -> int:
        """Return an int within the bounds."""
        rule = f"a whole number from {self.minimum} to {self.maximum}"
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self._refuse(value, rule)
        if not self.minimum <= value <= self.maximum or value != int(value):  # nan and inf fail first
            raise self._refuse(value, rule)
        return int(value)


@dataclass(frozen=True, kw_only=True)
class Real(Param):
    """A real number between two inclusive bounds, in `unit`; `decimals` are shown in forms."""

    minimum: float = 0.0
    maximum: float = 1.0
    unit: str = ""
    decimals: int = 2

    def check(self, value: Any) -> float:
        """Return a float within the bounds."""
        rule = f"a number from {self.minimum:g} to {self.maximum:g}"
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self._refuse(value, rule)
        if not self.minimum <= value <= self.maximum:  # also refuses nan
            raise self._refuse(value, rule)
        return float(value)


@dataclass(frozen=True, kw_only=True)
class Flag(Param):
    """Yes or no."""

    def check(self, value: Any) -> bool:
        """Return a bool."""
        if not isinstance(value, bool):
            raise self._refuse(value, "true or false")
        return value


@dataclass(frozen=True, kw_only=True)
class Text(Param):
    """A short text; `length` is the exact number of characters, 0 for any."""

    length: int = 0

    def check(self, value: Any) -> str:
        """Return a str of the required length."""
        if not isinstance(value, str) or (self.length and len(value) != self.length):
            raise self._refuse(value, f"a text of {self.length} character(s)" if self.length else "a text")
        return value


@dataclass(frozen=True, kw_only=True)
class Choice(Param):
    """One of some keys, each with a caption; `by_example` where forms may show what each key gives."""

    options: tuple[tuple[str, str], ...] = ()
    by_example: bool = False

    def check(self, value: Any) -> str:
        """Return one of the keys."""
        keys = [key for key, _ in self.options]
        if value not in keys:
            raise ParameterError(
                f"{self.label or self.name} cannot be {value!r}.",
                hint=nearest(str(value), keys),
                parameter=self.name,
            )
        return str(value)


@dataclass(frozen=True, kw_only=True)
class ColumnRef(Param):
    """The name of a column; forms offer the columns of one role (`Role.value`)."""

    role: str = "sensitive"

    def check(self, value: Any) -> str:
        """Return a column name; whether the column exists is the project's business."""
        if not isinstance(value, str):
            raise self._refuse(value, "the name of a column")
        return value


@dataclass(frozen=True, kw_only=True)
class Integers(Param):
    """A list of whole numbers, each at least `minimum`.

    Where each number belongs to a level of a hierarchy, `first_level` is that of the first, otherwise 0;
    `unit` says what is counted, such as "bands of level {below}".
    """

    minimum: int = 1
    first_level: int = 0
    unit: str = ""

    def check(self, value: Any) -> tuple[int, ...]:
        """Return a tuple of ints."""
        if not isinstance(value, (list, tuple)):
            raise self._refuse(value, "a list of whole numbers")
        item = Integer(name=self.name, label=self.label, minimum=self.minimum)
        return tuple(item.check(entry) for entry in value)


@dataclass(frozen=True, kw_only=True)
class Reals(Param):
    """A list of numbers; strictly increasing where `increasing`."""

    increasing: bool = True

    def check(self, value: Any) -> tuple[float, ...]:
        """Return a tuple of numbers; whole numbers stay ints."""
        if not isinstance(value, (list, tuple)):
            raise self._refuse(value, "a list of numbers")
        for entry in value:
            if isinstance(entry, bool) or not isinstance(entry, (int, float)) or not math.isfinite(entry):
                raise self._refuse(entry, "a finite number")
        if self.increasing and any(b <= a for a, b in itertools.pairwise(value)):
            raise self._refuse(list(value), "in increasing order, each number once")
        return tuple(value)


@dataclass(frozen=True, kw_only=True)
class Texts(Param):
    """A list of texts, such as an order of values."""

    def check(self, value: Any) -> tuple[str, ...]:
        """Return a tuple of texts."""
        if not isinstance(value, (list, tuple)) or not all(isinstance(entry, str) for entry in value):
            raise self._refuse(value, "a list of texts")
        return tuple(value)


@dataclass(frozen=True, kw_only=True)
class Groups(Param):
    """Named groups of values per level: `[{label: [value, ...]}, ...]`, as nested tuples once checked."""

    def check(self, value: Any) -> tuple[tuple[tuple[str, tuple[str, ...]], ...], ...]:
        """Return levels, each a tuple of (label, members)."""
        rule = "a list of levels, each a table from label to list of values"
        if not isinstance(value, (list, tuple)):
            raise self._refuse(value, rule)
        levels = []
        for level in value:
            pairs = level.items() if isinstance(level, dict) else level
            try:
                levels.append(tuple((str(label), _members(members)) for label, members in pairs))
            except (TypeError, ValueError):
                raise self._refuse(level, rule) from None
        return tuple(levels)


def _members(values: Any) -> tuple[str, ...]:
    """The members of a group; a single text is refused, for its letters are no members."""
    if isinstance(values, (str, dict)):
        raise TypeError
    return tuple(str(value) for value in values)


class Configurable:
    """Base of every registered member: checks its declared parameters at construction."""

    __slots__ = ()
    key: ClassVar[str] = ""
    title: ClassVar[str] = ""

    def __post_init__(self) -> None:
        fields = dataclasses.fields(self)  # type: ignore[arg-type]  # members are dataclasses
        may_be_absent = {field.name for field in fields if field.default is None}
        for descriptor in describe(type(self)):
            value = getattr(self, descriptor.name)
            if value is not None or descriptor.name not in may_be_absent:
                object.__setattr__(self, descriptor.name, descriptor.check(value))


def param(default: Any, descriptor: Param) -> Any:
    """Declare a dataclass field that carries its own descriptor; None marks an absent value."""
    return dataclasses.field(default=default, metadata={"param": descriptor})


def describe(kind: type) -> tuple[Param, ...]:
    """List the parameters of `kind` in declaration order."""
    if not dataclasses.is_dataclass(kind):
        return ()
    return tuple(
        dataclasses.replace(field.metadata["param"], name=field.name)
        for field in dataclasses.fields(kind)
        if "param" in field.metadata
    )


def values_of(member: Configurable) -> dict[str, Any]:
    """Return the parameters of a member by name, absent ones (None) left out."""
    pairs = ((descriptor.name, getattr(member, descriptor.name)) for descriptor in describe(type(member)))
    return {name: value for name, value in pairs if value is not None}
