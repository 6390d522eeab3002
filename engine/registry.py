"""Tables of classes by key that fill themselves from a package: a member is added by adding a file.

Members of plug-ins come in by entry points, when the program itself has no member of a key or when all
members are listed.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any, ClassVar, Generic, TypeVar, get_args, get_origin, get_type_hints

from engine import plugins
from engine.cached import cached_property
from engine.errors import InputError, closest, nearest
from engine.params import Configurable, describe
from engine.words import _

T = TypeVar("T", bound=Configurable)

_TYPO = 0.8  # words as similar as this are one word with a typing error


class Registry(Mapping[str, type[T]], Generic[T]):
    """The classes of one family by key; on first use it imports every module of its package.

    Parameters
    ----------
    package : str
        Dotted name of the package whose modules register members; empty if only plug-ins have members.
    family : str
        Name of a member in messages, such as "privacy model".
    partners : str, optional
        Dotted name of a package that needs a module for every member, named by its key; a member without
        one is refused when it is registered.
    group : str, optional
        Group of the entry points by which plug-ins offer members, one of `engine.plugins.KINDS`.
    base : type, optional
        Class that members of plug-ins are derived from.
    methods : tuple of str
        Methods of `base` that such a member replaces.
    is_reserved : callable, optional
        Returns whether a key without a member belongs to the program anyway.
    """

    def __init__(
        self,
        package: str,
        family: str,
        partners: str = "",
        *,
        group: str = "",
        base: type[Any] = Configurable,
        methods: tuple[str, ...] = (),
        is_reserved: Callable[[str], bool] = lambda key: False,
    ) -> None:
        self._package, self._partners = package, partners
        self.family, self.group, self.base, self.methods = family, group, base, methods
        self._is_reserved = is_reserved
        self._registered: dict[str, type[T]] = {}
        self._is_loading = False

    @cached_property
    def _own(self) -> dict[str, type[T]]:
        """Members of the program itself."""
        if self._package:
            for module in pkgutil.iter_modules(importlib.import_module(self._package).__path__):
                importlib.import_module(f"{self._package}.{module.name}")
        return self._registered

    @cached_property
    def _plugged(self) -> dict[str, type[T]]:
        """Members of plug-ins."""
        if not self.group or not plugins.offers(self.group):
            return {}
        before = dict(self._own)
        self._is_loading = True
        try:
            found = plugins.load(
                self.group,
                lambda key: key in before or self._is_reserved(key),
                lambda offer, kind: self.why_not(kind) or self._named(offer, kind),
            )
        finally:
            self._is_loading = False
            self._registered.clear()  # of those that a module of a plug-in registered by itself
            self._registered.update(before)
        return {key: kind for key, (_unused, kind) in found.items()}

    def _named(self, offer: plugins.Offer, kind: Any) -> str:
        """Give a class of a plug-in its key; return why it cannot have it."""
        other = plugins.offer_of(kind)
        if other is not None:
            return _("the same class is offered as '{key}'").format(key=other.key)
        kind.key = offer.key
        return ""

    def why_not(self, kind: Any) -> str:
        """Return why an object cannot be a member of the family; empty if it can."""
        if not isinstance(kind, type) or not issubclass(kind, self.base):
            shown = getattr(kind, "__qualname__", type(kind).__qualname__)
            base = f"{self.base.__module__}.{self.base.__qualname__}"
            return _("'{name}' is not a class derived from {base}").format(name=shown, base=base)
        settings = getattr(kind, "__dataclass_params__", None)
        if "__dataclass_params__" not in vars(kind) or not getattr(settings, "frozen", False):
            return _("'{name}' is not a frozen dataclass").format(name=kind.__qualname__)
        for name, wanted in needed_attributes(self.base).items():
            value = getattr(kind, name, None)
            if value is None or value == "" or not isinstance(value, wanted):
                return _("'{name}' lacks the attribute '{attribute}' of type {type}").format(
                    name=kind.__qualname__, attribute=name, type=wanted.__name__
                )
        for name in self.methods:
            if getattr(kind, name) is getattr(self.base, name):
                return _("'{name}' lacks the method '{method}'").format(name=kind.__qualname__, method=name)
        describe(kind)
        kind()
        return ""

    def register(self, key: str) -> Callable[[type[T]], type[T]]:
        """Return a decorator that registers a class under `key`, the word stored in project files."""

        def enter(kind: type[T]) -> type[T]:
            if self._is_loading:
                return kind  # the entry point of a plug-in names it
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
        kind = self.get(key)
        if kind is None:
            problem = _("Unknown {family} '{key}'.").format(family=_(self.family), key=key)
            raise InputError(problem, hint=self.hint_for(key, lists_known=True), key=key)
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

    def recognized(self, member: T) -> T:
        """Return a member that was given as an object, after the plug-in that offers its class named it.

        Raises
        ------
        InputError
            Its class is neither part of the program nor offered by a plug-in that can be used.
        """
        kind = type(member)
        if "key" not in vars(kind):
            len(self)  # loads the plug-ins, which give their classes a key
        if self.get(getattr(kind, "key", "")) is not kind:
            raise InputError(
                _("The {family} {name} is neither part of the program nor offered by a plug-in.").format(
                    family=_(self.family), name=kind.__name__
                ),
                hint=_("Install a package that has an entry point for this class."),
            )
        return member

    def is_typo(self, key: str) -> bool:
        """Return whether an unknown key is most probably a known one with a typing error."""
        return closest(key, self, _TYPO) is not None

    def hint_for(self, key: str, *, lists_known: bool = False) -> str:
        """Return what to do about an unknown key: correct it, or install or repair a plug-in."""
        why = plugins.why_refused(self.group, key) if self.group else ""
        if why or not self.group or self.is_typo(key):
            return why or nearest(key, self)
        known = nearest(key, self) if lists_known or closest(key, self) else ""
        return " ".join(filter(None, (_("Install the plug-in that offers it."), known)))

    def offer_of(self, key: str) -> plugins.Offer | None:
        """Return which plug-in offers a member; None if it is part of the program."""
        return None if key in self._own else plugins.offer_of(self._plugged.get(key))

    def __getitem__(self, key: str) -> type[T]:
        own = self._own.get(key)
        return self._plugged[key] if own is None else own

    def __iter__(self) -> Iterator[str]:
        return chain(self._own, self._plugged)

    def __len__(self) -> int:
        return len(self._own) + len(self._plugged)


def needed_attributes(base: type[Any]) -> dict[str, type[Any]]:
    """Return the class attributes that a member of a family must have, with their types."""
    found: dict[str, type[Any]] = {"title": str}
    for name, hint in get_type_hints(base).items():
        if get_origin(hint) is ClassVar and not hasattr(base, name):
            wanted = get_args(hint)[0]
            found[name] = get_origin(wanted) or wanted
    return found
