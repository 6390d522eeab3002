"""What can be done with the selected groups, as actions with keys; menus and buttons show these."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from anonymizer_gui.theming import set_icon
from engine.words import N_, _


@dataclass(frozen=True)
class CommandSpec:
    """One command: its key, text, help, icon and shortcut."""

    key: str
    text: str
    help: str
    icon: str = ""
    shortcut: str = ""


COMMANDS = (
    CommandSpec("rename", N_("Rename…"), N_("Call the selected group something else"), "pencil", "F2"),
    CommandSpec("merge", N_("Merge"), N_("Join the selected groups into one"), "combine", "Ctrl+M"),
    CommandSpec("split", N_("Split"), N_("Break the selected group into what it holds"), "split", "Ctrl+D"),
    CommandSpec(
        "group", N_("New group"), N_("Put what is selected into a group of its own"), "plus", "Ctrl+Shift+N"
    ),
    CommandSpec("cut", N_("Pick up"), N_("Mark what is selected, to put it elsewhere"), "", "Ctrl+X"),
    CommandSpec("paste", N_("Put here"), N_("Put what was picked up into the selected group"), "", "Ctrl+V"),
    CommandSpec(
        "toggle", N_("Close or open"), N_("Show the selected groups as one place each"), "", "Ctrl+Space"
    ),
    CommandSpec("open_all", N_("Open all"), N_("Open every closed group")),
    CommandSpec(
        "add_level", N_("Add a level above"), N_("Insert a level with the same groups"), "", "Ctrl+Up"
    ),
    CommandSpec(
        "remove_level", N_("Remove this level"), N_("Take the level of the selection away"), "", "Ctrl+Down"
    ),
    CommandSpec(
        "swap_levels", N_("Exchange with the level above"), N_("Possible where both have the same groups")
    ),
    CommandSpec("remove_absent", N_("Remove values without records"), N_("Drop values that do not occur")),
)


class HierarchyCommands(QObject):
    """The commands as QActions of one widget: `commands["merge"].triggered`.

    Keys work wherever the focus is within that widget.
    """

    def __init__(self, owner: QWidget) -> None:
        super().__init__(owner)
        self._actions: dict[str, QAction] = {}
        for spec in COMMANDS:
            action = QAction(_(spec.text), owner)
            action.setObjectName(f"hierarchy.{spec.key}")
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            if spec.shortcut:
                action.setShortcut(QKeySequence(spec.shortcut))
            if spec.icon:
                set_icon(action, spec.icon)
            owner.addAction(action)
            self._actions[spec.key] = action
            self.set_enabled(spec.key, False)

    def __getitem__(self, key: str) -> QAction:
        return self._actions[key]

    def set_enabled(self, key: str, enabled: bool, reason: str = "") -> None:
        """Enable a command, or say in its tooltip why it cannot be used now."""
        action = self._actions[key]
        action.setEnabled(enabled)
        spec = next(spec for spec in COMMANDS if spec.key == key)
        text = reason or _(spec.help)
        action.setToolTip(f"{text} ({keys_of(spec)})" if spec.shortcut and not reason else text)


def keys_of(spec: CommandSpec) -> str:
    """The keys of a command as this platform writes them."""
    return QKeySequence(spec.shortcut).toString(QKeySequence.SequenceFormat.NativeText)
