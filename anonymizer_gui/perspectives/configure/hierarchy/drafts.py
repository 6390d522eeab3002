"""Draft of the edited hierarchy with a separate undo stack, and the selection in it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from anonymizer_gui.session.history import UndoStep
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.base import HierarchyBuilder
from engine.hierarchies.outline import Order, Outline, outline
from engine.numbers import as_groups, as_values
from engine.records import Column
from engine.words import _


@dataclass(frozen=True, eq=False)
class Draft:
    """Hierarchy that Done would use; None while the first one is being built.

    Attributes
    ----------
    builder : HierarchyBuilder or None
        Its builder, unless it was edited manually.
    path : Path or None
        The file it was read from, unless it was edited.
    former : HierarchyBuilder or None
        Its builder before the manual changes.
    """

    hierarchy: Hierarchy | None = None
    builder: HierarchyBuilder | None = None
    path: Path | None = None
    former: HierarchyBuilder | None = None

    @property
    def rule(self) -> HierarchyBuilder | None:
        """Builder that can place new values."""
        return self.builder or self.former


@dataclass(frozen=True)
class Selection:
    """Groups of one level, by their labels; values on level 0. Empty for no selection."""

    level: int = 0
    labels: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The label of one group, or the number of several."""
        if len(self.labels) == 1:
            return self.labels[0] or _("(missing)")
        return (as_groups if self.level else as_values)(len(self.labels))

    def added(self, other: Selection) -> Selection:
        """Add groups; those of another level replace it."""
        if other.level != self.level:
            return other
        return Selection(self.level, tuple(dict.fromkeys(self.labels + other.labels)))

    def toggled(self, other: Selection) -> Selection:
        """Remove groups if all of them are selected, else add them; those of another level replace it."""
        if other.level != self.level or not set(other.labels) <= set(self.labels):
            return self.added(other)
        return self.removed(other)

    def removed(self, other: Selection) -> Selection:
        """Remove groups of the same level."""
        kept = tuple(label for label in self.labels if label not in set(other.labels))
        return Selection(self.level, kept) if kept else NOTHING


NOTHING = Selection()


@dataclass(frozen=True)
class Arrangement:
    """Display settings of the editor views; not part of the draft."""

    order: Order = Order.VALUE
    closed: frozenset[tuple[int, str]] = frozenset()
    shows_absent: bool = False


class DraftEdit(UndoStep):
    """Step between two drafts; keystrokes of one input merge into one step."""

    _IDS: dict[str, int] = {}  # ids of kinds of steps, assigned on first use

    def __init__(self, text: str, before: Draft, after: Draft, drafts: HierarchyDrafts, kind: str) -> None:
        super().__init__(text, partial(drafts.show, after), partial(drafts.show, before))
        self._kind = kind

    def id(self) -> int:
        return self._IDS.setdefault(self._kind, len(self._IDS)) if self._kind else -1

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not isinstance(other, DraftEdit) or other._kind != self._kind:
            return False
        self._after = other._after
        self.setText(other.text())
        return True


class HierarchyDrafts(QObject):
    """Shared state of the editor views, which announces every change."""

    draft_changed = Signal()
    outline_changed = Signal(object)  # Outline, or None while there is no hierarchy
    selection_changed = Signal(object)  # Selection

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.undo_stack = QUndoStack(self)
        self.column: Column | None = None  # None while the editor is closed
        self.draft = Draft()
        self.outline: Outline | None = None  # includes the missing value if the column has one
        self.selection = NOTHING  # contains existing groups only
        self.arrangement = Arrangement()

    def begin(self, column: Column, draft: Draft) -> None:
        """Open a draft for the hierarchy of a column, with an empty undo history."""
        self.column = column
        self.arrangement = Arrangement()
        self.selection = NOTHING
        self.undo_stack.clear()
        self.show(draft)

    def end(self) -> None:
        """Close the draft."""
        self.column = None
        self.undo_stack.clear()
        self.show(Draft())

    def edit(self, text: str, draft: Draft, kind: str = "") -> None:
        """Replace the draft as one undo step; consecutive steps of the same `kind` are merged."""
        if draft.hierarchy is not self.draft.hierarchy or draft.builder is not self.draft.builder:
            self.undo_stack.push(DraftEdit(text, self.draft, draft, self, kind))

    def show(self, draft: Draft) -> None:
        """Show a draft without an undo step; selected groups that still exist stay selected."""
        self.draft = draft
        self._lay_out()
        self.draft_changed.emit()
        self.outline_changed.emit(self.outline)
        self.select(self.selection)

    def arrange(self, arrangement: Arrangement) -> None:
        """Show the draft in another order, or with other groups closed."""
        if arrangement != self.arrangement:
            self.arrangement = arrangement
            self._lay_out()
            self.outline_changed.emit(self.outline)
            self.selection_changed.emit(self.selection)

    def toggle(self, level: int, label: str) -> None:
        """Close a group, or open it again."""
        closed = self.arrangement.closed ^ {(level, label)}
        self.arrange(replace(self.arrangement, closed=closed))

    def select(self, selection: Selection) -> None:
        """Select groups; groups that do not exist are ignored."""
        kept = NOTHING
        if self.outline is not None and selection.level <= self.outline.hierarchy.height:
            known = self.outline.hierarchy.levels[selection.level].index
            labels = tuple(label for label in dict.fromkeys(selection.labels) if label in known)
            kept = Selection(selection.level, labels) if labels else NOTHING
        if kept != self.selection:
            self.selection = kept
        self.selection_changed.emit(kept)

    def _lay_out(self) -> None:
        hierarchy, column, how = self.draft.hierarchy, self.column, self.arrangement
        if hierarchy is None or column is None:
            self.outline = None
            return
        if column.has_missing:
            hierarchy = hierarchy.extended([column.labels[-1]])
        self.outline = outline(hierarchy, column, how.order, closed=how.closed, shows_absent=how.shows_absent)
