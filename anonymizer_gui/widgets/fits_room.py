"""Widgets whose contents depend on their size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    _Widget = QWidget
else:
    _Widget = object  # the class of Qt follows as a second base class


class FitsRoom(_Widget):
    """Base class before the one of Qt: fits the contents to the size of the widget whenever it changes."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        raise NotImplementedError
