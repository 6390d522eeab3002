"""Applies a theme to the application and tells everyone who paints with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QObject, QTemporaryDir, Signal
from PySide6.QtWidgets import QApplication

from anonymizer_gui.theming.chrome_style import ChromeStyle
from anonymizer_gui.theming.focus import FocusRing
from anonymizer_gui.theming.fonts import load_fonts
from anonymizer_gui.theming.palette import build_palette
from anonymizer_gui.theming.style_sheet import build_style_sheet
from anonymizer_gui.theming.tokens import LIGHT, Theme
from anonymizer_gui.theming.type_scale import Text, font, font_scale, set_font_scale


class ThemeManager(QObject):
    """Holds the current theme; there is one per process."""

    theme_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._theme = LIGHT
        self._style: ChromeStyle | None = None
        self._focus_ring: FocusRing | None = None
        self._arrow_folder: QTemporaryDir | None = None
        self._n_building = 0

    @property
    def theme(self) -> Theme:
        return self._theme

    @property
    def font_scale(self) -> float:
        return font_scale()

    def apply(self, app: QApplication, theme: Theme, font_scale: float = 1.0) -> None:
        """Build fonts, palette and style sheet anew for `theme`; no widget keeps a colour."""
        load_fonts()
        self._theme = theme
        set_font_scale(font_scale)
        if self._style is None:
            self._style = ChromeStyle()
            app.setStyle(self._style)
            self._focus_ring = FocusRing(app)
            # The style sheet can only take the arrows of its sub-controls from files.
            self._arrow_folder = QTemporaryDir()
        self._style.theme = theme
        app.setFont(font(Text.CONTROL))
        app.setPalette(build_palette(theme))
        # Replacing a style sheet restyles every widget once per ancestor; emptying it first, only once.
        app.setStyleSheet("")
        self._set_style_sheet(app)
        self.theme_changed.emit()
        for window in app.topLevelWidgets():
            window.update()

    @contextmanager
    def building(self, app: QApplication) -> Iterator[None]:
        """Leave the style sheet off while many widgets are made, and put it on them all at once.

        Under a style sheet whatever is given a parent is styled anew with all that is in it: a window that
        is put together from its parts up would be styled once for every layer.
        """
        self._n_building += 1
        app.setStyleSheet("")
        try:
            yield
        finally:
            self._n_building -= 1
            self._set_style_sheet(app)

    def _set_style_sheet(self, app: QApplication) -> None:
        if self._arrow_folder is not None and not self._n_building:
            app.setStyleSheet(build_style_sheet(self._theme, self._arrow_folder.path()))
        if self._focus_ring is not None:
            self._focus_ring.refresh()


class _Holder:
    manager: ThemeManager | None = None


def theme_manager() -> ThemeManager:
    """The manager of this process, made on first use."""
    if _Holder.manager is None:
        _Holder.manager = ThemeManager()
    return _Holder.manager


def current_theme() -> Theme:
    """The theme to paint with now; ask again in every paintEvent."""
    return theme_manager().theme
