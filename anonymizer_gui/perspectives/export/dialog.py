"""Export dialog: file, format, claims, and the verdict on the written file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QLineEdit,
    QWidget,
)

from anonymizer_gui.forms.writing import WritingDialog
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.elided_check_box import ElidedCheckBox
from anonymizer_gui.widgets.file_dialogs import typed_path
from anonymizer_gui.widgets.icon_label import IconLabel
from anonymizer_gui.widgets.labels import ElidedLabel, make_label, set_tone
from anonymizer_gui.widgets.layouts import hbox, named, vbox
from engine.recoding.transformation import BLANK, KEPT, REMOVED
from engine.table.options import CSV, PARQUET, ExportOptions
from engine.words import N_, _

_SUPPRESSED = (
    (KEPT, N_("Replace quasi-identifying cells with *")),
    (BLANK, N_("Replace all cells with *")),
    (REMOVED, N_("Remove the records")),
)
_WIDTH = 620
_IDENTIFYING = (
    ("star", N_("Replace every cell with *")),
    ("drop", N_("Remove the columns")),
    ("constant", N_("Write the same text in every cell")),
    ("pseudonym", N_("Number the values in random order")),
    ("keyed_hash", N_("Write keyed hashes")),
    ("mask", N_("Mask all but the last characters")),
)
_BY_COLUMN = "by column"
_ENDINGS = {kind: f".{kind}" for kind in ExportOptions.kinds()}


class ExportDialog(WritingDialog):
    """Displays choices and emits requests; the presenter writes."""

    # Path, or text of a folder on a cluster; whether an existing file may be replaced; whether the path is a
    # folder for parts
    export_requested = Signal(object, bool, bool)
    browse_requested = Signal()
    transformation_requested = Signal(str, str, bool)  # way of suppressed records, identifying, shuffle
    rules_requested = Signal()
    apply_again_requested = Signal()
    files_about_requested = Signal()
    format_chosen = Signal(str)  # kind
    format_options_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            "export",
            self.tr("Export the applied release"),
            _WIDTH,
            self.tr("Writing and verifying"),
            parent,
        )
        self._is_filling = False
        self._is_on_cluster = False
        self._fixed: dict[QWidget, bool] = {}  # what cannot be chosen for this release
        self._path_label = make_label(self.tr("File"))
        self.path_edit = named(QLineEdit(), "exportPath", self.tr("File to write"))
        self.path_edit.setToolTip(
            self.tr(
                "A folder, or a name that ends in /, gets files of 10 million records each and a manifest"
            )
        )
        self._browse = named(make_button(self.tr("Browse…"), icon_name="folder-open"), "browseButton")
        self._format = _combo(tuple(ExportOptions.kinds().items()), "formatBox", self.tr("Format"))
        self._format_options = make_button(self.tr("Options…"))
        self._format_options.setObjectName("formatOptionsButton")
        self._format_options.setToolTip(self.tr("Delimiter, encoding, quotation marks, line endings, names"))
        self.about_button = named(
            make_button(self.tr("Supporting files…")),
            "filesAboutButton",
            tooltip=self.tr("Write the value mapping, the hierarchies and the recipe to a folder"),
        )
        self._suppressed = _combo(_SUPPRESSED, "suppressedBox", self.tr("Suppressed records"))
        self._identifying = _combo(_IDENTIFYING, "identifyingBox", self.tr("Identifying columns"))
        self._rules = make_button(self.tr("Rules…"))
        self._rules.setObjectName("identifierRulesButton")
        self._rules.setToolTip(self.tr("More options, per column"))
        self._shuffle = named(ElidedCheckBox(self.tr("Shuffle the records")), "shuffleBox")
        self._no_identifying = make_label(self.tr("none in this table"), Text.CELL, "text_3")
        self._verdict = QWidget()
        self._verdict_icon = IconLabel("circle-check", 18, "ok")
        self._verdict_text = named(make_label("", Text.TITLE, "ok", wraps=True), "verdict")
        self._verdict_facts = named(make_label("", Text.CELL, "text_2", wraps=True), "verdictFacts")
        self._claims = QFormLayout()
        self._weakness = named(make_label("", Text.CELL, "text_2", wraps=True), "weakness")
        self._weakness.hide()
        self._clauses = {
            key: (IconLabel("eye", 16, "text_2"), named(make_label("", Text.CELL, wraps=True), name))
            for key, name in (
                ("identity", "identityClause"),
                ("linked", "linkedClause"),
                ("readable", "readableClause"),
                ("group", "groupClause"),
                ("neighbours", "neighboursClause"),
                ("class", "classClause"),
                ("unchanged", "unchangedColumns"),
            )
        }
        self.export_button = make_button(self.tr("Export"), kind="primary", icon_name="download")
        self.export_button.setObjectName("exportNowButton")
        self.close_button.setObjectName("closeButton")
        self._build()
        self._connect()

    @property
    def verdict(self) -> str:
        """Sentence shown after verification; empty before."""
        return "" if self._verdict.isHidden() else self._verdict_text.text()

    def show_path(self, path: Path | str) -> None:
        self.path_edit.setText(str(path))

    def write_on_cluster(self) -> None:
        """Ask for a folder that the cluster writes to, instead of a file."""
        self._is_on_cluster = True
        self._path_label.setText(self.tr("Folder"))
        self.path_edit.setAccessibleName(self.tr("Folder on the cluster"))
        self.path_edit.setPlaceholderText("/data/released.parquet")
        self.path_edit.setToolTip(
            self.tr(
                "The cluster writes the release in parts. The path is as the cluster knows it, such as "
                "hdfs://… or s3a://…; it must have no files yet"
            )
        )
        self._browse.hide()
        for kind in ExportOptions.kinds():
            if kind not in (CSV, PARQUET):
                self._format.removeItem(self._format.findData(kind))
        self._card.set_caption(self.tr("verified in the written folder"))

    @property
    def kind(self) -> str:
        """Chosen format."""
        kind: str = self._format.currentData()
        return kind

    def show_kind(self, kind: str) -> None:
        """Show the format; the file name gets its extension."""
        self._format.setCurrentIndex(max(self._format.findData(kind), 0))

    def show_transformation(
        self,
        way: str,
        identifying: str,
        *,
        has_identifying: bool,
        is_by_column: bool = False,
        is_shuffled: bool = False,
        why_fixed: str = "",
        why_unordered: str = "",
    ) -> None:
        """Show the export of suppressed records and identifying columns.

        `way` is what is written of suppressed records: "kept", "blank" or "removed". `is_by_column` if rules
        differ; `why_fixed` is why suppressed records and order cannot be chosen, and `why_unordered` why
        order alone cannot.
        """
        self._is_filling = True
        self._fixed = {self._suppressed: bool(why_fixed), self._shuffle: bool(why_fixed or why_unordered)}
        self._lock_fixed()
        self._suppressed.setToolTip(
            why_fixed
            or self.tr(
                "A person in no class of the file has one of its suppressed records: these are released "
                "without their other cells, or must meet the requirement as one class"
            )
        )
        self._shuffle.set_hint(
            why_fixed
            or why_unordered
            or self.tr("Releases the records in random order, so that their position reveals nothing")
        )
        self._suppressed.setCurrentIndex(self._suppressed.findData(way))
        place = self._identifying.findData(_BY_COLUMN)
        if place >= 0 and not is_by_column:
            self._identifying.removeItem(place)
        elif place < 0 and is_by_column:
            self._identifying.addItem(self.tr("Different rules per column"), _BY_COLUMN)
        self._identifying.setCurrentIndex(
            self._identifying.findData(_BY_COLUMN if is_by_column else identifying)
        )
        self._shuffle.setChecked(is_shuffled)
        self._identifying.setVisible(has_identifying)
        self._rules.setVisible(has_identifying)
        self._no_identifying.setVisible(not has_identifying)
        self._is_filling = False

    def show_claims(self, claims: Sequence[tuple[str, str]]) -> None:
        """List the claims."""
        while self._claims.rowCount():
            self._claims.removeRow(0)
        for name, statement in claims:
            labels = make_label(name, Text.CELL, "text_2"), ElidedLabel(statement, Text.CELL_STRONG)
            self._claims.addRow(*labels)
            for label in labels:
                label.ensurePolished()
                label.setMinimumHeight(label.sizeHint().height())  # Qt would squeeze rows above wrapped lines
        self.fit()

    def show_weakness(self, text: str) -> None:
        """Show what the claims do not cover; an empty text hides it."""
        self._weakness.setText(text)
        self._weakness.setVisible(bool(text))
        self.fit()

    def show_clauses(self, clauses: Mapping[str, tuple[str, str, str]]) -> None:
        """Show clauses of the verdict by key: text, icon, and tone of the icon; others are hidden."""
        for key, (mark, label) in self._clauses.items():
            text, icon, tone = clauses.get(key, ("", "eye", "text_2"))
            label.setText(text)
            mark.set_icon(icon, tone)
            mark.setVisible(bool(text))
            label.setVisible(bool(text))
        self.fit()

    def show_singles_out(self, does_so: bool) -> None:
        """Mark the verdict green only if no unchanged column, code or order singles a record out."""
        icon, tone = ("eye", "warn") if does_so else ("circle-check", "ok")
        self._verdict_icon.set_icon(icon, tone)
        set_tone(self._verdict_text, tone)

    def show_busy(self, is_busy: bool) -> None:
        super().show_busy(is_busy)
        if not is_busy:
            self._lock_fixed()
            self.path_edit.setFocus()  # a second export often differs in the path only

    def _lock_fixed(self) -> None:
        for widget, is_fixed in self._fixed.items():
            widget.setEnabled(not is_fixed)

    def show_verdict(self, sentence: str, facts: str) -> None:
        """Show the result of the verification."""
        self._verdict_text.setText(sentence)
        self._verdict_facts.setText(facts)
        self._verdict_facts.setVisible(bool(facts))
        self._show_outcome(f"{sentence}. {facts}")

    def refuse(self, problem: str, hint: str, *, may_be_made_again: bool = False) -> None:
        """Show why this release cannot be exported, and offer to re-apply it if that helps."""
        self._asked_about = None
        action = self.tr("Re-apply") if may_be_made_again else ""
        self.banner.show_error(problem, hint, action, tone="warn")
        self.fit()
        self.export_button.setEnabled(False)
        self.export_button.setToolTip(problem)
        self.about_button.setEnabled(False)
        self.about_button.setToolTip(problem)

    def _build(self) -> None:
        path_row = hbox((self.path_edit, 1), self._browse, spacing=6)
        format_row = hbox((self._format, 1), self._format_options, spacing=6)
        identifying = hbox((self._identifying, 1), self._rules, self._no_identifying, spacing=6)
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        form.addRow(self._path_label, path_row)
        form.addRow(make_label(self.tr("Format")), format_row)
        form.addRow(make_label(self.tr("Suppressed records")), self._suppressed)
        form.addRow(make_label(self.tr("Identifying columns")), identifying)
        form.addRow(make_label(self.tr("Order")), self._shuffle)
        card = self._card = Card(self.tr("Claims"), self.tr("verified in the written file"))
        self._claims.setHorizontalSpacing(16)
        self._claims.setVerticalSpacing(4)
        clauses = [
            hbox((mark, 0, Qt.AlignmentFlag.AlignTop), (label, 1), spacing=8)
            for mark, label in self._clauses.values()
        ]
        card.set_body(vbox(self._claims, vbox(*clauses, spacing=4), self._weakness, spacing=8))
        hbox(
            (self._verdict_icon, 0, Qt.AlignmentFlag.AlignTop),
            (vbox(self._verdict_text, self._verdict_facts, spacing=2), 1),
            spacing=8,
            margins=0,
            of=self._verdict,
        )
        self.lay_out(
            form,
            card,
            buttons=(self.about_button, self.close_button, self.export_button),
            locked=(
                *(self.path_edit, self._browse, self._suppressed, self._identifying, self._rules),
                *(self._shuffle, self._format, self._format_options, self.about_button, self.export_button),
            ),
            outcome=self._verdict,
        )

    def _connect(self) -> None:
        self.export_button.setDefault(True)
        self.export_button.clicked.connect(self._on_export_clicked)
        self._browse.clicked.connect(self.browse_requested)
        self.path_edit.textChanged.connect(self._on_path_changed)
        self.banner.action_requested.connect(self._on_action_requested)
        for box in (self._suppressed, self._identifying):
            box.currentIndexChanged.connect(self._on_transformation_chosen)
        self._shuffle.toggled.connect(self._on_transformation_chosen)
        self._rules.clicked.connect(self.rules_requested)
        self.about_button.clicked.connect(self.files_about_requested)
        self._format.currentIndexChanged.connect(self._on_format_chosen)
        self._format_options.clicked.connect(self.format_options_requested)

    def _on_export_clicked(self) -> None:
        text = self.path_edit.text().strip()
        if text and self._is_on_cluster:
            self.export_requested.emit(text, False, False)
        elif text:
            path = typed_path(text)
            in_parts = text.endswith(("/", os.sep)) or os.path.isdir(path)
            if not in_parts and path != (path := typed_path(text, _ENDINGS[self.kind])):
                self.show_path(path)
            self.export_requested.emit(path, False, in_parts)
        else:
            self.path_edit.setFocus()

    def _on_action_requested(self) -> None:
        path, self._asked_about = self._asked_about, None
        if path is not None:
            self.export_requested.emit(path, True, False)
        else:
            self.reject()
            self.apply_again_requested.emit()

    def _on_format_chosen(self) -> None:
        start, mark, ending = self.path_edit.text().rpartition(".")
        ending = f"{mark}{ending}".lower()
        if ending != _ENDINGS[self.kind] and ending in _ENDINGS.values():
            self.path_edit.setText(f"{start}{_ENDINGS[self.kind]}")
        self.format_chosen.emit(self.kind)

    def _on_path_changed(self) -> None:
        for kind, ending in _ENDINGS.items():  # the extension selects the format
            if self.path_edit.text().lower().rstrip("/\\").endswith(ending):
                self.show_kind(kind)
        self._forget_question()

    def _on_transformation_chosen(self) -> None:
        if not self._is_filling:
            self.transformation_requested.emit(
                self._suppressed.currentData(), self._identifying.currentData(), self._shuffle.isChecked()
            )


def _combo(entries: Sequence[tuple[str, str]], name: str, accessible_name: str) -> QComboBox:
    box = named(QComboBox(), name, accessible_name)
    for value, text in entries:
        box.addItem(_(text), value)
    return box
