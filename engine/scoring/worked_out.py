"""A cache of values computed from scores, which lives as long as the scores."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")


class _Missing:
    """Marks a missing value, since None may be a value."""


_MISSING = _Missing()


class WorkedOut:
    """Caches of values by key; any thread may ask, and one of them computes a value.

    Existing values are returned without waiting for other computations.
    """

    def __init__(self) -> None:
        self._families: defaultdict[str, dict[Hashable, Any]] = defaultdict(dict)
        self._locks: defaultdict[str, threading.RLock] = defaultdict(threading.RLock)
        self._adding = threading.Lock()

    def has(self, family: str, key: Hashable) -> bool:
        """Return whether a value is cached."""
        with self._adding:
            return key in self._families[family]

    def find(self, family: str, key: Hashable) -> Any | None:
        """Return a cached value; None if it is missing."""
        with self._adding:
            return self._families[family].get(key)

    def get(self, family: str, key: Hashable, make: Callable[[], T], most: int | None = None) -> T:
        """Return a value, computed if missing; a family drops its oldest beyond `most` values."""
        with self._adding:
            values, lock = self._families[family], self._locks[family]
        value: T | _Missing = values.get(key, _MISSING)
        if isinstance(value, _Missing):
            with lock:
                value = values.get(key, _MISSING)
                if isinstance(value, _Missing):
                    value = make()
                    self.put(family, key, value, most)
        return value

    def put(self, family: str, key: Hashable, value: object, most: int | None = None) -> None:
        """Store a value, in place of an earlier one; a family drops its oldest beyond `most` values."""
        with self._adding:
            values = self._families[family]
            values.pop(key, None)
            while most is not None and len(values) >= most:
                del values[next(iter(values))]
            values[key] = value
