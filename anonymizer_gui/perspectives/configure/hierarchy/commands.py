"""What can be done with the selected groups, as actions with keys; menus and buttons show these."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QObject, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from anonymizer_gui.theming import set_icon


@dataclass(frozen=True)
class CommandSpec:
    """One command: its key, text, help, icon and shortcut."""

    key: str
    text: str
    help: str
    icon: str = ""
    shortcut: str = ""


COMMANDS = (
    CommandSpec("rename", "Rename…", "Call the selected group something else", "pencil", "F2"),
    CommandSpec("merge", "Merge", "Join the selected groups into one", "combine", "Ctrl+M"),
    CommandSpec("split", "Split", "Break the selected group into what it holds", "split", "Ctrl+D"),
    CommandSpec("group", "New group", "Put what is selected into a group of its own", "plus", "Ctrl+Shift+N"),
    CommandSpec("cut", "Pick up", "Mark what is selected, to put it elsewhere", "", "Ctrl+X"),
    CommandSpec("paste", "Put here", "Put what was picked up into the selected group", "", "Ctrl+V"),
    CommandSpec("toggle", "Close or open", "Show the selected groups as one place each", "", "Ctrl+Space"),
    CommandSpec("open_all", "Open all", "Open every closed group"),
    CommandSpec("add_level", "Add a level above", "Insert a level with the same groups", "", "Ctrl+Up"),
    CommandSpec("remove_level", "Remove this level", "Take the level of the selection away", "", "Ctrl+Down"),
    CommandSpec("swap_levels", "Exchange with the level above", "Possible where both have the same groups"),
    CommandSpec("remove_absent", "Remove values without records", "Drop values that do not occur"),
)


class HierarchyCommands(QObject):
    """The commands as QActions of one widget: `commands["merge"].triggered`.

    Keys work wherever the focus is within that widget.
    """

    def __init__(self, owner: QWidget) -> None:
        super().__init__(owner)
        self._actions: dict[str, QAction] = {}
        for spec in COMMANDS:
            action = QAction(QCoreApplication.translate("HierarchyCommands", spec.text), owner)
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
        text = QCoreApplication.translate("HierarchyCommands", reason or spec.help)
        action.setToolTip(f"{text} ({keys_of(spec)})" if spec.shortcut and not reason else text)


def keys_of(spec: CommandSpec) -> str:
    """The keys of a command as this platform writes them."""
    return QKeySequence(spec.shortcut).toString(QKeySequence.SequenceFormat.NativeText)
