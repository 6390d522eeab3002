"""A splitter that follows the design as the window grows, until a person moves it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter


class DesignSplitter(QSplitter):
    """Keeps the design's sizes until a person, or what was remembered of them, sets others."""

    def __init__(self, orientation: Qt.Orientation, name: str) -> None:
        super().__init__(orientation)
        self.setObjectName(name)
        self.setHandleWidth(8)
        self.setChildrenCollapsible(False)
        self._is_own = False
        self.splitterMoved.connect(self._on_moved)

    def set_design_sizes(self, sizes: Sequence[int]) -> None:
        """Take the design's sizes, if nobody chose others."""
        if not self._is_own:
            super().setSizes(sizes)

    def setSizes(self, sizes: Sequence[int]) -> None:
        self._is_own = True
        super().setSizes(sizes)

    def _on_moved(self) -> None:
        self._is_own = True
