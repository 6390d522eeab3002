"""Asks which other columns get the hierarchy shown; the most similar ones come first."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.configure.table.tick_list_dialog import TickListDialog, TickRow

_WIDTH = 840


class CopyDialog(TickListDialog):
    """Ticked at first are columns without a hierarchy whose values it has.

    Parameters
    ----------
    name : str
        The column whose hierarchy is copied.
    rows : sequence of TickRow
    """

    def __init__(self, name: str, rows: Sequence[TickRow], parent: QWidget | None = None) -> None:
        super().__init__("copyDialog", self.tr("Copy the hierarchy of {0}").format(name), parent)
        self.build(
            rows,
            self.tr("Other columns get it as it is shown now, as one step of the project."),
            (self.tr("Column"), self.tr("How"), self.tr("What it would get")),
            _WIDTH,
        )

    def accept_text(self, n_columns: int) -> str:
        """The button copies to what is ticked."""
        text = self.tr("Copy to 1 column") if n_columns == 1 else self.tr("Copy to {0} columns")
        return text.format(n_columns)
