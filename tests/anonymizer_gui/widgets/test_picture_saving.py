"""A view is saved as a picture, completely or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QImage
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.theming import LIGHT
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.picture_saving import PictureButton, write_picture
from engine.errors import ExportError

A_LOOK, LOOKS = 30, 8  # milliseconds between checks, checks before acting


@pytest.fixture
def view(qtbot: QtBot, themed: QApplication) -> QWidget:
    view = make_label("k = 5")
    view.setAccessibleName("Lattice of all nodes")
    view.resize(120, 40)
    qtbot.addWidget(view)
    view.show()
    return view


def answer(qtbot: QtBot, text: str) -> None:
    """Type into the file dialog that is about to open, and close it in any case."""

    looks = [0]

    def act() -> None:
        dialog = QApplication.activeModalWidget()
        is_there = isinstance(dialog, QFileDialog) and dialog.isVisible()
        looks[0] += is_there
        if looks[0] < LOOKS:  # a new dialog is still reading its folder
            QTimer.singleShot(A_LOOK, act)
            return
        QTimer.singleShot(2000, dialog, dialog.reject)
        field = dialog.findChild(QLineEdit, "fileNameEdit")
        assert field is not None
        field.selectAll()
        qtbot.keyClicks(field, text)
        QTimer.singleShot(A_LOOK, field, lambda: confirm(field))

    def confirm(field: QLineEdit) -> None:
        if (offers := QApplication.activePopupWidget()) is not None:
            qtbot.keyClick(offers, Qt.Key.Key_Escape)
        qtbot.keyClick(field, Qt.Key.Key_Return)

    QTimer.singleShot(0, act)


def test_a_png_has_twice_the_pixels_of_the_view_and_its_content(view: QWidget, tmp_path: Path) -> None:
    write_picture(view, tmp_path / "a.png")
    image = QImage(str(tmp_path / "a.png"))
    assert (image.width(), image.height()) == (240, 80)
    assert image.pixelColor(239, 79) == LIGHT.color("surface")
    assert any(image.pixelColor(x, 40).lightness() < 100 for x in range(100))


def test_an_svg_has_the_size_name_and_text_of_the_view(view: QWidget, tmp_path: Path) -> None:
    write_picture(view, tmp_path / "a.SVG")
    text = (tmp_path / "a.SVG").read_text(encoding="utf-8")
    assert QSvgRenderer(text.encode()).viewBox().size().toTuple() == (120, 40)
    assert "<title>Lattice of all nodes</title>" in text
    assert "k = 5" in text


@pytest.mark.parametrize("name", ["a.bmp", "missing/a.png"])
def test_a_failure_is_reported_and_leaves_no_file(view: QWidget, tmp_path: Path, name: str) -> None:
    with pytest.raises(ExportError) as caught:
        write_picture(view, tmp_path / name)
    assert caught.value.hint
    assert not list(tmp_path.iterdir())


def test_the_button_asks_for_a_file_and_writes_it(qtbot: QtBot, view: QWidget, tmp_path: Path) -> None:
    button = PictureButton(view, "lattice", view)
    button.show()
    answer(qtbot, str(tmp_path / "mine"))
    with qtbot.waitSignal(button.saved) as saved:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert saved.args == [tmp_path / "mine.png"]
    assert (tmp_path / "mine.png").stat().st_size > 100


def test_the_button_passes_an_error_on(qtbot: QtBot, view: QWidget, tmp_path: Path) -> None:
    button = PictureButton(view, "lattice", view)
    button.show()
    answer(qtbot, str(tmp_path / "mine.bmp"))
    with qtbot.waitSignal(button.error_raised) as raised:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert "mine.bmp" in raised.args[0].problem
