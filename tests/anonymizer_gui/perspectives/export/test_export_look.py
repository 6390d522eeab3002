"""The export dialogs in both themes and text sizes: no clipped text, all within the smallest window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.export.bundle_presenter import BundleDialog
from anonymizer_gui.perspectives.export.details_dialogs import FormatDialog, IdentifiersDialog
from anonymizer_gui.perspectives.export.dialog import BY_COLUMN, ExportDialog, ReleaseChoices
from anonymizer_gui.perspectives.report.dialog import ReportDialog
from anonymizer_gui.theming import theme_manager
from engine.findings.settings import ReportSettings
from engine.recoding.rules import column_rules
from engine.records.options import ExportOptions
from tests.anonymizer_gui.look_checks import clipped_texts, looks, overlapping_siblings

LONG_NAME = "number of the insurance policy of the household of the person asked"


def export_dialog() -> QDialog:
    dialog = ExportDialog(ReleaseChoices(identifying=BY_COLUMN))
    dialog.target.show_path(Path("/data/people-anonymized.csv"))
    dialog.show_claims([("Kept records", "29,000 of 30,162"), ("Smallest class (k)", "5")])
    words = (
        "4 columns are released unchanged and single out 7,874 of 7,874 records: kappa, lambda, futime, dox."
    )
    words = f"{words} dox tells the original dodth of 98.8 % of the records."
    identity = "From these 7 columns: no kept record can be matched with a certainty above 20 %."
    dialog.show_clauses(
        {
            "identity": (identity, "shield-check", "ok"),
            "class": ("85.7 % of the 14 records of a class have the same 'creatinine'.", "shield", "warn"),
            "unchanged": (words, "eye", "warn"),
        }
    )
    dialog.ask_to_replace(Path("/data/people-anonymized.csv"))
    return dialog


def rules_dialog(key: str) -> Callable[[], QDialog]:
    return lambda: IdentifiersDialog((LONG_NAME, "name"), column_rules.create(key), {})


def bundle_dialog() -> QDialog:
    dialog = BundleDialog(Path("/data/people-about"), has_reversible=True)
    dialog.ask("3 of these files exist already.", "Choose another folder.")
    return dialog


def report_dialog() -> QDialog:
    dialog = ReportDialog(ReportSettings())
    dialog.target.show_path(Path("/data/people-report.pdf"))
    words = "The release has not been exported, so the report has no file to verify."
    dialog.show_file(words, is_verified=False, may_export=True)
    dialog.ask_to_replace(Path("/data/people-report.pdf"))
    return dialog


DIALOGS: dict[str, Callable[[], QDialog]] = {
    "export": export_dialog,
    "report": report_dialog,
    "format": lambda: FormatDialog(ExportOptions()),
    "bundle": bundle_dialog,
    **{f"rules {key}": rules_dialog(key) for key in ("star", "keyed_hash", "mask")},
}


@pytest.mark.parametrize("name", DIALOGS)
def test_every_text_fits_in_both_themes_and_sizes(
    qtbot: QtBot, themed: QApplication, name: str, is_thorough: bool
) -> None:
    wrong = {}
    for theme, scale in looks(is_thorough=is_thorough):
        theme_manager().apply(themed, theme, scale)
        dialog = DIALOGS[name]()
        qtbot.addWidget(dialog)
        with qtbot.waitExposed(dialog):
            dialog.show()
        found = [*clipped_texts(dialog), *overlapping_siblings(dialog)]
        if dialog.height() > 680 or dialog.width() > 1240:
            found.append(f"it is {dialog.width()} x {dialog.height()}")
        if found:
            wrong[theme.name, scale] = found
        dialog.close()
    assert wrong == {}
