"""Methods that are called after a change, all at once or a few at a time."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from types import MethodType
from typing import Any
from weakref import ref

from shiboken6 import Object, isValid

_AT_ONCE = 0.008  # seconds after which the next methods wait for the next step
Method = tuple[ref[Any], str]


class Listeners:
    """Methods in the order in which they were added, each as long as its object exists.

    Unlike the slots of a signal, they can be called in several steps, between which user input is handled.
    """

    def __init__(self) -> None:
        self._methods: dict[int, Method] = {}
        self._numbers = count()

    def connect(self, method: Callable[[], object]) -> None:
        """Call a method of an object after every change."""
        number = next(self._numbers)
        bound: MethodType = method  # type: ignore[assignment]
        owner = ref(bound.__self__, lambda _owner: self._methods.pop(number, None))
        self._methods[number] = (owner, bound.__name__)

    def emit(self) -> None:
        """Call all methods."""
        for step in self.steps():
            step()

    def steps(self) -> Iterator[Callable[[], object]]:
        """Yield calls that together call all methods, each short."""
        rest = list(reversed(self._methods.values()))
        while rest:
            yield partial(_call_some, rest)


def _call_some(rest: list[Method]) -> None:
    """Call the last methods of a list and remove them, until some time has passed."""
    end = time.monotonic() + _AT_ONCE
    while rest and time.monotonic() < end:
        held, name = rest.pop()
        owner = held()
        if owner is None or (isinstance(owner, Object) and not isValid(owner)):
            continue
        try:
            getattr(owner, name)()
        except Exception:
            sys.excepthook(*sys.exc_info())  # as after an error in a slot, the others are called too
