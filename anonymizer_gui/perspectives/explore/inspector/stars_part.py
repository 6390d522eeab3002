"""The part of the inspector that explains suppression: columns, rare values, and what would help."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from anonymizer_gui.perspectives.explore.inspector.stars_values import CauseRow, RemedyRow, ValueRow
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.icon_label import IconLabel
from anonymizer_gui.widgets.labels import ElidedLabel, make_label, set_tone
from anonymizer_gui.widgets.layouts import named, vbox
from anonymizer_gui.widgets.meter import Meter

_Right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
FIRST_VALUES, FIRST_REMEDIES = 5, 6  # shown before a person asks for all


class StarsPart(QWidget):
    """Shows what was found; asks for a remedy by its place in the list."""

    remedy_requested = Signal(int)
    controls_added = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sentence = named(make_label("", Text.CELL, wraps=True), "starsSentence")
        self.causes = CauseLines()
        self.values = ValueLines()
        self.remedies = RemedyLines()
        self.remedies.requested.connect(self.remedy_requested)
        self.remedies.controls_added.connect(self.controls_added)
        vbox(self.sentence, self.causes, self.values, self.remedies, spacing=8, margins=0, of=self)
        self.show_sentence("")

    def show_sentence(self, text: str) -> None:
        """Say something, and nothing else."""
        self.show_found(text, (), (), ())

    def show_found(
        self,
        sentence: str,
        causes: Sequence[CauseRow],
        values: Sequence[ValueRow],
        remedies: Sequence[RemedyRow],
    ) -> None:
        """Show where stars come from, and what would help; parts that are empty take no room."""
        self.sentence.setText(sentence)
        self.causes.show_rows(causes)
        self.values.show_rows(values)
        self.remedies.show_rows(remedies)

    def controls(self) -> list[QWidget]:
        """What takes the focus, from top to bottom."""
        return [self.values.more, *self.remedies.buttons(), self.remedies.more]


class _Lines(QWidget):
    """A titled grid of lines that are made when first needed; it hides where it has none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.grid = QGridLayout(self)
        self.grid.setContentsMargins(0, 0, 0, 0)
        self.grid.setHorizontalSpacing(8)
        self.grid.setVerticalSpacing(4)

    def add_head(self, title: str, captions: Sequence[str]) -> None:
        """Title over the first two columns, captions over the numbers at the right."""
        self.grid.addWidget(ElidedLabel(title, Text.SECTION, "text_2"), 0, 0, 1, 2)
        for column, caption in enumerate(captions, start=2):
            label = ElidedLabel(caption, Text.CAPTION, "text_3")
            label.setAlignment(_Right)
            self.grid.addWidget(label, 0, column)


class CauseLines(_Lines):
    """One line per column: how many suppressed records would be kept without it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.add_head(
            self.tr("Kept if one column tells less"), (self.tr("| one level up"), self.tr("hidden"))
        )
        self.grid.setColumnStretch(1, 1)
        self._lines: list[tuple[ElidedLabel, Meter, QLabel, QLabel]] = []

    def show_rows(self, rows: Sequence[CauseRow]) -> None:
        """Show the columns of another node."""
        self.setVisible(bool(rows))
        while len(self._lines) < len(rows):
            line = (
                ElidedLabel("", Text.CELL, "text_2"),
                Meter("", 24),
                make_label("", Text.CELL, "text_2"),
                make_label("", Text.CELL_STRONG),
            )
            for number in line[2:]:
                number.setAlignment(_Right)
            for column, widget in enumerate(line):
                self.grid.addWidget(widget, len(self._lines) + 1, column)
            self._lines.append(line)
        for i, line in enumerate(self._lines):
            for widget in line:
                widget.setVisible(i < len(rows))
            if i < len(rows):
                name, meter, by_step, if_hidden = line
                row = rows[i]
                name.setText(row.name)
                name.set_hint(row.detail)
                meter.show_share(row.share, row.tick)
                meter.setAccessibleName(row.detail)
                meter.setToolTip(row.detail)
                by_step.setText(row.by_step)
                if_hidden.setText(row.if_hidden)

    def texts(self) -> dict[str, tuple[str, str]]:
        """One level up and hidden, by column."""
        return {
            name.text(): (step.text(), hidden.text())
            for name, _, step, hidden in self._lines
            if not name.isHidden()
        }


class ValueLines(_Lines):
    """Rare values with their suppressed records; a few until all are asked for."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.add_head(self.tr("Rare values"), (self.tr("suppressed"), self.tr("share")))
        self.grid.setColumnStretch(0, 1)
        self.more = named(make_button("", kind="quiet", small=True), "moreRareValues")
        self.more.clicked.connect(self._on_more)
        self._rows: tuple[ValueRow, ...] = ()
        self._shows_all = False
        self._lines: list[tuple[ElidedLabel, QLabel, QLabel]] = []

    def show_rows(self, rows: Sequence[ValueRow]) -> None:
        """Show the values of another node."""
        self._rows = tuple(rows)
        self._refresh()

    def texts(self) -> list[tuple[str, str, str]]:
        """What is listed now."""
        return [
            (name.text(), suppressed.text(), share.text())
            for name, suppressed, share in self._lines
            if not name.isHidden()
        ]

    def _refresh(self) -> None:
        rows = self._rows if self._shows_all else self._rows[:FIRST_VALUES]
        self.setVisible(bool(rows))
        while len(self._lines) < len(rows):
            number, share = make_label("", Text.CELL_STRONG), make_label("", Text.CELL, "text_2")
            number.setAlignment(_Right)
            share.setAlignment(_Right)
            line = (ElidedLabel("", Text.CELL), number, share)
            place = len(self._lines) + 1
            self.grid.addWidget(line[0], place, 0, 1, 2)
            self.grid.addWidget(number, place, 2)
            self.grid.addWidget(share, place, 3)
            self._lines.append(line)
        for i, line in enumerate(self._lines):
            for widget in line:
                widget.setVisible(i < len(rows))
            if i < len(rows):
                line[0].setText(rows[i].name)
                line[0].set_hint(rows[i].detail)
                line[1].setText(rows[i].suppressed)
                line[2].setText(rows[i].share)
                line[2].setToolTip(rows[i].detail)
        _show_more(self.more, self._shows_all, len(self._rows), FIRST_VALUES, self.tr("rare values"))
        self.grid.addWidget(self.more, len(self._lines) + 1, 0, 1, 4, Qt.AlignmentFlag.AlignLeft)

    def _on_more(self) -> None:
        self._shows_all = not self._shows_all
        self._refresh()


class RemedyLine(QWidget):
    """A change with what it does below, and the button that makes it."""

    requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = IconLabel("check", 14, "ok")
        self.title = make_label("", Text.CELL_STRONG, wraps=True)
        self.effect = ElidedLabel("", Text.CELL, "text_2")
        self.note = ElidedLabel("", Text.CAPTION, "text_3")
        self.button = make_button("", small=True)
        self.button.clicked.connect(self.requested)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(0)
        grid.addWidget(self._icon, 0, 0)
        grid.addWidget(self.title, 0, 1)
        grid.addWidget(self.button, 0, 2, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(self.effect, 1, 1, 1, 2)
        grid.addWidget(self.note, 2, 1, 1, 2)
        grid.setColumnStretch(1, 1)

    def show_row(self, row: RemedyRow) -> None:
        """Offer another change."""
        self._icon.set_icon("check" if row.satisfies else "x", "ok" if row.satisfies else "danger")
        self._icon.setAccessibleName(self.tr("satisfies") if row.satisfies else self.tr("still fails"))
        self.title.setText(row.title)
        self.effect.setText(row.effect)
        self.note.setText(row.note)
        set_tone(self.note, "warn" if row.is_weaker else "text_3")
        self.button.setText(row.verb)
        said = f"{row.title}: {row.effect}, {row.note}"
        self.button.setAccessibleName(f"{row.verb}: {said}")
        self.button.setToolTip(said)


class RemedyLines(QWidget):
    """What would help, most records per loss first; a few until all are asked for."""

    requested = Signal(int)
    controls_added = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        title = make_label(self.tr("What would help"), Text.SECTION, "text_2")
        caption = ElidedLabel(self.tr("most records per loss first"), Text.CAPTION, "text_3")
        caption.setAlignment(_Right)
        self.more = named(make_button("", kind="quiet", small=True), "moreRemedies")
        self.more.clicked.connect(self._on_more)
        self._column = QVBoxLayout()
        self._column.setSpacing(8)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(4)
        title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        grid.addWidget(title, 0, 0)
        grid.addWidget(caption, 0, 1)
        grid.addLayout(self._column, 1, 0, 1, 2)
        grid.addWidget(self.more, 2, 0, 1, 2, Qt.AlignmentFlag.AlignLeft)
        grid.setColumnStretch(1, 1)
        self._rows: tuple[RemedyRow, ...] = ()
        self._shows_all = False
        self._lines: list[RemedyLine] = []

    def show_rows(self, rows: Sequence[RemedyRow]) -> None:
        """Offer the changes of another node."""
        self._rows = tuple(rows)
        self._refresh()

    def lines(self) -> list[RemedyLine]:
        """What is listed now."""
        return [line for line in self._lines if not line.isHidden()]

    def buttons(self) -> list[QPushButton]:
        """The buttons of all lines, those not needed now included."""
        return [line.button for line in self._lines]

    def _refresh(self) -> None:
        rows = self._rows if self._shows_all else self._rows[:FIRST_REMEDIES]
        self.setVisible(bool(rows))
        before = len(self._lines)
        while len(self._lines) < len(rows):
            line, place = RemedyLine(), len(self._lines)
            line.setObjectName(f"remedy.{place}")
            line.requested.connect(lambda place=place: self.requested.emit(place))
            self._column.addWidget(line)
            self._lines.append(line)
        for i, line in enumerate(self._lines):
            line.setVisible(i < len(rows))
            if i < len(rows):
                line.show_row(rows[i])
        _show_more(self.more, self._shows_all, len(self._rows), FIRST_REMEDIES, self.tr("changes"))
        if len(self._lines) > before:
            self.controls_added.emit()

    def _on_more(self) -> None:
        self._shows_all = not self._shows_all
        self._refresh()


def _show_more(button: QPushButton, shows_all: bool, n_rows: int, n_first: int, what: str) -> None:
    button.setVisible(n_rows > n_first)
    text = button.tr("Show fewer {0}").format(what)
    if not shows_all:
        text = button.tr("Show all {0} {1}").format(n_rows, what)
    button.setText(text)
