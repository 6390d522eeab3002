"""Small widgets react to mouse and keyboard and keep their text readable."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton, QScrollArea, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.requirement.preflight import PreflightItem
from anonymizer_gui.tables.rows_model import Cell, Heading
from anonymizer_gui.tables.table_view import TableView
from anonymizer_gui.theming import DARK, LIGHT, Theme, current_theme, theme_manager
from anonymizer_gui.widgets.buttons import make_icon_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.chip import Chip
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.job_strip import JobStrip
from anonymizer_gui.widgets.labels import ElidedLabel, TwoLineLabel, make_label
from anonymizer_gui.widgets.level_boxes import LevelBoxes
from anonymizer_gui.widgets.marks import Mark, dot_pixels, draw_mark
from anonymizer_gui.widgets.meter import draw_meter
from anonymizer_gui.widgets.results_stack import EmptyState
from anonymizer_gui.widgets.role_badge import RoleBadge, RoleButton, role_badge_pixmap
from anonymizer_gui.widgets.segmented import SegmentedControl
from engine.advice.findings import Finding, Severity
from tests.anonymizer_gui.look_checks import (
    clipped_texts,
    focus_problems,
    horizontal_scrollbars_outside_tables,
    overlapping_siblings,
    tab_order,
)
from tests.anonymizer_gui.widgets.sheet import ROLES, WidgetSheet

pytestmark = pytest.mark.usefixtures("themed")
themes = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)


def _shown(qtbot: QtBot, widget: QWidget) -> QWidget:
    qtbot.addWidget(widget)
    widget.show()
    widget.activateWindow()
    qtbot.waitUntil(widget.isActiveWindow)
    return widget


# -- complete sheet: the checks that also run over complete windows -----------------------------


@pytest.mark.parametrize("scale", [1.0, 1.5])
@themes
def test_every_widget_fits_its_text_and_overlaps_nothing(
    qtbot: QtBot, qapp: QApplication, theme: Theme, scale: float
) -> None:
    theme_manager().apply(qapp, theme, scale)
    sheet = WidgetSheet()
    sheet.resize(round(1300 * scale), round(800 * scale))
    _shown(qtbot, sheet)
    assert clipped_texts(sheet) == []
    assert overlapping_siblings(sheet) == []
    assert horizontal_scrollbars_outside_tables(sheet) == []


@themes
def test_every_focusable_widget_has_a_name_an_order_and_a_visible_focus(
    qtbot: QtBot, qapp: QApplication, theme: Theme
) -> None:
    theme_manager().apply(qapp, theme)
    sheet = WidgetSheet()
    sheet.resize(1300, 800)
    _shown(qtbot, sheet)
    assert focus_problems(sheet) == []
    assert len(tab_order(sheet)) > 30


def test_the_checks_find_a_clipped_label_an_overlap_a_nameless_control_and_a_scroll_bar(qtbot: QtBot) -> None:
    window = QWidget()
    window.resize(300, 200)
    label = make_label("much too long for its place", parent=window)
    label.setGeometry(0, 0, 40, 16)
    button = QPushButton(window)
    button.setGeometry(20, 10, 60, 28)
    area = QScrollArea(window)
    area.setGeometry(0, 60, 100, 60)
    wide = QWidget()
    wide.resize(400, 20)
    area.setWidget(wide)
    outside = QLabel("gone", window)
    outside.setGeometry(290, 150, 60, 20)
    _shown(qtbot, window)
    assert len([line for line in clipped_texts(window) if "much too long" in line]) == 1
    assert [line for line in clipped_texts(window) if "reaches out" in line]
    assert len(overlapping_siblings(window)) == 1
    assert len(horizontal_scrollbars_outside_tables(window)) == 1
    problems = " ".join(focus_problems(window))
    assert "no accessible name" in problems
    assert "without a tooltip" in problems


# -- labels ------------------------------------------------------------------------------------


def test_a_label_without_room_is_elided_and_has_its_text_in_the_tooltip(qtbot: QtBot) -> None:
    label = ElidedLabel("a-long-file-name.csv", mode=Qt.TextElideMode.ElideMiddle)
    label.set_hint("The table")
    _shown(qtbot, label)
    label.setFixedWidth(60)
    assert "…" in label.shown_text()
    assert label.shown_text().endswith("v")
    assert label.toolTip() == "a-long-file-name.csv"
    label.setFixedWidth(400)
    assert not label.is_elided()
    assert label.toolTip() == "The table"


def test_a_heading_continues_on_a_second_line_before_it_is_elided(qtbot: QtBot) -> None:
    label = TwoLineLabel()
    label.setText("Differs from the optimum in 4 columns")
    _shown(qtbot, label)
    label.setFixedWidth(400)
    assert label.shown_text() == label.text()
    label.setFixedWidth(200)
    assert (label.shown_text(), label.is_elided()) == ("Differs from the optimum in 4\ncolumns", False)
    label.setFixedWidth(90)
    assert label.is_elided()
    assert label.toolTip() == label.text()


def test_a_caption_of_a_card_is_shown_if_it_fits(qtbot: QtBot) -> None:
    card = Card("Map", "the Pareto front and all nodes with their suppressed records")
    qtbot.addWidget(card)
    card.show()
    (caption,) = (label for label in card.findChildren(ElidedLabel) if label.text() == card.caption.text())
    wanted = caption.fontMetrics().horizontalAdvance(caption.text())
    beside = card.width() - caption.width()
    for share, is_shown in ((1.1, True), (0.9, False), (0.2, False)):
        card.resize(beside + round(share * wanted), card.height())
        assert bool(caption.shown_text()) is is_shown
        assert caption.is_elided() is (share < 1)
        assert caption.text() in caption.toolTip() or not caption.is_elided()


def test_text_from_data_is_never_parsed_as_markup(qtbot: QtBot) -> None:
    label = make_label("<b>bold</b>")
    qtbot.addWidget(label)
    assert label.textFormat() == Qt.TextFormat.PlainText


# -- choices -----------------------------------------------------------------------------------


def test_a_segment_is_selected_by_click_and_by_arrow_key(qtbot: QtBot) -> None:
    control = SegmentedControl([("fit", "Fit"), ("chips", "Chips"), ("cards", "Cards")], "Zoom")
    _shown(qtbot, control)
    chosen: list[str] = []
    control.selected.connect(chosen.append)
    qtbot.mouseClick(control.segment("cards"), Qt.MouseButton.LeftButton)
    control.setFocus()
    qtbot.keyClick(control, Qt.Key.Key_Left)
    assert chosen == ["cards", "chips"]
    control.set_current("fit")
    assert chosen == ["cards", "chips"]
    assert control.accessibleDescription() == "Fit"


def test_arrows_skip_a_disabled_segment(qtbot: QtBot) -> None:
    control = SegmentedControl([("a", "A"), ("b", "B"), ("c", "C")])
    _shown(qtbot, control)
    control.set_segment_enabled("b", False, "Nothing to show")
    control.setFocus()
    qtbot.keyClick(control, Qt.Key.Key_Right)
    assert control.current() == "c"


def test_selecting_a_segment_moves_none_of_them(qtbot: QtBot) -> None:
    control = SegmentedControl([("fit", "Fit"), ("chips", "Chips")])
    _shown(qtbot, control)
    before = control.segment("chips").geometry()
    control.set_current("chips")
    QApplication.processEvents()
    assert control.segment("chips").geometry() == before


def test_levels_are_toggled_by_click_and_by_keys(qtbot: QtBot) -> None:
    boxes = LevelBoxes("Levels allowed", 5)
    _shown(qtbot, boxes)
    told: list[frozenset[int]] = []
    boxes.allowed_changed.connect(told.append)
    qtbot.mouseClick(boxes, Qt.MouseButton.LeftButton, pos=boxes.box_rect(2).center())
    boxes.setFocus()
    qtbot.keyClick(boxes, Qt.Key.Key_End)
    qtbot.keyClick(boxes, Qt.Key.Key_Space)
    assert told == [{0, 1, 3, 4}, {0, 1, 3}]


def test_the_last_allowed_level_stays_allowed(qtbot: QtBot) -> None:
    boxes = LevelBoxes("Levels allowed", 1)
    _shown(qtbot, boxes)
    qtbot.mouseClick(boxes, Qt.MouseButton.LeftButton, pos=boxes.box_rect(0).center())
    assert boxes.allowed() == {0}


@pytest.mark.parametrize(
    ("clicked", "left"), [(0, {1, 2, 3}), (3, {0, 1, 2}), (1, {2, 3}), (4, {0, 1, 2, 3, 4})]
)
def test_a_row_with_bounds_keeps_one_contiguous_range(qtbot: QtBot, clicked: int, left: set[int]) -> None:
    boxes = LevelBoxes("Levels allowed", 5, keeps_range=True)
    boxes.show_levels(5, {0, 1, 2, 3})
    _shown(qtbot, boxes)
    qtbot.mouseClick(boxes, Qt.MouseButton.LeftButton, pos=boxes.box_rect(clicked).center())
    assert boxes.allowed() == left


def test_a_level_has_its_meaning_as_accessible_text(qtbot: QtBot) -> None:
    boxes = LevelBoxes("age", 2)
    boxes.show_levels(2, {0}, 0, ["kept", "hidden"])
    _shown(qtbot, boxes)
    boxes.setFocus()
    qtbot.keyClick(boxes, Qt.Key.Key_Right)
    assert boxes.accessibleDescription() == "Level 1, hidden: excluded"


def test_a_role_button_is_pressed_with_the_space_bar(qtbot: QtBot) -> None:
    button = RoleButton("sensitive", "Sensitive")
    _shown(qtbot, button)
    button.setFocus()
    with qtbot.waitSignal(button.clicked):
        qtbot.keyClick(button, Qt.Key.Key_Space)
    assert button.isChecked()
    assert button.role == "sensitive"


@pytest.mark.parametrize(
    "text", ["Identifying", "Quasi-identifying", "Sensitive", "Insensitive", "illi", "Www"]
)
@pytest.mark.parametrize("is_checked", [False, True])
def test_a_role_button_shows_its_whole_text_at_its_own_width(
    qtbot: QtBot, text: str, is_checked: bool
) -> None:
    button = RoleButton("sensitive", text)
    qtbot.addWidget(button)
    button.setChecked(is_checked)
    hint = button.sizeHint()
    words = QRect(3, 3, hint.width() - 8, hint.height() - 6)
    button.resize(hint)
    narrow = button.grab(words).toImage()
    button.resize(hint.width() + 40, hint.height())
    assert button.grab(words).toImage() == narrow


# -- messages and questions ---------------------------------------------------------------------


def test_a_status_chip_takes_the_icon_and_colours_of_its_tone(qtbot: QtBot) -> None:
    chip = Chip("Satisfies", "ok")
    _shown(qtbot, chip)
    assert chip.height() == 20
    assert chip.grab().toImage().pixelColor(4, 10).name().upper() == LIGHT.ok_soft
    chip.show_status("Fails t", "danger")
    QApplication.processEvents()
    assert chip.grab().toImage().pixelColor(4, 10).name().upper() == LIGHT.danger_soft
    assert (chip.text(), chip.tone, chip.accessibleName()) == ("Fails t", "danger", "Fails t")


def test_the_link_of_a_chip_can_be_clicked(qtbot: QtBot) -> None:
    chip = Chip("Settings changed", "warn", link_text="Review")
    _shown(qtbot, chip)
    with qtbot.waitSignal(chip.link_clicked):
        qtbot.mouseClick(chip.findChild(QPushButton), Qt.MouseButton.LeftButton)


def test_a_fix_button_names_its_effect_and_sends_its_finding(qtbot: QtBot) -> None:
    finding = Finding("labels", Severity.LOOK_AT, "age: labels start late", "age 20 is in 15-19", "relabel")
    item = PreflightItem(finding)
    _shown(qtbot, item)
    assert item.fix_button.text() == "Fix: relabel"
    with qtbot.waitSignal(item.fix_requested) as asked:
        qtbot.mouseClick(item.fix_button, Qt.MouseButton.LeftButton)
    assert asked.args == ["labels"]


def test_a_finding_without_a_fix_has_no_button(qtbot: QtBot) -> None:
    item = PreflightItem(Finding("ok", Severity.READY, "Lattice"))
    qtbot.addWidget(item)
    assert item.fix_button is None


def test_an_error_shows_problem_hint_and_action(qtbot: QtBot) -> None:
    banner = ErrorBanner()
    qtbot.addWidget(banner)
    assert banner.isHidden()
    banner.show_error("The file is empty.", "Choose another.", "Choose file")
    assert (banner.problem(), banner.hint.text()) == ("The file is empty.", "Choose another.")
    action, close = banner.findChildren(QPushButton)
    with qtbot.waitSignal(banner.action_requested):
        qtbot.mouseClick(action, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(close, Qt.MouseButton.LeftButton)
    assert banner.isHidden()


def test_an_error_without_action_has_no_button(qtbot: QtBot) -> None:
    banner = ErrorBanner()
    _shown(qtbot, banner)
    banner.show_error("The file is empty.")
    assert [button.isVisible() for button in banner.findChildren(QPushButton)] == [False, True]


def test_an_empty_state_has_one_action(qtbot: QtBot) -> None:
    empty = EmptyState("Nodes are listed here.", "Lower k")
    _shown(qtbot, empty)
    with qtbot.waitSignal(empty.action_requested):
        qtbot.mouseClick(empty.button, Qt.MouseButton.LeftButton)


def test_a_job_is_visible_while_it_runs_and_cancelled_once(qtbot: QtBot) -> None:
    strip = JobStrip()
    qtbot.addWidget(strip)
    assert strip.isHidden()
    strip.start("Scoring nodes")
    strip.show_progress(0.4)
    assert (strip.isHidden(), strip.bar.share(), strip.text.text()) == (False, 0.4, "Scoring nodes")
    cancel = strip.findChild(QPushButton)
    with qtbot.waitSignal(strip.cancel_requested):
        qtbot.mouseClick(cancel, Qt.MouseButton.LeftButton)
    assert not cancel.isEnabled()
    strip.finish()
    assert strip.isHidden()


def test_an_icon_button_has_its_shortcut_in_the_tooltip(qtbot: QtBot) -> None:
    button = make_icon_button("zoom-in", "Zoom in", shortcut="Ctrl+I")
    qtbot.addWidget(button)
    assert button.accessibleName() == "Zoom in"
    assert button.toolTip() == "Zoom in (Ctrl+I)"


def test_a_card_keeps_the_heights_of_its_header_and_follows_the_font_scale(
    qtbot: QtBot, qapp: QApplication
) -> None:
    card = Card("Lattice", "all nodes")
    card.set_footer(make_label("done"))
    _shown(qtbot, card)
    header = next(part for part in card.findChildren(QWidget) if part.property("part") == "header")
    assert header.height() == 34
    theme_manager().apply(qapp, LIGHT, 1.5)
    assert header.height() == 51


# -- marks -------------------------------------------------------------------------------------


def _drawn(mark: Mark, theme: Theme, side: int = 28, color: QColor | None = None) -> QImage:
    image = QImage(side, side, QImage.Format.Format_RGB32)
    image.fill(theme.color("surface"))
    painter = QPainter(image)
    draw_mark(painter, QRectF(4, 4, side - 8, side - 8), theme, mark, color)
    painter.end()
    return image


def _ink(image: QImage, theme: Theme) -> list[bool]:
    """Return which pixels have contrast to the surface, even faint tints."""
    ground = theme.color("surface").lightness()
    places = [(x, y) for x in range(image.width()) for y in range(image.height())]
    return [abs(image.pixelColor(x, y).lightness() - ground) > 40 for x, y in places]


def _inked(image: QImage, theme: Theme) -> int:
    return sum(_ink(image, theme))


@themes
def test_six_statuses_have_six_shapes_without_colour(theme: Theme) -> None:
    shapes = {tuple(_ink(_drawn(mark, theme), theme)) for mark in Mark}
    assert len(shapes) == len(Mark)


@themes
def test_a_satisfying_mark_is_filled_with_its_ramp_colour_and_a_failing_one_is_hollow(
    theme: Theme,
) -> None:
    color = QColor(theme.ramp[6])
    assert _drawn(Mark.SATISFIES, theme, color=color).pixelColor(14, 14) == color
    assert _drawn(Mark.FAILS, theme).pixelColor(14, 14) == theme.color("surface")
    assert _inked(_drawn(Mark.SATISFIES, theme), theme) > _inked(_drawn(Mark.FAILS, theme), theme)


@pytest.mark.parametrize("ratio", [1.0, 1.25, 1.5, 2.0, 3.0])
def test_a_satisfying_dot_is_larger_than_a_failing_one_at_every_pixel_ratio(ratio: float) -> None:
    assert (
        dot_pixels(Mark.SATISFIES, ratio)
        > dot_pixels(Mark.FAILS, ratio)
        >= dot_pixels(Mark.NOT_SCORED, ratio)
    )


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_mark_is_in_the_colours_of_its_theme(theme: Theme) -> None:
    picture = _drawn(Mark.SATISFIES, theme, 14)
    assert picture.pixelColor(7, 7).name().upper() == theme.ramp[3]


def test_zero_draws_no_bar_and_a_small_value_one_pixel() -> None:
    def bar_pixels(share: float) -> int:
        image = QImage(100, 12, QImage.Format.Format_RGB32)
        image.fill(LIGHT.color("surface"))
        painter = QPainter(image)
        draw_meter(painter, QRectF(0, 0, 100, 12), LIGHT, share, color=LIGHT.danger)
        painter.end()
        return sum(image.pixelColor(x, 6).name().upper() == LIGHT.danger for x in range(100))

    assert bar_pixels(0.0) == 0
    assert bar_pixels(0.001) == 1
    assert bar_pixels(0.5) == pytest.approx(50, abs=2)


@pytest.mark.parametrize("role", ROLES)
def test_a_badge_shows_its_role_by_fill_and_glyph(qtbot: QtBot, role: str) -> None:
    image = role_badge_pixmap(role, 40).toImage()
    tone = current_theme().role(role)
    colors = {image.pixelColor(x, y).name().upper() for x in range(40) for y in range(40)}
    assert {tone.fill, tone.glyph} <= colors
    badge = RoleBadge(role)
    qtbot.addWidget(badge)
    assert badge.accessibleName() == role


def test_rows_of_a_table_follow_the_font_scale_up_and_down(qtbot: QtBot, qapp: QApplication) -> None:
    table = TableView("rows", "Rows")
    table.texts.show([Heading("Name")], [[Cell("age")]] * 3)
    _shown(qtbot, table)
    heights = []
    for scale in (1.0, 1.5, 1.0):
        theme_manager().apply(qapp, LIGHT, scale)
        heights.append(table.rowHeight(1))
    assert heights == [24, 36, 24]


def test_a_combo_box_without_room_elides_its_text(qtbot: QtBot) -> None:
    box = ElidedComboBox()
    box.addItem("Generalized information loss")
    _shown(qtbot, box)
    box.setFixedWidth(320)
    assert box.shown_text() == "Generalized information loss"
    whole = box.grab().toImage()
    box.setFixedWidth(120)
    assert box.shown_text().endswith("…")
    assert box.fontMetrics().horizontalAdvance(box.shown_text()) < 120
    assert box.grab().toImage() != whole.copy(0, 0, 120, whole.height())


def test_the_shortcut_of_a_button_does_not_move_the_focus(qtbot: QtBot, themed: QApplication) -> None:
    place = QWidget()
    qtbot.addWidget(place)
    column = QVBoxLayout(place)
    field, pressed = QLineEdit(), []
    button = make_icon_button("pin", "Pin this node", shortcut="Ctrl+D")
    button.clicked.connect(lambda: pressed.append(True))
    column.addWidget(field)
    column.addWidget(button)
    with qtbot.waitActive(place):
        place.show()
        place.activateWindow()
    field.setFocus()
    qtbot.keyClick(field, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    assert pressed == [True]
    assert field.hasFocus()
    button.setEnabled(False)
    qtbot.keyClick(field, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    assert pressed == [True]
