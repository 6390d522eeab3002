"""Errors in methods that Qt calls, which must not leave them as Python raised them.

An error that Python's own functions raise, such as `len(5)` or a call of a deleted widget, is completed only
when it is caught. PySide 6 on Python 3.11 reads an incomplete one if it leaves a method that overrides one of
Qt and was reached from Python code, for example `hideEvent` of a page that another one replaces: that ends
the program (segmentation fault).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache, wraps
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import FunctionType
from typing import Any

from shiboken6 import Object


@cache
def guard_overrides() -> None:
    """Guard the overrides of all classes derived from Qt's, also of those defined later; once per process.

    An error of an event handler is shown like that of a slot, and the event counts as handled by nobody; an
    error of another override is raised where Qt was called.
    """
    for kind in tuple(_derived(Object)):
        _guard(kind)

    def guard_new(kind: Any, /, **named: Any) -> None:
        super(Object, kind).__init_subclass__(**named)
        _guard(kind)

    of_all: Any = Object  # every class of Qt is derived from it
    of_all.__init_subclass__ = classmethod(guard_new)


def _derived(kind: type) -> Iterator[type]:
    own: type
    for own in type.__subclasses__(kind):
        yield own
        yield from _derived(own)


def _guard(kind: type) -> None:
    """Guard the methods of a class that override one of Qt."""
    if _is_of_qt(kind):
        return
    bases = [vars(base) for base in kind.__mro__ if _is_of_qt(base)]
    for name, method in tuple(vars(kind).items()):
        is_override = isinstance(method, FunctionType) and any(name in base for base in bases)
        if is_override and not name.startswith("__"):
            setattr(kind, name, _guarded(method))


def _is_of_qt(kind: type) -> bool:
    return kind.__module__.startswith("PySide6.")


def _guarded(method: FunctionType) -> Callable[..., Any]:
    is_event = method.__name__.lower().endswith(("event", "eventfilter"))

    @wraps(method)
    def call(*given: Any, **named: Any) -> Any:
        try:
            return method(*given, **named)
        except Exception:
            if not is_event:
                raise  # complete now
            sys.excepthook(*sys.exc_info())
            return False

    # Qt gives every parameter by its place, and asks for cells so often that names would cost too much.
    @wraps(method)
    def call_by_place(*given: Any) -> Any:
        try:
            return method(*given)
        except Exception:
            if not is_event:
                raise
            sys.excepthook(*sys.exc_info())
            return False

    # PySide counts the parameters of a method that is a slot too, and would give the others all values.
    @wraps(method)
    def call_alone(self: Any) -> Any:
        return call(self)

    if (
        method.__defaults__
        or method.__kwdefaults__
        or method.__code__.co_flags & (CO_VARARGS | CO_VARKEYWORDS)
    ):
        return call
    return call_by_place if method.__code__.co_argcount > 1 else call_alone
