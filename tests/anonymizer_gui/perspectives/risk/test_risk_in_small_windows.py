"""In low and narrow windows, and with large text, important numbers are never elided."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from anonymizer_gui.theming import DARK, LIGHT, theme_manager
from tests.anonymizer_gui.look_checks import clipped_texts
from tests.anonymizer_gui.perspectives.risk.conftest import Bench


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
    assert sentence.wordWrap()
    strip = bench.risk.view.strip
    bench.qtbot.waitUntil(lambda: clipped_texts(strip) == [])
