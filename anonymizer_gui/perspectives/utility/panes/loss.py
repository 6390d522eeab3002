"""Composition of the loss: a bar per attribute, and the part of suppression."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from anonymizer_gui.charts.bar_rows import Bar, BarRow, BarRows, BarScale
from anonymizer_gui.widgets.layouts import STRETCH, named, vbox
from anonymizer_gui.widgets.scroll_body import scrolled
from engine.numbers import as_loss

if TYPE_CHECKING:
    from engine.assessment.utility.loss_by_attribute import LossByAttributeFound


class LossView(QWidget):
    """One bar per column."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = named(BarRows(self.tr("Loss by column")), "lossRows")
        vbox(scrolled(vbox(self.rows, STRETCH, margins=(0, 4, 0, 0))), margins=0, of=self)

    def show_findings(self, found: LossByAttributeFound) -> None:
        """Show the loss of another release."""
        self.rows.show_rows(rows_of(found), BarScale("0", "1", self.tr("loss")))


def rows_of(found: LossByAttributeFound) -> list[BarRow]:
    """Return a row per quasi-identifying column."""
    ranked = sorted(found.attributes, key=lambda attribute: -attribute.loss)
    return [
        BarRow(
            a.name,
            a.summary,
            (Bar(a.loss),),
            as_loss(a.loss),
            f"{a.name}: {a.words}\n{a.summary}",
        )
        for a in ranked
    ]
