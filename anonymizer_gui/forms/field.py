"""One parameter in a form: label, editor, error text and extras."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from anonymizer_gui.forms.editors import Editor
from anonymizer_gui.forms.list_editors import CheckList, LevelList
from anonymizer_gui.forms.number_spin import LONG_RANGE
from anonymizer_gui.theming import Text, scaled, theme_manager
from anonymizer_gui.widgets.accessible import name_editable
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.elided_combo_box import ElidedCheckBox
from anonymizer_gui.widgets.labels import ElidedLabel, make_label, set_style_property
from anonymizer_gui.widgets.layouts import hbox, named, nest
from engine.errors import ParameterError
from engine.numbers import as_typed, shortest_digits, with_unit
from engine.params import Choice, Integer, Param, Real

Suggest = Callable[[str], Any]
"""Returns a value for a parameter, or None."""
_FIELD_WIDTH = 112  # of a number next to usual values or words
_SWITCHED_WIDTH = 76  # of a number after a check box


class ParamField(QWidget):
    """Label above editor; a number that may be absent has a check box if it declares a text for absence."""

    def __init__(
        self, descriptor: Param, editor: Editor, *, is_optional: bool = False, shows_help: bool = False
    ) -> None:
        super().__init__()
        self.descriptor, self.editor = descriptor, editor
        self.suggest: Suggest | None = None  # returns a value for an empty field
        self._last: Any = None  # value removed by unticking the check box
        self._switch: ElidedCheckBox | None = None
        editor.widget.setObjectName(f"param.{descriptor.name}")
        editor.widget.setAccessibleName(descriptor.label)
        if isinstance(editor.widget, QComboBox):
            name_editable(editor.widget, descriptor.label)
        editor.widget.setAccessibleDescription(descriptor.help)
        editor.widget.setToolTip(descriptor.help)
        self._label = make_label(descriptor.label, Text.CELL, "text_2")
        self._note = ElidedLabel("", Text.CELL, "text_2")
        self._note.hide()
        self._error = make_label("", Text.CELL, "danger", wraps=True)
        self._error.hide()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self._row = QHBoxLayout()
        self._row.setSpacing(8)
        is_number = isinstance(descriptor, Integer | Real)
        if is_optional and is_number and descriptor.switch:
            self._add_switch(descriptor.switch)
        else:
            self._add_label()
            self._row.addWidget(editor.widget, 1)
        if shows_help and descriptor.usual and is_number:
            usual = UsualValues(descriptor)
            usual.value_chosen.connect(editor.set_value)
            self._row.addWidget(usual, 1)
            self._narrow(_FIELD_WIDTH)
        self._row.addWidget(self._note, 1)
        nest(self._column, self._row)
        self._column.addWidget(self._error)
        if shows_help and descriptor.help:
            self._column.addWidget(make_label(descriptor.help, Text.CAPTION, "text_3", wraps=True))

    def take_label(self) -> QLabel:
        """Return the label for a place next to the field."""
        label = make_label(self.descriptor.label)
        label.setBuddy(self.editor.widget)
        self._label.hide()
        if isinstance(self.descriptor, Integer | Real) and self._switch is None:
            self._narrow(_FIELD_WIDTH)
            self._row.addStretch(1)
        return label

    def show_note(self, words: str) -> None:
        """Show what a number counts after its editor, such as "years wide"."""
        self._note.setText(words)
        self._note.setVisible(bool(words))
        if words:
            self._narrow(_FIELD_WIDTH)

    def fix(self, why: str) -> None:
        """Disable the editor and show why; an empty reason enables it again."""
        self.editor.widget.setEnabled(not why)
        self.editor.widget.setToolTip(why or self.descriptor.help)

    def put_beside(self, widget: QWidget) -> None:
        """Put a widget next to the editor."""
        self._row.addWidget(widget)

    def fill_in(self) -> None:
        """Fill an absent value with the previous, the suggested or a usual one."""
        if self.held() is not None:
            return
        value = self._last
        if value is None and self.suggest is not None:
            value = self.suggest(self.descriptor.name)
        if value is None:
            value = next(iter(self.descriptor.usual), None)
        if value is not None:
            self.editor.set_value(value)

    def show_examples(self, examples: Mapping[str, str]) -> None:
        """Show an example after the name of each option."""
        box = self.editor.widget
        if isinstance(box, CheckList):
            box.show_examples(examples)
            return
        if not isinstance(box, QComboBox) or not isinstance(self.descriptor, Choice):
            return
        for key, caption in self.descriptor.options:
            name = caption.partition(": ")[0]
            name = name[:1].upper() + name[1:]
            example = examples.get(key, "")
            text = f"{name}: {example}" if example else caption[:1].upper() + caption[1:]
            box.setItemText(box.findData(key), text)
            box.setItemData(box.findData(key), text, Qt.ItemDataRole.ToolTipRole)

    def value(self) -> Any:
        """Return the value of the field, or None if empty.

        Raises
        ------
        ParameterError
            The text is not valid; `parameter` in its context names the field.
        """
        try:
            return self.editor.value()
        except ParameterError as error:
            raise ParameterError(error.problem, hint=error.hint, parameter=self.descriptor.name) from None

    def held(self) -> Any:
        """Return the value, an empty text if the input is not valid, or None if empty."""
        try:
            return self.editor.value()
        except ParameterError:
            return ""

    def show_error(self, text: str) -> None:
        """Show an error below the field."""
        self._error.setText(text)
        self._error.show()
        set_style_property(self.editor.widget, "invalid", "true")

    def clear_error(self) -> None:
        """Remove the error text."""
        self._error.hide()
        set_style_property(self.editor.widget, "invalid", "false")

    def error_text(self) -> str:
        """Return the current error text."""
        return "" if self._error.isHidden() else self._error.text()

    def _add_label(self) -> None:
        if isinstance(self.editor.widget, QCheckBox):  # it has its own label
            self._label.hide()
            return
        self._label.setBuddy(self.editor.widget)
        if not isinstance(self.editor.widget, LevelList):
            self._column.addWidget(self._label)
            return
        row = hbox(
            (self._label, 1),
            make_label(QCoreApplication.translate("ParamForm", "groups"), Text.CAPTION, "text_3"),
        )
        nest(self._column, row)

    def _add_switch(self, words: str) -> None:
        self._label.hide()
        self._switch = named(ElidedCheckBox(words), f"param.{self.descriptor.name}.switch")
        # The text may be elided.
        self._switch.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._switch.clicked.connect(self._on_switched)
        self.editor.on_change(self._update_switch)
        self._row.addWidget(self._switch, 1)
        self._row.addWidget(self.editor.widget)
        self._narrow(_SWITCHED_WIDTH)

    def _on_switched(self, is_on: bool) -> None:
        if not is_on:
            self._last = self.held()
            self.editor.set_value(None)
            return
        self.fill_in()
        self.editor.widget.setFocus()

    def _update_switch(self) -> None:
        assert self._switch is not None
        self._switch.setChecked(self.held() is not None)

    def _narrow(self, width: int) -> None:
        if self.property("narrow") is None:
            theme_manager().theme_changed.connect(self._update_width)
        self.setProperty("narrow", width)
        self._update_width()

    def _update_width(self) -> None:
        self.editor.widget.setFixedWidth(scaled(self.property("narrow")))


class UsualValues(QWidget):
    """One button per value in common use."""

    value_chosen = Signal(object)

    def __init__(self, descriptor: Param) -> None:
        super().__init__()
        row = hbox(make_label(self.tr("usual"), Text.CAPTION, "text_3"), spacing=4, margins=0, of=self)
        for value, text in zip(descriptor.usual, usual_texts(descriptor), strict=True):
            button = make_button(text, f"usual.{descriptor.name}.{text}", small=True)
            button.setAccessibleName(
                self.tr("Set {label} to {text}").format(label=descriptor.label, text=text)
            )
            button.clicked.connect(lambda _=False, chosen=value: self.value_chosen.emit(chosen))
            row.addWidget(button)
        row.addStretch(1)


def usual_texts(descriptor: Param) -> list[str]:
    """Return the usual values as their field shows them, all with the same number of decimals."""
    if isinstance(descriptor, Integer):
        return [str(value) for value in descriptor.usual]
    assert isinstance(descriptor, Real), "usual values are numbers"
    is_wide = descriptor.maximum - descriptor.minimum > LONG_RANGE
    least = 0 if is_wide or descriptor.is_share else min(descriptor.decimals, 2)
    values = [value * 100 if descriptor.is_share else value for value in descriptor.usual]
    digits = (len(shortest_digits(value, least).partition(".")[2]) for value in values)
    places = 0 if is_wide else max(digits, default=least)
    texts = [as_typed(value, places) for value in values]
    return [with_unit(text, "%") for text in texts] if descriptor.is_share else texts
