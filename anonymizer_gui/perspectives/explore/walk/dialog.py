"""Choosing and setting the algorithm of a walk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QDialog, QWidget

from anonymizer_gui.perspectives.explore.algorithms.member_choice import MemberChoice, MemberWords
from anonymizer_gui.theming import scaled
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.elided_check_box import ElidedCheckBox
from anonymizer_gui.widgets.layouts import named, vbox
from engine.params import Configurable

_SIZE, _AROUND = (940, 520), 24


class WalkDialog(QDialog):
    """Asks; the presenter lets the algorithm run."""

    walk_requested = Signal(object, bool)  # SearchAlgorithm, whether it counts all classes anew

    def __init__(
        self,
        kinds: Mapping[str, type[Configurable]],
        words: Mapping[str, MemberWords],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setModal(True)
        self.setObjectName("walkDialog")
        self.setWindowTitle(self.tr("Algorithm to walk through"))
        self.choice = MemberChoice(
            kinds, words, title=self.tr("Algorithm"), last_heading=self.tr("What it finds")
        )
        self.anew = named(
            ElidedCheckBox(
                self.tr("Count the classes of every node anew, to know scans and roll-ups (takes longer)")
            ),
            "walkAnew",
        )
        self._walk = named(make_button(self.tr("Walk"), kind="primary", icon_name="play"), "walkStartButton")
        self._walk.setDefault(True)
        cancel = named(make_button(self.tr("Cancel")), "walkCancelButton")
        vbox((self.choice, 1), self.anew, button_row(cancel, self._walk), spacing=12, margins=16, of=self)
        self._walk.clicked.connect(self._on_walk_clicked)
        cancel.clicked.connect(self.reject)
        size = QSize(scaled(_SIZE[0]), scaled(_SIZE[1]))
        if parent is not None:
            size = size.boundedTo(parent.window().size() - QSize(2 * _AROUND, 2 * _AROUND))
        self.resize(size)

    def show_settings(self, key: str, values: Mapping[str, Any], *, counts_anew: bool) -> None:
        """Begin with an algorithm as it is set now."""
        self.choice.choose(key, values)
        self.anew.setChecked(counts_anew)
        self.choice.list.setFocus()

    def _on_walk_clicked(self) -> None:
        if (algorithm := self.choice.member()) is not None:
            self.accept()
            self.walk_requested.emit(algorithm, self.anew.isChecked())
