"""Tables of classes by key that fill themselves from a package: a member is added by adding a file."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from engine.cached import cached_property
from engine.errors import InputError, nearest
from engine.params import Configurable, describe
from engine.words import _

T = TypeVar("T", bound=Configurable)


class Registry(Mapping[str, type[T]], Generic[T]):
    """The classes of one family by key; on first use it imports every module of its package.

    Parameters
    ----------
    package : str
        Dotted name of the package whose modules register members.
    family : str
        Name of a member in messages, such as "privacy model".
    partners : str, optional
        Dotted name of a package that needs a module for every member, named by its key; a member without
        one is refused when it is registered.
    """

    def __init__(self, package: str, family: str, partners: str = "") -> None:
        self._package, self._partners = package, partners
        self.family = family
        self._registered: dict[str, type[T]] = {}

    @cached_property
    def _members(self) -> dict[str, type[T]]:
        for module in pkgutil.iter_modules(importlib.import_module(self._package).__path__):
            importlib.import_module(f"{self._package}.{module.name}")
        return self._registered

    def register(self, key: str) -> Callable[[type[T]], type[T]]:
        """Return a decorator that registers a class under `key`, the word stored in project files."""

        def enter(kind: type[T]) -> type[T]:
            if key in self._registered:
                raise ValueError(f"{self.family} '{key}' is registered twice")
            if self._partners and importlib.util.find_spec(f"{self._partners}.{key}") is None:
                raise ValueError(f"{self.family} '{key}' has no module in {self._partners}")
            kind.key = key
            self._registered[key] = kind
            return kind

        return enter

    def create(self, key: str, **values: Any) -> T:
        """Construct a member; the error for an unknown key or parameter names the nearest known one."""
        if key not in self._members:
            raise InputError(
                _("Unknown {family} '{key}'.").format(family=_(self.family), key=key),
                hint=nearest(key, self._members),
                key=key,
            )
        kind = self._members[key]
        known = [descriptor.name for descriptor in describe(kind)]
        for name in values:
            if name not in known:
                raise InputError(
                    _("Unknown parameter '{name}' of {family} '{key}'.").format(
                        family=_(self.family), key=key, name=name
                    ),
                    hint=nearest(name, known),
                    key=name,
                )
        return kind(**values)

    def __getitem__(self, key: str) -> type[T]:
        return self._members[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)
