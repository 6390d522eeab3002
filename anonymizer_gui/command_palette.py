"""Search field for everything the program can do: actions, columns and recent files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.actions import Actions, shortcut_text
from anonymizer_gui.tables.pick_dialog import PickDialog, rank_of
from anonymizer_gui.tables.rows_model import Cell, Heading
from anonymizer_gui.tables.table_view import TableView

MOST_SHOWN = 200
_ITSELF = "palette"
_ICONS = {  # of entries that have a tick in the menu instead
    "configure": "settings-2",
    "explore": "waypoints",
    "utility": "chart-column",
    "risk": "shield-check",
    "theme_light": "sun",
    "theme_dark": "moon",
}
_WIDTHS = (150, 0, 0, 110)  # of group, title, detail and keys


@dataclass(frozen=True)
class Command:
    """One entry: title, object, shortcut, and the reason if it is disabled.

    Attributes
    ----------
    name : str
        Id of a menu entry; empty for other commands.
    group : str
        Heading above commands of one kind.
    """

    title: str
    run: Callable[[], object]
    detail: str = ""
    keys: str = ""
    why_not: str = ""
    name: str = ""
    group: str = ""
    icon: str = ""


def commands_of(actions: Actions) -> list[Command]:
    """Return the menu entries that have a handler."""
    groups = {"theme": actions.tr("Theme"), "memory": actions.tr("Memory for scores")}
    made = []
    for name in actions.offered():
        action = actions[name]
        title = actions.name_of(name)
        why_not = ""
        if not action.isEnabled():
            why_not = action.toolTip().removeprefix(f"{title}: ").rstrip("…")
        elif action.toolTip().startswith(f"{title}: "):  # such as the step that Undo would revert
            title = action.toolTip()
        if (group := groups.get(name.partition("_")[0])) is not None:
            title = f"{group}: {title}"
        if name != _ITSELF:
            keys = shortcut_text(action)
            menu = actions.menu_of(name)
            sign = _ICONS.get(name, actions.icon_of(name))
            made.append(Command(title, action.trigger, "", keys, why_not, name, menu, sign))
    return made


def arranged(commands: Sequence[Command], recent: Sequence[str], heading: str) -> list[Command]:
    """Return all commands by group, after the possible ones that were used last under a heading."""
    by_name = {command.name: command for command in commands if command.name and not command.why_not}
    used = [replace(by_name[name], group=heading) for name in recent if name in by_name]
    groups = list(dict.fromkeys(command.group for command in commands))
    return [*used, *sorted(commands, key=lambda command: groups.index(command.group))]


def matching(commands: Iterable[Command], words: str) -> list[Command]:
    """Return matching commands, the best match first and disabled ones last."""
    ranked = []
    for place, command in enumerate(commands):
        if (rank := rank_of(words, f"{command.title} {command.detail}")) is not None:
            ranked.append((rank, bool(command.why_not), place, command))
    ranked.sort(key=lambda entry: entry[:3])
    return [command for *_, command in ranked]


class CommandPalette(PickDialog):
    """Finds commands; a disabled one says why and is not run."""

    command_used = Signal(str)  # id of a menu entry

    @classmethod
    def show_for(
        cls,
        window: QWidget,
        actions: Actions,
        extra: Sequence[Command] = (),
        recent: Sequence[str] = (),
        used: Callable[[str], object] = lambda _name: None,
    ) -> None:
        """Open the palette over a window.

        `extra` are commands without a menu entry, `recent` the entries used last; `used` is called with an
        entry that runs.
        """
        palette = cls([*commands_of(actions), *extra], window, recent)
        palette.command_used.connect(used)
        palette.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        palette.open()

    def __init__(
        self, commands: Sequence[Command], parent: QWidget | None = None, recent: Sequence[str] = ()
    ) -> None:
        listed = TableView("paletteList", self.tr("Commands found"), widths=_WIDTHS)
        super().__init__("commandPalette", self.tr("Command palette"), listed, parent)
        self._commands, self._model = tuple(commands), listed.texts
        self._arranged = arranged(commands, recent, self.tr("Recently used"))
        self._shown: list[Command] = []
        self.name_field(
            "paletteField", self.tr("Command"), self.tr("Search commands, columns, recent files and help")
        )
        self.search("")

    def search(self, words: str) -> None:
        found = matching(self._commands, words) if words.strip() else self._arranged
        self._shown = found[:MOST_SHOWN]
        titles = (self.tr("Group"), self.tr("Command"), self.tr("Details"), self.tr("Keys"))
        rows, group = [], ""
        for command in self._shown:
            rows.append(_cells(command, command.group if command.group != group else ""))
            group = command.group
        self._model.show([Heading(title) for title in titles], rows)
        self.show_found(len(self._shown))

    def pick(self, row: int) -> None:
        if not 0 <= row < len(self._shown) or self._shown[row].why_not:
            return
        run, name = self._shown[row].run, self._shown[row].name
        self.accept()
        if name:
            self.command_used.emit(name)
        QTimer.singleShot(0, run)


def _cells(command: Command, heading: str) -> tuple[Cell, Cell, Cell, Cell]:
    tone = "text_disabled" if command.why_not else "text"
    detail = command.why_not or command.detail
    spoken = ", ".join(filter(None, [command.title, detail, command.keys]))
    return (
        Cell(heading, heading or command.group, "text_3", spoken=command.group),
        Cell(command.title, command.title, tone, spoken=spoken, icon=command.icon or "chevron-right"),
        Cell(detail, detail, "text_3"),
        Cell(command.keys, "", "text_3"),
    )
