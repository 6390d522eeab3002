"""Export dialog: file, format, choices, claims, and the verdict on the written file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Self

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFormLayout, QWidget

from anonymizer_gui.forms.param_form import PairsForm
from anonymizer_gui.forms.writing import WritingDialog
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.drawn import IconLabel
from anonymizer_gui.widgets.file_dialogs import typed_path
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import hbox, named, vbox
from anonymizer_gui.widgets.scroll_body import ScrollBody
from engine.params import Choice, Configurable, Flag, param, values_of
from engine.project import Project, Transformation
from engine.recoding.transformation import BLANK, KEPT, REMOVED
from engine.records.options import CSV, PARQUET, ExportOptions
from engine.words import N_

BY_COLUMN = "by column"
_RULES = (
    ("star", N_("Replace every cell with *")),
    ("drop", N_("Remove the columns")),
    ("constant", N_("Write the same text in every cell")),
    ("pseudonym", N_("Number the values in random order")),
    ("keyed_hash", N_("Write keyed hashes")),
    ("mask", N_("Mask all but the last characters")),
)


@dataclass(frozen=True)
class ReleaseChoices(Configurable):
    """Written form of a release, as one choice per subject.

    Attributes
    ----------
    way : {"kept", "blank", "removed"}
        Written form of suppressed records.
    identifying : str
        Key of the rule for all identifying columns, or `BY_COLUMN`.
    """

    way: str = param(
        KEPT,
        Choice(
            label=N_("Suppressed records"),
            help=N_(
                "A person in no class of the file has one of its suppressed records: these are released "
                "without their other cells, or must meet the requirement as one class"
            ),
            options=(
                (KEPT, N_("Replace quasi-identifying cells with *")),
                (BLANK, N_("Replace all cells with *")),
                (REMOVED, N_("Remove the records")),
            ),
        ),
    )
    identifying: str = param(
        "star",
        Choice(
            label=N_("Identifying columns"),
            help=N_("Text that replaces identifying columns."),
            options=(*_RULES, (BY_COLUMN, N_("Different rules per column"))),
        ),
    )
    shuffle: bool = param(
        False,
        Flag(
            label=N_("Shuffle the records"),
            help=N_("Releases the records in random order, so that their position reveals nothing"),
        ),
    )

    @classmethod
    def of(cls, project: Project) -> Self:
        """Return the choices that a project has made."""
        wanted = project.transformation
        has_own = any(name in wanted.identifiers for name in project.identifying)
        is_offered = wanted.identifying in dict(_RULES) and not has_own
        return cls(wanted.way, wanted.identifying if is_offered else BY_COLUMN, wanted.shuffle)

    def over(self, before: Transformation) -> Transformation:
        """Return a transformation with these choices; rules of single columns stay if those are chosen."""
        after = replace(before.with_way(self.way), shuffle=self.shuffle)
        is_same = self.identifying == before.identifying and not before.identifiers
        if self.identifying == BY_COLUMN or is_same:
            return after
        return replace(after, identifying=self.identifying, identifying_options={}, identifiers={})


_WIDTH = 620
_FORMATS = {f".{kind}": title for kind, title in ExportOptions.kinds().items()}


class ExportDialog(WritingDialog):
    """Displays choices and emits requests; the presenter writes."""

    transformation_requested = Signal(object)  # ReleaseChoices
    rules_requested = Signal()
    apply_again_requested = Signal()
    report_requested = Signal()

    def __init__(
        self, choices: ReleaseChoices, *, has_identifying: bool = True, parent: QWidget | None = None
    ) -> None:
        super().__init__(
            "export",
            self.tr("Export the applied release"),
            _WIDTH,
            self.tr("Writing and verifying"),
            _FORMATS,
            parent,
        )
        self._is_on_cluster = False
        self._choices = choices
        self.target.path_edit.setToolTip(
            self.tr(
                "A folder, or a name that ends in /, gets files of 10 million records each and a manifest"
            )
        )
        self.options_button = make_button(
            self.tr("Options…"),
            "formatOptionsButton",
            tooltip=self.tr("Delimiter, encoding, quotation marks, line endings, names"),
        )
        self.about_button = make_button(
            self.tr("Supporting files…"),
            "filesAboutButton",
            tooltip=self.tr("Write the value mapping, the hierarchies and the recipe to a folder"),
        )
        self.ledger_label = named(ElidedLabel(self.tr("none", "ledger"), Text.CELL), "ledgerLabel")
        self.ledger_button = make_button(
            self.tr("Ledger…"),
            "ledgerButton",
            tooltip=self.tr("Remember all releases, and measure each beside the earlier ones"),
        )
        self._rules = make_button(
            self.tr("Rules…"), "identifierRulesButton", tooltip=self.tr("More options, per column")
        )
        omitted = () if has_identifying else ("identifying",)
        self.form = PairsForm(ReleaseChoices, values_of(choices), omitted=omitted)
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
        self._beside = (
            IconLabel("eye", 16, "text_2"),
            named(make_label("", Text.CELL, wraps=True), "besideClause"),
        )
        self.export_button = make_button(
            self.tr("Export"), "exportNowButton", kind="primary", icon_name="download"
        )
        self.close_button.setObjectName("closeButton")
        self.report_button = make_button(
            self.tr("Write a report…"), "exportReport", small=True, icon_name="file-text"
        )
        self.report_button.clicked.connect(self.report_requested)
        self._following.insertWidget(0, self.report_button)
        self._build()
        self._connect()

    @property
    def place(self) -> Path | str:
        """File or folder to write, or text of a folder on a cluster."""
        if self._is_on_cluster:
            return self.target.text
        return typed_path(self.target.text) if self.is_in_parts else self.target.completed()

    @property
    def is_in_parts(self) -> bool:
        """Return whether a folder gets the release in parts."""
        text = self.target.text
        return not self._is_on_cluster and (text.endswith(("/", os.sep)) or os.path.isdir(typed_path(text)))

    def write_on_cluster(self) -> None:
        """Ask for a folder that the cluster writes to, instead of a file."""
        self._is_on_cluster = True
        self._path_label.setText(self.tr("Folder"))
        path, formats = self.target.path_edit, self.target.format_box
        path.setAccessibleName(self.tr("Folder on the cluster"))
        path.setPlaceholderText("/data/released.parquet")
        path.setToolTip(
            self.tr(
                "The cluster writes the release in parts. The path is as the cluster knows it, such as "
                "hdfs://… or s3a://…; it must have no files yet"
            )
        )
        self.target.browse_button.hide()
        for kind in ExportOptions.kinds():
            if kind not in (CSV, PARQUET):
                formats.removeItem(formats.findData(f".{kind}"))
        self._card.set_caption(self.tr("verified in the written folder"))

    def show_transformation(
        self, choices: ReleaseChoices, *, why_fixed: str = "", why_unordered: str = ""
    ) -> None:
        """Show the written form of suppressed records and identifying columns.

        `why_fixed` is why suppressed records and order cannot be chosen, and `why_unordered` why order alone
        cannot.
        """
        self._choices = choices
        self.form.show_values(values_of(choices))
        self.form.fix("way", why_fixed)
        self.form.fix("shuffle", why_fixed or why_unordered)

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

    def show_beside(self, ledger: str, text: str, icon: str, tone: str) -> None:
        """Show the ledger, and what the release reveals beside its earlier releases; empty texts hide it."""
        self.ledger_label.setText(ledger or self.tr("none", "ledger"))
        mark, label = self._beside
        label.setText(text)
        mark.set_icon(icon, tone)
        mark.setVisible(bool(text))
        label.setVisible(bool(text))
        self.fit()

    def allow(self) -> None:
        """Let a refused release be exported again."""
        self.banner.hide()
        for button in (self.export_button, self.about_button):
            button.setEnabled(True)
            button.setToolTip("")

    def refuse(self, problem: str, hint: str, *, may_be_made_again: bool = False) -> None:
        """Show why this release cannot be exported, and offer to re-apply it if that helps."""
        action = self.tr("Re-apply") if may_be_made_again else ""
        self.banner.show_error(problem, hint, action, self._apply_again, tone="warn")
        self.fit()
        self.export_button.setEnabled(False)
        self.export_button.setToolTip(problem)
        self.about_button.setEnabled(False)
        self.about_button.setToolTip(problem)

    def _show_banner(self) -> None:
        """Scroll to the reason of a refusal: in a low window the claims take all room."""
        for body in self.findChildren(ScrollBody) if self.banner.isVisible() else ():
            body.ensureWidgetVisible(self.banner)

    def _build(self) -> None:
        format_row = hbox((self.target.format_box, 1), self.options_button, spacing=6)
        self.form.put_row(self.tr("Format"), format_row, 0)
        self._path_label = self.form.put_row(self.tr("File"), self.target.row(), 0)
        ledger_row = hbox((self.ledger_label, 1), self.ledger_button, spacing=6)
        self.form.put_row(self.tr("Release ledger"), ledger_row)
        self.form.put_beside("identifying", self._rules)
        card = self._card = Card(self.tr("Claims"), self.tr("verified in the written file"))
        self._claims.setHorizontalSpacing(16)
        self._claims.setVerticalSpacing(4)
        clauses = [
            hbox((mark, 0, Qt.AlignmentFlag.AlignTop), (label, 1), spacing=8)
            for mark, label in (*self._clauses.values(), self._beside)
        ]
        card.set_body(vbox(self._claims, vbox(*clauses, spacing=4), self._weakness, spacing=8))
        self.lay_out(
            self.form,
            card,
            buttons=(self.about_button, self.close_button, self.export_button),
            locked=(self.form, self.about_button),
        )
        fields = [self.form.editor(name).widget for name in self.form.values()]
        if self._rules.parent() is not None:
            fields.insert(-1, self._rules)
        first = (self.target.path_edit, self.target.browse_button, self.target.format_box)
        for one, other in pairwise((*first, self.options_button, *fields, self.ledger_button)):
            self.setTabOrder(one, other)

    def _connect(self) -> None:
        self.form.changed.connect(self._on_choice_changed)
        self._rules.clicked.connect(self.rules_requested)
        for body in self.findChildren(ScrollBody):
            body.verticalScrollBar().rangeChanged.connect(self._show_banner)

    def _apply_again(self) -> None:
        self.reject()
        self.apply_again_requested.emit()

    def _on_choice_changed(self) -> None:
        before, self._choices = self._choices, self.form.applied_to(self._choices) or self._choices
        if self._choices.identifying == BY_COLUMN != before.identifying:
            self.rules_requested.emit()
        else:
            self.transformation_requested.emit(self._choices)
