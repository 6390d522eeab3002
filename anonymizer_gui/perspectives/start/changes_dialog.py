"""Dialogs with the changes that a table read again makes, and with what an ARX project lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDialog, QWidget

from anonymizer_gui.models.column_summary import type_words
from anonymizer_gui.tables.rows_model import Cell, Heading
from anonymizer_gui.tables.table_view import SEVERAL, TableView
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.fitted_dialog import AskingDialog, take_room
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import vbox
from engine.numbers import as_exact_count
from engine.project.reimport import Changes
from engine.project.storage.opened_project import Loss

MOST_VALUES = 5  # values without a group that are named per hierarchy
_WIDTH, _HEIGHT = 760, 420
_WIDTHS = (190, 180)


class ChangesDialog(QDialog):
    """Accepted when the user uses the new table.

    Parameters
    ----------
    name : str
        Name of the file.
    recipe : str
        Recipe applied to the file, if the table is not read again for an open project.
    """

    def __init__(
        self, name: str, changes: Changes, parent: QWidget | None = None, *, recipe: str = ""
    ) -> None:
        super().__init__(parent)
        self.setObjectName("changesDialog")
        rows = self._rows(changes)
        if recipe:
            self.setWindowTitle(self.tr("Apply “{recipe}” to another table").format(recipe=recipe))
            kept = self.tr("Roles, hierarchies and settings of “{recipe}” are applied to “{name}”.").format(
                recipe=recipe, name=name
            )
        else:
            self.setWindowTitle(self.tr("Re-import table"))
            kept = self.tr(
                "“{name}” keeps the roles, hierarchies and settings of this project. You can undo this."
            ).format(name=name)
        self._words = make_label(kept, Text.CELL, "text_2", wraps=True)
        title = self.tr("Differences in the table")
        self.table = TableView("changesTable", title, chooses=SEVERAL, widths=_WIDTHS)
        self.table.horizontalHeader().setStretchLastSection(True)
        headings = (self.tr("Item"), self.tr("Column"), self.tr("Change", "noun"))
        self.table.texts.show([Heading(text) for text in headings], rows)
        card = Card(self.tr("Consequence"))
        card.set_body(self.table, 0)
        self._take = make_button(self.tr("Open") if recipe else self.tr("Use this table"), kind="primary")
        self._cancel = make_button(self.tr("Cancel") if recipe else self.tr("Keep the current table"))
        for button, object_name in ((self._take, "takeOverButton"), (self._cancel, "cancelButton")):
            button.setObjectName(object_name)
            button.setAccessibleName(button.text())
        self._take.setDefault(True)
        self._take.clicked.connect(self.accept)
        self._cancel.clicked.connect(self.reject)
        vbox(self._words, (card, 1), button_row(self._cancel, self._take), spacing=10, margins=12, of=self)
        take_room(self, QSize(scaled(_WIDTH), scaled(_HEIGHT)))

    def _rows(self, changes: Changes) -> list[list[Cell]]:
        rows: list[list[Cell]] = []

        def add(what: str, column: str, change: str, tone: str = "text") -> None:
            rows.append([Cell(what, tone=tone), Cell(column), Cell(change)])

        def count(entries: Iterable[tuple[str, int]], what: str, text: str) -> None:
            for name, n in entries:
                add(what, name, text.format(n=as_exact_count(n)))

        if changes.subset:
            add(self.tr("Subset not found"), "", changes.subset, "danger")
        for name in changes.removed:
            text = self.tr("Its role, hierarchy and models are removed.")
            add(self.tr("Column is missing"), name, text, "warn")
        if changes.n_models_lost:
            text = self.tr("{n} about missing columns")
            add(self.tr("Models removed"), "", text.format(n=changes.n_models_lost), "danger")
        if changes.lost_person:
            text = self.tr(
                "Every record now counts as one person; the values of this column identified persons."
            )
            add(self.tr("Person column is missing"), changes.lost_person, text, "danger")
        if changes.lost_weight:
            text = self.tr("Records have no survey weights until you choose another column.")
            add(self.tr("Survey weights are missing"), changes.lost_weight, text, "danger")
        if changes.lost_household:
            text = self.tr("Records have no households until you choose another column.")
            add(self.tr("Households are missing"), changes.lost_household, text, "warn")
        for name in changes.added:
            text = self.tr("No role: nothing can be released until you assign one.")
            add(self.tr("New column"), name, text, "warn")
        for name in changes.left_out:
            text = self.tr("It is neither read nor released.")
            add(self.tr("Column not selected"), name, text, "warn")
        for name, why in changes.lost_hierarchies.items():
            add(self.tr("Hierarchy lost"), name, why, "danger")
        for name, (was, is_now) in changes.retyped.items():
            text = self.tr("was “{was}”, is now “{is_now}”").format(
                was=type_words(was), is_now=type_words(is_now)
            )
            add(self.tr("Different type"), name, text, "warn")
        for name, values in changes.gaps.items():
            more = len(values) - MOST_VALUES
            text = ", ".join(values[:MOST_VALUES]) + (f" +{as_exact_count(more)}" if more > 0 else "")
            add(self.tr("Not in the hierarchy"), name, text, "warn")
        if changes.n_replaced:
            text = self.tr("{n_replaced} have the value of the file again").format(
                n_replaced=as_exact_count(changes.n_replaced)
            )
            add(self.tr("Replaced values"), "", text, "warn")
        now = as_exact_count(changes.n_after)
        if changes.n_before is None:
            add(self.tr("Records"), "", now)
        else:
            before = as_exact_count(changes.n_before)
            add(self.tr("Records"), "", self.tr("{before} before, {now} now").format(before=before, now=now))
        count(changes.new_values.items(), self.tr("New values"), self.tr("{n} new values"))
        count(changes.gone_values.items(), self.tr("Values removed"), self.tr("{n} values removed"))
        return rows


_ARX_WIDTH = 620


class ArxDialog(AskingDialog):
    """Accepted if the user opens the project as read."""

    def __init__(self, name: str, losses: Sequence[Loss], parent: QWidget) -> None:
        super().__init__("arxDialog", self.tr("Open an ARX project"), self.tr("Open"), _ARX_WIDTH, parent)
        words = self.tr(
            "Table, roles, hierarchies, privacy models and settings of “{name}” were read. These parts were "
            "not taken over, or have to be checked:"
        )
        parts = [
            vbox(
                make_label(loss.what, Text.TITLE, wraps=True),
                make_label(_sentences(loss), Text.CELL, "text_2", wraps=True),
                spacing=2,
            )
            for loss in losses
        ]
        self.lay_out(make_label(words.format(name=name), Text.CONTROL, wraps=True), *parts)
        self.accept_button.setFocus()

    def submit(self) -> bool:
        """Accept at once; there is nothing to fill in."""
        return True


def _sentences(loss: Loss) -> str:
    """Return why something was not taken over, and the next step."""
    return f"{loss.why[:1].upper()}{loss.why[1:]}. {loss.hint}".strip()
