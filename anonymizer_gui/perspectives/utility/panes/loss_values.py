"""What each attribute loses, as rows of bars: the largest loss first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anonymizer_gui.charts.bar_rows import Bar, BarRow
from anonymizer_gui.widgets.numbers import as_loss

if TYPE_CHECKING:
    from engine.assessment.utility.loss_by_attribute import LossByAttributeFound


def rows_of(found: LossByAttributeFound) -> list[BarRow]:
    """A row per quasi-identifier."""
    ranked = sorted(found.attributes, key=lambda attribute: -attribute.loss)
    return [
        BarRow(
            a.name,
            a.summary,
            (Bar(a.loss, loss=a.loss),),
            as_loss(a.loss),
            f"{a.name}: {a.words}\n{a.summary}",
        )
        for a in ranked
    ]
