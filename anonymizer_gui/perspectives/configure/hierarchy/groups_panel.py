"""The groups of every level as an icicle, with the records of the values below it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.configure.hierarchy.commands import HierarchyCommands
from anonymizer_gui.perspectives.configure.hierarchy.drafts import Arrangement, Selection
from anonymizer_gui.perspectives.configure.hierarchy.group_drag import DropTarget, GroupDrag
from anonymizer_gui.widgets.card import Card
from engine.hierarchies.outline import Outline
from engine.table import Column


class GroupsPanel(Card):
    """Shows an outline and asks for changes; decides nothing."""

    selection_requested = Signal(object)  # Selection
    rename_requested = Signal(int, str, str)  # level, label, new label
    toggle_requested = Signal(int, str)  # level, label: close or open
    arrangement_requested = Signal(object)  # Arrangement
    cut_requested = Signal(int, int, int)  # level, number of the boundary (1 is after group 0), its new place

    def __init__(self, commands: HierarchyCommands, drag: GroupDrag, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("Groups"), "", parent)
        self._commands, self._drag = commands, drag
        drag.add_face(self)

    def show_outline(self, column: Column | None, outline: Outline | None) -> None:
        """Show a hierarchy."""

    def show_selection(self, selection: Selection) -> None:
        """Show what is selected."""

    def show_arrangement(self, arrangement: Arrangement) -> None:
        """Show how groups are sorted."""

    def begin_rename(self, level: int, label: str) -> None:
        """Let the person write another label over a group."""

    def drop_target_at(self, position: QPoint, dragged: Selection) -> DropTarget | None:
        """What a drop would go into."""
        return None

    def show_drop_target(self, target: DropTarget | None) -> None:
        """Point out where a drop would go."""
