"""The hierarchy as a table: a row per value or closed group, a column per level, every cell editable."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QApplication, QWidget

from anonymizer_gui.perspectives.configure.hierarchy.commands import HierarchyCommands
from anonymizer_gui.perspectives.configure.hierarchy.drafts import Arrangement, Selection
from anonymizer_gui.perspectives.configure.hierarchy.group_drag import DropTarget, GroupDrag
from anonymizer_gui.perspectives.configure.hierarchy_table import HierarchyTable
from anonymizer_gui.widgets.card import Card
from engine.hierarchies.outline import Outline
from engine.table import Column


class ValuePanel(Card):
    """Shows an outline and asks for changes; decides nothing."""

    selection_requested = Signal(object)  # Selection
    assign_requested = Signal(object, int, str)  # Selection of the level below, level, label of a group
    rename_requested = Signal(int, str, str)  # level, label, new label
    toggle_requested = Signal(int, str)  # level, label: close or open
    arrangement_requested = Signal(object)  # Arrangement

    def __init__(self, commands: HierarchyCommands, drag: GroupDrag, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("Table"), "", parent)
        self._commands, self._drag = commands, drag
        self.table = HierarchyTable("hierarchyTable")
        self.set_body(self.table, 0)
        drag.add_face(self)

    def show_outline(self, column: Column | None, outline: Outline | None) -> None:
        """Show a hierarchy."""
        self.table.show_hierarchy(column, outline.hierarchy if outline is not None else None)

    def show_selection(self, selection: Selection) -> None:
        """Show what is selected."""

    def show_arrangement(self, arrangement: Arrangement) -> None:
        """Show how rows are sorted."""

    def has_focus(self) -> bool:
        """Whether the keys of the person go to this face."""
        focused = QApplication.focusWidget()
        return focused is not None and self.isAncestorOf(focused)

    def begin_rename(self, level: int, label: str) -> None:
        """Let the person write another label into a cell."""

    def drop_target_at(self, position: QPoint, dragged: Selection) -> DropTarget | None:
        """What a drop would go into."""
        return None

    def show_drop_target(self, target: DropTarget | None) -> None:
        """Point out where a drop would go."""
