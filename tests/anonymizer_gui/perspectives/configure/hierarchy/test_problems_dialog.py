"""An invalid hierarchy file shows all its errors, which can be copied; the draft is unchanged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.hierarchy.library_dialog import ProblemsDialog
from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter
from anonymizer_gui.theming import THEMES, theme_manager
from anonymizer_gui.widgets import file_dialogs
from tests.anonymizer_gui.look_checks import clipped_texts, focus_problems, overlapping_siblings
from tests.anonymizer_gui.perspectives.configure.conftest import Settle

LEFT = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier
BAD = "20;young;*\n21;young;o\n25;young\n30;;*\n20;old;*\n34;old;*\n"


@pytest.fixture
def shown(
    qtbot: QtBot,
    configure: ConfigurePresenter,
    settle: Settle,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[ProblemsDialog]:
    """Return the dialog of errors of a file imported by the button."""
    path = tmp_path / "bad.csv"
    path.write_text(BAD, encoding="utf-8")
    configure.view.table.table.select_columns(("age",))
    qtbot.mouseClick(configure.view.column.edit_button, LEFT)
    settle()
    monkeypatch.setattr(file_dialogs, "ask_open", lambda *_args: path)
    qtbot.mouseClick(configure.view.editor.import_button, LEFT)
    settle()
    yield next(d for d in configure.view.findChildren(ProblemsDialog) if d.isVisible())
    for left in configure.view.findChildren(ProblemsDialog):
        left.done(0)


def cells(dialog: ProblemsDialog) -> list[tuple[str, ...]]:
    return [tuple(row[:4]) for row in dialog.table.texts.texts()]


def test_every_problem_has_its_line_its_level_and_its_value(
    shown: ProblemsDialog, configure: ConfigurePresenter
) -> None:
    assert cells(shown) == [
        ("2", "2", "o", "'young' becomes 'o', but '*' in line 1."),
        ("3", "–", "25", "2 fields, but line 1 has 3."),
        ("4", "1", "(empty)", "'30' has no label."),
        ("5", "1", "old", "'20' is 'old' on level 1, but 'young' in line 1."),
    ]
    assert shown.windowTitle() == "Problems in bad.csv"
    hierarchy = configure.hierarchies.drafts.draft.hierarchy
    assert hierarchy.label("20", 1) == "20-29"
    assert configure.hierarchies.drafts.undo_stack.count() == 0


def test_all_problems_are_copied_or_the_selected_ones(qtbot: QtBot, shown: ProblemsDialog) -> None:
    qtbot.mouseClick(shown.copy_button, LEFT)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0] == "Line\tLevel\tValue\tProblem\tSolution"
    assert len(lines) == 5
    assert lines[2].startswith("3\t\t25\t2 fields, but line 1 has 3.\t")
    view = shown.table
    qtbot.mouseClick(view.viewport(), LEFT, pos=view.visualRect(shown.table.texts.index(3, 2)).center())
    qtbot.keyClick(view, Qt.Key.Key_C, CONTROL)
    assert [line.split("\t")[:3] for line in QGuiApplication.clipboard().text().splitlines()[1:]] == [
        ["5", "1", "old"]
    ]


def test_enter_closes_and_the_first_problem_stays_visible(
    qtbot: QtBot, shown: ProblemsDialog, configure: ConfigurePresenter
) -> None:
    qtbot.keyClick(shown, Qt.Key.Key_Return)
    assert not shown.isVisible()
    banner = configure.view.editor.banner
    assert banner.isVisible()
    assert banner.problem().startswith("bad.csv, line 2")
    assert "3 more problems" in banner.hint.text()


@pytest.mark.parametrize(("theme", "scale"), [("light", 1.0), ("dark", 1.5)])
def test_every_text_of_the_problems_fits_and_every_control_is_reached(
    qtbot: QtBot, themed: QApplication, shown: ProblemsDialog, theme: str, scale: float
) -> None:
    theme_manager().apply(themed, THEMES[theme], scale)
    shown.activateWindow()
    qtbot.waitUntil(shown.isActiveWindow)
    QApplication.processEvents()
    assert clipped_texts(shown) == []
    assert overlapping_siblings(shown) == []
    assert focus_problems(shown) == []
