"""One walk over every screen in large text: what fits, what screen readers get, help, and numbers.

A walk takes long, so that all checks of screens in English share it. The other walk, in a longer language,
has texts of the usual size.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.help.presenter import ANYTHING, topic_of
from anonymizer_gui.theming import CONTRAST_DARK, theme_manager
from tests.anonymizer_gui.accessible_tree import Node, Role, dump, tree
from tests.anonymizer_gui.look_checks import (
    clipped_texts,
    focus_problems,
    horizontal_scrollbars_outside_tables,
    overlapping_siblings,
)
from tests.anonymizer_gui.percent_columns import uneven_columns
from tests.measured_screens import texts_of, vectors
from tests.screens import screens
from tests.window_driver import driven_window

SIZE, LARGE = (1440, 900), 1.5
DUMP = "accessible-tree.txt"
ANY_NUMBER = 2  # of columns, with which only brackets mark a level vector
# Painted controls, and the roles that tell what they do.
PAINTED = {
    "Knob": Role.Slider,
    "LimitSlider": Role.Slider,
    "RiskChart": Role.Slider,
    "LevelBoxes": Role.Slider,
    "SegmentedControl": Role.PageTabList,
    "LatticeView": Role.Canvas,
    "WalkLattice": Role.Canvas,
    "MapView": Role.Canvas,
    "IcicleView": Role.Canvas,
}


def test_every_control_tells_what_it_is_and_every_screen_keeps_the_rules_of_texts(
    qtbot: QtBot, themed: QApplication, tmp_path: Path, examples: Path
) -> None:
    """The tree of every screen is also written to `accessible-tree.txt` in the folder of the test."""
    folder = tmp_path / "examples"
    shutil.copytree(examples, folder)
    faults: dict[str, str] = {}
    roles: dict[str, set[Role]] = {}
    n_texts = 0
    with driven_window(qtbot, themed, SIZE) as driver, (tmp_path / DUMP).open("w") as written:
        theme_manager().apply(themed, CONTRAST_DARK, LARGE)
        for screen, shown in screens(driver, folder):
            nodes = tree(shown)
            written.write(f"{screen}\n{dump(nodes)}\n\n")
            for node in nodes:
                roles.setdefault(node.widget.partition(" ")[0], set()).add(node.role)
            for fault in faults_of(shown, nodes):
                faults.setdefault(fault, screen)
            if isinstance(shown, QDialog):
                shown.activateWindow()
                qtbot.waitUntil(shown.isActiveWindow)
                for fault in focus_problems(shown):
                    faults.setdefault(fault, screen)
            n_texts += sum(1 for _text in texts_of(shown))
    found = [f"{screen}: {fault}" for fault, screen in faults.items()]
    assert found == [], "\n".join(found)
    assert {kind: roles.get(kind) for kind in PAINTED} == {kind: {role} for kind, role in PAINTED.items()}
    assert n_texts > 3000


def faults_of(shown: QWidget, nodes: list[Node]) -> Iterator[str]:
    """Yield what is wrong on a screen, each with its place."""
    yield from clipped_texts(shown)
    yield from overlapping_siblings(shown)
    yield from horizontal_scrollbars_outside_tables(shown)
    if shown.width() > SIZE[0] or shown.height() > SIZE[1]:
        yield f"it is {shown.width()} x {shown.height()}"
    for node in nodes:
        for fault in node.faults():
            yield f"{str(node).strip()}: {fault}"
    for text in vectors(shown, ANY_NUMBER):
        yield f"'{text}' names a node by the digits of its levels"
    for column in uneven_columns(shown):
        yield f"{column} have several numbers of decimals"
    for widget in shown.window().findChildren(QWidget):
        is_focusable = widget.isVisible() and widget.focusPolicy() != Qt.FocusPolicy.NoFocus
        if is_focusable and topic_of(widget) == f"{ANYTHING}.md":
            yield f"{widget.objectName() or type(widget).__name__} has no page of help"
