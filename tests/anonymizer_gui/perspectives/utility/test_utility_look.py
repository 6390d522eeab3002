"""Layout rules for every pane of Analyze utility: everything fits, is reachable and themed."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from anonymizer_gui.theming import DARK, LIGHT, theme_manager
from tests.anonymizer_gui.look_checks import focus_problems, laid_out, lasting, layout_faults, looks
from tests.anonymizer_gui.perspectives.utility.conftest import LEFT, Bench

PANES = (
    ("loss", ("loss_by_attribute",)),
    ("columns", ("distribution", "statistics", "class_sizes", "classification")),
    ("pairs", ("contingency", "metrics", "local_queries", "settings")),
)
FRAME = 98  # menu, perspective bar and status bar at scale 1; they grow with it
SIZES = ((1280, 720), (1440, 900))


def measure_all(bench: Bench) -> None:
    """Compute all panes."""
    bench.open_pane("pairs", "local_queries")  # answered without asking, as the table is small
    bench.open_pane("columns", "classification")
    bench.choose("classificationTarget", "sex")
    bench.choose("classifier", "Naive Bayes")
    bench.click("measureClassification")
    bench.click_row(bench.find("inputTable"), 3)


def faults(bench: Bench) -> list[str]:
    return lasting(bench.qtbot, bench.window, lambda: layout_faults(bench.window))


def show(bench: Bench, card: str, pane: str) -> None:
    """Show a pane, also if one card is shown at a time."""
    view = bench.utility.view
    if not view.lower_cards.is_in_sight(card):
        other = next(key for key, _ in PANES if view.lower_cards.is_in_sight(key))
        switch = bench.find(f"{other}Switch")
        bench.qtbot.mouseClick(switch.segments.segment(card), LEFT)
    if view.cards[card].chooser is not None:
        bench.open_pane(card, pane)


def test_every_pane_fits_at_every_size_theme_and_scale(
    bench: Bench, themed: QApplication, is_thorough: bool
) -> None:
    measure_all(bench)
    wrong = {}
    for theme, scale in looks(is_thorough=is_thorough):
        theme_manager().apply(themed, theme, scale)
        laid_out(bench.window)  # resized only after the text size has been applied
        for size in SIZES:
            room = (size[0], size[1] - round(FRAME * scale))
            bench.window.resize(*room)
            laid_out(bench.window)
            for card, panes in PANES:
                for pane in panes:
                    show(bench, card, pane)
                    if found := faults(bench):
                        wrong[size, scale, pane] = found
            if bench.window.size().toTuple() != room:
                wrong[size, scale, "window"] = [f"{bench.window.size().toTuple()}, not {room}"]
    assert wrong == {}


def test_places_without_findings_fit_as_well(empty_bench: Bench, themed: QApplication) -> None:
    for size in SIZES:
        empty_bench.window.resize(size[0], size[1] - FRAME)
        assert faults(empty_bench) == []


def test_every_control_is_named_reached_and_shows_its_focus(bench: Bench) -> None:
    wrong = {}
    bench.click_row(bench.find("inputTable"), 3)
    for one, other in (
        ("distribution", "contingency"),
        ("statistics", "metrics"),
        ("class_sizes", "local_queries"),
        ("classification", "settings"),
    ):
        bench.open_pane("columns", one)
        bench.open_pane("pairs", other)
        bench.window.activateWindow()
        bench.qtbot.waitUntil(bench.window.isActiveWindow)
        laid_out(bench.window)
        if found := focus_problems(bench.window):
            wrong[one] = found
    assert wrong == {}


def test_switching_the_theme_twice_gives_the_same_picture(bench: Bench, themed: QApplication) -> None:
    def picture() -> bytes:
        laid_out(bench.window)
        image = bench.window.grab().toImage()
        return bytes(image.constBits())

    theme_manager().apply(themed, LIGHT, 1.0)
    before = picture()
    theme_manager().apply(themed, DARK, 1.0)
    assert picture() != before
    theme_manager().apply(themed, LIGHT, 1.0)
    assert picture() == before


def test_the_strip_never_squeezes_its_controls(bench: Bench, themed: QApplication) -> None:
    strip = bench.find("utilityTiles")
    theme_manager().apply(themed, LIGHT, 1.5)
    for width in range(1600, 900, -20):
        bench.window.resize(width, 720)
        laid_out(bench.window)
        assert strip.grouping.width() == strip.grouping.sizeHint().width(), width
