"""Form for a registered member, or for settings, generated from declared parameters."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFormLayout, QLabel, QLayout, QVBoxLayout, QWidget

from anonymizer_gui.forms.editors import Editor, FormContext, editor_for
from anonymizer_gui.forms.field import ParamField, Suggest
from anonymizer_gui.forms.list_editors import LevelList
from anonymizer_gui.theming import Text, set_icon
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import nest, vbox
from anonymizer_gui.widgets.segmented import SegmentedControl
from engine.errors import ParameterError
from engine.params import Param, check_declared, default_of, describe
from engine.words import _

S = TypeVar("S")


class ParamForm(QWidget):
    """Label above field; errors appear below the field they concern."""

    changed = Signal()

    def __init__(
        self,
        kind: type[Any],
        values: Mapping[str, Any] | None = None,
        context: FormContext | None = None,
        *,
        omitted: Collection[str] = (),
        shows_help: bool = False,
    ) -> None:
        """Create the fields of a class; `values` replace the declared defaults.

        `omitted` are settings that have their own place in the window. With `shows_help` each field has its
        help text below it, and a number has its usual values next to it.
        """
        super().__init__()
        self.kind = kind  # class whose members the form creates
        self._defaults = _defaults(kind)
        self._fields: dict[str, ParamField] = {}
        self._general = make_label("", Text.CELL, "danger", wraps=True)
        self._general.hide()
        descriptors = [descriptor for descriptor in describe(kind) if descriptor.name not in omitted]
        advanced = [descriptor.name for descriptor in descriptors if descriptor.is_advanced]
        self.more = _Fold() if advanced else None
        self.ways: Ways | None = None  # choice between alternative sets of parameters, or None
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        shown = {**self._defaults, **(values or {})}
        for descriptor in descriptors:
            self._fields[descriptor.name] = self._field(
                descriptor, shown, context or FormContext(), shows_help
            )
        self._lay_out(column)
        if self.more is not None:
            column.addWidget(self.more)
            self.more.set_open(any(shown[name] != self._defaults[name] for name in advanced))
            self._update_more()
        column.addWidget(self._general)

    def editor(self, name: str) -> Editor:
        """Return the editor of a parameter."""
        return self._fields[name].editor

    def show_values(self, values: Mapping[str, Any]) -> None:
        """Show another member of the class without a change signal; absent values get their defaults."""
        shown = {**self._defaults, **values}
        with QSignalBlocker(self):
            for name, field in self._fields.items():
                if field.held() != shown[name]:
                    field.editor.set_value(shown[name])
        self.clear_errors()
        if self.ways is not None:
            self.ways.show_given()
        self._update_more()

    def values(self) -> dict[str, Any]:
        """Return the values of the fields without absent ones.

        Raises
        ------
        ParameterError
            A field is not valid; `parameter` in its context names it.
        """
        found = {
            name: field.value()
            for name, field in self._fields.items()
            if self.ways is None or not self.ways.omits(field)
        }
        return {name: value for name, value in found.items() if value is not None}

    def member(self) -> Any:
        """Return the member that the fields describe; None if not valid, with errors shown in the fields."""
        self.clear_errors()
        try:
            return self.kind(**self.values())
        except ParameterError as error:
            self.show_error(error)
            return None

    def applied_to(self, settings: S) -> S | None:
        """Return the settings with the values of the fields; None if not valid, with errors shown."""
        self.clear_errors()
        try:
            held = {name: field.value() for name, field in self._fields.items()}
            changed = dataclasses.replace(settings, **held)  # type: ignore[type-var]  # they are dataclasses
            check_declared(changed)
        except ParameterError as error:
            self.show_error(error)
            return None
        return changed

    def show_error(self, error: ParameterError) -> None:
        """Show an error below its field."""
        text = f"{error.problem} {error.hint}".strip()
        field = self._fields.get(str(error.context.get("parameter", "")))
        if field is None:
            self._general.setText(text)
            self._general.show()
            return
        field.show_error(text)
        if field.descriptor.is_advanced and self.more is not None:
            self.more.set_open(True)
        if self.ways is not None:
            self.ways.show_field(field)

    def clear_errors(self) -> None:
        """Remove all error texts."""
        self._general.hide()
        for field in self._fields.values():
            field.clear_error()

    def error_text(self) -> str:
        """Return the current error text."""
        texts = [field.error_text() for field in self._fields.values()]
        return " ".join(filter(None, [*texts, "" if self._general.isHidden() else self._general.text()]))

    def show_groups(self, n_groups: Sequence[int]) -> None:
        """Show the number of groups of a level next to fields for that level, level 0 first."""
        for field in self._fields.values():
            if isinstance(field.editor.widget, LevelList):
                field.editor.widget.show_groups(n_groups)

    def show_note(self, name: str, words: str) -> None:
        """Show what a number counts after its field."""
        if name in self._fields:
            self._fields[name].show_note(words)

    def fix(self, name: str, why: str) -> None:
        """Disable a field and show why; an empty reason enables it again."""
        if name in self._fields:
            self._fields[name].fix(why)

    def put_beside(self, name: str, widget: QWidget) -> None:
        """Put a widget next to a field."""
        if name in self._fields:
            self._fields[name].put_beside(widget)

    def suggest_by(self, suggest: Suggest) -> None:
        """Set the function that suggests values for empty fields."""
        for field in self._fields.values():
            field.suggest = suggest

    def show_examples(self, name: str, examples: Mapping[str, str]) -> None:
        """Show an example of each option of a choice, by option key."""
        if name in self._fields:
            self._fields[name].show_examples(examples)

    def put_after(self, widget: QWidget) -> None:
        """Put the form after a widget in the tab order."""
        for child in self.findChildren(QWidget):
            takes_tab = child.focusPolicy() & Qt.FocusPolicy.TabFocus and child.focusProxy() is None
            if takes_tab and child.window() is widget.window():  # lists of combo boxes are windows
                QWidget.setTabOrder(widget, child)
                widget = child

    def _field(
        self, descriptor: Param, shown: Mapping[str, Any], context: FormContext, shows_help: bool
    ) -> ParamField:
        is_optional = self._defaults[descriptor.name] is None
        editor = editor_for(descriptor, is_optional, context)
        field = ParamField(descriptor, editor, is_optional=is_optional, shows_help=shows_help)
        editor.set_value(shown[descriptor.name])
        editor.on_change(self.changed.emit)
        return field

    def _lay_out(self, column: QVBoxLayout) -> None:
        folded = self.more.column if self.more is not None else column
        sections = {column: "", folded: ""}
        for field in self._fields.values():
            descriptor = field.descriptor
            place = folded if descriptor.is_advanced else column
            if descriptor.ways and self.ways is None:
                self.ways = self._make_ways(descriptor.section)
                column.addWidget(self.ways)
            elif descriptor.section and not descriptor.ways and descriptor.section != sections[place]:
                place.addWidget(make_label(descriptor.section, Text.SECTION, "text_2"))
            sections[place] = descriptor.section
            place.addWidget(field)

    def _make_ways(self, title: str) -> Ways:
        fields = [field for field in self._fields.values() if field.descriptor.ways]
        optional = [field for field in fields if self._defaults[field.descriptor.name] is None]
        ways = Ways(title, fields, optional)
        ways.chosen.connect(self._on_way_chosen)
        return ways

    def _on_way_chosen(self) -> None:
        self._update_more()
        self.changed.emit()

    def _update_more(self) -> None:
        """Show the button for collapsed parameters if the selected alternative has any."""
        if self.more is not None:
            folded = [field for field in self._fields.values() if field.descriptor.is_advanced]
            self.more.setVisible(any(not field.isHidden() for field in folded))


class PairsForm(ParamForm):
    """Label next to field; check boxes below the pairs."""

    def put_row(self, text: str, row: QLayout | QWidget, place: int = -1) -> QLabel:
        """Put a row without a parameter below the pairs, or before the one at `place`; return its label."""
        label = make_label(text)
        self._pairs.insertRow(place, label, row)
        return label

    def _lay_out(self, column: QVBoxLayout) -> None:
        pairs = self._pairs = QFormLayout()
        pairs.setHorizontalSpacing(16)
        pairs.setVerticalSpacing(8)
        nest(column, pairs)
        for field in self._fields.values():
            if isinstance(field.editor.widget, QCheckBox):
                column.addWidget(field, 0, Qt.AlignmentFlag.AlignLeft)
            else:
                pairs.addRow(field.take_label(), field)


class _Fold(QWidget):
    """Rarely needed parameters, collapsed behind a button."""

    def __init__(self) -> None:
        super().__init__()
        self.button = make_button(self.tr("More"), "moreParameters", kind="link", small=True)
        self.button.setToolTip(self.tr("Show rarely used parameters"))
        self.button.clicked.connect(self._on_clicked)
        self._body = QWidget()
        self.column = QVBoxLayout(self._body)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(12)
        vbox((self.button, 0, Qt.AlignmentFlag.AlignLeft), self._body, spacing=8, margins=0, of=self)

    def set_open(self, is_open: bool) -> None:
        """Show or hide the parameters."""
        self._body.setVisible(is_open)
        self.button.setText(self.tr("Less") if is_open else self.tr("More"))
        set_icon(self.button, "chevron-down" if is_open else "chevron-right", 14, "accent_text")

    def _on_clicked(self) -> None:
        self.set_open(self._body.isHidden())


def _defaults(kind: type[Any]) -> dict[str, Any]:
    """Return the declared default of every parameter."""
    return {descriptor.name: default_of(kind, descriptor.name) for descriptor in describe(kind)}


class Ways(QWidget):
    """Choice between alternatives; fields in no alternative are always visible, others may be in several."""

    chosen = Signal()

    def __init__(self, title: str, fields: Sequence[ParamField], optional: Sequence[ParamField]) -> None:
        super().__init__()
        self._fields, self._optional = fields, optional
        ways = dict.fromkeys(way for field in fields for way in field.descriptor.ways)
        self.control = SegmentedControl([(way, _(way)) for way in ways], title or self.tr("Defined by"))
        self.control.setObjectName("ways")
        self.control.selected.connect(self._on_selected)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        if title:
            column.addWidget(make_label(title, Text.CELL, "text_2"))
        column.addWidget(self.control, 0, Qt.AlignmentFlag.AlignLeft)
        self._first = next(iter(ways))
        self.show_given()

    def show_given(self) -> None:
        """Select the alternative that describes the current member."""
        self.control.set_current(self._given() or self._first)
        self._update()

    def omits(self, field: ParamField) -> bool:
        """Return whether a parameter belongs only to alternatives not selected."""
        ways = field.descriptor.ways
        return bool(ways) and field in self._optional and self.control.current() not in ways

    def show_field(self, field: ParamField) -> None:
        """Select an alternative that contains a field."""
        if field.descriptor.ways and self.control.current() not in field.descriptor.ways:
            self.control.set_current(field.descriptor.ways[0])
            self._update()

    def _given(self) -> str:
        """Return the alternative whose parameter has a value; the last one, since it takes precedence."""
        own = [f for f in self._optional if len(f.descriptor.ways) == 1 and f.held() is not None]
        return own[-1].descriptor.ways[0] if own else ""

    def _on_selected(self, way: str) -> None:
        self._update()
        for field in self._optional:
            if field.descriptor.ways == (way,):
                field.fill_in()
        self.chosen.emit()

    def _update(self) -> None:
        for field in self._fields:
            field.setVisible(self.control.current() in field.descriptor.ways)
