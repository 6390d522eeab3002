"""Rows of findings have whole names, as many as there are; ranges keep an axis."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QWheelEvent
from PySide6.QtWidgets import QApplication, QScrollArea
from pytestqt.qtbot import QtBot

from anonymizer_gui.charts import bar_rows
from anonymizer_gui.charts.findings_view import FindingsView
from anonymizer_gui.theming import LIGHT, Text, font, theme_manager
from engine.findings.blocks import Block, Chart, FigureColumn, FigureTable, Findings, Series, Statement
from tests.anonymizer_gui.look_checks import laid_out

CARD = (460, 240)  # of the risk overview at 1280x720


class Found(Findings):
    """Findings of one chart."""

    def __init__(self, chart: Chart) -> None:
        self.chart = chart

    def statement(self) -> Statement:
        return Statement("")

    def blocks(self) -> tuple[Block, ...]:
        return (self.chart,)


@pytest.fixture
def countries(examples: Path) -> tuple[str, ...]:
    lines = (examples / "adult" / "hierarchies" / "native-country.csv").read_text().splitlines()
    return tuple(line.split(";")[0].split(",")[0] for line in lines)


def rows(labels: tuple[str, ...], *shares: tuple[float, ...], is_relative: bool = False) -> Chart:
    series = tuple(Series(f"side {number}", own) for number, own in enumerate(shares))
    return Chart(
        "shares", "", "rows", "share", "country", series, labels, is_share=True, is_relative=is_relative
    )


def shown(qtbot: QtBot, chart: Chart) -> tuple[FindingsView, bar_rows.BarRows]:
    view = FindingsView("test")
    qtbot.addWidget(view)
    view.resize(*CARD)
    view.show_findings(Found(chart))
    with qtbot.waitExposed(view):
        view.show()
    laid_out(view)
    part = view.part("shares")
    return view, part.rows


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_all_countries_of_adult_are_written_whole_and_apart(
    qtbot: QtBot,
    themed: QApplication,
    monkeypatch: pytest.MonkeyPatch,
    countries: tuple[str, ...],
    scale: float,
) -> None:
    drawn: list[tuple[QRect, str]] = []

    def write(_painter: QPainter, room: QRect, text: str, use: Text, _token: str = "") -> None:
        metrics = QFontMetrics(font(use))
        assert metrics.horizontalAdvance(text) <= room.width(), text
        assert metrics.height() <= room.height(), text
        drawn.append((QRect(room), text))

    assert len(countries) > 40
    theme_manager().apply(themed, LIGHT, scale)
    shares = (1 / len(countries),) * len(countries)
    view, painted = shown(qtbot, rows(countries, shares, shares))
    view.resize(round(CARD[0] * scale), round(CARD[1] * scale))
    laid_out(view)
    monkeypatch.setattr(bar_rows, "paint_text", write)
    painted.grab()
    assert [text for _room, text in drawn] == list(countries)
    for (above, _one), (below, _other) in pairwise(drawn):
        assert not above.intersects(below)
    theme_manager().apply(themed, LIGHT, 1.0)


def test_the_wheel_reaches_the_last_country(qtbot: QtBot, countries: tuple[str, ...]) -> None:
    view, painted = shown(qtbot, rows(countries, (1 / len(countries),) * len(countries)))
    (area,) = view.findChildren(QScrollArea)
    port = area.viewport()

    def is_visible(name: str) -> bool:
        row = painted.row_rect(name)
        return port.rect().contains(QRect(painted.mapTo(port, row.topLeft()), row.size()))

    assert is_visible(countries[0])
    assert not is_visible(countries[-1])
    none = Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
    for _turn in range(20):
        at = QPointF(20, 20)
        place = painted.mapToGlobal(at)
        down = QWheelEvent(
            at, place, QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton, none[0], none[1], False
        )
        QApplication.sendEvent(port, down)
    assert is_visible(countries[-1])


def test_a_missing_value_has_no_bar_and_an_interval_is_written(qtbot: QtBot) -> None:
    nan = float("nan")
    chart = Chart(
        "shares",
        "",
        "rows",
        "risk",
        "attack",
        (Series("risk", (0.5, nan), intervals=((0.25, 0.75), (nan, nan))),),
        ("one", "other"),
        is_share=True,
        decimals=1,
    )
    _view, painted = shown(qtbot, chart)
    assert [text for *_names, text in painted.texts()] == [
        "50.0\u202f% (25.0\u202f% to 75.0\u202f%)",
        "–",
    ]


def test_the_longest_row_of_small_shares_takes_the_whole_width(qtbot: QtBot) -> None:
    for is_relative in (False, True):
        _view, painted = shown(qtbot, rows(("flu", "cold"), (0.1, 0.2), is_relative=is_relative))
        assert painted._rows[1].bars[0].share == (1.0 if is_relative else 0.2)


def test_without_room_bars_are_below_their_names(qtbot: QtBot) -> None:
    view, painted = shown(qtbot, rows(("flu", "cold"), (0.1, 0.2)))
    left, right = painted.track()
    high = painted.height()
    view.resize(260, 300)
    laid_out(view)
    narrow_left, narrow_right = painted.track()
    assert narrow_left < left
    assert narrow_right - narrow_left > 0.8 * painted.width() > right - left - view.width()
    assert painted.height() > high


def test_multiples_have_bars_from_one_to_the_largest(qtbot: QtBot) -> None:
    view = FindingsView("groups")
    qtbot.addWidget(view)
    columns = FigureColumn("name", "Name"), FigureColumn("lift", "Lift", look="times")
    view.show_blocks([FigureTable("groups", "Groups", columns, [("a", 5.3), ("b", 3.15), ("c", 0.5)])])
    cells = [view.list_of("groups").texts.cell(row, 1) for row in range(3)]
    assert [cell.text for cell in cells] == ["× 5.3", "× 3.1", "× 0.5"]
    assert [cell.bar for cell in cells] == pytest.approx([1.0, 0.5, 0.0])
