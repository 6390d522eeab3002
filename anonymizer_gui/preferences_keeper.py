"""Applies the preferences, takes changes from menus and dialog and keeps them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
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
    load_preferences,
    save_preferences,
)
from anonymizer_gui.theming import THEMES, theme_manager
from anonymizer_gui.theming.motion import set_reduced_motion
from engine.kernels.threads import set_most_threads
from engine.project import Project, edits
from engine.table.options import ExportOptions

FONT_STEP = 0.1
_DELIMITERS = {"input": None, "comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
_LINE_ENDS = {"lf": "\n", "crlf": "\r\n"}


class PreferencesKeeper(QObject):
    """The person's preferences; a theme named on the command line holds for this run only.

    For a picture the defaults count, whoever takes it, and nothing is kept.
    """

    recent_changed = Signal()
    score_memory_changed = Signal(int)  # megabytes
    autosave_changed = Signal(int)  # milliseconds
    export_changed = Signal(object)  # ExportOptions
    missing_changed = Signal(tuple)  # what is read as missing in new tables

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
        self.value = Preferences(theme="light") if is_for_picture else load_preferences()
        app.styleHints().colorSchemeChanged.connect(lambda _scheme: self.apply())
        self.apply()

    @property
    def theme(self) -> str:
        """The theme chosen: system, light or dark."""
        return self._theme_of_run or self.value.theme

    def apply(self, *, is_drawn: bool = True) -> None:
        """Draw the application in the chosen theme and size, with as much motion and as many threads.

        Where nothing of it shows, `is_drawn` is False: drawing everything anew takes a moment.
        """
        set_most_threads(self.value.threads)
        set_reduced_motion(self.value.reduced_motion)
        if not is_drawn:
            return
        name = self.theme
        if name == "system":
            is_dark = self._app.styleHints().colorScheme() == Qt.ColorScheme.Dark
            name = "dark" if is_dark else "light"
        theme_manager().apply(self._app, THEMES[name], self.value.font_scale)

    def connect_actions(self, actions: Actions) -> None:
        """Let the entries of the menus change theme, text size and the memory for scores."""
        self._actions = actions
        for name in THEME_CHOICES:
            actions.offer(f"theme_{name}", partial(self.set_theme, name))
        for megabytes in MEMORY_CHOICES:
            actions.offer(f"memory_{megabytes}", partial(self.set_score_memory, megabytes))
        actions.offer("larger", lambda: self.set_font_scale(self.value.font_scale + FONT_STEP))
        actions.offer("smaller", lambda: self.set_font_scale(self.value.font_scale - FONT_STEP))
        actions.offer("normal_size", lambda: self.set_font_scale(1.0))
        self._check_actions()

    def set_values(self, values: Mapping[str, Any]) -> None:
        """Take over what was chosen, by name: drawn anew at once where it shows, and kept."""
        before, self.value = self.value, replace(self.value, **values)
        if self.value == before:
            return
        if self.value.theme != before.theme:
            self._theme_of_run = ""
        self.apply(is_drawn=(self.value.theme, self.value.font_scale) != (before.theme, before.font_scale))
        self._check_actions()
        self.save()
        if self.value.score_memory != before.score_memory:
            self.score_memory_changed.emit(self.value.score_memory)
        if self.value.autosave_seconds != before.autosave_seconds:
            self.autosave_changed.emit(1000 * self.value.autosave_seconds)
        if self.value.missing != before.missing:
            self.missing_changed.emit(self.value.missing)
        if export_options(self.value) != export_options(before):
            self.export_changed.emit(export_options(self.value))

    def set_score_memory(self, megabytes: int) -> None:
        """Let the scores of a lattice take so much memory."""
        self.set_values({"score_memory": megabytes})

    def set_theme(self, name: str) -> None:
        self._theme_of_run = ""
        self.value = replace(self.value, theme=name)
        self.apply()
        self._check_actions()
        self.save()

    def set_font_scale(self, scale: float) -> None:
        """Draw all text larger or smaller, from 0.9 to 1.5."""
        self.set_values({"font_scale": round(min(max(scale, SMALLEST_FONT_SCALE), LARGEST_FONT_SCALE), 2)})

    def as_preferred(self, project: Project) -> Project:
        """Give a table that is opened for the first time the person's usual requirement and metric."""
        from engine.privacy import Requirement
        from engine.privacy.k_anonymity import KAnonymity
        from engine.utility import utility_metrics

        wanted, usual = self.value, Preferences()
        if (wanted.default_k, wanted.default_suppression) != (usual.default_k, usual.default_suppression):
            requirement = Requirement((KAnonymity(wanted.default_k),), wanted.default_suppression)
            project = edits.set_requirement(project, requirement)
        if wanted.default_metric != usual.default_metric and wanted.default_metric in utility_metrics:
            project = edits.set_metric(project, wanted.default_metric)
        return project

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

    def remember_widths(self, widths: Mapping[str, int]) -> None:
        """Keep how wide a person made the columns of a table."""
        self.value = self.value.with_widths(widths)

    def remember_window(self, size: tuple[int, int], place: tuple[int, int], *, is_maximised: bool) -> None:
        """Keep how large the window is and where it stands, both as when it is not maximised."""
        self.value = replace(self.value, window_size=size, window_place=place, is_maximised=is_maximised)

    def remember_perspective(self, name: str) -> None:
        """Keep what the person looked at last; a page that is no perspective is none to come back to."""
        if name in PERSPECTIVES:
            self.value = replace(self.value, perspective=name)

    def tell_once(self, name: str) -> bool:
        """Whether something that is said only once is still to be said; from now on it is not."""
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


def export_options(value: Preferences) -> ExportOptions:
    """How files are written unless the export is told otherwise."""
    return ExportOptions(
        delimiter=_DELIMITERS[value.export_delimiter],
        line_end=_LINE_ENDS[value.export_line_end],
        safe_cells=value.safe_cells,
    )
