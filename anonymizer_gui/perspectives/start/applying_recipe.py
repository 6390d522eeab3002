"""Applies the settings of a recipe or a damaged project to another table, and shows the changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from anonymizer_gui.perspectives.start.database_opening import DatabaseChoice, is_database_file
from anonymizer_gui.perspectives.start.table_opening import OpenFlow, TableOpening
from anonymizer_gui.session.saving import RECIPE_ENDING
from anonymizer_gui.tasks import Task
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.file_dialogs import ask_folder, ask_open, ask_table
from engine.errors import AnonymizerError, InputError, TableError
from engine.monitor import SILENT, Monitor
from engine.project.recipe.section import FILES
from engine.project.storage.opened_project import DamagedProject, OpenedProject
from engine.records.databases.address import (
    DATABASE_ENDINGS,
    NOBODY,
    Connection,
    DatabaseAddress,
    Login,
    is_database,
    parse_address,
)
from engine.records.options import ReadOptions
from engine.records.places import is_pattern, is_there

if TYPE_CHECKING:
    from engine.project.reimport import Changes
    from engine.records.reading import Reading


@dataclass(frozen=True)
class _Application:
    """A recipe or damaged project, and the table it is applied to, if chosen."""

    settings: Path | DamagedProject
    place: Path | DatabaseAddress
    login: Login = NOBODY
    how: ReadOptions | None = None
    moved: Mapping[str, Path] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name of the table."""
        return self.place.name

    @property
    def recipe(self) -> Path:
        """File of the settings."""
        return self.settings.path if isinstance(self.settings, DamagedProject) else self.settings


def _apply(application: _Application, monitor: Monitor = SILENT) -> tuple[OpenedProject, Changes]:
    from engine.project.recipe.reuse import apply_recipe
    from engine.project.storage.salvage import restore

    if isinstance(application.settings, DamagedProject):
        return restore(
            application.settings, application.place, monitor, login=application.login, how=application.how
        )
    project, changes = apply_recipe(
        application.settings,
        application.place,
        monitor,
        login=application.login,
        how=application.how,
        moved=application.moved,
    )
    return OpenedProject(project), changes


GoOn = Callable[[Mapping[str, Path]], object]


class RecipeApplying(QObject):
    """One recipe at a time; the open project is unchanged until the user accepts the new one."""

    def __init__(self, flow: OpenFlow, banner: ErrorBanner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._flow, self._banner = flow, banner
        self._again: _Application | None = None  # request for which the reading is chosen
        self._choice = DatabaseChoice(flow, "apply.database", self)
        self._tables = TableOpening(flow, "apply.open")
        self._tables.read.connect(self._on_read)
        self._tables.failed.connect(flow.runner.error_raised)

    def ask(self) -> None:
        """Let the user choose a recipe, then a table."""
        filters = self.tr("Recipes (*.{RECIPE_ENDING});;All files (*)").format(RECIPE_ENDING=RECIPE_ENDING)
        recipe = ask_open(self._flow.window, self.tr("Choose a recipe"), filters)
        if recipe is None:
            return
        title = self.tr("Choose the table to apply “{name}” to").format(name=recipe.name)
        self._ask_for_table(recipe, title, recipe.parent)

    def offer_restoring(
        self, error: AnonymizerError, remains: DamagedProject, connection: Connection | None = None
    ) -> None:
        """Show that the table of a project is lost, and offer to apply its settings to another one.

        If the context of the error has the `place` of a changed table, that is offered.
        """
        place = error.context.get("place")
        if isinstance(place, Path):
            self._offer(
                error.problem,
                self.tr(
                    "The settings, roles and hierarchies are intact. Put the saved files back, or read the "
                    "table as it is now; you see the changes first."
                ),
                self.tr("Read it as it is now"),
                lambda: self._take(_Application(remains, place)),
            )
            return
        if isinstance(place, DatabaseAddress):
            self._offer_database(error, remains, place, connection)
            return
        hint = self.tr("The settings, roles and hierarchies are intact. Locate the table to continue.")
        title = self.tr("Choose the table of “{name}”").format(name=remains.name)
        folder = None if remains.folder is not None else remains.path.parent
        self._offer(
            error.problem,
            hint,
            self.tr("Choose the table…"),
            lambda: self._ask_for_table(
                remains, title, folder, is_several=bool(error.context.get("is_several"))
            ),
        )

    def _offer_database(
        self,
        error: AnonymizerError,
        remains: DamagedProject,
        place: DatabaseAddress,
        connection: Connection | None,
    ) -> None:
        hint = self.tr(
            "The settings, roles and hierarchies are intact. Read the table as it is now; you see the "
            "changes first."
        )

        def take(given: Connection) -> None:
            self._take(_Application(remains, given.address, given.login))

        if connection is None and place.is_file:
            connection = Connection(place)
        if connection is None:
            self._offer(error.problem, hint, self.tr("Connect…"), lambda: self._choose(place.full, take))
        else:
            self._offer(error.problem, hint, self.tr("Read it as it is now"), lambda: take(connection))

    def _take(self, application: _Application) -> None:
        self._banner.dismiss()
        self._apply(application)

    def _ask_for_table(
        self,
        settings: Path | DamagedProject,
        title: str,
        folder: Path | None,
        *,
        is_several: bool = False,
    ) -> None:
        window = self._flow.window
        if is_several:
            path = ask_folder(window, title, folder)
        else:
            path = ask_table(window, title, folder, further=DATABASE_ENDINGS)
        if path is None:
            return
        self._banner.dismiss()
        if is_database_file(path):
            self._choose(path, lambda given: self._apply(_Application(settings, given.address, given.login)))
        else:
            self._apply(_Application(settings, path))

    def offer_database(self, error: AnonymizerError, recipe: Path) -> None:
        """Show that a recipe refers to a server, and offer to connect."""
        self.offer_connecting(
            error, lambda given: self._apply(_Application(recipe, given.address, given.login))
        )

    def offer_connecting(self, error: AnonymizerError, go_on: Callable[[Connection], object]) -> None:
        """Show that a recipe or project refers to a server, and offer to connect.

        Parameters
        ----------
        error : AnonymizerError
            The context's `database` is the address.
        go_on : callable
            Called with the connection that the user chose.
        """
        url = str(error.context["database"])
        hint = self.tr("No connection is made without your confirmation; a password is requested then.")
        if parse_address(url)[0].is_cluster:
            hint = self.tr("No connection is made without your confirmation; a token is requested then.")
        self._offer(error.problem, hint, self.tr("Connect…"), lambda: self._choose(url, go_on))

    def _choose(self, place: Path | str, go_on: Callable[[Connection], object]) -> None:
        self._banner.dismiss()
        self._choice.ask(lambda address, login, _stays: go_on(Connection(address, login)), place)

    def _apply(self, application: _Application) -> None:
        task = Task(_apply, application)
        task.succeeded.connect(lambda found: self._on_applied(application, *found))
        task.failed.connect(lambda error: self._on_failed(application, error))
        label = self.tr("Applying {name} to {name_2}").format(
            name=application.settings.name, name_2=application.name
        )
        self._flow.runner.start(task, label=label, key="apply")

    def _on_applied(self, application: _Application, opened: OpenedProject, changes: Changes) -> None:
        self._flow.show_changes(
            application.name, changes, lambda: self._flow.opened.emit(opened), application.settings.name
        )

    def _on_failed(self, application: _Application, error: Exception) -> None:
        if not isinstance(error, AnonymizerError):
            self._flow.runner.error_raised.emit(error)
        elif "missing" in error.context:
            self.offer_locating(
                error,
                application.recipe,
                application.moved,
                lambda moved: self._apply(replace(application, moved=moved)),
            )
        elif (
            isinstance(error, InputError) and isinstance(application.place, Path) and application.how is None
        ):
            self._offer_choices(application, application.place, error)
        else:
            self._flow.runner.error_raised.emit(error)

    def _offer_choices(self, application: _Application, path: Path, error: AnonymizerError) -> None:
        """Open the dialog, because the table may need other import settings than those of the recipe."""

        def choose() -> None:
            from engine.project.recipe.reuse import options_of

            self._banner.dismiss()
            self._again = application
            settings = application.settings
            self._tables.open(path, None if isinstance(settings, DamagedProject) else options_of(settings))

        self._offer(error.problem, error.hint, self.tr("Change import settings…"), choose)

    def _on_read(self, _path: Path, reading: Reading) -> None:
        application, self._again = self._again, None
        if application is not None:
            typed = {name: reading.options.types[name] for name in reading.typed}
            self._apply(replace(application, how=replace(reading.options, types=typed)))

    def _offer(self, problem: str, hint: str, action: str, act: Callable[[], object]) -> None:
        """Show an error with an action that first asks about unsaved changes."""
        self._banner.show_error(problem, hint, action, lambda: self._flow.ask_first(act))

    def offer_locating(
        self, error: AnonymizerError, recipe: Path, moved: Mapping[str, Path], go_on: GoOn
    ) -> None:
        """Show which file or folder is missing, and offer to locate one after the other until all are found.

        Parameters
        ----------
        error : AnonymizerError
            The context's `missing` is the path in the recipe; `is_several` is true for a folder, a pattern or
            a list.
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
        else:
            hint = self.tr("A file with that name is in “{name}”, next to “{name_2}”.").format(
                name=beside.name, name_2=recipe.name
            )
            words = self.tr("Use {name} from there").format(name=name)

        def act() -> None:
            path = self._located(name, recipe.parent, is_several) if beside is None else beside / name
            if path is not None:
                self._banner.dismiss()
                go_on({**moved, missing: path})

        self._banner.show_error(error.problem, hint, words, act)

    def _located(self, name: str, start: Path, is_several: bool) -> Path | None:
        """Let the user choose a file, or the folder of several; None if nothing is chosen."""
        if not is_several:
            filters = self.tr("Files named {name} ({name});;All files (*)").format(name=name)
            return ask_open(self._flow.window, self.tr("Locate {name}").format(name=name), filters, start)
        path = ask_folder(self._flow.window, self.tr("Locate the folder of {name}").format(name=name), start)
        return path / name if path is not None and is_pattern(name) else path


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
