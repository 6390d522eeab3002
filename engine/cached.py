"""A property computed once per object, for which the threads of other objects do not wait.

`functools.cached_property` of Python 3.11 has one lock per class: while a worker computed a property of one
evaluation, the window waited for the same property of another one.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from functools import cached_property as cached_property
else:

    class cached_property:  # noqa: N801 - the name of what it replaces
        """A property stored in its object; several threads that ask for it get one value."""

        _MISSING = object()

        def __init__(self, compute):
            self._compute = compute
            self.__doc__ = compute.__doc__

        def __set_name__(self, owner, name):
            self._name, self._lock_name = name, f"lock of {name}"

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            values = instance.__dict__
            # One step, so that all threads get the same lock; only those of this object share it.
            lock = values.setdefault(self._lock_name, threading.RLock())
            try:
                with lock:
                    value = values.get(self._name, self._MISSING)
                    if value is self._MISSING:
                        value = values[self._name] = self._compute(instance)
            finally:
                values.pop(self._lock_name, None)
            return value
