"""Parts of a page created one by one before the page, so that no step takes long."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TypeVar

from PySide6.QtWidgets import QWidget

W = TypeVar("W", bound=QWidget)


class MadeAhead:
    """Widgets by their class until a page takes them; each class is created without arguments."""

    def __init__(self) -> None:
        self._made: dict[type[QWidget], QWidget] = {}

    def steps(self, kinds: Iterable[type[QWidget]]) -> Iterator[Callable[[], object]]:
        """Yield calls that create one widget each."""
        for kind in kinds:
            yield partial(self._make, kind)

    def take(self, kind: type[W]) -> W:
        """Return the widget created ahead, else a new one."""
        made = self._made.pop(kind, None)
        return made if isinstance(made, kind) else kind()

    def _make(self, kind: type[QWidget]) -> None:
        if kind not in self._made:
            self._made[kind] = kind()
