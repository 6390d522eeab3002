"""Dialogs of the requirement: a model, who knows what, and the metric with the search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QLineEdit, QPushButton, QWidget

from anonymizer_gui.forms import FormContext, ParamForm
from anonymizer_gui.forms.number_spin import IntegerSpin
from anonymizer_gui.perspectives.configure.requirement.limit_slider import LimitSlider
from anonymizer_gui.tables.pick_dialog import PickDialog, TwoLines, rank_of
from anonymizer_gui.tables.rows_model import Cell, Heading
from anonymizer_gui.tables.table_view import TableView
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.fitted_dialog import AskingDialog, ForeseeingDialog, room_for
from anonymizer_gui.widgets.labels import ElidedLabel, make_label, make_line
from anonymizer_gui.widgets.layouts import STRETCH, Part, fixed, gridbox, hbox, named, vbox
from anonymizer_gui.widgets.scroll_body import SteadyArea
from anonymizer_gui.widgets.typed_entry import FieldNote
from engine.errors import ParameterError
from engine.numbers import as_decimal
from engine.params import describe, values_of
from engine.privacy import PrivacyModel
from engine.privacy.any_columns import AnyColumns
from engine.privacy.attackers import AttackerModel
from engine.privacy.known_columns import KnownColumns
from engine.project.project import SearchSettings
from engine.utility import UtilityMetric

_WIDTH = 420
_MODELS_WIDTH, _GROUP_WIDTH, _STATE_WIDTH, _TWO_LINES = 960, 150, 180, 44


@dataclass(frozen=True)
class ModelChoice:
    """Privacy model to add; `reason` says why it cannot be, `group` is its heading."""

    key: str
    title: str
    reason: str = ""
    group: str = ""
    summary: str = ""
    is_in_use: bool = False


class ModelsDialog(PickDialog):
    """Offers the models by group; one that needs something else first says what."""

    model_picked = Signal(str)

    def __init__(self, choices: Sequence[ModelChoice], parent: QWidget | None = None) -> None:
        widths = (_GROUP_WIDTH, 0, _STATE_WIDTH)
        listed = TableView("modelsList", self.tr("Privacy models"), widths=widths, row_height=_TWO_LINES)
        listed.setWordWrap(True)
        listed.setItemDelegate(TwoLines(listed))
        super().__init__("modelsDialog", self.tr("Add model"), listed, parent, width=_MODELS_WIDTH)
        self._choices = self._shown = tuple(choices)
        self.name_field(
            "modelsField", self.tr("Privacy model"), self.tr("Search names and meanings of models")
        )
        self.search("")

    def search(self, words: str) -> None:
        ranked = []
        for place, choice in enumerate(self._choices):
            rank, is_title = rank_of(words, choice.title), True
            if rank is None:
                about = f"{choice.summary} {choice.group}"
                rank, is_title = rank_of(words, about, loosely=False), False
            if rank is not None:
                ranked.append((not is_title, rank, place))
        self._shown = tuple(self._choices[place] for *_unused, place in sorted(ranked))
        groups = ["", *(choice.group for choice in self._shown)]
        rows = [
            self._cells(choice, choice.group if choice.group != before else "")
            for before, choice in zip(groups, self._shown, strict=False)
        ]
        headings = self.tr("Group"), self.tr("Model"), self.tr("State")
        self.list.texts.show([Heading(text) for text in headings], rows)
        self.show_found(len(rows))

    def pick(self, row: int) -> None:
        if 0 <= row < len(self._shown) and not self._shown[row].reason:
            self.accept()
            self.model_picked.emit(self._shown[row].key)

    def _cells(self, choice: ModelChoice, heading: str) -> list[Cell]:
        state = Cell(choice.reason, tone="text_2")
        if choice.is_in_use:
            state = Cell(self.tr("in use"), tone="ok", icon="check")
        tone = "text_disabled" if choice.reason else "text"
        texts = f"{choice.title}\n{choice.summary}"
        spoken = ". ".join(filter(None, [choice.title, choice.summary, state.text]))
        model = Cell(texts, choice.summary, tone, is_strong=True, spoken=spoken)
        return [Cell(heading, tone="text_3", spoken=choice.group), model, state]


class MemberDialog(ForeseeingDialog):
    """Dialog for the parameters of a privacy model; the form reports invalid values."""

    member_chosen = Signal(object)  # PrivacyModel

    def __init__(
        self,
        kind: type[PrivacyModel],
        values: Mapping[str, Any],
        context: FormContext,
        accept_text: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("memberDialog", kind.title, accept_text, _WIDTH, parent)
        self.form = ParamForm(kind, values, context, shows_help=True)
        attacks = ", ".join(attack.title for attack in kind.protects)
        protects = make_label(
            self.tr("Protects against {attacks}.").format(attacks=attacks), Text.CELL, "text_2", wraps=True
        )
        protects.setToolTip("\n".join(f"{_sentence(a.title)}: {a.meaning}" for a in kind.protects))
        self.consequence.hide()
        self.form.changed.connect(self._on_changed)
        self.lay_out(
            make_label(kind.title, Text.HEADING),
            vbox(
                make_label(kind.summary, Text.CELL, "text_2", wraps=True),
                protects,
                make_label(kind.source, Text.CAPTION, "text_3", wraps=True),
                spacing=2,
            ),
            self.form,
            self.consequence,
        )

    def wanted(self) -> Any:
        try:
            return self.form.kind(**self.form.values())
        except ParameterError:
            return None

    def submit(self) -> bool:
        if (member := self.form.member()) is not None:
            self.member_chosen.emit(member)
        return member is not None


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


_METRIC_WIDTH = 440
_PLACED_ELSEWHERE = ("algorithm", "metric", "steps", "seconds", "weights")


class MetricDialog(AskingDialog):
    """The forms report invalid values.

    Parameters
    ----------
    metric : UtilityMetric
        Current settings.
    """

    settings_chosen = Signal(object, object)  # UtilityMetric, SearchSettings

    def __init__(self, metric: UtilityMetric, search: SearchSettings, parent: QWidget | None = None) -> None:
        title, accept = self.tr("Search settings"), self.tr("Use")
        super().__init__("metricDialog", title, accept, _METRIC_WIDTH, parent)
        self.form = ParamForm(type(metric), values_of(metric), shows_help=True)
        self._search = search
        self.search_form = ParamForm(
            SearchSettings, values_of(search), omitted=_PLACED_ELSEWHERE, shows_help=True
        )
        parts: list[Part] = [make_label(metric.title, Text.HEADING), self.form]
        names = [descriptor.name for descriptor in describe(type(metric))]
        if not names:
            self.form.hide()
            parts[1] = make_label(self.tr("This metric has no settings."), Text.CELL, "text_2")
        self.coding: LimitSlider | None = None
        if "coding" in names:
            hint, words = self.tr("0 to 1; type any value in the field"), partial(as_decimal, decimals=2)
            self.coding = named(
                LimitSlider(self.tr("Coding model"), ranges=(1.0,), words=words, hint=hint), "codingSlider"
            )
            less, more = self.tr("Suppression counts less"), self.tr("Generalization counts less")
            ends = hbox(
                make_label(less, Text.CAPTION, "text_3"), STRETCH, make_label(more, Text.CAPTION, "text_3")
            )
            parts.append(vbox(self.coding, ends, spacing=0, margins=0))
            self._join(self.coding)
        self.lay_out(*parts, make_line(Qt.Orientation.Horizontal), self.search_form)

    def _join(self, slider: LimitSlider) -> None:
        """Keep slider and entry at the same value."""
        entry = self.form.editor("coding")

        def show() -> None:
            try:
                slider.set_value(float(entry.value()))
            except (ParameterError, TypeError):
                return  # incomplete input

        entry.on_change(show)
        show()
        slider.value_moved.connect(entry.set_value)
        slider.value_chosen.connect(entry.set_value)

    def submit(self) -> bool:
        metric, search = self.form.member(), self.search_form.applied_to(self._search)
        if metric is None or search is None:
            return False
        self.settings_chosen.emit(metric, search)
        return True


def changed_values(member: UtilityMetric) -> Mapping[str, Any]:
    """Return the settings of a metric that differ from the defaults."""
    usual = values_of(type(member)())
    return {name: value for name, value in values_of(member).items() if value != usual[name]}


_NAME_WIDTH, _COLUMN_WIDTH, _NUMBER_WIDTH = 150, 84, 76
_WIDEST, _AROUND, _LINE, _LARGEST = 1100, 48, 16, 2**31 - 1


@dataclass
class _Row:
    """Widgets of one attacker, and the model they change."""

    model: AttackerModel
    k: IntegerSpin
    remove: QPushButton
    name: QLineEdit | None = None
    boxes: dict[str, QCheckBox] = field(default_factory=dict)
    m: IntegerSpin | None = None
    head: QWidget | None = None

    @property
    def widgets(self) -> list[QWidget]:
        """All widgets from left to right."""
        first = [self.name] if self.name is not None else [self.head]
        return [w for w in (*first, *self.boxes.values(), self.k, self.remove) if w is not None]

    def member(self) -> AttackerModel | None:
        """Return the model; None if its attacker knows no column."""
        k = self.k.value()
        if isinstance(self.model, AnyColumns):
            assert self.m is not None, "which has a field for its number of columns"
            return replace(self.model, m=self.m.value(), k=k)
        assert isinstance(self.model, KnownColumns), "there are two kinds of attackers"
        assert self.name is not None, "who has a name"
        known = tuple(name for name, box in self.boxes.items() if box.isChecked())
        if not known:
            return None
        everything = len(known) == len(self.boxes) and not self.model.known
        return replace(self.model, attacker=self.name.text().strip(), known=() if everything else known, k=k)


class AttackersDialog(ForeseeingDialog):
    """Emits the attackers of all rows; further demands of a model stay unchanged."""

    attackers_chosen = Signal(tuple)  # of AttackerModel

    def __init__(
        self, models: Sequence[AttackerModel], columns: Sequence[str], parent: QWidget | None = None
    ) -> None:
        title, accept = self.tr("Who knows what"), self.tr("Set attackers")
        super().__init__("attackersDialog", title, accept, 460, parent)
        self._columns, self.rows = tuple(columns), list[_Row]()
        self._grid = gridbox(spacing=(8, 6))
        self._heads = [make_label(self.tr("Attacker"), Text.HEADER, "text_3")]
        for name in self._columns:
            of_column = fixed(ElidedLabel(name, Text.HEADER, "text_3"), width=_COLUMN_WIDTH)
            of_column.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            self._heads.append(of_column)
        self._heads.append(make_label("k", Text.HEADER, "text_3"))
        for place, head in enumerate(self._heads):
            self._grid.addWidget(head, 0, place)
        self.add_button = self._adding(self.tr("Add an attacker"), "addAttacker")
        self.add_button.clicked.connect(lambda: self._add(KnownColumns(known=self._columns[:1]), is_new=True))
        self.add_any_button = self._adding(self.tr("Add attackers who know any m columns"), "addAnybody")
        self.add_any_button.clicked.connect(lambda: self._add(AnyColumns(), is_new=True))
        inside = QWidget()
        inside.setProperty("scrolled", "true")
        vbox(
            self._grid,
            hbox(self.add_button, self.add_any_button, STRETCH, spacing=8),
            STRETCH,
            spacing=8,
            margins=8,
            of=inside,
        )
        self._area = SteadyArea(inside)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        card = QFrame()
        card.setProperty("card", "true")
        vbox(self._area, of=card)
        explained = self.tr(
            "Each attacker knows only the ticked columns of a person. Every group of records that are equal "
            "in these columns has at least k records."
        )
        self._inside = inside
        self.lay_out(
            make_label(self.windowTitle(), Text.HEADING),
            make_label(explained, Text.CELL, "text_2", wraps=True),
            card,
            self.consequence,
        )
        for model in models:
            self._add(model)
        if not models:
            self._add(KnownColumns(known=self._columns[:1]))
        self._note = FieldNote(self.add_button)

    def sizeHint(self) -> QSize:
        """Return the size with room for one more line, into which a text wraps next to a scroll bar."""
        return super().sizeHint() + QSize(0, scaled(_LINE))

    def wanted(self) -> tuple[AttackerModel, ...] | None:
        """Return the models of all rows; None if an attacker knows no column."""
        found = tuple(member for row in self.rows if (member := row.member()) is not None)
        return found if len(found) == len(self.rows) else None

    def submit(self) -> bool:
        found = self.wanted()
        if found is None:
            row = next(row for row in self.rows if row.member() is None)
            self._note = FieldNote(next(iter(row.boxes.values())))
            self._note.show_text(self.tr("Tick at least one column"))
            return False
        self.attackers_chosen.emit(found)
        return True

    def _adding(self, text: str, name: str) -> QPushButton:
        return make_button(text, name, kind="link", icon_name="plus", small=True)

    def _add(self, model: AttackerModel, *, is_new: bool = False) -> None:
        row = self._row_of(model)
        self.rows.append(row)
        row.k.valueChanged.connect(self._on_changed)
        row.remove.clicked.connect(lambda: self._remove(row))
        if row.m is not None:
            row.m.valueChanged.connect(self._on_changed)
        if row.name is not None:
            row.name.textChanged.connect(self._on_changed)
        for box in row.boxes.values():
            box.toggled.connect(self._on_changed)
        self._arrange()
        if is_new:
            for widget in row.widgets:  # a layout shows it later, and a hidden field cannot have the focus
                widget.show()
            (row.name or row.m or row.k).setFocus()
            self._on_changed()

    def _row_of(self, model: AttackerModel) -> _Row:
        k = fixed(IntegerSpin(1, _LARGEST), width=_NUMBER_WIDTH)
        k.setValue(model.k)
        remove = make_icon_button("trash-2", self.tr("Remove"))
        if isinstance(model, AnyColumns):
            m = fixed(IntegerSpin(1, 1000), width=_NUMBER_WIDTH)
            m.setValue(model.m)
            head = QWidget()
            hbox(
                make_label(self.tr("Any attacker, any"), Text.CELL),
                m,
                make_label(self.tr("columns"), Text.CELL),
                STRETCH,
                spacing=6,
                margins=0,
                of=head,
            )
            return _Row(model, k, remove, m=m, head=head)
        assert isinstance(model, KnownColumns), "there are two kinds of attackers"
        name = fixed(QLineEdit(model.attacker), width=_NAME_WIDTH)
        name.setPlaceholderText(self.tr("such as neighbour"))
        boxes = {}
        for column in self._columns:
            boxes[column] = QCheckBox()
            boxes[column].setChecked(not model.known or column in model.known)
        return _Row(model, k, remove, name, boxes)

    def _remove(self, row: _Row) -> None:
        place = self.rows.index(row)
        self.rows.remove(row)
        for widget in row.widgets:
            self._grid.removeWidget(widget)
            widget.hide()
            widget.setParent(None)
            widget.deleteLater()
        self._arrange()
        (self.rows[min(place, len(self.rows) - 1)].k if self.rows else self.add_button).setFocus()
        self._on_changed()

    def _arrange(self) -> None:
        """Place and name the rows, and order the tabs."""
        n_columns = len(self._columns)
        for number, row in enumerate(self.rows, start=1):
            if row.name is not None:
                who = named(
                    row.name, f"attacker.{number}.name", self.tr("Name of attacker {n}").format(n=number)
                )
                self._grid.addWidget(who, number, 0)
                for place, (column, box) in enumerate(row.boxes.items(), start=1):
                    words = self.tr("Attacker {n} knows {column}").format(n=number, column=column)
                    named(box, f"attacker.{number}.{column}", words, column)
                    self._grid.addWidget(box, number, place, Qt.AlignmentFlag.AlignHCenter)
            elif row.head is not None and row.m is not None:
                words = self.tr("Columns that attacker {n} knows").format(n=number)
                named(row.m, f"attacker.{number}.m", words)
                self._grid.addWidget(row.head, number, 0, 1, n_columns + 1)
            k = named(row.k, f"attacker.{number}.k", self.tr("k of attacker {n}").format(n=number))
            self._grid.addWidget(k, number, n_columns + 1)
            words = self.tr("Remove attacker {n}").format(n=number)
            self._grid.addWidget(
                named(row.remove, f"attacker.{number}.remove", words, words), number, n_columns + 2
            )
        stops = [self._stop(w, row) for row in self.rows for w in row.widgets]
        for first, second in pairwise([*stops, self.add_button, self.add_any_button]):
            self.setTabOrder(first, second)
        self._fit_matrix()

    @staticmethod
    def _stop(widget: QWidget, row: _Row) -> QWidget:
        return row.m if widget is row.head and row.m is not None else widget

    def _fit_matrix(self) -> None:
        """Give the matrix the room of its rows, up to a width from which on it is scrolled."""
        hint = self._inside.sizeHint()
        self._area.setMinimumHeight(min(hint.height() + 4, scaled(360)))
        room = room_for(self).width() - scaled(_AROUND)
        self._area.setMinimumWidth(min(hint.width() + 4, room, scaled(_WIDEST)))
        self.fit()
