"""Dialog for the settings and the file of a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.forms.editors import FormContext
from anonymizer_gui.forms.param_form import PairsForm
from anonymizer_gui.forms.writing import WritingDialog
from anonymizer_gui.session.preferences import LANGUAGES
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.drawn import IconLabel
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import hbox, named
from engine.findings.settings import PUBLIC, ReportSettings
from engine.params import values_of
from engine.words import ENGLISH, N_

_WIDTH = 620
_JSON = ".json"
_FORMATS = {".pdf": N_("Document (PDF)"), ".html": N_("Web page (HTML)"), _JSON: N_("Values (JSON)")}


class ReportDialog(WritingDialog):
    """Displays choices and emits requests; the presenter writes."""

    export_requested = Signal()
    form_chosen = Signal(str)  # key
    answers_requested = Signal(str)  # form

    def __init__(self, settings: ReportSettings, parent: QWidget | None = None) -> None:
        super().__init__(
            "report", self.tr("Write a report"), _WIDTH, self.tr("Writing the report"), _FORMATS, parent
        )
        self._settings = settings
        context = FormContext(offered={"language": LANGUAGES})
        self.form = PairsForm(ReportSettings, values_of(settings), context)
        self.answers_button = make_button(
            self.tr("Answer…"),
            "reportAnswers",
            tooltip=self.tr("Enter what the form asks for and the project does not have"),
        )
        self.answers_button.clicked.connect(lambda: self.answers_requested.emit(self._form_key))
        self._questions = named(make_label("", Text.CELL, "text_2", wraps=True), "reportQuestions")
        self.form.put_beside("form", self.answers_button)
        self.form.put_row(self.tr("File"), self.target.row())
        self.form.put_row(self.tr("Format"), self.target.format_box)
        self._file_icon = IconLabel("info", 16, "text_3")
        self._file_words = named(make_label("", Text.CELL, "text_2", wraps=True), "reportFileWords")
        self.export_button = make_button(
            self.tr("Export…"),
            "reportExport",
            icon_name="download",
            tooltip=self.tr("Export the release to a file first, then return here"),
        )
        self.export_button.clicked.connect(self.export_requested)
        self.write_button = make_button(
            self.tr("Write report"), "writeReportButton", kind="primary", icon_name="file-text"
        )
        self.close_button.setObjectName("closeReportButton")
        self.lay_out(
            self.form,
            self._questions,
            hbox(self._file_icon, (self._file_words, 1), self.export_button, spacing=8),
            buttons=(self.close_button, self.write_button),
            locked=(self.form, self.export_button),
        )
        self.form.changed.connect(self._fix_unneeded)
        self.target.format_chosen.connect(self._fix_unneeded)
        self._fix_unneeded()
        form = self.form.editor("form")
        form.on_change(lambda: self.form_chosen.emit(self._form_key))

    @property
    def _form_key(self) -> str:
        key: str = self.form.editor("form").value()
        return key

    @property
    def settings(self) -> ReportSettings | None:
        """Settings as chosen, for JSON in English; None if a field is not valid, which it shows."""
        found = self.form.applied_to(self._settings)
        return replace(found, language=ENGLISH) if found and self.target.ending == _JSON else found

    def show_file(self, text: str, *, is_verified: bool, may_export: bool) -> None:
        """Show which released file the report covers."""
        self._file_icon.set_icon("circle-check" if is_verified else "info", "ok" if is_verified else "text_3")
        self._file_words.setText(text)
        self.export_button.setVisible(may_export)
        self.fit()

    def show_questions(self, text: str) -> None:
        """Show how many fields the chosen form has and asks for; an empty text hides the questions."""
        self._questions.setText(text)
        for part in (self._questions, self.answers_button):
            part.setVisible(bool(text))
        self.fit()

    def offer_report_only(self, why: str) -> None:
        """Disable the choice of the form and show why."""
        self.form.fix("form", why)

    def show_empty(self, values: Mapping[str, str]) -> None:
        """Fill fields that are still empty."""
        for name, text in values.items():
            editor = self.form.editor(name)
            if not editor.value():
                editor.set_value(text)

    def _fix_unneeded(self) -> None:
        is_public = self.form.editor("audience").value() == PUBLIC
        self.form.fix("threshold", "" if is_public else self.tr("An internal report withholds nothing"))
        is_json = self.target.ending == _JSON
        self.form.fix("paper", self.tr("A report in JSON has no pages") if is_json else "")
        self.form.fix("language", self.tr("A report in JSON is always English") if is_json else "")
