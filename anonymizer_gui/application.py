"""The application object, which also receives the files that the desktop opens by the program."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache, wraps
from inspect import CO_VARARGS, CO_VARKEYWORDS
from pathlib import Path
from types import FunctionType
from typing import Any

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication
from shiboken6 import Object


@cache
def guard_overrides() -> None:
    """Guard the overrides of all classes derived from Qt's, also of those defined later; once per process.

    An error of an event handler is shown like that of a slot, and the event counts as not handled; an
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
    """Guard the methods that override one of Qt: those of a class, and of its bases that Qt does not know."""
    if _is_of_qt(kind):
        return
    bases = [vars(base) for base in kind.__mro__ if _is_of_qt(base)]
    owners = [base for base in kind.__mro__ if base is kind or not issubclass(base, Object)]
    for name in {name for owner in owners for name in vars(owner) if not name.startswith("__")}:
        owner = next(base for base in kind.__mro__ if name in vars(base))
        method = vars(owner)[name]
        if owner in owners and isinstance(method, FunctionType) and any(name in base for base in bases):
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


class Application(QApplication):
    """Says which file the Finder of macOS asks for; other systems start the program with its path."""

    file_requested = Signal(object)  # Path

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__(list(words))
        guard_overrides()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QFileOpenEvent) and event.file():
            self.file_requested.emit(Path(event.file()))
            return True
        return super().event(event)
