"""Dialog for the audience, purpose and file of a report."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFormLayout, QLineEdit, QWidget

from anonymizer_gui.forms.number_spin import IntegerSpin, NumberSpin
from anonymizer_gui.forms.writing import WritingDialog
from anonymizer_gui.session.preferences import LANGUAGES
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.file_dialogs import typed_path
from anonymizer_gui.widgets.icon_label import IconLabel
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import STRETCH, fixed, hbox, named, vbox
from anonymizer_gui.widgets.segmented import SegmentedControl
from engine.words import N_, _, language_in_use

_WIDTH, _NUMBER_WIDTH = 620, 110
INTERNAL, PUBLIC = "internal", "public"  # keys of `engine.report`
_FORMATS = ((".pdf", N_("Document (PDF)")), (".html", N_("Web page (HTML)")), (".json", N_("Values (JSON)")))
_SMALLEST_COUNT, _LARGEST_COUNT, _USUAL_COUNT = 2, 1000, 5
_USUAL_RISK = 20.0


class ReportDialog(WritingDialog):
    """Displays choices and emits requests; the presenter writes."""

    write_requested = Signal(object, bool)  # Path, whether an existing file may be replaced
    browse_requested = Signal()
    export_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("report", self.tr("Write a report"), _WIDTH, self.tr("Writing the report"), parent)
        self.path_edit = _field("reportPath", self.tr("File to write"))
        self._browse = named(make_button(self.tr("Browse…"), icon_name="folder-open"), "reportBrowse")
        self._format = named(QComboBox(), "reportFormat", self.tr("Format"))
        for ending, text in _FORMATS:
            self._format.addItem(_(text), ending)
        self._language = named(QComboBox(), "reportLanguage", self.tr("Language"))
        for code, name in LANGUAGES:
            self._language.addItem(name, code)
        self.set_language(language_in_use())
        segments = [(INTERNAL, self.tr("Internal")), (PUBLIC, self.tr("Public"))]
        self.audience = named(SegmentedControl(segments, self.tr("Audience")), "reportAudience")
        self._audience_words = named(make_label("", Text.CELL, "text_2", wraps=True), "reportAudienceWords")
        self.purpose = _field("reportPurpose", self.tr("Purpose"))
        self.purpose.setPlaceholderText(self.tr("Purpose of the release"))
        self.recipient = _field("reportRecipient", self.tr("Recipient"))
        self.recipient.setPlaceholderText(self.tr("Recipient of the release"))
        self.author = _field("reportAuthor", self.tr("Prepared by"))
        self.author.setPlaceholderText(self.tr("Person responsible"))
        self.threshold = IntegerSpin(_SMALLEST_COUNT, _LARGEST_COUNT)
        self.threshold.setObjectName("reportThreshold")
        self.threshold.setAccessibleName(self.tr("Smallest count shown"))
        self.threshold.setValue(_USUAL_COUNT)
        self.accepted_risk = named(NumberSpin(0.1, 100.0, 1, "%"), "reportRisk")
        self.accepted_risk.setValue(_USUAL_RISK)
        self.accepted_risk.setAccessibleName(self.tr("Accepted risk"))
        self._file_icon = IconLabel("info", 16, "text_3")
        self._file_words = named(make_label("", Text.CELL, "text_2", wraps=True), "reportFileWords")
        self.export_button = make_button(self.tr("Export…"), icon_name="download")
        self.export_button.setObjectName("reportExport")
        self.export_button.setToolTip(self.tr("Export the release to a file first, then return here"))
        self.write_button = make_button(self.tr("Write report"), kind="primary", icon_name="file-text")
        self.write_button.setObjectName("writeReportButton")
        self.write_button.setDefault(True)
        self.close_button.setObjectName("closeReportButton")
        self._build()
        self._connect()
        self._on_audience_chosen()

    @property
    def path(self) -> Path:
        """File of the report."""
        return typed_path(self.path_edit.text(), self._format.currentData())

    @property
    def language(self) -> str:
        """Chosen language of the report."""
        code: str = self._language.currentData()
        return code

    def set_language(self, code: str) -> None:
        """Choose a language; English instead of one that is not offered."""
        self._language.setCurrentIndex(max(self._language.findData(code), 0))

    def show_path(self, path: Path) -> None:
        """Show the file of the report; its extension selects the format."""
        self.path_edit.setText(str(path))

    def show_file(self, text: str, *, is_verified: bool, may_export: bool) -> None:
        """Show which released file the report covers."""
        self._file_icon.set_icon("circle-check" if is_verified else "info", "ok" if is_verified else "text_3")
        self._file_words.setText(text)
        self.export_button.setVisible(may_export)
        self.fit()

    def show_busy(self, is_busy: bool) -> None:
        super().show_busy(is_busy)
        if not is_busy:
            self._on_audience_chosen()

    # -------------------------------------------------------------------------------------------

    def _build(self) -> None:
        path_row = hbox((self.path_edit, 1), self._browse, spacing=6)
        audience = vbox(self.audience, self._audience_words, spacing=4)
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        form.addRow(make_label(self.tr("For")), audience)
        form.addRow(make_label(self.tr("Purpose")), self.purpose)
        form.addRow(make_label(self.tr("Recipient")), self.recipient)
        form.addRow(make_label(self.tr("Prepared by")), self.author)
        for label, field in (
            (self.tr("Accepted risk"), self.accepted_risk),
            (self.tr("Smallest count shown"), self.threshold),
        ):
            form.addRow(make_label(label), hbox(fixed(field, width=_NUMBER_WIDTH), STRETCH))
        form.addRow(make_label(self.tr("File")), path_row)
        form.addRow(make_label(self.tr("Format")), self._format)
        form.addRow(make_label(self.tr("Language")), self._language)
        file_row = hbox(self._file_icon, (self._file_words, 1), self.export_button, spacing=8)
        self.lay_out(
            form,
            file_row,
            buttons=(self.close_button, self.write_button),
            locked=(
                *(self.path_edit, self._browse, self._format, self._language, self.audience),
                *(
                    self.purpose,
                    self.recipient,
                    self.author,
                    self.threshold,
                    self.accepted_risk,
                    self.export_button,
                    self.write_button,
                ),
            ),
        )

    def _connect(self) -> None:
        self.audience.selected.connect(lambda _key: self._on_audience_chosen())
        self._browse.clicked.connect(self.browse_requested)
        self.export_button.clicked.connect(self.export_requested)
        self.write_button.clicked.connect(lambda: self._request(self.path, may_replace=False))
        self.banner.action_requested.connect(self._on_action_requested)
        self.path_edit.textChanged.connect(self._on_path_changed)
        self._format.currentIndexChanged.connect(self._on_format_chosen)

    def _request(self, path: Path, *, may_replace: bool) -> None:
        if self.path_edit.text().strip():
            if typed_path(self.path_edit.text()) != path:
                self.show_path(path)
            self.write_requested.emit(path, may_replace)
        else:
            self.path_edit.setFocus()

    def _on_action_requested(self) -> None:
        path, self._asked_about = self._asked_about, None
        if path is not None:
            self._request(path, may_replace=True)

    def _on_audience_chosen(self) -> None:
        is_public = self.audience.current() == PUBLIC
        words = self.tr("Complete, including example records. Only for readers who may see the input.")
        if is_public:
            words = self.tr(
                "No values of the input, no records and no small counts: nothing that helps an attacker."
            )
        self._audience_words.setText(words)
        self.threshold.setEnabled(is_public)
        why = self.tr("Smaller counts are withheld (usual: 5 to 11)")
        if not is_public:
            why = self.tr("An internal report withholds nothing")
        self.threshold.setToolTip(why)

    def _on_format_chosen(self) -> None:
        ending, path = self._format.currentData(), self.path_edit.text()
        known = [ending for ending, _unused in _FORMATS]
        if path and Path(path).suffix.lower() in known and Path(path).suffix.lower() != ending:
            self.path_edit.setText(str(Path(path).with_suffix(ending)))

    def _on_path_changed(self) -> None:
        place = self._format.findData(Path(self.path_edit.text()).suffix.lower())
        if place >= 0:
            self._format.setCurrentIndex(place)
        self._language.setEnabled(self._format.currentData() != ".json")
        self._forget_question()


def _field(name: str, accessible: str) -> QLineEdit:
    return named(QLineEdit(), name, accessible)
