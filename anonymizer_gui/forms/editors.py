"""One editor per kind of parameter: widget, getter, setter and change callback."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any

from PySide6.QtCore import QDynamicPropertyChangeEvent, QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QPlainTextEdit, QWidget

from anonymizer_gui.forms.list_editors import (
    CheckList,
    ColumnList,
    LevelList,
    groups_to_text,
    number_to_text,
    numbers_to_text,
    open_box,
    quoted,
    text_to_groups,
    text_to_number,
    text_to_numbers,
    texts_to_lines,
    unquoted,
)
from anonymizer_gui.forms.number_spin import IntegerSpin, NumberSpin
from anonymizer_gui.theming import scaled
from anonymizer_gui.widgets import file_dialogs
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox
from anonymizer_gui.widgets.labels import set_style_property
from anonymizer_gui.widgets.layouts import hbox, named
from engine.errors import ParameterError
from engine.numbers import MOST_DECIMALS, as_typed
from engine.params import (
    Choice,
    Choices,
    ColumnRef,
    ColumnRefs,
    FilePath,
    Flag,
    Integer,
    Integers,
    MissingTexts,
    Param,
    Real,
    Reals,
    Text,
    Texts,
)
from engine.structured_params import Groups, Tree, TreeNode
from engine.words import _, within_sentence

Changed = Callable[[], None]
_LIST_HEIGHT = 72
_TREE_HEIGHT = 160


@dataclass(frozen=True)
class FormContext:
    """Choices of editors: columns of the project by `Role.value`, and values with captions by parameter."""

    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    offered: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)

    def columns_of(self, role: str) -> Sequence[str]:
        """Return the columns of a role, or all columns for an empty role."""
        if role or role in self.columns:
            return self.columns.get(role, ())
        return list(dict.fromkeys(name for names in self.columns.values() for name in names))


@dataclass(frozen=True)
class Editor:
    """Widget that edits one parameter.

    Attributes
    ----------
    value : callable
        Returns the value of the widget, or None if empty; raises `ParameterError` if it is not valid.
    set_value : callable
        Fills the widget; accepts None.
    changed : signal
        Emitted when the user changes the value.
    """

    widget: QWidget
    value: Callable[[], Any]
    set_value: Callable[[Any], None]
    changed: Any

    def on_change(self, call: Changed) -> None:
        """Register a function to call when the user changes the value."""
        self.changed.connect(lambda *_unused: call())


@singledispatch
def editor_for(descriptor: Param, is_optional: bool, context: FormContext) -> Editor:
    """Create the editor of a parameter; `is_optional` allows an absent value."""
    raise TypeError(f"no editor for {type(descriptor).__name__}")


@editor_for.register
def _of_integer(descriptor: Integer, is_optional: bool, context: FormContext) -> Editor:
    if is_optional:
        return _line(descriptor, number_to_text, _optional_number(descriptor))
    box = IntegerSpin(descriptor.minimum, min(descriptor.maximum, 2**31 - 1))
    return Editor(box, box.value, box.setValue, box.valueChanged)


@editor_for.register
def _of_real(descriptor: Real, is_optional: bool, context: FormContext) -> Editor:
    if is_optional:
        return _line(descriptor, number_to_text, _optional_number(descriptor))
    if descriptor.is_share:
        return _of_share(descriptor)
    if 0 < descriptor.minimum < 10.0**-MOST_DECIMALS:  # a spin box would round it to 0
        return _line(descriptor, _small_to_text, _optional_number(descriptor))
    box = NumberSpin(descriptor.minimum, descriptor.maximum, descriptor.decimals, _(descriptor.unit))
    return Editor(box, box.value, box.setValue, box.valueChanged)


def _of_share(descriptor: Real) -> Editor:
    """Return an editor in percent of a fraction."""
    box = NumberSpin(descriptor.minimum * 100, descriptor.maximum * 100, 2, "%")
    return Editor(
        box,
        lambda: round(box.value() / 100, MOST_DECIMALS),
        lambda share: box.setValue(round(share * 100, MOST_DECIMALS)),
        box.valueChanged,
    )


@editor_for.register
def _of_flag(descriptor: Flag, is_optional: bool, context: FormContext) -> Editor:
    if descriptor.absent:
        choices = ElidedComboBox()
        for caption, value in zip(
            (descriptor.absent, *descriptor.captions), (None, True, False), strict=True
        ):
            choices.addItem(caption, value)
        return combo(choices)
    box = QCheckBox(descriptor.label)
    return Editor(box, box.isChecked, lambda value: box.setChecked(bool(value)), box.toggled)


@editor_for.register
def _of_text(descriptor: Text, is_optional: bool, context: FormContext) -> Editor:
    if offered := context.offered.get(descriptor.name, descriptor.suggested):
        return _offering(descriptor, offered)
    editor = _line(descriptor, lambda value: value, lambda text: None if is_optional and not text else text)
    if descriptor.placeholder and isinstance(editor.widget, QLineEdit):
        editor.widget.setPlaceholderText(descriptor.placeholder)
    if descriptor.length and isinstance(editor.widget, QLineEdit):
        editor.widget.setMaxLength(descriptor.length)
    return editor


@editor_for.register
def _of_choice(descriptor: Choice, is_optional: bool, context: FormContext) -> Editor:
    if descriptor.switch:
        return _switch(descriptor)
    box = ElidedComboBox()
    if descriptor.absent:
        box.addItem(descriptor.absent, None)
    offered = dict(context.offered.get(descriptor.name, descriptor.options))
    for key, caption in descriptor.options:
        if key in offered:
            box.addItem(caption[:1].upper() + caption[1:], key)
    return combo(box)


def _switch(descriptor: Choice) -> Editor:
    """Return a check box for the second of two keys."""
    box = QCheckBox(descriptor.switch)
    (off, _unused), (on, _unused) = descriptor.options
    return Editor(
        box,
        lambda: on if box.isChecked() else off,
        lambda value: box.setChecked(value == on),
        box.toggled,
    )


@editor_for.register
def _of_choices(descriptor: Choices, is_optional: bool, context: FormContext) -> Editor:
    boxes = CheckList(descriptor.name, descriptor.options)
    return _listing(boxes, is_optional)


@editor_for.register
def _of_columnref(descriptor: ColumnRef, is_optional: bool, context: FormContext) -> Editor:
    names = context.columns_of(descriptor.role)
    if descriptor.is_open:
        return _open_combo(open_box(names))
    box = QComboBox()
    if is_optional or descriptor.may_be_empty:
        box.addItem(descriptor.empty_title or _("None"), None if is_optional else "")
    for name in names:
        box.addItem(name, name)
    return combo(box)


@editor_for.register
def _of_columnrefs(descriptor: ColumnRefs, is_optional: bool, context: FormContext) -> Editor:
    if descriptor.role:
        names = [(name, name) for name in context.columns_of(descriptor.role)]
        boxes = CheckList(descriptor.name, names, are_sentences=False)
        return _listing(boxes, is_optional)
    lines = ColumnList(descriptor.name, context.columns_of(""))
    return _listing(lines, is_optional)


@editor_for.register
def _of_filepath(descriptor: FilePath, is_optional: bool, context: FormContext) -> Editor:
    row = PathField(descriptor.label, descriptor.filters)
    return Editor(
        row,
        lambda: row.path() or (None if is_optional else ""),
        lambda value: row.set_path(value or ""),
        row.changed,
    )


@editor_for.register
def _of_integers(descriptor: Integers, is_optional: bool, context: FormContext) -> Editor:
    if descriptor.first_level:
        levels = LevelList(descriptor)
        return _listing(levels, is_optional)
    return _numbers(descriptor, is_optional)


@editor_for.register
def _of_reals(descriptor: Reals, is_optional: bool, context: FormContext) -> Editor:
    return _numbers(descriptor, is_optional)


@editor_for.register
def _of_texts(descriptor: Texts, is_optional: bool, context: FormContext) -> Editor:
    def read(text: str) -> list[str] | None:
        lines = [line for line in text.split("\n") if line]
        return None if is_optional and not lines else lines

    return _lines(_("One value per line"), texts_to_lines, read)


@editor_for.register
def _of_missing_texts(descriptor: MissingTexts, is_optional: bool, context: FormContext) -> Editor:
    words = MissingField()
    return Editor(words, words.value, words.set_value, words.changed)


@editor_for.register
def _of_tree(descriptor: Tree, is_optional: bool, context: FormContext) -> Editor:
    def read(text: str) -> list[TreeNode] | None:
        nodes = text_to_tree(text, descriptor.label)
        return None if is_optional and not nodes else nodes

    hint = _("Europe\n    Italy\n        Rome\nOne group or value per line, indented below its group")
    return _lines(hint, tree_to_text, read, TreeText(), _TREE_HEIGHT)


@editor_for.register
def _of_groups(descriptor: Groups, is_optional: bool, context: FormContext) -> Editor:
    def read(text: str) -> list[list[tuple[str, list[str]]]] | None:
        levels = text_to_groups(text)
        return None if is_optional and not levels else levels

    return _lines(
        _("One group per line: label; value; value\nAn empty line begins the next level"),
        groups_to_text,
        read,
    )


def _listing(listed: CheckList | ColumnList | LevelList, is_optional: bool) -> Editor:
    def show(values: Sequence[Any] | None) -> None:
        listed.set_value(values or ())

    return Editor(listed, lambda: listed.value() or (None if is_optional else []), show, listed.changed)


def _numbers(descriptor: Integers | Reals, is_optional: bool) -> Editor:
    def read(text: str) -> list[float] | None:
        values = text_to_numbers(text, descriptor.label)
        return None if is_optional and not values else values

    editor = _line(descriptor, numbers_to_text, read)
    if isinstance(editor.widget, QLineEdit):
        usual = next((value for value in descriptor.usual if isinstance(value, tuple)), ())
        editor.widget.setPlaceholderText(
            _("such as {usual}").format(usual=numbers_to_text(usual)) if usual else _("none")
        )
    return editor


def _small_to_text(value: float) -> str:
    is_short = value == round(value, MOST_DECIMALS)
    return as_typed(value, 0) if is_short else number_to_text(value)


def _optional_number(descriptor: Param) -> Callable[[str], Any]:
    return lambda text: text_to_number(text.strip(), descriptor.label) if text.strip() else None


def _line(descriptor: Param, show: Callable[[Any], str], read: Callable[[str], Any]) -> Editor:
    line = QLineEdit()
    line.setPlaceholderText(_("none"))
    return Editor(
        line,
        lambda: read(line.text()),
        lambda value: line.setText("" if value is None else show(value)),
        line.textChanged,
    )


def _lines(
    placeholder: str,
    show: Callable[[Any], str],
    read: Callable[[str], Any],
    field: QPlainTextEdit | None = None,
    height: int = _LIST_HEIGHT,
) -> Editor:
    lines = field or QPlainTextEdit()
    lines.setPlaceholderText(placeholder)
    lines.setTabChangesFocus(True)
    lines.setFixedHeight(scaled(height))
    return Editor(
        lines,
        lambda: read(lines.toPlainText()),
        lambda value: lines.setPlainText("" if value is None else show(value)),
        lines.textChanged,
    )


def combo(box: QComboBox) -> Editor:
    """Return the editor of a combo box whose entries have their values as data."""
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    # Long captions must not widen a narrow panel.
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(8)

    def select(value: Any) -> None:
        place = box.findData(value)
        with QSignalBlocker(box):
            box.setCurrentIndex(max(place, 0) if box.count() else -1)

    return Editor(box, box.currentData, select, box.currentIndexChanged)


def _offering(descriptor: Text, offered: Sequence[tuple[str, str]]) -> Editor:
    """Return the editor of a text that is chosen among those offered, or typed if others are possible."""
    box: QComboBox = open_box(()) if descriptor.is_open else ElidedComboBox()
    if descriptor.is_open:
        box.setCompleter(None)  # type: ignore[arg-type]  # or a letter typed becomes a whole word
    if descriptor.absent:
        box.addItem(descriptor.absent, None)
    for text, caption in offered:
        box.addItem(caption, text)

    def read() -> str | None:
        typed = box.currentText()
        if (at := box.findText(typed)) >= 0:
            return box.itemData(at)  # type: ignore[no-any-return]  # a text, or None
        return descriptor.typed(typed) or None

    def show(text: str | None) -> None:
        with QSignalBlocker(box):
            box.setCurrentIndex(0 if text is None and descriptor.absent else box.findData(text))
            if box.currentIndex() < 0 and descriptor.is_open:
                box.setEditText(text or "")

    changed = box.editTextChanged if descriptor.is_open else box.currentIndexChanged
    return Editor(box, read, show, changed)


def _open_combo(box: QComboBox) -> Editor:
    """Return the editor of a combo box whose entries are suggestions; an empty text means no value."""

    def fill(value: Any) -> None:
        with QSignalBlocker(box):
            box.setCurrentIndex(box.findData(value))
            box.setEditText(value or "")  # setting the index does not change the text if no entry matches

    return Editor(box, lambda: box.currentText() or None, fill, box.editTextChanged)


class PathField(QWidget):
    """Field for a path, typed or selected; errors appear below the line."""

    changed = Signal()

    def __init__(self, title: str, filters: str) -> None:
        super().__init__()
        self._title, self._filters = title, filters
        self.line = QLineEdit()
        self.line.setPlaceholderText(self.tr("none"))
        self.line.setAccessibleName(title)
        self.line.textChanged.connect(lambda _text: self.changed.emit())
        self.button = make_button(self.tr("Choose…"), small=True)
        self.button.setAccessibleName(self.tr("Choose {title}").format(title=within_sentence(title)))
        self.button.clicked.connect(self._on_choose)
        hbox((self.line, 1), self.button, spacing=4, margins=0, of=self)
        self.setFocusProxy(self.line)

    def path(self) -> str:
        """Return the path as typed, or an empty text."""
        return self.line.text().strip()

    def set_path(self, path: str) -> None:
        """Show a path."""
        self.line.setText(path)

    def _on_choose(self) -> None:
        path = file_dialogs.ask_open(
            self, self.tr("Choose {title}").format(title=within_sentence(self._title)), self._filters
        )
        if path is not None:
            self.set_path(str(path))

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QDynamicPropertyChangeEvent) and event.propertyName() == b"invalid":
            set_style_property(self.line, "invalid", self.property("invalid"))
        return super().event(event)


class MissingField(QWidget):
    """Check box for empty cells, and a line of words; quotation marks enclose a word with spaces."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.empty = named(QCheckBox(self.tr("Empty cells")), "emptyBox")
        self.empty.setAccessibleName(self.tr("Empty cells are missing values"))
        self.line = named(QLineEdit(), "missingEdit")
        self.line.setPlaceholderText(self.tr("such as ? NA"))
        self.line.setAccessibleName(
            self.tr("Words that mean missing, separated by spaces; in quotation marks if one contains spaces")
        )
        self.line.setToolTip(self.line.accessibleName())
        self.empty.toggled.connect(lambda _is_on: self.changed.emit())
        self.line.textChanged.connect(lambda _text: self.changed.emit())
        hbox(self.empty, (self.line, 1), spacing=8, margins=0, of=self)
        self.setFocusProxy(self.line)

    def value(self) -> tuple[str, ...]:
        """Return the texts, the empty one first."""
        words = tuple(quoted or plain for quoted, plain in _WORD.findall(self.line.text()))
        return ("", *words) if self.empty.isChecked() else words

    def set_value(self, texts: Sequence[str]) -> None:
        """Show texts."""
        self.empty.setChecked("" in texts)
        self.line.setText(" ".join(f'"{text}"' if " " in text else text for text in texts if text))


_WORD = re.compile(r'"([^"]*)"|(\S+)')
_STEP = "    "
_TAB = 4


def tree_to_text(nodes: Sequence[TreeNode]) -> str:
    """Return a tree as text, one line per group or value, with the content of a group indented."""
    return "\n".join(_tree_lines(nodes, ""))


def text_to_tree(text: str, label: str) -> list[TreeNode]:
    """Parse the format of `tree_to_text`; any indentation works, a line without nested lines is a value.

    Raises
    ------
    ParameterError
        A line is indented less than the one above, but matches no earlier indentation.
    """
    found: list[_Line] = []
    above: list[_Line] = []  # the last line, its parent, and so on
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        words = line.lstrip(" \t")
        indent = len(line[: len(line) - len(words)].expandtabs(_TAB))
        entry = _Line(indent, unquoted(words.rstrip()))
        while above and above[-1].indent >= indent:
            above.pop()
        siblings = above[-1].inner if above else found
        if siblings and siblings[0].indent != indent:
            raise ParameterError(
                _("{label}, line {number}: the indentation of '{words}' matches no line above.").format(
                    label=label, number=number, words=words.strip()
                ),
                hint=_("Indent all lines of a group equally."),
            )
        siblings.append(entry)
        above.append(entry)
    return [line.node() for line in found]


@dataclass
class _Line:
    """A line with the lines nested below it."""

    indent: int
    text: str
    inner: list[_Line] = field(default_factory=list)

    def node(self) -> TreeNode:
        return (self.text, tuple(line.node() for line in self.inner)) if self.inner else self.text


class TreeText(QPlainTextEdit):
    """Text field in which a new line inherits the indentation of the line above."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_new_line = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers()
        line = self.textCursor().block().text()[: self.textCursor().positionInBlock()]
        super().keyPressEvent(event)
        if is_new_line:
            self.insertPlainText(line[: len(line) - len(line.lstrip())])


def _tree_lines(nodes: Sequence[TreeNode], indent: str) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, str):
            yield indent + quoted(node)
        else:
            yield indent + quoted(node[0])
            yield from _tree_lines(node[1], indent + _STEP)
