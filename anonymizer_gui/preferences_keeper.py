"""Applies the preferences, takes changes from the menus and keeps them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtWidgets import QApplication

from anonymizer_gui.actions import Actions
from anonymizer_gui.perspectives.start.examples import example_at
from anonymizer_gui.session.preferences import (
    LARGEST_FONT_SCALE,
    MEMORY_CHOICES,
    SMALLEST_FONT_SCALE,
    THEME_CHOICES,
    Preferences,
    load_preferences,
    save_preferences,
)
from anonymizer_gui.theming import THEMES, theme_manager
from anonymizer_gui.theming.motion import set_reduced_motion

FONT_STEP = 0.1


class PreferencesKeeper(QObject):
    """The person's preferences; a theme named on the command line holds for this run only.

    For a picture the defaults count, whoever takes it, and nothing is kept.
    """

    recent_changed = Signal()
    score_memory_changed = Signal(int)  # megabytes

    def __init__(
        self,
        app: QApplication,
        theme: str = "",
        parent: QObject | None = None,
        *,
        is_for_picture: bool = False,
    ) -> None:
        super().__init__(parent)
        self._app = app
        self._theme_of_run = theme
        self._is_for_picture = is_for_picture
        self.value = Preferences(theme="light") if is_for_picture else load_preferences()
        app.styleHints().colorSchemeChanged.connect(lambda _scheme: self.apply())
        self.apply()

    @property
    def theme(self) -> str:
        """The theme chosen: system, light or dark."""
        return self._theme_of_run or self.value.theme

    def apply(self) -> None:
        """Draw the application in the chosen theme and size, with as much motion as is wanted."""
        set_reduced_motion(self.value.reduced_motion)
        name = self.theme
        if name == "system":
            is_dark = self._app.styleHints().colorScheme() == Qt.ColorScheme.Dark
            name = "dark" if is_dark else "light"
        theme_manager().apply(self._app, THEMES[name], self.value.font_scale)

    def connect_actions(self, actions: Actions) -> None:
        """Let the entries of the menus change theme, text size and the memory for scores."""
        for name in THEME_CHOICES:
            action = actions[f"theme_{name}"]
            action.setChecked(name == self.theme)
            actions.offer(f"theme_{name}", partial(self.set_theme, name))
        for megabytes in MEMORY_CHOICES:
            action = actions[f"memory_{megabytes}"]
            action.setChecked(megabytes == self.value.score_memory)
            actions.offer(f"memory_{megabytes}", partial(self.set_score_memory, megabytes))
        actions.offer("larger", lambda: self.set_font_scale(self.value.font_scale + FONT_STEP))
        actions.offer("smaller", lambda: self.set_font_scale(self.value.font_scale - FONT_STEP))
        actions.offer("normal_size", lambda: self.set_font_scale(1.0))

    def set_score_memory(self, megabytes: int) -> None:
        """Let the scores of a lattice take so much memory."""
        if megabytes != self.value.score_memory:
            self.value = replace(self.value, score_memory=megabytes)
            self.save()
            self.score_memory_changed.emit(megabytes)

    def set_theme(self, name: str) -> None:
        self._theme_of_run = ""
        self.value = replace(self.value, theme=name)
        self.apply()
        self.save()

    def set_font_scale(self, scale: float) -> None:
        """Draw all text larger or smaller, from 0.9 to 1.5."""
        scale = round(min(max(scale, SMALLEST_FONT_SCALE), LARGEST_FONT_SCALE), 2)
        if scale != self.value.font_scale:
            self.value = replace(self.value, font_scale=scale)
            self.apply()
            self.save()

    def add_recent(self, path: Path) -> None:
        """Put a file first on the list of recent ones; examples have their own place."""
        if example_at(path) is None:
            self.value = self.value.with_recent(path.absolute())
            self.save()
            self.recent_changed.emit()

    def forget_recent(self, path: Path) -> None:
        self.value = self.value.without_recent(path)
        self.save()
        self.recent_changed.emit()

    def remember_splitter(self, name: str, sizes: tuple[int, ...]) -> None:
        """Kept until the window closes; writing at every pixel would be too much."""
        self.value = self.value.with_splitter(name, sizes)

    def remember_columns(self, shown: Mapping[str, bool]) -> None:
        """Keep which columns of the list of nodes a person chose to show or to hide."""
        self.value = replace(self.value, list_columns=dict(shown))
        self.save()

    def remember_size(self, size: QSize) -> None:
        self.value = replace(self.value, window_size=(size.width(), size.height()))

    def save(self) -> None:
        if not self._is_for_picture:
            save_preferences(self.value)
