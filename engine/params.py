"""Parameter descriptors: one declaration for check, form, command line and file."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import itertools
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, Self, TypeVar
from weakref import WeakKeyDictionary

from engine.errors import ParameterError, nearest
from engine.numbers import as_exact_count
from engine.words import Translated, _, ngettext


class Kept(Enum):
    """Files that store a setting.

    A recipe over a table that the program wrote itself omits settings about the file the table was read from;
    the first member of a project file stores them, for reading that file again.
    """

    RECIPE = "recipe"
    SOURCE = "source"  # about the file that was read
    BOTH = "both"
    NOWHERE = "nowhere"


LARGEST = 2**63 - 1  # largest whole number that files hold
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Param:
    """Declaration of a parameter.

    Attributes
    ----------
    name : str
        Field name; filled in by `describe`.
    label, help : str
        Short caption, and one sentence that explains it, in plain words.
    usual : tuple
        Common values.
    section : str
        Title that forms put above it and the parameters that follow with the same section.
    is_advanced : bool
        Whether forms hide it until advanced settings are shown.
    ways : tuple of str
        English titles of the alternatives it belongs to, if a member can be described in several ways; forms
        show one way at a time and omit optional parameters of the others.
    switch : str
        Label of the check box with which forms give an optional number a value, or remove it.
    rule : str
        Rule for a value, if its kind does not say enough.
    key : str
        Key in files, if it differs from the name.
    is_always_written : bool
        Whether files store it even with its default value.
    is_option : bool
        Whether commands accept it, as an option of its name.
    metavar : str
        Name of its value in the help of commands, if it differs from that of its kind.
    absent : str
        What forms call the choice of no value (None), if they offer it.
    needs : str
        What the file must have that the setting is about, such as lines; forms of other files omit it.
    detected_with : str
        The setting with which its value is detected; one without a value (None) is detected by itself.
    is_about_cells : bool
        Whether what cells contain depends on it, and not which columns a file has.
    """

    name: str = ""
    label: str = Translated()  # type: ignore[assignment]
    help: str = Translated()  # type: ignore[assignment]
    usual: tuple[Any, ...] = ()
    section: str = Translated()  # type: ignore[assignment]
    is_advanced: bool = False
    ways: tuple[str, ...] = ()
    switch: str = Translated()  # type: ignore[assignment]
    rule: str = Translated()  # type: ignore[assignment]
    key: str = ""
    kept: Kept = Kept.RECIPE
    is_always_written: bool = False
    is_option: bool = False
    metavar: str = ""
    absent: str = Translated()  # type: ignore[assignment]
    needs: str = ""
    detected_with: str = ""
    is_about_cells: bool = False

    @property
    def stored(self) -> str:
        """Key in files."""
        return self.key or self.name

    def check(self, value: Any) -> Any:
        """Return the value in its proper type, or raise `ParameterError`."""
        return value

    def plain(self, value: Any) -> Any:
        """Return a checked value as the user would write it into a file."""
        return value

    def _refuse(self, value: Any, rule: str) -> ParameterError:
        return ParameterError(
            _("{label} cannot be {value!r}.").format(label=self.label or self.name, value=value),
            hint=_("It must be {rule}.").format(rule=self.rule or rule),
            parameter=self.name,
        )


@dataclass(frozen=True, kw_only=True)
class Integer(Param):
    """A whole number between two inclusive bounds."""

    minimum: int = 0
    maximum: int = 2**31 - 1

    def check(self, value: Any) -> int:
        """Return an int within the bounds."""
        rule = _("a whole number from {minimum} to {maximum}").format(
            minimum=self.minimum, maximum=self.maximum
        )
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self._refuse(value, rule)
        if not self.minimum <= value <= self.maximum or value != int(value):  # nan and inf fail first
            raise self._refuse(value, rule)
        return int(value)


@dataclass(frozen=True, kw_only=True)
class Real(Param):
    """A real number between two inclusive bounds, in `unit`; `decimals` are shown in forms.

    A share is a fraction that windows show as percent; files and recipes keep the fraction.
    """

    minimum: float = 0.0
    maximum: float = 1.0
    unit: str = ""
    decimals: int = 2
    is_share: bool = False

    def check(self, value: Any) -> float:
        """Return a float within the bounds."""
        rule = _("a number from {minimum:g} to {maximum:g}").format(
            minimum=self.minimum, maximum=self.maximum
        )
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self._refuse(value, rule)
        if not self.minimum <= value <= self.maximum:  # also refuses nan
            raise self._refuse(value, rule)
        return float(value)


@dataclass(frozen=True, kw_only=True)
class Flag(Param):
    """Yes or no; `captions` of both, for forms in which the value may also be absent.

    `opposite` names the option of commands that means no, if not its own name after "no-".
    """

    opposite: str = ""
    captions: tuple[str, ...] = Translated(())  # type: ignore[assignment]

    def check(self, value: Any) -> bool:
        """Return a bool."""
        if not isinstance(value, bool):
            raise self._refuse(value, _("true or false"))
        return value


@dataclass(frozen=True, kw_only=True)
class Text(Param):
    """A short text.

    Attributes
    ----------
    length : int
        The exact number of characters, 0 for any. If it is 1, a tab may be written as \\t.
    refused : str
        Characters that it may not contain.
    suggested : tuple of pairs of str
        Texts that forms offer, with their captions.
    is_open : bool
        Whether other texts than those that forms offer may be typed.
    placeholder : str
        What an empty field shows.
    """

    length: int = 0
    refused: str = ""
    suggested: tuple[tuple[str, str], ...] = Translated(())  # type: ignore[assignment]
    is_open: bool = True
    placeholder: str = Translated()  # type: ignore[assignment]

    def typed(self, text: str) -> str:
        """Return what a typed text means: with one character, \\t is a tab."""
        if self.length:
            return "\t" if self.length == 1 and text == "\\t" else text
        return text.strip()

    def check(self, value: Any) -> str:
        """Return a str of the required length."""
        value = self.typed(value) if self.length and isinstance(value, str) else value
        if not isinstance(value, str) or (self.length and len(value) != self.length):
            raise self._refuse(
                value,
                ngettext("a text of {n} character", "a text of {n} characters", self.length).format(
                    n=self.length
                )
                if self.length
                else _("a text"),
            )
        if any(character in value for character in self.refused):
            refused = " ".join(repr(character)[1:-1] for character in self.refused)
            raise self._refuse(value, _("a text without {characters}").format(characters=refused))
        return value


@dataclass(frozen=True, kw_only=True)
class Choice(Param):
    """One of some keys, each with a caption; `by_example` if forms may show what each key gives.

    One of two keys with a `switch` has a check box in forms, which chooses the second.
    """

    options: tuple[tuple[str, str], ...] = Translated(())  # type: ignore[assignment]
    by_example: bool = False

    def check(self, value: Any) -> str:
        """Return one of the keys."""
        keys = [key for key, _unused in self.options]
        if value not in keys:
            raise ParameterError(
                _("{label} cannot be {value!r}.").format(label=self.label or self.name, value=value),
                hint=nearest(str(value), keys),
                parameter=self.name,
            )
        return str(value)


@dataclass(frozen=True, kw_only=True)
class Choices(Param):
    """A list of some keys, each with a caption; none twice, and at least one."""

    options: tuple[tuple[str, str], ...] = Translated(())  # type: ignore[assignment]

    def check(self, value: Any) -> tuple[str, ...]:
        """Return a tuple of keys, in the order given."""
        keys = [key for key, _unused in self.options]
        rule = _("a list of some of {keys}").format(keys=", ".join(keys))
        if not isinstance(value, (list, tuple)) or not value:
            raise self._refuse(value, rule)
        for key in value:
            if key not in keys:
                raise ParameterError(
                    _("{label} cannot contain {key!r}.").format(label=self.label or self.name, key=key),
                    hint=nearest(str(key), keys),
                    parameter=self.name,
                )
        if len(set(value)) < len(value):
            raise self._refuse(list(value), _("{rule}, each once").format(rule=rule))
        return tuple(value)


@dataclass(frozen=True, kw_only=True)
class MemberKey(Param):
    """The key of a registered member, whose parameters are next to it in files.

    Attributes
    ----------
    family : str
        Dotted name of the registry, which is loaded when a key is checked.
    options : str
        The setting that holds the member's parameters.
    """

    family: str = ""
    options: str = ""

    @property
    def members(self) -> Any:
        """The registry of the members."""
        module, _unused, name = self.family.rpartition(".")
        return getattr(importlib.import_module(module), name)

    def check(self, value: Any) -> str:
        """Return a known key."""
        if not isinstance(value, str) or value not in self.members:
            raise ParameterError(
                _("Unknown {family} {value!r}.").format(family=_(self.members.family), value=value),
                hint=self.members.hint_for(str(value)),
                parameter=self.name,
                is_unknown=True,
            )
        return value


@dataclass(frozen=True, kw_only=True)
class ColumnRef(Param):
    """The name of a column; forms offer the columns of a role (`Role.value`), or all if it is empty.

    If `is_open`, other names may be typed too, such as columns of a file that the project does not have.
    If `may_be_empty`, no column is needed; forms call that `empty_title`, or None.
    """

    metavar: str = "COLUMN"
    role: str = "sensitive"
    is_open: bool = False
    may_be_empty: bool = False
    empty_title: str = Translated()  # type: ignore[assignment]

    def check(self, value: Any) -> str:
        """Return a column name; the project checks whether the column exists."""
        if not isinstance(value, str):
            raise self._refuse(value, _("a column name"))
        return value


@dataclass(frozen=True, kw_only=True)
class ColumnRefs(Param):
    """Names of columns, in a significant order; forms offer those of a role, or all if it is empty."""

    metavar: str = "COLUMN"
    role: str = ""

    def check(self, value: Any) -> tuple[str, ...]:
        """Return a tuple of column names; the project checks whether they exist."""
        if not isinstance(value, (list, tuple)) or not all(isinstance(entry, str) for entry in value):
            raise self._refuse(value, _("a list of column names"))
        return tuple(value)


@dataclass(frozen=True, kw_only=True)
class FilePath(Param):
    """The path of a file; `filters` are the file types that dialogs offer, as Qt writes them.

    A recipe stores it relative to itself; a project file does not store it.
    """

    filters: str = ""

    def check(self, value: Any) -> str:
        """Return a path; whether the file exists is checked when it is read."""
        if not isinstance(value, str) or not value.strip() or "\0" in value:
            raise self._refuse(value, _("the path of a file"))
        return value


@dataclass(frozen=True, kw_only=True)
class Integers(Param):
    """A list of at most `most` whole numbers, each at least `minimum`.

    Where each number belongs to a level of a hierarchy, `first_level` is that of the first, otherwise 0;
    `unit` names the counted things, such as "bands of level {below}".
    """

    minimum: int = 1
    most: int = 100
    first_level: int = 0
    unit: str = ""

    def check(self, value: Any) -> tuple[int, ...]:
        """Return a tuple of ints."""
        if not isinstance(value, (list, tuple)):
            raise self._refuse(value, _("a list of whole numbers"))
        if len(value) > self.most:
            raise ParameterError(
                _("{label} has {n} numbers; at most {most} are possible.").format(
                    label=self.label or self.name, n=as_exact_count(len(value)), most=self.most
                ),
                parameter=self.name,
            )
        item = Integer(name=self.name, label=self.label, minimum=self.minimum)
        return tuple(item.check(entry) for entry in value)


@dataclass(frozen=True, kw_only=True)
class Reals(Param):
    """A list of numbers; strictly increasing if `increasing`."""

    increasing: bool = True

    def check(self, value: Any) -> tuple[float, ...]:
        """Return a tuple of numbers; whole numbers stay ints."""
        if not isinstance(value, (list, tuple)):
            raise self._refuse(value, _("a list of numbers"))
        for entry in value:
            if isinstance(entry, bool) or not isinstance(entry, (int, float)):
                raise self._refuse(entry, _("a finite number"))
            if not abs(entry) <= sys.float_info.max:  # also of nan, and of integers that no float holds
                raise self._refuse(entry, _("a finite number"))
        if self.increasing and any(b <= a for a, b in itertools.pairwise(value)):
            raise self._refuse(list(value), _("a list in increasing order without repeated numbers"))
        return tuple(value)


@dataclass(frozen=True, kw_only=True)
class Texts(Param):
    """A list of texts, such as an order of values."""

    def check(self, value: Any) -> tuple[str, ...]:
        """Return a tuple of texts."""
        if not isinstance(value, (list, tuple)) or not all(isinstance(entry, str) for entry in value):
            raise self._refuse(value, _("a list of texts"))
        return tuple(value)


@dataclass(frozen=True, kw_only=True)
class MissingTexts(Texts):
    """The texts that mean a missing value; forms have a check box for the empty one."""


@dataclass(frozen=True, kw_only=True)
class Entries(Param):
    """A list of values of one class: `[{source = "age", name = "Age"}, ...]`.

    Its class method `of` makes one from a mapping or raises `ParameterError`; rows are read as mappings.
    """

    kind: type = object

    def check(self, value: Any) -> tuple[Any, ...]:
        """Return a tuple of values of the class; the error for one has its number."""
        rule = _("a list of mappings")
        if not isinstance(value, (list, tuple)):
            raise self._refuse(value, rule)
        fields = dataclasses.fields(self.kind)
        names = [field.name for field in fields]
        n_needed = sum(field.default is dataclasses.MISSING for field in fields)
        found = []
        for number, entry in enumerate(value, start=1):
            if isinstance(entry, (list, tuple)) and n_needed <= len(entry) <= len(names):
                entry = dict(zip(names, entry, strict=False))
            if isinstance(entry, self.kind):
                found.append(entry)
                continue
            if not isinstance(entry, Mapping):
                raise self._refuse(list(value), rule)
            try:
                if unknown := [key for key in entry if key not in names]:
                    raise ParameterError(
                        _("unknown key '{key}'.").format(key=unknown[0]),
                        hint=nearest(unknown[0], names),
                    )
                found.append(self.kind.of(entry))  # type: ignore[attr-defined]  # the class has it
            except ParameterError as error:
                raise ParameterError(
                    error.problem, hint=error.hint, parameter=self.name, entry=number
                ) from None
        return tuple(found)

    def plain(self, value: Any) -> list[dict[str, Any]]:
        """Return mappings; the last fields are omitted if they have their defaults."""
        plain = []
        for entry in value:
            found = dataclasses.asdict(entry)
            for field in reversed(dataclasses.fields(self.kind)):
                if found[field.name] != field.default:
                    break
                del found[field.name]
            plain.append(found)
        return plain


def check_declared(settings: Any) -> None:
    """Raise `ParameterError` for a given parameter with an invalid value."""
    for descriptor in describe(type(settings)):
        value = getattr(settings, descriptor.name)
        if value is not None:
            descriptor.check(value)


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

    @property
    def paths(self) -> dict[str, str]:
        """The files that it reads, by parameter."""
        declared = (d.name for d in describe(type(self)) if isinstance(d, FilePath))
        return {name: getattr(self, name) for name in declared if getattr(self, name) is not None}

    def with_paths(self, change: Callable[[str], str | None]) -> Self:
        """Return it with each path replaced, as where files are named from another folder."""
        changed: dict[str, Any] = {name: change(path) for name, path in self.paths.items()}
        return dataclasses.replace(self, **changed) if changed else self  # type: ignore[type-var]  # a dataclass


def param(default: Any, descriptor: Param) -> Any:
    """Declare a dataclass field with its descriptor; None marks an absent value.

    A callable, such as dict, is called for the default of every value.
    """
    metadata = {"param": descriptor}
    if callable(default):
        return dataclasses.field(default_factory=default, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def same_as(kind: type, name: str, *, section: str) -> Any:
    """Declare a field as a setting of another kind is declared, in a section of its own."""
    (declared,) = (descriptor for descriptor in describe(kind) if descriptor.name == name)
    descriptor = copy.copy(declared)
    object.__setattr__(descriptor, "section", section)
    return param(default_of(kind, name), descriptor)


def describe(kind: type) -> tuple[Param, ...]:
    """List the parameters of `kind` in declaration order."""
    found = _described.get(kind)
    if found is None:
        fields = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()
        found = _described[kind] = tuple(
            _named(field.metadata["param"], field.name) for field in fields if "param" in field.metadata
        )
    return found


def _named(descriptor: Param, name: str) -> Param:
    named = copy.copy(descriptor)  # `replace` would keep the texts of one language
    object.__setattr__(named, "name", name)
    return named


_described: WeakKeyDictionary[type, tuple[Param, ...]] = WeakKeyDictionary()  # needed at every check


def stored_in(kind: type, kept: Collection[Kept]) -> tuple[Param, ...]:
    """List the settings of `kind` that certain files store."""
    return tuple(descriptor for descriptor in describe(kind) if descriptor.kept in kept)


def unneeded(kind: type, has: Collection[str]) -> tuple[str, ...]:
    """List the settings of `kind` that need what a file does not have."""
    return tuple(d.name for d in describe(kind) if d.needs and d.needs not in has)


def with_valid(settings: T, values: Mapping[str, Any], known: Collection[Param]) -> T:
    """Return the settings with stored values, by key, of the known ones; invalid values are ignored."""
    found = {}
    for descriptor in known:
        if descriptor.stored in values:
            try:
                found[descriptor.name] = descriptor.check(values[descriptor.stored])
            except ParameterError:
                continue
    return dataclasses.replace(settings, **found)  # type: ignore[type-var]  # settings are dataclasses


def default_of(kind: type, name: str) -> Any:
    """Return the default value of a parameter."""
    field = kind.__dataclass_fields__[name]  # type: ignore[attr-defined]  # it is a dataclass
    return field.default if field.default_factory is dataclasses.MISSING else field.default_factory()


def values_of(member: Any) -> dict[str, Any]:
    """Return the parameters of a member by name, without absent ones (None)."""
    pairs = ((descriptor.name, getattr(member, descriptor.name)) for descriptor in describe(type(member)))
    return {name: value for name, value in pairs if value is not None}


def made_of(kind: type[T], values: Mapping[str, Any]) -> T:
    """Return a value of `kind` with parameters by name as the user wrote them, each checked."""
    checks = {descriptor.name: descriptor.check for descriptor in describe(kind)}
    return kind(**{name: checks[name](value) for name, value in values.items()})


def unusual_values_of(settings: Any) -> dict[str, Any]:
    """Return the parameters that differ from their defaults, by name, as the user would write them."""
    kind = type(settings)
    held = ((descriptor, getattr(settings, descriptor.name)) for descriptor in describe(kind))
    return {d.name: d.plain(value) for d, value in held if value != default_of(kind, d.name)}


def plain_values_of(member: Configurable) -> dict[str, Any]:
    """Return the parameters of a member as the user would write them into a file, without absent ones."""
    plain = {descriptor.name: descriptor.plain for descriptor in describe(type(member))}
    return {name: plain[name](value) for name, value in values_of(member).items()}
