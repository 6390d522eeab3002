"""Locates the files of a recipe or project that were moved, and continues with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.start.opening import Opening
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.file_dialogs import ask_folder, ask_open
from engine.errors import AnonymizerError, TableError
from engine.project.recipe.section import FILES
from engine.sources.places import is_pattern, is_there
from engine.table.database_address import is_database, parse_address

GoOn = Callable[[Mapping[str, Path]], object]


class MovedFiles(QObject):
    """Action of the error: locates one missing file after the other, until all are found."""

    def __init__(
        self, window: QWidget, banner: ErrorBanner, opening: Opening, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._window, self._banner = window, banner
        opening.file_missing.connect(
            lambda error, recipe, moved: self.offer(
                error, recipe, moved, lambda found: opening.open_moved(recipe, found)
            )
        )

    def offer(self, error: AnonymizerError, recipe: Path, moved: Mapping[str, Path], go_on: GoOn) -> None:
        """Show which file or folder is missing, and offer to locate it.

        Parameters
        ----------
        error : AnonymizerError
            The context's `missing` is the path in the recipe; `is_several` is true for a folder, a pattern or
            a list.
        recipe : Path
        moved : mapping of str to Path
            Files located before.
        go_on : callable
            Called with the located files.
        """
        missing = str(error.context["missing"])
        name = _name_of(missing)
        is_several = bool(error.context.get("is_several")) or is_pattern(name) or "." not in name
        beside = next((place for place in _places(recipe) if is_there(place / name)), None)
        if beside is None:
            hint = self.tr("“{name}” refers to this file. If it was moved, locate it.")
            if is_several:
                hint = self.tr("“{name}” refers to these files. If they were moved, locate their folder.")
            hint = hint.format(name=recipe.name)
            words = self.tr("Locate {name}…").format(name=name)
            find = self._find_folder if is_several else self._find
            act = lambda: find(recipe, missing, moved, go_on)  # noqa: E731
        else:
            hint = self.tr("A file with that name is in “{name}”, next to “{name_2}”.").format(
                name=beside.name, name_2=recipe.name
            )
            words = self.tr("Use {name} from there").format(name=name)
            act = lambda: self._take(missing, beside / name, moved, go_on)  # noqa: E731
        self._banner.show_error(error.problem, hint, words, act)

    def _find(self, recipe: Path, missing: str, moved: Mapping[str, Path], go_on: GoOn) -> None:
        name = _name_of(missing)
        filters = self.tr("Files named {name} ({name});;All files (*)").format(name=name)
        path = ask_open(self._window, self.tr("Locate {name}").format(name=name), filters, recipe.parent)
        if path is not None:
            self._take(missing, path, moved, go_on)

    def _find_folder(self, recipe: Path, missing: str, moved: Mapping[str, Path], go_on: GoOn) -> None:
        name = _name_of(missing)
        path = ask_folder(
            self._window, self.tr("Locate the folder of {name}").format(name=name), recipe.parent
        )
        if path is not None:
            self._take(missing, path / name if is_pattern(name) else path, moved, go_on)

    def _take(self, missing: str, path: Path, moved: Mapping[str, Path], go_on: GoOn) -> None:
        self._banner.dismiss()
        go_on({**moved, missing: path})


def _name_of(missing: str) -> str:
    """Return the file name of a path or of the URL of an SQLite file."""
    if is_database(missing):
        try:
            return parse_address(missing)[0].path.name
        except TableError:
            return missing
    return Path(missing.replace("\\", "/")).name


def _places(recipe: Path) -> tuple[Path, ...]:
    """Return the folders in which files may be that were moved together with a recipe."""
    folder = recipe.absolute().parent
    return folder, folder / f"{recipe.stem}{FILES}"
