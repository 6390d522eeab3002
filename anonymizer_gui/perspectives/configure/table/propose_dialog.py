"""Shows a proposed hierarchy for each column, with its levels, an example and the reason."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.configure.table.tick_list_dialog import TickListDialog, TickRow
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.layouts import named

_WIDTH = 1000


class ProposeDialog(TickListDialog):
    """Ticked at first are the columns that have no hierarchy."""

    def __init__(self, rows: Sequence[TickRow], parent: QWidget | None = None) -> None:
        super().__init__("proposeDialog", self.tr("Proposed hierarchies"), parent)
        self.all_button = named(make_button(self.tr("Use all {0}").format(len(rows))), "acceptAllButton")
        self.all_button.setToolTip(self.tr("Columns that have a hierarchy get the proposed one instead"))
        self.all_button.clicked.connect(lambda: self.accept_columns(tuple(self.boxes)))
        self.build(
            rows,
            self.tr("From type, values and name of each column. Every one can be changed afterwards."),
            (self.tr("Column"), self.tr("Builder"), self.tr("Levels, an example, and why")),
            _WIDTH,
            self.all_button,
        )

    def accept_text(self, n_columns: int) -> str:
        """The button takes what is ticked."""
        text = self.tr("Use 1 hierarchy") if n_columns == 1 else self.tr("Use {0} hierarchies")
        return text.format(n_columns)
