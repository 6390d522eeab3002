"""Application and storage of preferences changed in menus and dialog."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QStyleHints
from PySide6.QtWidgets import QApplication

from anonymizer_gui.actions import Actions
from anonymizer_gui.perspectives.start.examples import example_at
from anonymizer_gui.session.preferences import (
    LARGEST_FONT_SCALE,
    MEMORY_CHOICES,
    PERSPECTIVES,
    SMALLEST_FONT_SCALE,
    THEME_CHOICES,
    Preferences,
    RecentFacts,
    load_preferences,
    save_preferences,
)
from anonymizer_gui.tasks.call_queue import CallQueue
from anonymizer_gui.theming import THEMES, theme_manager
from anonymizer_gui.theming.motion import set_reduced_motion
from engine.kernels.threads import set_most_threads
from engine.project import Project, edits
from engine.utility import utility_metrics

FONT_STEP = 0.1


class PreferencesKeeper(QObject):
    """Preferences of the user; a theme named on the command line applies to this run only.

    A screenshot uses the defaults and stores nothing.
    """

    recent_changed = Signal()

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
        self._actions: Actions | None = None
        self._followers: list[tuple[str, Callable[[Any], object]]] = []
        self._restyling = CallQueue(parent=self)
        self._is_started = False
        self.value = Preferences(theme="light") if is_for_picture else load_preferences()
        app.styleHints().colorSchemeChanged.connect(self._on_system_changed)
        app.styleHints().accessibility().contrastPreferenceChanged.connect(self._on_system_changed)
        self.apply()
        self._is_started = True

    @property
    def is_settled(self) -> bool:
        """Return whether the window is drawn in the selected theme."""
        return self._restyling.is_idle

    @property
    def theme(self) -> str:
        """Selected theme: "system" or the name of a theme."""
        return self._theme_of_run or self.value.theme

    def apply(self, *, is_drawn: bool = True) -> None:
        """Apply theme, text size, motion and number of threads.

        `is_drawn` is False if no visible setting has changed, because redrawing takes a moment.
        """
        set_most_threads(self.value.threads)
        set_reduced_motion(self.value.reduced_motion)
        if not is_drawn:
            return
        name = self.theme if self.theme != "system" else system_theme(self._app.styleHints())
        self._restyling.forget()
        steps = theme_manager().steps(self._app, THEMES[name], self.value.font_scale)
        next(steps)()
        self._restyling.ask_each(steps)
        if not self._is_started:
            self._restyling.catch_up()

    def _on_system_changed(self, _wish: object) -> None:
        """Follow the system; a method of a QObject is disconnected with it, a lambda is not."""
        self.apply()

    def connect_actions(self, actions: Actions) -> None:
        """Connect the menu entries for theme, text size and memory for scores."""
        self._actions = actions
        for name in THEME_CHOICES:
            actions.offer(f"theme_{name}", partial(self.set_theme, name))
        for megabytes in MEMORY_CHOICES:
            actions.offer(f"memory_{megabytes}", partial(self.set_score_memory, megabytes))
        actions.offer("larger", lambda: self.set_font_scale(self.value.font_scale + FONT_STEP))
        actions.offer("smaller", lambda: self.set_font_scale(self.value.font_scale - FONT_STEP))
        actions.offer("normal_size", lambda: self.set_font_scale(1.0))
        self._check_actions()

    def follow(self, name: str, use: Callable[[Any], object]) -> None:
        """Call a function with a preference, now and whenever the user changes it."""
        self._followers.append((name, use))
        use(getattr(self.value, name))

    def set_values(self, values: Mapping[str, Any]) -> None:
        """Store new values by name and apply visible ones at once."""
        before, self.value = self.value, replace(self.value, **values)
        if self.value == before:
            return
        if self.value.theme != before.theme:
            self._theme_of_run = ""
        self.apply(is_drawn=(self.value.theme, self.value.font_scale) != (before.theme, before.font_scale))
        self._check_actions()
        self.save()
        for name, use in self._followers:
            if (now := getattr(self.value, name)) != getattr(before, name):
                use(now)

    def set_score_memory(self, megabytes: int) -> None:
        """Set the memory limit for the scores of a lattice."""
        self.set_values({"score_memory": megabytes})

    def set_theme(self, name: str) -> None:
        self._theme_of_run = ""
        self.value = replace(self.value, theme=name)
        self.apply()
        self._check_actions()
        self.save()

    def set_font_scale(self, scale: float) -> None:
        """Set the text scale, from 0.9 to 2.0."""
        self.set_values({"font_scale": round(min(max(scale, SMALLEST_FONT_SCALE), LARGEST_FONT_SCALE), 2)})

    def as_preferred(self, project: Project) -> Project:
        """Apply the preferred requirement, metric and released files to a table opened for the first time."""
        from engine.privacy import Requirement
        from engine.privacy.k_anonymity import KAnonymity

        wanted, usual = self.value, Preferences()
        if (wanted.default_k, wanted.default_suppression) != (usual.default_k, usual.default_suppression):
            requirement = Requirement((KAnonymity(wanted.default_k),), wanted.default_suppression)
            project = replace(project, requirement=requirement)
        if wanted.default_metric != usual.default_metric and wanted.default_metric in utility_metrics:
            project = edits.set_metric(project, wanted.default_metric)
        return edits.set_export(project, wanted.release)

    def add_command(self, name: str) -> None:
        """Put a menu entry first in the list of recent ones."""
        self.value = self.value.with_command(name)
        self.save()

    def add_database(self, url: str) -> None:
        """Put the address of a database first in the list of recent ones."""
        self.value = self.value.with_database(url)
        self.save()

    def add_recent(self, path: Path) -> None:
        """Put a file first in the list of recent files; examples are listed elsewhere."""
        if example_at(path) is None:
            self.value = self.value.with_recent(path.absolute())
            self.save()
            self.recent_changed.emit()

    def remember_facts(self, path: Path, facts: RecentFacts) -> None:
        """Note what the start page shows of a recent file; stored with the other preferences."""
        self.value = self.value.with_facts(path.absolute(), facts)

    def forget_recent(self, path: Path) -> None:
        self.value = self.value.without_recent(path)
        self.save()
        self.recent_changed.emit()

    def remember_splitter(self, name: str, sizes: tuple[int, ...]) -> None:
        """Store splitter sizes when the window closes; not at every pixel of a drag."""
        self.value = self.value.with_splitter(name, sizes)

    def remember_columns(self, shown: Mapping[str, bool]) -> None:
        """Store which columns of the node list the user shows or hides."""
        self.value = replace(self.value, list_columns=dict(shown))
        self.save()

    def remember_folds(self, shown: Mapping[str, bool]) -> None:
        """Store which parts of a perspective the user unfolds or folds."""
        self.value = replace(self.value, folds={**self.value.folds, **shown})
        self.save()

    def remember_view(self, project: Project, view: str) -> None:
        """Store the view of Explore that the user chose for a project."""
        self.value = self.value.with_view(_place(project), view)

    def view_of(self, project: Project, usual: str) -> str:
        """Return the view of Explore in which a project was left, else the usual one."""
        return self.value.views.get(_place(project), usual)

    def remember_widths(self, widths: Mapping[str, int]) -> None:
        """Store the column widths that the user has set."""
        self.value = self.value.with_widths(widths)

    def remember_window(self, size: tuple[int, int], place: tuple[int, int], *, is_maximised: bool) -> None:
        """Store size and position of the window when it is not maximised."""
        self.value = replace(self.value, window_size=size, window_place=place, is_maximised=is_maximised)

    def remember_perspective(self, name: str) -> None:
        """Store the last perspective; other pages are not stored."""
        if name in PERSPECTIVES:
            self.value = replace(self.value, perspective=name)

    def is_first_time(self, name: str) -> bool:
        """Return whether a one-time message is still to be shown, and mark it as shown."""
        is_new = name not in self.value.told
        if is_new:
            self.value = replace(self.value, told=(*self.value.told, name))
        return is_new

    def save(self) -> None:
        if not self._is_for_picture:
            save_preferences(self.value)

    def _check_actions(self) -> None:
        if self._actions is not None:
            self._actions[f"theme_{self.theme}"].setChecked(True)
            self._actions[f"memory_{self.value.score_memory}"].setChecked(True)


def _place(project: Project) -> str:
    """Return what a project is recognized by: the file of its table, else its name."""
    return project.name if project.file is None else str(project.file)


def system_theme(hints: QStyleHints) -> str:
    """Return the name of the theme that suits the settings of the system."""
    tone = "dark" if hints.colorScheme() == Qt.ColorScheme.Dark else "light"
    is_high = hints.accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast
    return f"contrast-{tone}" if is_high else tone
