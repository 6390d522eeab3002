"""The tree that screen readers see: its nodes with role, name and value, as text, and what is wrong in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QLineEdit, QWidget

Role, Text = QAccessible.Role, QAccessible.Text

# Roles that say nothing about what a control does.
PLAIN = {Role.NoRole, Role.Client, Role.Pane, Role.LayeredPane, Role.Border, Role.Grouping, Role.Window}
# Roles of controls that always have a value.
VALUED = {Role.SpinBox, Role.ComboBox, Role.Slider, Role.Dial, Role.ProgressBar, Role.ScrollBar, Role.Canvas}
_CELLS = {Role.Cell, Role.ListItem, Role.TreeItem, Role.ColumnHeader, Role.RowHeader}
_MOST_CELLS = 60  # of a table; the others are alike


@dataclass(frozen=True, slots=True)
class Node:
    """One node of the tree; `labels` are the names of its labels, `typed` the text of a field."""

    depth: int
    role: QAccessible.Role
    name: str
    value: str
    labels: tuple[str, ...]
    actions: tuple[str, ...]
    is_focusable: bool
    typed: str | None
    widget: str

    def __str__(self) -> str:
        words = [self.role.name, repr(self.name)]
        if self.labels:
            words.append(f"labelled {', '.join(self.labels)}")
        if self.value:
            words.append(f"= {self.value!r}")
        if self.actions:
            words.append(f"<{', '.join(self.actions)}>")
        if self.is_focusable:
            words.append("*")
        return f"{'  ' * self.depth}{' '.join(words)}" + (f"  [{self.widget}]" if self.widget else "")

    def faults(self) -> list[str]:
        """Return what a screen reader would lack at this node."""
        if not self.is_focusable or self.role in _CELLS:  # cells say their text, and an empty cell none
            return []
        found = []
        if not self.name.strip():
            found.append("no name")
        if self.role in PLAIN:
            found.append(f"the role is {self.role.name}")
        if self.role in VALUED and not self.value.strip():
            found.append("no value")
        if self.role is Role.ComboBox and not any(self.labels):
            found.append("no label")
        if self.typed is not None and self.typed != self.value:
            found.append(f"{self.typed!r} is typed, the value is {self.value!r}")
        return found


def tree(widget: QWidget) -> list[Node]:
    """Return the visible nodes of a window or dialog, parents before their children."""
    return list(_nodes(QAccessible.queryAccessibleInterface(widget), 0))


def dump(nodes: list[Node]) -> str:
    """Return a tree as indented text; a star marks what takes the focus."""
    return "\n".join(map(str, nodes))


def _nodes(interface: QAccessibleInterface, depth: int) -> Iterator[Node]:
    state, thing, action = interface.state(), interface.object(), interface.actionInterface()
    labelled = interface.relations(QAccessible.RelationFlag.Label)
    is_shown = isinstance(thing, QLineEdit) and thing.echoMode() == QLineEdit.EchoMode.Normal
    yield Node(
        depth=depth,
        role=interface.role(),
        name=interface.text(Text.Name),
        value=interface.text(Text.Value),
        labels=tuple(label.text(Text.Name) for label, _relation in labelled),
        actions=() if action is None else tuple(action.actionNames()),
        is_focusable=bool(state.focusable) and not state.disabled,
        typed=thing.text() if is_shown else None,
        widget="" if thing is None else f"{type(thing).__name__} {thing.objectName()}".strip(),
    )
    n_cells = 0
    for i in range(interface.childCount()):
        child = interface.child(i)
        if child is None or child.state().invisible:
            continue
        n_cells += child.role() in _CELLS
        if n_cells > _MOST_CELLS:
            return
        yield from _nodes(child, depth + 1)
