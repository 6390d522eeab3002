"""A form for any registered member, built from the parameters it declares."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from anonymizer_gui.forms.editors import Editor, FormContext, editor_for
from anonymizer_gui.forms.usual_values import UsualValues
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.labels import make_label, set_style_property
from engine.errors import ParameterError
from engine.params import Configurable, Flag, Integer, Param, Real, describe

_FIELD_WIDTH = 112  # of a number with usual values beside it


class ParamForm(QWidget):
    """Label above field; what cannot be accepted is said below the field it concerns."""

    changed = Signal()

    def __init__(
        self,
        kind: type[Configurable],
        values: Mapping[str, Any] | None = None,
        context: FormContext | None = None,
        *,
        shows_help: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """`values` replace the declared defaults.

        With `shows_help` the help stands below each field and the usual values of a number beside it.
        """
        super().__init__(parent)
        self._kind = kind
        self._editors: dict[str, Editor] = {}
        self._errors: dict[str, QLabel] = {}
        self._shown = {**_defaults(kind), **(values or {})}
        self._general = make_label("", Text.CELL, "danger", wraps=True)
        self._general.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        for descriptor in describe(kind):
            column.addLayout(self._field(descriptor, context or FormContext(), shows_help))
        column.addWidget(self._general)

    @property
    def kind(self) -> type[Configurable]:
        """The class the form makes members of."""
        return self._kind

    def editor(self, name: str) -> Editor:
        """The editor of a parameter."""
        return self._editors[name]

    def values(self) -> dict[str, Any]:
        """What the fields hold, absent values left out.

        Raises
        ------
        ParameterError
            A field cannot be read; `parameter` in its context names it.
        """
        found = {}
        for name, editor in self._editors.items():
            try:
                value = editor.value()
            except ParameterError as error:
                raise ParameterError(error.problem, hint=error.hint, parameter=name) from None
            if value is not None:
                found[name] = value
        return found

    def member(self) -> Configurable | None:
        """The member as the fields describe it; None where they cannot be accepted, and they say why."""
        self.clear_errors()
        try:
            return self._kind(**self.values())
        except ParameterError as error:
            self.show_error(error)
            return None

    def show_error(self, error: ParameterError) -> None:
        """Say below its field what is wrong."""
        name = str(error.context.get("parameter", ""))
        label = self._errors.get(name, self._general)
        label.setText(f"{error.problem} {error.hint}".strip())
        label.show()
        if name in self._editors:
            set_style_property(self._editors[name].widget, "invalid", "true")

    def clear_errors(self) -> None:
        """Take every error back."""
        for label in (*self._errors.values(), self._general):
            label.hide()
        for editor in self._editors.values():
            set_style_property(editor.widget, "invalid", "false")

    def error_text(self) -> str:
        """What is wrong at the moment."""
        labels = (*self._errors.values(), self._general)
        return " ".join(label.text() for label in labels if not label.isHidden())

    def _field(self, descriptor: Param, context: FormContext, shows_help: bool) -> QVBoxLayout:
        is_optional = _defaults(self._kind)[descriptor.name] is None
        editor = editor_for(descriptor, is_optional, context)
        editor.set_value(self._shown[descriptor.name])
        editor.on_change(self.changed.emit)
        editor.widget.setObjectName(f"param.{descriptor.name}")
        editor.widget.setAccessibleName(descriptor.label)
        editor.widget.setAccessibleDescription(descriptor.help)
        editor.widget.setToolTip(descriptor.help)
        self._editors[descriptor.name] = editor
        error = self._errors[descriptor.name] = make_label("", Text.CELL, "danger", wraps=True)
        error.hide()
        column = QVBoxLayout()
        column.setSpacing(4)
        if not isinstance(descriptor, Flag):  # a check box carries its own words
            label = make_label(descriptor.label, Text.CELL, "text_2")
            label.setBuddy(editor.widget)
            column.addWidget(label)
        if shows_help and descriptor.usual and isinstance(descriptor, Integer | Real):
            usual = UsualValues(descriptor)
            usual.value_chosen.connect(editor.set_value)
            editor.widget.setFixedWidth(scaled(_FIELD_WIDTH))
            row = QHBoxLayout()
            row.setSpacing(8)
            row.addWidget(editor.widget)
            row.addWidget(usual, 1)
            column.addLayout(row)
        else:
            column.addWidget(editor.widget)
        column.addWidget(error)
        if shows_help and descriptor.help:
            column.addWidget(make_label(descriptor.help, Text.CAPTION, "text_3", wraps=True))
        return column


def _defaults(kind: type[Configurable]) -> dict[str, Any]:
    """The declared default of every parameter."""
    fields = dataclasses.fields(kind)  # type: ignore[arg-type]  # members are dataclasses
    return {field.name: field.default for field in fields if "param" in field.metadata}
