"""Panel of the hierarchy editor to choose a builder and its parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QFrame, QWidget

from anonymizer_gui.forms import ParamForm
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.drawn import IconLabel
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox, offer
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import STRETCH, fixed, gridbox, hbox, named, vbox
from anonymizer_gui.widgets.scroll_body import ScrollBody
from engine.errors import AnonymizerError, ParameterError
from engine.hierarchies.builders.base import HierarchyBuilder
from engine.params import values_of
from engine.words import within_sentence

PANEL_WIDTH = 264
BY_HAND = ""  # key of a hierarchy without a builder: from a file, or edited manually


Choice = tuple[str, str, str]
"""Key, title and summary of a builder; the key is `BY_HAND` for the current hierarchy without one."""


class BuilderPanel(Card):
    """The form follows the declared parameters of the builder; every change requests a preview."""

    builder_changed = Signal(object)  # HierarchyBuilder
    form_refused = Signal()  # a field has an error, which it shows
    form_shown = Signal(object)  # ParamForm, rebuilt

    def __init__(self) -> None:
        super().__init__(self.tr("Builder"), "")
        self.form: ParamForm | None = None
        self.builder_box = named(ElidedComboBox(), "builderBox", self.tr("Builder"))
        self.builder_box.setProperty("size", "small")
        self.add_tool(self.builder_box)
        self._summary = make_label("", Text.CELL, "text_2", wraps=True)
        self.former_button = make_button("", "formerBuilderButton", icon_name="rotate-ccw", small=True)
        self.former_button.setToolTip(self.tr("Rebuild and discard manual changes"))
        self.former_button.hide()
        self.error = ErrorBanner()
        self.example = ExampleBox()
        # Values the builder could not place, and labels that contradict their values.
        self.unplaced = Notice(self.tr("Not placed by the builder"), "unplacedNotice")
        self.mislabel = Notice(self.tr("Labels and values disagree"), "mislabelNotice")
        self._fields = vbox(
            self._summary,
            (self.former_button, 0, Qt.AlignmentFlag.AlignLeft),
            self.error,
            self.unplaced,
            self.mislabel,
            self.example,
            STRETCH,
            spacing=12,
            margins=12,
        )
        self.set_body(ScrollBody(self._fields), 0)
        fixed(self, width=PANEL_WIDTH)

    def shown_builder(self) -> HierarchyBuilder | None:
        """Return the builder described by the form; None without a form or if a field has an error."""
        if self.form is None:
            return None
        try:
            member = self.form.kind(**self.form.values())
        except ParameterError:
            return None
        return member if isinstance(member, HierarchyBuilder) else None

    def show_choices(self, choices: Sequence[Choice]) -> None:
        """Fill the list of builders."""
        offer(self.builder_box, choices, self.builder_box.currentData())

    def show_builder(self, key: str, summary: str, form: ParamForm | None) -> None:
        """Show the summary of a builder and the form of its parameters."""
        with QSignalBlocker(self.builder_box):
            self.builder_box.setCurrentIndex(self.builder_box.findData(key))
        self.builder_box.setToolTip(self.builder_box.currentText())
        self._summary.setText(summary)
        self.error.hide()
        if self.form is not None:
            self._fields.removeWidget(self.form)
            self.form.setParent(None)
            self.form.deleteLater()
        self.form = form
        if form is not None:
            self._fields.insertWidget(2, form)
            form.changed.connect(self._on_form_changed)
            form.put_after(self.builder_box)
            self.form_shown.emit(form)

    def show_values(self, summary: str, builder: HierarchyBuilder) -> None:
        """Show other parameters of the same builder, as after an undo."""
        assert self.form is not None
        self._summary.setText(summary)
        self.show_no_error()
        self.form.show_values(values_of(builder))

    def show_former(self, title: str) -> None:
        """Offer to return to the builder used before manual changes, by its title; "" for none."""
        self.former_button.setText(self.tr("Restart with {title}").format(title=within_sentence(title)))
        self.former_button.setVisible(bool(title))

    def show_options(self, examples: Mapping[str, Mapping[str, str]]) -> None:
        """Show an example for each option of a choice, by parameter and key."""
        if self.form is not None:
            for name, texts in examples.items():
                self.form.show_examples(name, texts)

    def show_groups(self, n_groups: Sequence[int]) -> None:
        """Show the number of groups per level, level 0 first."""
        if self.form is not None:
            self.form.show_groups(n_groups)

    def show_error(self, error: AnonymizerError) -> None:
        """Show why the builder failed, at the field concerned or below the form."""
        self.example.show_kept(True)
        if isinstance(error, ParameterError) and self.form is not None:
            self.form.show_error(error)
        else:
            self.error.show_error(error.problem, error.hint)

    def show_no_error(self) -> None:
        """Hide the error."""
        self.example.show_kept(False)
        self.error.hide()

    def _on_form_changed(self) -> None:
        member = self.form.member() if self.form is not None else None
        if isinstance(member, HierarchyBuilder):
            self.builder_changed.emit(member)
        else:
            self.example.show_kept(True)
            self.form_refused.emit()


class Notice(QFrame):
    """Notice with an optional button; hidden while it has no text."""

    action_requested = Signal()

    def __init__(self, title: str, name: str) -> None:
        super().__init__()
        self.setProperty("banner", "quiet")
        self.setObjectName(name)
        self._title = make_label(title, Text.CELL_STRONG, wraps=True)
        self.words = make_label("", Text.CELL, "text_2", wraps=True)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.button = make_button("", f"{name}Button", small=True)
        self.button.clicked.connect(self.action_requested)
        vbox(
            hbox(
                (IconLabel("triangle-alert", 14, "warn"), 0, Qt.AlignmentFlag.AlignTop),
                (self._title, 1),
                spacing=6,
            ),
            self.words,
            (self.button, 0, Qt.AlignmentFlag.AlignLeft),
            spacing=6,
            margins=(12, 10, 12, 12),
            of=self,
        )
        self.hide()

    def show_words(self, words: str, action: str = "") -> None:
        """Show a text; `action` is the text of the button. An empty text hides the notice."""
        self.words.setText(words)
        self.button.setText(action)
        self.button.setVisible(bool(action))
        self.button.setAccessibleDescription(words)
        self.setAccessibleName(f"{self._title.text()}: {words}" if words else "")
        self.setVisible(bool(words))

    def title(self) -> str:
        """Return the title of the notice."""
        return self._title.text()


_LINES = 8  # a higher hierarchy shows its lowest and its highest levels


class ExampleBox(QWidget):
    """Labels of one example value; hidden while there is no hierarchy."""

    def __init__(self) -> None:
        super().__init__()
        self.labels: tuple[str, ...] = ()
        lines = gridbox(spacing=(8, 2), stretched=1)
        self._lines = [(make_label("", Text.CELL, "text_3"), ElidedLabel("")) for _ in range(_LINES)]
        for row, (number, label) in enumerate(self._lines):
            number.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            lines.addWidget(number, row, 0)
            lines.addWidget(label, row, 1)
        self._title = make_label("", Text.CELL, "text_2")
        vbox(self._title, lines, spacing=4, margins=0, of=self)
        self.show_kept(False)
        self.hide()

    def show_kept(self, is_kept: bool) -> None:
        """State whether the example is of the previous hierarchy because the builder failed."""
        self._title.setText(
            self.tr("Example, with the current hierarchy") if is_kept else self.tr("Example, level by level")
        )

    def show_labels(self, labels: Sequence[str]) -> None:
        """Show the labels of one value from level 0 on."""
        self.labels = tuple(labels)
        lines = [(str(level), label or self.tr("(missing)")) for level, label in enumerate(labels)]
        if len(lines) > _LINES:
            lines = [*lines[: _LINES - 2], ("", "…"), lines[-1]]
        for row, (number, label) in enumerate(self._lines):
            is_used = row < len(lines)
            number.setText(lines[row][0] if is_used else "")
            label.setText(lines[row][1] if is_used else "")
            number.setVisible(is_used)
            label.setVisible(is_used)
        self.setAccessibleName(
            self.tr("Example: {labels}").format(labels=", ".join(labels)) if labels else ""
        )
        self.setVisible(bool(labels))
