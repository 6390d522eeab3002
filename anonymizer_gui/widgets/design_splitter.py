"""Splitter with the sizes of the design until the user moves it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSplitter, QSplitterHandle, QWidget

from anonymizer_gui.theming.dressing import make_bare


class DesignSplitter(QSplitter):
    """Keeps the design sizes while the window grows, until the user or stored settings set others."""

    def __init__(self, orientation: Qt.Orientation, name: str, *parts: QWidget) -> None:
        super().__init__(orientation)
        self.setObjectName(name)
        make_bare(self)
        self.setHandleWidth(8)
        self.setChildrenCollapsible(False)
        self._is_own = False
        self._design: tuple[int, ...] = ()
        self.splitterMoved.connect(self._on_moved)
        for part in parts:
            self.addWidget(part)

    def createHandle(self) -> QSplitterHandle:
        return _Gap(self.orientation(), self)

    def set_design_sizes(self, sizes: Sequence[int]) -> None:
        """Set the sizes of the design, unless others were set."""
        self._design = tuple(sizes)
        self._take_design()

    def setSizes(self, sizes: Sequence[int]) -> None:
        self._is_own = True
        super().setSizes(sizes)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._take_design()  # sizes set before the splitter was laid out meant this size

    def _take_design(self) -> None:
        if self._design and not self._is_own:
            super().setSizes(self._design)

    def _on_moved(self) -> None:
        self._is_own = True


class _Gap(QSplitterHandle):
    """Handle that is empty room."""

    def paintEvent(self, event: QPaintEvent) -> None:
        pass
