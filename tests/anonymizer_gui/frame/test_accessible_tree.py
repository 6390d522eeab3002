"""Every control that takes the focus has a name, a role and, where it has one, a value for screen readers."""

from __future__ import annotations

import shutil
from pathlib import Path

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.anonymizer_gui.accessible_tree import Role, dump, tree
from tests.screens import screens
from tests.window_driver import driven_window

DUMP = "accessible-tree.txt"
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
    "HeatView": Role.Canvas,
    "CurveView": Role.Canvas,
    "IcicleView": Role.Canvas,
}


def test_every_control_of_every_screen_tells_what_it_is(
    qtbot: QtBot, themed: QApplication, tmp_path: Path, examples: Path
) -> None:
    """The tree of every screen is also written to `accessible-tree.txt` in the folder of the test."""
    folder = tmp_path / "examples"
    shutil.copytree(examples, folder)
    faults: dict[str, str] = {}
    roles: dict[str, set[Role]] = {}
    with driven_window(qtbot, themed, (1440, 900)) as driver, (tmp_path / DUMP).open("w") as written:
        for screen, shown in screens(driver, folder):
            nodes = tree(shown)
            written.write(f"{screen}\n{dump(nodes)}\n\n")
            for node in nodes:
                roles.setdefault(node.widget.partition(" ")[0], set()).add(node.role)
                for fault in node.faults():
                    faults.setdefault(f"{str(node).strip()}: {fault}", screen)
    assert [f"{screen}: {fault}" for fault, screen in faults.items()] == []
    assert {kind: roles.get(kind) for kind in PAINTED} == {kind: {role} for kind, role in PAINTED.items()}
