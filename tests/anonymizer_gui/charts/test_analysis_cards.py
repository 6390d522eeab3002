"""Card of analyses: states, help and saved files."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from anonymizer_gui.charts.analysis_pane import About, AnalysisPane
from anonymizer_gui.charts.bar_rows import Bar, BarRow, BarRows, BarScale
from anonymizer_gui.charts.chart_card import AnalysisCard
from anonymizer_gui.charts.legend import Legend, LegendEntry, Sample
from anonymizer_gui.charts.plot import AxisTitles, ThemedPlot, as_percent_tick
from anonymizer_gui.theming import DARK, current_theme, theme_manager
from engine.errors import InputError
from engine.findings.blocks import FigureColumn, FigureTable

LEFT = Qt.MouseButton.LeftButton
TABLE = FigureTable("t", "Table", (FigureColumn("a", "A"),), ((1,),))
ABOUT = About("Sizes", "How large they are.", "Larger is safer.", "Somebody 1999")


@pytest.fixture
def pane(themed: QApplication) -> AnalysisPane:
    return AnalysisPane(QLabel("the picture"), ABOUT, "sizes")


@pytest.fixture
def card(pane: AnalysisPane, qtbot: QtBot) -> AnalysisCard:
    made = AnalysisCard("", "of nothing")
    other = AnalysisPane(QLabel("another"), About("Other", "Something else."), "other")
    made.add_panes([("sizes", "Sizes", pane), ("other", "Other", other)])
    made.resize(520, 300)
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    return made


def test_an_empty_pane_shows_the_reason_and_an_action(
    card: AnalysisCard, pane: AnalysisPane, qtbot: QtBot
) -> None:
    pane.show_empty("It takes a while.", "Measure")
    assert pane.sentence() == "It takes a while."
    button = pane.findChild(QPushButton, "sizesAction")
    assert button.isVisible()
    with qtbot.waitSignal(pane.action_requested):
        qtbot.mouseClick(button, LEFT)
    pane.show_empty("Nothing to do.")
    assert not button.isVisible()
    assert not card.menu_button.isEnabled()


def test_previous_findings_stay_visible_while_new_ones_are_computed(
    card: AnalysisCard, pane: AnalysisPane
) -> None:
    pane.show_figures((TABLE,), "of 2 000 records")
    assert card.caption.text() == "of 2 000 records"
    pane.show_running()
    assert pane.is_shown
    assert card.caption.text() == "of 2 000 records · updating"
    pane.show_figures((TABLE,), "of 1 000 records")
    assert card.caption.text() == "of 1 000 records"


def test_the_first_computation_has_a_progress_bar_and_can_be_cancelled(
    card: AnalysisCard, pane: AnalysisPane, qtbot: QtBot
) -> None:
    pane.show_running()
    assert not pane.is_shown
    pane.show_progress(3, 4)
    cancel = pane.findChild(QPushButton, "analysisCancel")
    assert cancel.isVisible()
    with qtbot.waitSignal(pane.cancel_requested):
        qtbot.mouseClick(cancel, LEFT)


def test_an_error_appears_in_place_of_the_chart(card: AnalysisCard, pane: AnalysisPane) -> None:
    pane.show_figures((TABLE,))
    pane.show_failed(InputError("The target has one value.", hint="Choose another."))
    assert pane.sentence() == "The target has one value. Choose another."
    assert pane.tables == ()
    with pytest.raises(ZeroDivisionError):
        pane.show_failed(ZeroDivisionError())
    assert "This could not be computed because of a bug in the program." in pane.sentence()


def test_help_is_about_the_visible_pane(card: AnalysisCard, qtbot: QtBot) -> None:
    chooser = card.chooser
    with qtbot.waitSignal(card.pane_chosen) as chosen:
        qtbot.mouseClick(chooser.segment("other"), LEFT)
    assert chosen.args == ["other"]
    assert card.help_button.toolTip() == "What this shows: Something else."
    qtbot.mouseClick(chooser.segment("sizes"), LEFT)
    qtbot.mouseClick(card.help_button, LEFT)
    popup = QApplication.activePopupWidget()
    words = [label.text() for label in popup.findChildren(QLabel)]
    assert words == ["Sizes", "How large they are.", "Larger is safer.", "Somebody 1999"]
    qtbot.keyClick(popup, Qt.Key.Key_Escape)


def test_a_plot_redraws_in_another_theme_and_names_its_axes(qtbot: QtBot, themed: QApplication) -> None:
    plot = ThemedPlot("Sizes")
    qtbot.addWidget(plot)
    plot.resize(320, 220)
    drawn: list[str] = []

    def draw(it: ThemedPlot) -> None:
        drawn.append(current_theme().name)
        it.set_range((0, 10), (0, 4))
        it.add_bars([0, 5], [5, 10], [3, 1], "series_2")
        it.add_steps([0, 5, 10], [1, 2], "series_1", dashed=True)
        it.add_line([0, 5, 10], [0, float("nan"), 4], "series_3")
        it.add_points([1], [1], "series_4", hollow=True)
        it.add_limit(4, "k")
        it.add_text(2, 2, "here")
        it.set_tick_text("left", as_percent_tick)
        it.tooltip = lambda x, y: f"{x:.0f} {y:.0f}"

    plot.show_drawing(draw, AxisTitles("size in records", "classes"), "two bars")
    with qtbot.waitExposed(plot):
        plot.show()
    assert plot.accessibleDescription() == "two bars"
    assert plot.items.getAxis("bottom").labelText == "size in records"
    assert plot.items.getAxis("left").labelText == "classes"
    place = plot.place_at(plot.point_at(4, 2))
    assert (round(place.x()), round(place.y())) == (4, 2)
    theme_manager().apply(themed, DARK, 1.0)
    assert drawn == ["light", "dark"]
    plot.resize(320, 96)
    QApplication.processEvents()
    assert plot.items.getAxis("left").labelText == "classes"
    long = AxisTitles("size in records", "records per year of something with a long name")
    plot.show_drawing(draw, long, "two bars")
    assert plot.items.getAxis("left").labelText == ""
    assert [label.text() for label in plot.findChildren(QLabel) if label.isVisible()] == [
        "records per year of something with a long name"
    ]
    plot.clear()
    assert plot.items.listDataItems() == []


def test_bars_are_proportional_to_their_values_and_zero_draws_none(
    qtbot: QtBot, themed: QApplication
) -> None:
    rows = BarRows("Loss")
    rows.resize(400, 200)
    qtbot.addWidget(rows)
    rows.show_rows(
        [
            BarRow("all", "", (Bar(1.0, "series_2"),), "1"),
            BarRow("half", "below", (Bar(0.5, "series_2"),), "0.5"),
            BarRow("none", "", (Bar(0.0, "series_2"),), "0"),
            BarRow("a heading", text="3"),
        ],
        BarScale("0", "1", "loss"),
    )
    with qtbot.waitExposed(rows):
        rows.show()
    image = rows.grab().toImage()
    color = current_theme().color("series_2")
    left, right = rows.track()

    def length(name: str) -> int:
        y = rows.row_rect(name).center().y() + 1
        return sum(image.pixelColor(x, y) == color for x in range(left, right))

    whole = right - left
    assert length("all") == pytest.approx(whole, abs=3)
    assert length("half") == pytest.approx(whole / 2, abs=3)
    assert length("none") == 0
    assert rows.accessibleDescription() == "all 1; half 0.5; none 0"


def test_a_legend_wraps_if_it_has_no_room(qtbot: QtBot, themed: QApplication) -> None:
    legend = Legend(
        [LegendEntry(Sample.LINE, "series_1", "input"), LegendEntry(Sample.AREA, "series_2", "release")]
    )
    qtbot.addWidget(legend)
    one_line = legend.heightForWidth(400)
    assert legend.heightForWidth(80) == 2 * one_line
    assert legend.texts() == ("input", "release")
    assert legend.accessibleName() == "input, release"
