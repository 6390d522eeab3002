"""Widgets whose contents depend on their size and on the theme."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from anonymizer_gui.theming import theme_manager

if TYPE_CHECKING:
    _Widget = QWidget
else:
    _Widget = object  # the class of Qt follows as a second base class


class FitsRoom(_Widget):
    """Base class before the one of Qt: fits the contents whenever size or theme change."""

    _follows_theme = False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._follows_theme:  # not before the parts of the widget, which exist now, do so
            self._follows_theme = True
            theme_manager().theme_changed.connect(self._refit)
        self._fit()

    def _refit(self) -> None:
        self._fit()
        QTimer.singleShot(0, self, self._fit)  # widgets get their style only after this event

    def _fit(self) -> None:
        raise NotImplementedError
