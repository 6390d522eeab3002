"""The lattice fills the perspective on request, and returns to its former size."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.lattice.layout import lay_out
from anonymizer_gui.perspectives.explore.lattice.legend import LegendScale
from anonymizer_gui.perspectives.explore.lattice.panel import LatticePanel
from tests.anonymizer_gui.perspectives.explore.conftest import Bench
from tests.anonymizer_gui.perspectives.explore.lattice_helpers import ADULT, coloured


def test_the_lattice_alone_and_back(bench: Bench, qtbot: QtBot) -> None:
    view = bench.explore.view
    before = view.lattice.size()
    qtbot.mouseClick(view.alone, Qt.MouseButton.LeftButton)
    assert not view.inspector.isVisible()
    assert not view.bottom.isVisible()
    qtbot.waitUntil(lambda: view.lattice.width() > before.width() and view.lattice.height() > before.height())
    qtbot.mouseClick(view.alone, Qt.MouseButton.LeftButton)
    assert view.inspector.isVisible()
    qtbot.waitUntil(lambda: view.lattice.size() == before)


def test_the_legend_describes_the_drawing_in_the_current_size(qtbot: QtBot, themed: QApplication) -> None:
    panel = LatticePanel()
    qtbot.addWidget(panel)
    panel.resize(1064, 444)
    panel.show_lattice(lay_out(ADULT.sums, np.arange(ADULT.n_nodes, dtype=float)), ADULT.levels, [])
    panel.show_colours(coloured(ADULT), LegendScale("loss", 0.2, 1.0, str))
    panel.show()
    qtbot.waitUntil(lambda: panel.legend.accessibleName() == "satisfies, coloured by loss")
    panel.resize(1064, 150)
    qtbot.waitUntil(lambda: panel.legend.accessibleName() == "share that satisfies, best loss")
    panel.resize(1064, 444)
    qtbot.waitUntil(lambda: panel.legend.accessibleName() == "satisfies, coloured by loss")
