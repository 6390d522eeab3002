"""Part of the inspector about money: what the publisher keeps, and which classes are worth an attack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import named, vbox
from engine.numbers import as_exact_count, as_percent
from engine.words import _

if TYPE_CHECKING:
    from engine.scoring.nodes.payout import PayoutReport


@dataclass(frozen=True, slots=True)
class MoneyLine:
    """One line: its name, value, a note, and the meaning for a tooltip."""

    name: str
    value: str
    note: str
    meaning: str


class PayoutPart(QWidget):
    """Lines of money, and a warning if the sums require no protection."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.warning = named(make_label("", Text.CELL, "warn", wraps=True), "payoutWarning")
        self._grid = QGridLayout()
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(6)
        self._grid.setVerticalSpacing(0)
        self._grid.setColumnStretch(0, 1)
        self._lines: list[tuple[ElidedLabel, QLabel, QLabel]] = []
        vbox(self._grid, self.warning, spacing=4, margins=0, of=self)

    def show_lines(self, lines: Sequence[MoneyLine], warning: str) -> None:
        """Show the values of another node, each time as many."""
        while len(self._lines) < len(lines):
            made = (
                ElidedLabel("", Text.CELL, "text_2"),
                make_label("", Text.CELL_STRONG),
                make_label("", Text.CAPTION, "text_3"),
            )
            made[1].setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            for column, label in enumerate(made):
                self._grid.addWidget(label, len(self._lines), column)
            self._lines.append(made)
        for (name, value, note), line in zip(self._lines, lines, strict=False):
            name.setText(line.name)
            name.set_hint(line.meaning)
            value.setText(line.value)
            value.setToolTip(line.meaning)
            note.setText(line.note)
        self.warning.setText(warning)
        self.warning.setVisible(bool(warning))

    def texts(self) -> dict[str, tuple[str, str]]:
        """Return value and note by name."""
        return {name.text(): (value.text(), note.text()) for name, value, note in self._lines}


def money_lines(found: PayoutReport) -> list[MoneyLine]:
    """Return the lines of a node."""
    from engine.scoring.nodes.payout import as_money

    records = as_exact_count(found.records_attacked)
    return [
        MoneyLine(
            _("Publisher keeps"),
            as_money(found.total),
            as_percent(found.total / found.most) if found.most else "",
            _("Payout of the kept records, attacks deducted; {most} at most").format(
                most=as_money(found.most)
            ),
        ),
        MoneyLine(
            _("Classes worth an attack"),
            as_exact_count(found.n_attacked),
            _("of {n}").format(n=as_exact_count(found.n_classes)),
            _("Kept classes in which an attack gains more than it costs: {n} records").format(n=records),
        ),
        MoneyLine(
            _("Damage of attacks"),
            as_money(found.damage),
            "",
            _("What attacks are expected to cost the publisher"),
        ),
        MoneyLine(
            _("Published unchanged"),
            as_money(found.unchanged),
            "",
            _("Payout of publishing every record unchanged"),
        ),
    ]
