"""In low and narrow windows, and with large text, important numbers are never elided."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QLabel

from anonymizer_gui.perspectives.risk.subsets_view import fitted_names
from anonymizer_gui.theming import DARK, LIGHT, Text, font, theme_manager
from anonymizer_gui.widgets.chip import Chip
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project
from tests.anonymizer_gui.look_checks import clipped_texts
from tests.anonymizer_gui.perspectives.risk.conftest import NODE, Bench


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_the_sentence_is_complete_at_every_text_size(
    bench: Bench, themed: QApplication, scale: float
) -> None:
    theme_manager().apply(themed, LIGHT if scale == 1 else DARK, scale)
    bench.window.resize(1280, 720 - round(98 * scale))
    field = bench.find("riskThreshold").lineEdit()
    field.setFocus()
    field.selectAll()
    bench.qtbot.keyClicks(field, "9")
    bench.qtbot.keyClick(field, Qt.Key.Key_Return)
    bench.settle()
    sentence = bench.find("riskClause.identity")
    assert "9" in sentence.text()
    bench.qtbot.waitUntil(lambda: sentence.height() >= sentence.heightForWidth(sentence.width()) - 2)
    assert isinstance(sentence, QLabel)
    assert sentence.wordWrap()
    strip = bench.risk.view.strip
    bench.qtbot.waitUntil(lambda: clipped_texts(strip) == [])


def test_a_set_of_columns_is_distinguishable_from_others_with_elided_names(themed: QApplication) -> None:
    metrics = QFontMetrics(font(Text.CELL))
    sets = [
        ("birth date", "postal code", other) for other in ("sex", "marital status", "education", "occupation")
    ]
    shown = [fitted_names(names, metrics, 190) for names in sets]
    assert len(set(shown)) == len(sets)
    assert all(metrics.horizontalAdvance(text) <= 190 for text in shown)
    assert fitted_names(sets[0], metrics, 1_000) == "birth date, postal code, sex"


def test_a_status_longer_than_usual_is_not_elided(empty_bench: Bench, clinic: Project) -> None:
    empty_bench.apply(replace(clinic, requirement=Requirement((KAnonymity(2000),), 1.0)), NODE)
    chips = [c for c in empty_bench.risk.view.overview.attacks.findChildren(Chip) if c.isVisible()]
    assert any(chip.text() == "Not assessed" for chip in chips)
    empty_bench.qtbot.waitUntil(lambda: all(chip.width() >= chip.sizeHint().width() for chip in chips))
