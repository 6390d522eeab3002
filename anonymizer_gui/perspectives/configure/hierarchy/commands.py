"""Commands on the selected groups as actions with shortcuts, shared by menus and buttons."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from anonymizer_gui.theming import set_icon
from engine.words import N_, _


@dataclass(frozen=True)
class CommandSpec:
    """One command: key, text, help, icon and shortcut."""

    key: str
    text: str
    help: str
    icon: str = ""
    shortcut: str = ""


COMMANDS = (
    CommandSpec("rename", N_("Rename…"), N_("Rename the selected group"), "pencil", "F2"),
    CommandSpec("merge", N_("Merge"), N_("Merge the selected groups into one"), "combine", "Ctrl+M"),
    CommandSpec("split", N_("Split"), N_("Split the selected group into its parts"), "split", "Ctrl+D"),
    CommandSpec("group", N_("New group"), N_("Move the selection to a new group"), "plus", "Ctrl+Shift+N"),
    CommandSpec("cut", N_("Cut"), N_("Cut the selection, to paste it into another group"), "", "Ctrl+X"),
    CommandSpec("paste", N_("Paste"), N_("Paste what was cut into the selected group"), "", "Ctrl+V"),
    CommandSpec(
        "toggle", N_("Collapse or expand"), N_("Collapse or expand the selected groups"), "", "Ctrl+Space"
    ),
    CommandSpec("open_all", N_("Expand all"), N_("Expand every collapsed group")),
    CommandSpec(
        "add_level", N_("Add a level above"), N_("Insert a level with the same groups"), "", "Ctrl+Up"
    ),
    CommandSpec(
        "remove_level", N_("Remove this level"), N_("Remove the level of the selection"), "", "Ctrl+Down"
    ),
    CommandSpec("name_level", N_("Name this level…"), N_("Name the level, as in 5 regions"), "", "Shift+F2"),
    CommandSpec(
        "swap_levels", N_("Swap with the level above"), N_("Possible if both levels have the same groups")
    ),
    CommandSpec("remove_absent", N_("Remove values without records"), N_("Remove values that do not occur")),
)


class HierarchyCommands(QObject):
    """Commands as QActions of one widget, by key: `commands["merge"].triggered`.

    Shortcuts work while the focus is within that widget.
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
        """Enable a command, or give the reason in its tooltip why it is disabled."""
        action = self._actions[key]
        action.setEnabled(enabled)
        spec = next(spec for spec in COMMANDS if spec.key == key)
        text = reason or _(spec.help)
        action.setToolTip(f"{text} ({keys_of(spec)})" if spec.shortcut and not reason else text)


def keys_of(spec: CommandSpec) -> str:
    """Return the shortcuts of a command as this platform writes them."""
    return QKeySequence(spec.shortcut).toString(QKeySequence.SequenceFormat.NativeText)
