"""Categories of a class are rows with whole names, as many as there are; bands of numbers keep their axis."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QPainter, QWheelEvent
from PySide6.QtWidgets import QApplication, QScrollArea
from pytestqt.qtbot import QtBot

from anonymizer_gui.charts.bar_rows import BarRows
from anonymizer_gui.perspectives.risk.class_chart import ClassBars
from anonymizer_gui.perspectives.risk.class_view import ClassView
from anonymizer_gui.theming import LIGHT, theme_manager
from tests.anonymizer_gui.look_checks import laid_out

CARD = (460, 240)  # of the risk overview at 1280x720


@pytest.fixture
def countries(examples: Path) -> tuple[str, ...]:
    lines = (examples / "adult" / "hierarchies" / "native-country.csv").read_text().splitlines()
    return tuple(line.split(";")[0].split(",")[0] for line in lines)


def shown(qtbot: QtBot, bars: ClassBars) -> ClassView:
    view = ClassView()
    qtbot.addWidget(view)
    view.resize(*CARD)
    view.show_bars(bars)
    with qtbot.waitExposed(view):
        view.show()
    laid_out(view)
    return view


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_all_countries_of_adult_are_written_whole_and_apart(
    qtbot: QtBot,
    themed: QApplication,
    monkeypatch: pytest.MonkeyPatch,
    countries: tuple[str, ...],
    scale: float,
) -> None:
    drawn: list[tuple[QRect, str]] = []

    def write(painter: QPainter, room: QRect, text: str, flags: Qt.AlignmentFlag) -> None:
        assert painter.fontMetrics().horizontalAdvance(text) <= room.width(), text
        assert painter.fontMetrics().height() <= room.height(), text
        drawn.append((QRect(room), text))

    assert len(countries) > 40
    theme_manager().apply(themed, LIGHT, scale)
    shares = (1 / len(countries),) * len(countries)
    view = shown(qtbot, ClassBars("native-country", countries, shares, shares))
    view.resize(round(CARD[0] * scale), round(CARD[1] * scale))
    laid_out(view)
    monkeypatch.setattr(BarRows, "_write", staticmethod(write))
    view.rows.grab()
    assert [text for _room, text in drawn] == list(countries)
    for (above, _one), (below, _other) in pairwise(drawn):
        assert not above.intersects(below)
    theme_manager().apply(themed, LIGHT, 1.0)


def test_the_wheel_reaches_the_last_country(qtbot: QtBot, countries: tuple[str, ...]) -> None:
    shares = (1 / len(countries),) * len(countries)
    view = shown(qtbot, ClassBars("native-country", countries, shares, shares))
    area = view.currentWidget()
    assert isinstance(area, QScrollArea)
    port = area.viewport()

    def is_visible(name: str) -> bool:
        row = view.rows.row_rect(name)
        return port.rect().contains(QRect(view.rows.mapTo(port, row.topLeft()), row.size()))

    assert is_visible(countries[0])
    assert not is_visible(countries[-1])
    for _turn in range(20):
        turn_down(view.rows, QPointF(20, 20))
    assert is_visible(countries[-1])


def turn_down(widget: BarRows, at: QPointF) -> None:
    none = Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
    place = widget.mapToGlobal(at)
    event = QWheelEvent(
        at, place, QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton, none[0], none[1], False
    )
    QApplication.sendEvent(widget.parentWidget().parentWidget(), event)


def test_shares_have_one_decimal_and_a_bar_each(qtbot: QtBot) -> None:
    view = shown(qtbot, ClassBars("diagnosis", ("flu", "cold"), (1.0, 0.0), (0.25, 0.75)))
    assert view.rows.texts() == [
        ("flu", "", "100.0\u202f% · 25.0\u202f%"),
        ("cold", "", "0.0\u202f% · 75.0\u202f%"),
    ]
    assert view.rows.isVisible()
    assert not view.plot.isVisible()


def test_bands_of_numbers_keep_their_axis(qtbot: QtBot) -> None:
    view = shown(qtbot, ClassBars("age", ("17–30", "31–90"), (0.5, 0.5), (0.2, 0.8), ("17", "30", "90")))
    assert view.plot.isVisible()
    assert not view.rows.isVisible()
    titles = view.plot.titles
    assert titles is not None
    assert (titles.bottom, titles.left) == ("age", "share of records")
