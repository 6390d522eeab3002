"""Values that are worked out of scores once and wanted again, kept as long as the scores they belong to."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")


class _Missing:
    """No value, where None may be one."""


_MISSING = _Missing()


class WorkedOut:
    """Families of values by key; any thread may ask, and one of them works a value out.

    What is there already is given without waiting for what another thread works out.
    """

    def __init__(self) -> None:
        self._families: defaultdict[str, dict[Hashable, Any]] = defaultdict(dict)
        self._locks: defaultdict[str, threading.RLock] = defaultdict(threading.RLock)
        self._adding = threading.Lock()

    def get(self, family: str, key: Hashable, make: Callable[[], T], most: int | None = None) -> T:
        """The value of a key, made where it is missing; beyond `most` of a family the oldest go."""
        with self._adding:
            values, lock = self._families[family], self._locks[family]
        value: T | _Missing = values.get(key, _MISSING)
        if isinstance(value, _Missing):
            with lock:
                value = values.get(key, _MISSING)
                if isinstance(value, _Missing):
                    value = make()
                    while most is not None and len(values) >= most:
                        del values[next(iter(values))]
                    values[key] = value
        return value
