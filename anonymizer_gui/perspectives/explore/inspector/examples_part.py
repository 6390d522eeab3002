"""Inspector part with up to ten records before and after, and the choice of records."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.explore.inspector.examples import (
    FIRST,
    OF_CLASS,
    RANDOM,
    SPREAD,
    SUPPRESSED,
    Examples,
)
from anonymizer_gui.perspectives.explore.inspector.parts import ExampleTable
from anonymizer_gui.perspectives.explore.inspector.section import TitleMenu
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_icon_button
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import named, vbox
from engine.words import ngettext


class ExamplesPart(QWidget):
    """Records as a small table; `choice` and `again` are placed next to the title of the section."""

    kind_chosen = Signal(str)
    again_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        titles = (
            (SPREAD, self.tr("Spread over the table")),
            (FIRST, self.tr("First ten")),
            (RANDOM, self.tr("At random")),
            (SUPPRESSED, self.tr("Suppressed")),
            (OF_CLASS, self.tr("From the class above")),
        )
        self._titles = dict(titles)
        self.choice = named(TitleMenu(self.tr("Shown records")), "exampleMenu")
        self._kinds = QActionGroup(self)
        self._actions: dict[str, QAction] = {}
        for key, title in titles:
            action = QAction(title, self._kinds, checkable=True)
            action.setData(key)
            action.triggered.connect(lambda _=False, k=key: self.kind_chosen.emit(k))
            self.choice.menu.addAction(action)
            self._actions[key] = action
        self.again = named(make_icon_button("refresh-cw", self.tr("Other random records")), "otherExamples")
        self.again.clicked.connect(self.again_requested)
        self.table = ExampleTable()
        self.note = make_label("", Text.CAPTION, "text_3", wraps=True)
        vbox(self.table, self.note, spacing=4, margins=0, of=self)
        self.show_choice(SPREAD, 1)

    def show_choice(self, kind: str, seed: int) -> None:
        """Show which records are listed."""
        self._actions[kind].setChecked(True)
        title = self._titles[kind]
        self.choice.set_choice(
            self.tr("{title}, seed {seed}").format(title=title, seed=seed) if kind == RANDOM else title
        )
        self.again.setEnabled(kind == RANDOM)

    def show_examples(self, examples: Examples | None) -> None:
        """Show other records; None while they are being computed."""
        if examples is None:
            self.note.setText(self.tr("updating"))
            self.note.show()
            return
        self.table.show_examples(examples)
        note = ""
        if not examples.records:
            note = self.tr("No record is suppressed here.")
        elif n := examples.n_other_columns:
            note = ngettext("{n} more column changes", "{n} more columns change", n).format(n=n)
        if any(example.n_alike for example in examples.records):
            alike = self.tr("Numbers of records that are equal in the scored columns")
            note = f"{alike} · {note}" if note else alike
        self.note.setText(note)
        self.note.setVisible(bool(note))
