"""Fonts, icons, style and theme switch."""

from __future__ import annotations

import pytest
from fontTools.ttLib import TTFont
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontInfo, QFontMetricsF, QIcon, QImage
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDoubleSpinBox,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QStyle,
    QStyleOptionComboBox,
    QWidget,
)
from pytestqt.qtbot import QtBot

from anonymizer_gui.theming import (
    CONTRAST_DARK,
    CONTRAST_LIGHT,
    DARK,
    LIGHT,
    ROLE_ICONS,
    THEMES,
    Text,
    Theme,
    font,
    icon,
    scaled,
    set_icon,
    theme_manager,
)
from anonymizer_gui.theming.manager import FONT_FILES, build_style_sheet
from engine.shipped import resources_path
from tests.anonymizer_gui.widgets.sheet import WidgetSheet

SIGNS = "\u202f\u2212≥≤×·→↑↓…–—✓"


def _picture(widget: QWidget) -> QImage:
    QApplication.processEvents()
    return widget.grab().toImage()


@pytest.mark.parametrize("name", FONT_FILES)
def test_a_font_file_has_embeddable_outlines_and_every_character_of_the_window(name: str) -> None:
    with TTFont(resources_path() / "fonts" / name) as file:
        assert "glyf" in file
        assert [sign for sign in SIGNS if ord(sign) not in file.getBestCmap()] == []
        assert "tnum" in {record.FeatureTag for record in file["GSUB"].table.FeatureList.FeatureRecord}


def test_the_licences_are_next_to_fonts_and_icons() -> None:
    assert "SIL OPEN FONT LICENSE" in (resources_path() / "fonts" / "OFL.txt").read_text(encoding="utf-8")
    assert "ISC License" in (resources_path() / "icons" / "LICENSE").read_text(encoding="utf-8")


@pytest.mark.usefixtures("themed")
def test_the_window_is_set_in_the_bundled_font_at_its_three_weights() -> None:
    for use, weight in ((Text.CONTROL, 400), (Text.BUTTON, 500), (Text.TITLE, 600)):
        info = QFontInfo(font(use))
        assert info.family().startswith("Inter")
        assert info.weight() == weight


@pytest.mark.usefixtures("themed")
def test_digits_have_one_width_and_letters_their_own() -> None:
    metrics = QFontMetricsF(font(Text.CELL))
    assert metrics.horizontalAdvance("1111") == metrics.horizontalAdvance("0000")
    assert metrics.horizontalAdvance("-") < metrics.horizontalAdvance("0")


def test_no_text_is_smaller_than_ten_pixels(themed: QApplication) -> None:
    theme_manager().apply(themed, LIGHT, 0.9)
    assert min(font(use).pixelSize() for use in Text) == 10


def test_heights_grow_with_the_font_scale_and_do_not_shrink_below_it(themed: QApplication) -> None:
    theme_manager().apply(themed, LIGHT, 1.5)
    assert (font(Text.TITLE).pixelSize(), scaled(24)) == (20, 36)
    theme_manager().apply(themed, LIGHT, 0.9)
    assert scaled(24) == 24


def test_a_style_sheet_has_no_placeholder_left(themed: QApplication, tmp_path) -> None:
    for theme in THEMES.values():
        sheet = build_style_sheet(theme, str(tmp_path))
        assert "@" not in sheet
        assert "~" not in sheet


@pytest.mark.parametrize(
    ("kind", "height"),
    [(QPushButton, 28), (QLineEdit, 26), (QComboBox, 26), (QSpinBox, 26), (QDoubleSpinBox, 26)],
)
def test_controls_have_the_heights_of_the_design(
    qtbot: QtBot, themed: QApplication, kind, height: int
) -> None:
    control = kind()
    qtbot.addWidget(control)
    control.show()
    assert control.sizeHint().height() == height
    compact = kind()
    qtbot.addWidget(compact)
    compact.setProperty("compact", "true")
    compact.show()
    assert compact.sizeHint().height() == 24


def test_the_text_of_a_spin_box_without_buttons_is_not_cut(qtbot: QtBot, themed: QApplication) -> None:
    box = QSpinBox()
    qtbot.addWidget(box)
    box.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
    box.setRange(0, 100_000)
    box.setValue(100_000)
    box.resize(box.sizeHint())
    box.show()
    edit = box.lineEdit()
    assert edit.width() >= edit.fontMetrics().horizontalAdvance("100000")
    assert edit.x() >= 6


@pytest.mark.parametrize("name", sorted(path.stem for path in (resources_path() / "icons").glob("*.svg")))
def test_every_icon_draws_in_the_colour_of_its_token(themed: QApplication, name: str) -> None:
    image = icon(name, 48, "danger").pixmap(48, 48).toImage()
    colors = [image.pixelColor(x, y) for x in range(48) for y in range(48)]
    inked = [color for color in colors if color.alpha() == 255]
    assert inked
    wanted = LIGHT.color("danger").getRgb()
    # Drawing on a transparent background may round a channel by one.
    assert max(abs(a - b) for color in inked for a, b in zip(color.getRgb(), wanted, strict=True)) <= 1


def test_every_role_has_an_icon_file() -> None:
    for name in ROLE_ICONS.values():
        assert (resources_path() / "icons" / f"{name}.svg").exists()


def test_a_button_keeps_its_icon_in_the_colours_of_the_theme(qtbot: QtBot, themed: QApplication) -> None:
    button = QPushButton()
    qtbot.addWidget(button)
    set_icon(button, "square", 48, "accent")

    def drawn() -> set[str]:
        image = button.icon().pixmap(48, 48, QIcon.Mode.Normal).toImage()
        colors = [image.pixelColor(x, y) for x in range(48) for y in range(48)]
        return {color.name().upper() for color in colors if color.alpha() == 255}

    assert drawn() == {LIGHT.accent}
    theme_manager().apply(themed, DARK)
    assert drawn() == {DARK.accent}


@pytest.mark.parametrize("other", [DARK, CONTRAST_LIGHT, CONTRAST_DARK], ids=lambda theme: theme.name)
def test_switching_the_theme_twice_restores_the_picture(
    qtbot: QtBot, themed: QApplication, other: Theme
) -> None:
    sheet = WidgetSheet()
    qtbot.addWidget(sheet)
    sheet.resize(1300, 800)
    sheet.show()
    sheet.activateWindow()
    qtbot.waitUntil(sheet.isActiveWindow)
    sheet.knobs[1].setFocus()
    before = _picture(sheet)
    theme_manager().apply(themed, other)
    changed = _picture(sheet)
    theme_manager().apply(themed, LIGHT)
    assert changed != before
    assert _picture(sheet) == before


def test_the_focus_ring_is_two_pixels_outside_the_control(qtbot: QtBot, themed: QApplication) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(200, 80)
    button = QPushButton("Apply", window)
    button.setGeometry(40, 20, 100, 28)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    button.clearFocus()
    ground = _picture(window).pixelColor(90, 17)
    button.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(lambda: _picture(window).pixelColor(90, 17) != ground)
    shown = _picture(window)
    assert [shown.pixelColor(90, y).name().upper() for y in (16, 17)] == [LIGHT.accent] * 2
    assert shown.pixelColor(90, 18).name().upper() == LIGHT.window
    theme_manager().apply(themed, DARK)
    assert _picture(window).pixelColor(90, 17).name().upper() == DARK.accent
    theme_manager().apply(themed, CONTRAST_DARK)
    shown = _picture(window)
    assert [shown.pixelColor(90, y).name().upper() for y in (15, 16, 17)] == [CONTRAST_DARK.accent] * 3


def test_the_ring_outlives_the_dialog_it_was_shown_in(qtbot: QtBot, themed: QApplication) -> None:
    for _ in range(2):
        window = QWidget()
        edit = QLineEdit(window)
        window.show()
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        edit.setFocus()
        QApplication.processEvents()
        window.close()
        window.deleteLater()
        QApplication.processEvents()


def test_a_spin_box_is_red_only_while_its_number_is_rejected(qtbot: QtBot, themed: QApplication) -> None:
    box = QSpinBox()
    qtbot.addWidget(box)
    box.show()
    calm = _picture(box)
    box.setProperty("invalid", "true")
    box.update()
    assert _picture(box) != calm
    box.setProperty("invalid", "false")
    box.update()
    assert _picture(box) == calm


def test_a_combo_box_has_room_for_its_text_next_to_the_arrow(qtbot: QtBot, themed: QApplication) -> None:
    box = QComboBox()
    qtbot.addWidget(box)
    box.addItem("A long entry")
    box.resize(box.sizeHint())
    option = QStyleOptionComboBox()
    box.initStyleOption(option)
    kind, part = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl
    words = box.style().subControlRect(kind, option, part.SC_ComboBoxEditField, box)
    arrow = box.style().subControlRect(kind, option, part.SC_ComboBoxArrow, box)
    assert words.width() >= box.fontMetrics().horizontalAdvance("A long entry")
    assert arrow.left() - words.right() <= 8  # no room is wasted
