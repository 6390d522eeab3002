"""Dialog for the population, or for the subset of records that is released."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QRadioButton,
    QWidget,
)

from anonymizer_gui.forms.filter_edit import FilterEdit
from anonymizer_gui.forms.number_spin import CountSpin, IntegerSpin, NumberSpin
from anonymizer_gui.perspectives.configure.table.population_choice import (
    FileTable,
    PopulationChoice,
    PopulationMode,
)
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.fitted_dialog import AskingDialog
from anonymizer_gui.widgets.labels import ElidedLabel, make_label, set_tone
from anonymizer_gui.widgets.layouts import STRETCH, Part, hbox, named, nest
from engine.project.population import MANKIND
from engine.words import N_, _

_PAUSE = 200  # milliseconds after the last key before records are counted
_WIDTH, _LARGEST_SPIN = 560, 2**31 - 1
_TITLES = {
    PopulationMode.NONE: N_("Unknown"),
    PopulationMode.SIZE: N_("Population size"),
    PopulationMode.FRACTION: N_("Sampling fraction"),
    PopulationMode.TABLE: N_("Population table, one row per person"),
    PopulationMode.FILTER: N_("Records that meet a condition"),
    PopulationMode.ROWS: N_("Records listed in a file"),
    PopulationMode.RANDOM: N_("A random sample of the records"),
}


class PopulationDialog(AskingDialog):
    """Emit the choice; the presenter replies with `show_preview` or `show_error`."""

    choice_changed = Signal(object)  # PopulationChoice
    choice_made = Signal(object)
    people_requested = Signal()
    rows_requested = Signal()

    def __init__(self, choice: PopulationChoice, parent: QWidget | None = None) -> None:
        title = self.tr("Population and subset")
        super().__init__("peopleDialog", title, self.tr("Set"), _WIDTH, parent)
        self.choice = choice  # content of the fields
        self._group = QButtonGroup(self)
        self.buttons: dict[PopulationMode, QRadioButton] = {}
        self.size_box = CountSpin(1, MANKIND)
        self.fraction_box = NumberSpin(0.0001, 100.0, 2, "%")
        self.filter_edit = FilterEdit()
        self.filter_edit.setPlaceholderText(self.tr("such as age >= 40 and sex = 'female'"))
        self.share_box = NumberSpin(0.0001, 100.0, 2, "%")
        self.seed_box = IntegerSpin(0, _LARGEST_SPIN)
        self._people_name, self._rows_name = ElidedLabel("", Text.CELL, "text_2"), ElidedLabel("")
        self.people_button = make_button(self.tr("Choose…"), icon_name="folder-open", small=True)
        self.rows_button = make_button(self.tr("Choose…"), icon_name="folder-open", small=True)
        self._preview = named(make_label("", Text.CELL, "text_2", wraps=True), "peoplePreview")
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE)
        self._pause.timeout.connect(self._announce)
        self._name()
        self._build()
        self._fill()
        self._connect()

    def show_preview(self, text: str) -> None:
        """Show the result of the choice."""
        self.filter_edit.clear_error()
        set_tone(self._preview, "text_2")
        self._preview.setText(text)
        self.accept_button.setEnabled(True)
        self.accept_button.setToolTip("")
        self.fit()

    def show_error(self, problem: str, hint: str = "", position: int | None = None) -> None:
        """Show why the choice is invalid; mark the position if a condition cannot be read."""
        if position is not None and self.choice.mode is PopulationMode.FILTER:
            self.filter_edit.show_error(position, f"{problem} {hint}".strip(), moves_cursor=False)
        set_tone(self._preview, "danger")
        self._preview.setText(f"{problem} {hint}".strip())
        self.accept_button.setEnabled(False)
        self.accept_button.setToolTip(problem)
        self.fit()

    def preview(self) -> str:
        return self._preview.text()

    def show_people(self, people: FileTable) -> None:
        """Use a population table that was read."""
        self._change(replace(self.choice, mode=PopulationMode.TABLE, people=people))

    def show_rows(self, rows: FileTable) -> None:
        """Use subset rows that were read."""
        self._change(replace(self.choice, mode=PopulationMode.ROWS, rows=rows))

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
        fields: dict[PopulationMode, QWidget | QHBoxLayout | None] = {
            PopulationMode.NONE: None,
            PopulationMode.SIZE: _row(self.size_box),
            PopulationMode.FRACTION: _row(self.fraction_box),
            PopulationMode.TABLE: _row(self.people_button, self._people_name),
            PopulationMode.FILTER: self.filter_edit,
            PopulationMode.ROWS: _row(self.rows_button, self._rows_name),
            PopulationMode.RANDOM: drawn,
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
            (
                self.tr("All records are released; the population:"),
                (PopulationMode.NONE, PopulationMode.SIZE, PopulationMode.FRACTION, PopulationMode.TABLE),
            ),
            (
                self.tr("Only a subset is released:"),
                (PopulationMode.FILTER, PopulationMode.ROWS, PopulationMode.RANDOM),
            ),
        )
        for title, modes in sections:
            grid = QGridLayout()
            parts += [4, make_label(title, Text.SECTION, "text_2"), grid]
            grid.setHorizontalSpacing(12)
            grid.setVerticalSpacing(4)
            grid.setColumnMinimumWidth(0, scaled(276))
            grid.setColumnStretch(1, 1)
            for line, mode in enumerate(modes):
                button = named(QRadioButton(_(_TITLES[mode])), f"way.{mode.value}")
                self.buttons[mode] = button
                self._group.addButton(button)
                grid.addWidget(button, line, 0)
                field = fields[mode]
                if isinstance(field, QWidget):
                    grid.addWidget(field, line, 1)
                elif field is not None:
                    nest(grid, field, line, 1)
        self.lay_out(*parts, 4, self._preview, spacing=8)
        for box, width in ((self.size_box, 160), (self.fraction_box, 112), (self.share_box, 112)):
            box.setFixedWidth(scaled(width))
        self.seed_box.setFixedWidth(scaled(96))

    def _fill(self) -> None:
        choice = self.choice
        fields = (
            (self.size_box, float(choice.size)),
            (self.fraction_box, float(Decimal(repr(choice.fraction)) * 100)),
            (self.share_box, float(Decimal(repr(choice.share)) * 100)),
        )
        for box, value in fields:
            with QSignalBlocker(box):
                box.setValue(value)
        with QSignalBlocker(self.seed_box):
            self.seed_box.setValue(choice.seed)
        if self.filter_edit.text() != choice.filter:
            with QSignalBlocker(self.filter_edit):
                self.filter_edit.setText(choice.filter)
        with QSignalBlocker(self._group):
            self.buttons[choice.mode].setChecked(True)
        self._people_name.setText(choice.people.name if choice.people else self.tr("no file yet"))
        self._rows_name.setText(choice.rows.name if choice.rows else self.tr("no file yet"))

    def _connect(self) -> None:
        for mode, button in self.buttons.items():
            button.clicked.connect(
                lambda _unused=False, chosen=mode: self._change(replace(self.choice, mode=chosen))
            )
        self.size_box.valueChanged.connect(lambda n: self._type(mode=PopulationMode.SIZE, size=int(n)))
        self.fraction_box.valueChanged.connect(
            lambda p: self._type(mode=PopulationMode.FRACTION, fraction=_share(p))
        )
        self.filter_edit.filter_submitted.connect(lambda _text: self.accept_button.click())
        self.filter_edit.textEdited.connect(lambda text: self._type(mode=PopulationMode.FILTER, filter=text))
        self.share_box.valueChanged.connect(
            lambda p: self._type(mode=PopulationMode.RANDOM, share=_share(p), n_drawn=None)
        )
        self.seed_box.valueChanged.connect(lambda n: self._type(mode=PopulationMode.RANDOM, seed=n))
        self.people_button.clicked.connect(self.people_requested)
        self.rows_button.clicked.connect(self.rows_requested)

    def _type(self, **changes: object) -> None:
        """Typing into a field selects its kind."""
        self.choice = replace(self.choice, **changes)  # type: ignore[arg-type]  # each of its own kind
        self.buttons[self.choice.mode].setChecked(True)
        self.accept_button.setEnabled(False)
        self.accept_button.setToolTip(self.tr("Counting records"))
        self._pause.start()

    def _change(self, choice: PopulationChoice) -> None:
        self.choice = choice
        self._fill()
        self._announce()

    def _announce(self) -> None:
        self._pause.stop()
        self.choice_changed.emit(self.choice)

    def submit(self) -> bool:
        self.choice_made.emit(self.choice)
        return True

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._announce()


def _row(*widgets: QWidget) -> QHBoxLayout:
    left = Qt.AlignmentFlag.AlignLeft
    return hbox(*((widget, int(not isinstance(widget, QPushButton)), left) for widget in widgets), spacing=8)


def _share(percent: float) -> float:
    """decimal arithmetic: 7 % would become 0.07000000000000001"""
    return float(Decimal(repr(percent)) / 100)
