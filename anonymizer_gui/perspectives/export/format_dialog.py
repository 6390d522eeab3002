"""Dialog for how a release is written to a file of its format, generated from the declared options."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.forms.param_form import PairsForm
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.fitted_dialog import AskingDialog
from anonymizer_gui.widgets.labels import make_label
from engine.errors import ExportError
from engine.params import unneeded, values_of
from engine.table.options import ExportOptions

_WIDTH = 440


class FormatDialog(AskingDialog):
    """Shows the options that matter for files of the kind that the given ones have."""

    options_chosen = Signal(object)  # ExportOptions

    def __init__(self, options: ExportOptions, parent: QWidget | None = None) -> None:
        super().__init__("formatDialog", self.tr("Format of the file"), self.tr("Apply"), _WIDTH, parent)
        self.setModal(True)
        self._options = options
        omitted = ("kind", *unneeded(ExportOptions, options.has))  # the kind is chosen with the file
        self.form = PairsForm(ExportOptions, values_of(options), omitted=omitted)
        self.banner = ErrorBanner()
        checked = self.tr("The written file is read with the same settings and compared cell by cell.")
        self.lay_out(self.form, make_label(checked, Text.CELL, "text_2", wraps=True), self.banner)

    def submit(self) -> bool:
        options = self.form.applied_to(self._options)
        if options is None:
            return False
        try:
            options.refuse_impossible()
        except ExportError as error:
            self.banner.show_error(error.problem, error.hint)
            return False
        self.options_chosen.emit(options)
        return True
