"""Offers to find a file that does not lie where a recipe says, and opens the recipe with it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.start.opening import Opening
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.file_dialogs import ask_open
from engine.errors import AnonymizerError


class MovedFiles(QObject):
    """The way out beside the error: one missing file after the other, until all are found."""

    def __init__(
        self, window: QWidget, banner: ErrorBanner, opening: Opening, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._window, self._banner, self._opening = window, banner, opening
        self._wanted: tuple[Path, str, Mapping[str, Path]] | None = None
        opening.file_missing.connect(self._on_missing)
        banner.action_requested.connect(self._on_asked)

    def _on_missing(self, error: AnonymizerError, recipe: Path, moved: Mapping[str, Path]) -> None:
        missing = str(error.context["missing"])
        self._wanted = recipe, missing, moved
        name = Path(missing).name
        hint = self.tr("“{0}” names it. If it was moved, show where it is now.").format(recipe.name)
        self._banner.show_error(error.problem, hint, self.tr("Find {0}…").format(name))

    def _on_asked(self) -> None:
        if self._wanted is None:
            return
        recipe, missing, moved = self._wanted
        name = Path(missing).name
        filters = self.tr("Files called {0} ({0});;All files (*)").format(name)
        path = ask_open(self._window, self.tr("Find {0}").format(name), filters)
        if path is not None:
            self._wanted = None
            self._banner.dismiss()
            self._opening.open_moved(recipe, {**moved, missing: path})
