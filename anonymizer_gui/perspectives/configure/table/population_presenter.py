"""Populations and subsets in words, and the dialog that makes them: it counts while it is filled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QHBoxLayout, QPushButton, QRadioButton, QWidget

from anonymizer_gui.forms.filter_edit import FilterEdit
from anonymizer_gui.forms.number_spin import CountSpin, IntegerSpin, ShareSpin
from anonymizer_gui.session import Session
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.file_dialogs import ask_table
from anonymizer_gui.widgets.fitted_dialog import AskingDialog
from anonymizer_gui.widgets.labels import ElidedLabel, make_label, set_tone
from anonymizer_gui.widgets.layouts import STRETCH, Part, hbox, named, nest
from engine.errors import AnonymizerError, InputError
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count, as_percent
from engine.project import Project, edits
from engine.project.population import MANKIND, Population, options_beside, without_other_columns
from engine.project.subset import Subset, size_of
from engine.records import Table
from engine.records.filtering import filter_names, values_like
from engine.records.opening.files import read_table
from engine.words import N_, _

Setting = Population | Subset | None  # None releases all records, of an unknown population


def setting_of(project: Project) -> Setting:
    """Return what the user has set in a project; records drawn by a model are not such a choice."""
    is_drawn = project.subset is not None and project.subset.draw is not None
    return project.population or (None if is_drawn else project.subset)


def preview_of(setting: Setting, table: Table, monitor: Monitor = SILENT) -> str:
    """Describe the result of a setting.

    Raises
    ------
    InputError
        It does not fit the table.
    """
    monitor.step(0, 1, _("Counting"))
    n_records = table.n_records
    if setting is None:
        return _("The population is unknown; all records are released.")
    if isinstance(setting, Subset):
        found = size_of(setting, table)
        return _(
            "{n_records} of {n_people} records are released ({fraction}); the whole table is the population."
        ).format(
            n_records=as_exact_count(found.n_records),
            n_people=as_exact_count(found.n_people),
            fraction=as_percent(found.fraction),
        )
    size = setting.size_for(n_records)
    if size < n_records:
        raise InputError(
            _("A population of {size} people is smaller than the {n_records} records.").format(
                size=as_exact_count(size), n_records=as_exact_count(n_records)
            ),
            hint=_("The population includes everyone in the table. Give its total size."),
        )
    return _(
        "{n_records} records from {size} people: {n_records_2} of the population is in the table."
    ).format(
        n_records=as_exact_count(n_records),
        size=as_exact_count(size),
        n_records_2=as_percent(setting.fraction_for(n_records)),
    )


def words_of(project: Project) -> str:
    """Return a short description for a button; empty if nothing is set."""
    if project.subset is not None and project.subset.draw is not None:
        return _("Drawn at random: {n} records").format(n=as_exact_count(project.n_records))
    if project.subset is not None:
        return _("Subset: {n} records").format(n=as_exact_count(project.n_records))
    population = project.population
    if population is None:
        return ""
    if population.sampling_fraction is not None:
        return _("Population: {share} sampled").format(share=as_percent(population.sampling_fraction))
    size = population.size_for(project.table.n_records)
    return _("Population: {size}").format(size=as_exact_count(size))


def read_people(path: Path, project: Project, monitor: Monitor = SILENT) -> Population:
    """Read a population table; only the columns that the records have too are used."""
    people, options = read_table(path, options_beside(project.options), monitor)
    return Population(table=without_other_columns(people, project.table), path=path, options=options)


def read_rows(path: Path, project: Project, monitor: Monitor = SILENT) -> Subset:
    """Read the rows of a subset."""
    rows, options = read_table(path, options_beside(project.options), monitor)
    return Subset(rows=rows, path=path, options=options)


# Ways to describe the population, and further ones to release a subset.
UNKNOWN, SIZE, FRACTION, TABLE = "none", "size", "fraction", "table"
FILTER, ROWS, RANDOM = "filter", "rows", "random"
_TITLES = {
    UNKNOWN: N_("Unknown"),
    SIZE: N_("Population size"),
    FRACTION: N_("Sampling fraction"),
    TABLE: N_("Population table, one row per person"),
    FILTER: N_("Records that meet a condition"),
    ROWS: N_("Records listed in a file"),
    RANDOM: N_("A random sample of the records"),
}
_FILES = {TABLE: (N_("Population table"), read_people), ROWS: (N_("Records of the subset"), read_rows)}


class PopulationPresenter(QObject):
    """At most one dialog; its result is one undo step."""

    def __init__(self, session: Session, view: QWidget) -> None:
        super().__init__(view)
        self._session, self._runner, self._view = session, session.runner, view
        self._dialog: PopulationDialog | None = None

    def ask(self) -> None:
        """Open the dialog with the settings of the project."""
        project = self._session.project
        if project is None or self._dialog is not None:
            return
        table = project.table
        dialog = self._dialog = PopulationDialog(setting_of(project), table.n_records, self._view)
        dialog.filter_edit.set_known(filter_names(table), lambda name, part: values_like(table, name, part))
        dialog.setting_changed.connect(self._preview)
        dialog.setting_chosen.connect(self._set)
        dialog.file_requested.connect(self._read)
        dialog.finished.connect(self._on_finished)
        dialog.open()

    def _preview(self, setting: Setting) -> None:
        if (project := self._session.project) is not None:
            self._start("preview", preview_of, setting, project.table, then=PopulationDialog.show_preview)

    def _read(self, way: str) -> None:
        title, read = _FILES[way]
        assert self._dialog is not None, "it asks for the file"
        project, path = self._session.project, ask_table(self._dialog, _(title))
        if project is not None and path is not None:
            self._start(way, read, path, project, then=PopulationDialog.show_setting)

    def _set(self, setting: Setting) -> None:
        if isinstance(setting, Subset):
            self._session.change(self.tr("Set subset"), edits.set_subset, setting)
        elif isinstance(setting, Population):
            self._session.change(self.tr("Set population"), edits.set_population, setting)
        else:
            self._session.change(self.tr("Remove population"), _without_population)

    def _on_finished(self, _result: int) -> None:
        for key in ("preview", *_FILES):
            self._runner.cancel(f"configure.{key}")
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None

    def _start(
        self,
        key: str,
        function: Callable[..., Any],
        *args: Any,
        then: Callable[[PopulationDialog, Any], None],
    ) -> None:
        """Run a job for the dialog, which may be closed before it ends."""

        def show(found: Any) -> None:
            if self._dialog is not None:
                then(self._dialog, found)

        self._runner.run(function, *args, then=show, otherwise=self._show_error, key=f"configure.{key}")

    def _show_error(self, error: AnonymizerError) -> None:
        if self._dialog is not None:
            position = error.context.get("position")
            place = position if isinstance(position, int) else None
            self._dialog.show_error(error.problem, error.hint, place)


_PAUSE = 200  # milliseconds after the last key before records are counted
_WIDTH, _LARGEST_SPIN = 560, 2**31 - 1


class PopulationDialog(AskingDialog):
    """Emit the setting; the presenter replies with `show_preview` or `show_error`."""

    setting_changed = Signal(object)  # Setting
    setting_chosen = Signal(object)
    file_requested = Signal(str)  # the way that needs a file

    def __init__(self, setting: Setting, n_records: int, parent: QWidget | None = None) -> None:
        title = self.tr("Population and subset")
        super().__init__("peopleDialog", title, self.tr("Set"), _WIDTH, parent)
        self._n_records = n_records
        # The setting of every way, as long as its fields are complete.
        self._made: dict[str, Setting] = {
            SIZE: Population(size=max(1_000_000, n_records)),
            FRACTION: Population(sampling_fraction=0.1),
            RANDOM: Subset(fraction=0.1),
            way_of(setting): setting,
        }
        self._group = QButtonGroup(self)
        self.buttons: dict[str, QRadioButton] = {}
        self.size_box = CountSpin(1, MANKIND)
        self.fraction_box = ShareSpin(0.0001, 2)
        self.filter_edit = FilterEdit()
        self.filter_edit.setPlaceholderText(self.tr("such as age >= 40 and sex = 'female'"))
        self.share_box = ShareSpin(0.0001, 2)
        self.seed_box = IntegerSpin(0, _LARGEST_SPIN)
        self._file_names = {TABLE: ElidedLabel("", Text.CELL, "text_2"), ROWS: ElidedLabel("")}
        self.people_button = make_button(self.tr("Choose…"), icon_name="folder-open", small=True)
        self.rows_button = make_button(self.tr("Choose…"), icon_name="folder-open", small=True)
        self.preview = named(make_label("", Text.CELL, "text_2", wraps=True), "peoplePreview")
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE)
        self._pause.timeout.connect(self._announce)
        self._name()
        self._build()
        self._fill()
        self.buttons[way_of(setting)].setChecked(True)
        self._connect()

    @property
    def way(self) -> str:
        """The chosen way."""
        return next(way for way, button in self.buttons.items() if button.isChecked())

    def show_preview(self, text: str) -> None:
        """Show the result of the setting."""
        self.filter_edit.clear_error()
        set_tone(self.preview, "text_2")
        self.preview.setText(text)
        self.accept_button.setEnabled(True)
        self.accept_button.setToolTip("")
        self.fit()

    def show_error(self, problem: str, hint: str = "", position: int | None = None) -> None:
        """Show why the setting is invalid; mark the position if a condition cannot be read."""
        if position is not None and self.way == FILTER:
            self.filter_edit.show_error(position, f"{problem} {hint}".strip(), moves_cursor=False)
        set_tone(self.preview, "danger")
        self.preview.setText(f"{problem} {hint}".strip())
        self.accept_button.setEnabled(False)
        self.accept_button.setToolTip(problem)
        self.fit()

    def show_setting(self, setting: Setting) -> None:
        """Choose a setting that was read from a file."""
        self._made[way_of(setting)] = setting
        self.buttons[way_of(setting)].setChecked(True)
        self._fill()
        self._announce()

    def _name(self) -> None:
        named = (
            (self.size_box, "populationSize", self.tr("Number of people in the population")),
            (self.fraction_box, "samplingFraction", self.tr("Share of the population that is in the table")),
            (self.filter_edit, "subsetFilter", self.tr("Condition for released records")),
            (self.share_box, "subsetShare", self.tr("Share of the records to sample")),
            (self.seed_box, "subsetSeed", self.tr("Seed of the sample")),
            (self.people_button, "choosePeople", self.tr("Choose the population table")),
            (self.rows_button, "chooseRows", self.tr("Choose the file of records")),
        )
        for widget, object_name, accessible_name in named:
            widget.setObjectName(object_name)
            widget.setAccessibleName(accessible_name)
        self.seed_box.setToolTip(self.tr("The same seed gives the same sample on every computer"))

    def _build(self) -> None:
        drawn = hbox(
            self.share_box,
            make_label(self.tr("seed"), Text.CELL, "text_2"),
            self.seed_box,
            STRETCH,
            spacing=8,
        )
        fields: dict[str, QWidget | QHBoxLayout] = {
            SIZE: _row(self.size_box),
            FRACTION: _row(self.fraction_box),
            TABLE: _row(self.people_button, self._file_names[TABLE]),
            FILTER: self.filter_edit,
            ROWS: _row(self.rows_button, self._file_names[ROWS]),
            RANDOM: drawn,
        }
        words = self.tr(
            "Some models compare with the population: the people from whom the records were "
            "sampled. If you release only a subset, the whole table is the population."
        )
        parts: list[Part] = [
            make_label(self.windowTitle(), Text.HEADING),
            make_label(words, Text.CELL, "text_2", wraps=True),
        ]
        sections = (
            (self.tr("All records are released; the population:"), (UNKNOWN, SIZE, FRACTION, TABLE)),
            (self.tr("Only a subset is released:"), (FILTER, ROWS, RANDOM)),
        )
        for title, ways in sections:
            grid = QGridLayout()
            parts += [4, make_label(title, Text.SECTION, "text_2"), grid]
            grid.setHorizontalSpacing(12)
            grid.setVerticalSpacing(4)
            grid.setColumnMinimumWidth(0, scaled(276))
            grid.setColumnStretch(1, 1)
            for line, way in enumerate(ways):
                button = self.buttons[way] = named(QRadioButton(_(_TITLES[way])), f"way.{way}")
                self._group.addButton(button)
                grid.addWidget(button, line, 0)
                field = fields.get(way)
                if isinstance(field, QWidget):
                    grid.addWidget(field, line, 1)
                elif field is not None:
                    nest(grid, field, line, 1)
        self.lay_out(*parts, 4, self.preview, spacing=8)
        for box, width in ((self.size_box, 160), (self.fraction_box, 112), (self.share_box, 112)):
            box.setFixedWidth(scaled(width))
        self.seed_box.setFixedWidth(scaled(96))

    def _fill(self) -> None:
        """Show the settings in their fields."""
        for setting in self._made.values():
            match setting:
                case Population(size=int(size)):
                    _set(self.size_box, size)
                case Population(table=None, sampling_fraction=share) if share is not None:
                    self.fraction_box.show_share(share)
                case Subset(rows=None, filter="", seed=seed):
                    share = setting.fraction or (setting.size or 0) / max(self._n_records, 1)
                    self.share_box.show_share(share)
                    _set(self.seed_box, seed)
                case Subset(rows=None, filter=text) if text != self.filter_edit.text().strip():
                    with QSignalBlocker(self.filter_edit):
                        self.filter_edit.setText(text)
        for way, label in self._file_names.items():
            label.setText(_file_name(self._made.get(way)) or self.tr("no file yet"))

    def _connect(self) -> None:
        for button in self.buttons.values():
            button.clicked.connect(self._announce)
        self.size_box.valueChanged.connect(lambda n: self._type(Population(size=int(n))))
        self.fraction_box.share_chosen.connect(lambda share: self._type(Population(sampling_fraction=share)))
        self.filter_edit.filter_submitted.connect(lambda _text: self.accept_button.click())
        self.filter_edit.textEdited.connect(self._on_filter_typed)
        self.share_box.share_chosen.connect(
            lambda share: self._type(Subset(fraction=share, seed=self.seed_box.value()))
        )
        self.seed_box.valueChanged.connect(self._on_seed_typed)
        self.people_button.clicked.connect(partial(self.file_requested.emit, TABLE))
        self.rows_button.clicked.connect(partial(self.file_requested.emit, ROWS))

    def _on_filter_typed(self, text: str) -> None:
        if text.strip():
            self._type(Subset(filter=text.strip()))
        else:
            self._made.pop(FILTER, None)
            self._wait(FILTER)

    def _on_seed_typed(self, seed: int) -> None:
        sample = self._made[RANDOM]
        assert isinstance(sample, Subset), "a sample always has a size"
        self._type(replace(sample, seed=seed))

    def _type(self, setting: Setting) -> None:
        """Typing into a field selects its way."""
        self._made[way_of(setting)] = setting
        self._wait(way_of(setting))

    def _wait(self, way: str) -> None:
        self.buttons[way].setChecked(True)
        self.accept_button.setEnabled(False)
        self.accept_button.setToolTip(self.tr("Counting records"))
        self._pause.start()

    def _announce(self) -> None:
        self._pause.stop()
        lacking = {
            TABLE: (self.tr("No population table is chosen."), self.tr("Choose its file.")),
            FILTER: (
                self.tr("No condition is given."),
                self.tr("For example: age >= 40 and sex = 'female', with the names of the columns."),
            ),
            ROWS: (
                self.tr("No file with records is chosen."),
                self.tr("Choose a table with some of the records."),
            ),
        }
        if self.way in lacking and self.way not in self._made:
            self.show_error(*lacking[self.way])
        else:
            self.setting_changed.emit(self._made.get(self.way))

    def submit(self) -> bool:
        self.setting_chosen.emit(self._made.get(self.way))
        return True

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._announce()


def way_of(setting: Setting) -> str:
    """Return the way to which a setting belongs."""
    if setting is None:
        return UNKNOWN
    if isinstance(setting, Population):
        return TABLE if setting.table is not None else SIZE if setting.size is not None else FRACTION
    return ROWS if setting.rows is not None else FILTER if setting.filter else RANDOM


def _file_name(setting: Setting) -> str:
    if setting is None:
        return ""
    return setting.path.name if setting.path is not None else _("stored in the project")


def _row(*widgets: QWidget) -> QHBoxLayout:
    left = Qt.AlignmentFlag.AlignLeft
    return hbox(*((widget, int(not isinstance(widget, QPushButton)), left) for widget in widgets), spacing=8)


def _set(box: CountSpin | IntegerSpin, value: int) -> None:
    with QSignalBlocker(box):
        box.setValue(value)


def _without_population(project: Project) -> Project:
    return edits.set_subset(edits.set_population(project, None), None)
