"""Class sizes: the figures as lines, and the records by size of their class as bars."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from anonymizer_gui.models.texts_model import Cell, Heading, headings_of
from anonymizer_gui.widgets.numbers import DASH, as_decimal, as_exact_count

if TYPE_CHECKING:
    from engine.assessment.utility.class_sizes import ClassSizesFound, SizeBin
    from engine.assessment.utility.of_table import ClassSizes


@dataclass(frozen=True)
class SizesDrawing:
    """Records by class size; a place on the axis per bin.

    Attributes
    ----------
    labels : tuple of str
    before, after : tuple of int
        Records per bin.
    words : tuple of str
        What the tooltip says of each bin.
    """

    labels: tuple[str, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    words: tuple[str, ...]

    def words_at(self, x: float, _y: float) -> str:
        """What is at a place of the axis."""
        place = round(x)
        return self.words[place] if 0 <= place < len(self.words) else ""


def headings(found: ClassSizesFound) -> list[Heading]:
    """The titles of the columns."""
    keys = ("classes", "smallest", "largest", "mean", "median")
    return [Heading(_tr("Classes")), *headings_of(found.tables()[0], keys)]


def lines_of(found: ClassSizesFound) -> list[tuple[Cell, ...]]:
    """How many classes, and how large they are."""
    sides: tuple[tuple[str, str, ClassSizes | None], ...] = (
        (_tr("input"), "", found.before),
        (_tr("release"), _tr("Classes that are kept"), found.after),
        (
            _tr("with suppressed"),
            _tr("All suppressed records taken as one more class: they look alike"),
            found.with_suppressed,
        ),
    )
    if found.people_before is not None:
        meaning = _tr("Different people with a record in the class")
        sides += (
            (_tr("input, people"), meaning, found.people_before),
            (_tr("release, people"), meaning, found.people_after),
        )
    figures = (("count", 0), ("minimum", 0), ("maximum", 0), ("mean", 1), ("median", 1))
    return [
        (Cell(title, meaning or title), *(_cell(side, name, decimals) for name, decimals in figures))
        for title, meaning, side in sides
    ]


def drawing_of(found: ClassSizesFound) -> SizesDrawing:
    """The histogram."""
    return SizesDrawing(
        tuple(_label(a_bin) for a_bin in found.bins),
        tuple(a_bin.records_before for a_bin in found.bins),
        tuple(a_bin.records_after for a_bin in found.bins),
        tuple(_words(a_bin) for a_bin in found.bins),
    )


def _label(a_bin: SizeBin) -> str:
    low, high = as_exact_count(a_bin.low), as_exact_count(a_bin.high)
    return low if a_bin.low == a_bin.high else f"{low}\u2013{high}"


def _words(a_bin: SizeBin) -> str:
    lines = [_tr("classes of {0}").format(_label(a_bin))]
    for side, n_classes, n_records in (
        (_tr("input"), a_bin.classes_before, a_bin.records_before),
        (_tr("release"), a_bin.classes_after, a_bin.records_after),
    ):
        words = _tr("{0}: {1} classes, {2} records")
        lines.append(words.format(side, as_exact_count(n_classes), as_exact_count(n_records)))
    return "\n".join(lines)


def _cell(side: ClassSizes | None, name: str, decimals: int) -> Cell:
    return Cell(DASH if side is None else _text(getattr(side, name), decimals))


def _text(value: float, decimals: int) -> str:
    return as_exact_count(value) if value == round(value) else as_decimal(value, decimals)


def _tr(text: str) -> str:
    return QCoreApplication.translate("ClassSizesValues", text)
