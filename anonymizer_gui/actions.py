"""Every menu entry with its id, text, icon, shortcut and menu; entries without a handler stay hidden."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence

from anonymizer_gui.theming import set_icon
from engine.words import N_, _

SEPARATOR = "-"
RECENT = "recent"  # position of the submenu of recent files
MEMORY, APPEARANCE = "memory", "appearance"  # positions of submenus

PROJECT, WHOLE_TABLE = frozenset({"project"}), frozenset({"whole table"})  # what entries need
BOTH = PROJECT | WHOLE_TABLE


@dataclass(frozen=True)
class ActionSpec:
    """Text, menu, icon and shortcut of one menu entry."""

    id: str
    text: str
    icon: str = ""
    shortcut: str | QKeySequence.StandardKey = ""
    group: str = ""  # entries of one group exclude each other
    also: str = ""  # second shortcut
    needs: frozenset[str] = frozenset()


_Key = QKeySequence.StandardKey
_SPECS = (
    ActionSpec("open", N_("&Open…"), "folder-open", _Key.Open),
    ActionSpec("open_folder", N_("Open a &folder of files…"), "folder"),
    ActionSpec("open_database", N_("Open a &database…"), "table"),
    ActionSpec("open_with", N_("Apply a recipe to anot&her table…"), "file-input"),
    ActionSpec("reimport", N_("Re-import &table…"), "refresh-cw", "Ctrl+Shift+O", needs=BOTH),
    ActionSpec("judge", N_("Assess an anon&ymized file…"), "shield-check", "Ctrl+J"),
    ActionSpec("save", N_("&Save"), "save", _Key.Save, needs=BOTH),
    ActionSpec("save_as", N_("Sa&ve as…"), "", "Ctrl+Shift+S", needs=BOTH),
    ActionSpec("save_recipe", N_("Save rec&ipe…"), "file-text", needs=BOTH),
    ActionSpec("files_for_arx", N_("Write files for AR&X…"), "folder", needs=BOTH),
    ActionSpec("export", N_("&Export…"), "download", "Ctrl+E", needs=WHOLE_TABLE),
    ActionSpec("report", N_("Write a re&port…"), "file-text", "Ctrl+Shift+E"),
    ActionSpec("close", N_("&Close project"), "", "Ctrl+W", needs=PROJECT),
    ActionSpec("quit", N_("&Quit"), "", "Ctrl+Q"),
    ActionSpec("undo", N_("&Undo"), "undo-2", _Key.Undo),
    ActionSpec("redo", N_("&Redo"), "redo-2", "Ctrl+Shift+Z", also="Ctrl+Y"),
    ActionSpec("history", N_("&History"), "history", "Ctrl+Shift+H", needs=PROJECT),
    ActionSpec("paste", N_("&Paste a table"), "", _Key.Paste),
    ActionSpec("find_replace", N_("&Find and replace…"), "search", "Ctrl+H", needs=BOTH),
    ActionSpec("filter_records", N_("F&ilter records…"), "funnel", "Ctrl+Shift+F", needs=BOTH),
    ActionSpec("go_to_record", N_("&Go to record…"), "crosshair", "Ctrl+Shift+J", needs=BOTH),
    ActionSpec("preferences", N_("Pr&eferences…"), "sliders-horizontal", "Ctrl+,"),
    ActionSpec("configure", N_("&Configure transformation"), "", "Ctrl+1", "perspective", needs=PROJECT),
    ActionSpec("explore", N_("&Explore results"), "", "Ctrl+2", "perspective", needs=PROJECT),
    ActionSpec("utility", N_("Analyze &utility"), "", "Ctrl+3", "perspective", needs=PROJECT),
    ActionSpec("risk", N_("Analyze &risk"), "", "Ctrl+4", "perspective", needs=PROJECT),
    ActionSpec("columns_table", N_("&Table of columns"), "columns-3", "F6", needs=PROJECT),
    ActionSpec("palette", N_("Co&mmand palette…"), "list", "Ctrl+Shift+P"),
    ActionSpec("theme_system", N_("As the &system"), "", "", "theme"),
    ActionSpec("theme_light", N_("&Light"), "", "", "theme"),
    ActionSpec("theme_dark", N_("&Dark"), "", "", "theme"),
    ActionSpec("theme_contrast-light", N_("H&igh contrast, light"), "", "", "theme"),
    ActionSpec("theme_contrast-dark", N_("Hi&gh contrast, dark"), "", "", "theme"),
    ActionSpec("larger", N_("L&arger text"), "zoom-in", "Ctrl++"),
    ActionSpec("smaller", N_("Smaller te&xt"), "zoom-out", "Ctrl+-"),
    ActionSpec("normal_size", N_("&Normal text"), "", "Ctrl+0"),
    ActionSpec("full_screen", N_("&Full screen"), "maximize", "F11"),
    ActionSpec("first_release", N_("Get a &first release"), "wand-sparkles", "Ctrl+R", needs=BOTH),
    ActionSpec("score", N_("&Score again"), "refresh-cw", "F5", needs=BOTH),
    ActionSpec("continue_scoring", N_("C&ontinue scoring"), "", "Shift+F5"),
    ActionSpec("cancel", N_("&Cancel"), "x", "Ctrl+."),
    ActionSpec("jobs", N_("&Jobs"), "layers", "Ctrl+Shift+."),
    ActionSpec("memory_256", "256 MB", "", "", "memory"),
    ActionSpec("memory_1024", "1 GB", "", "", "memory"),
    ActionSpec("memory_4096", "4 GB", "", "", "memory"),
    ActionSpec("memory_16384", "16 GB", "", "", "memory"),
    ActionSpec("apply_optimum", N_("&Apply the optimum"), "star", "Ctrl+Return", needs=WHOLE_TABLE),
    ActionSpec("apply_again", N_("Re-appl&y"), "refresh-cw", "Ctrl+Shift+Return"),
    ActionSpec("search_with", N_("Search with an al&gorithm…"), "workflow", "Ctrl+G", needs=WHOLE_TABLE),
    ActionSpec("walk", N_("Replay an algorithm (wa&lk)"), "play", "Ctrl+Shift+G", needs=WHOLE_TABLE),
    ActionSpec("improve", N_("&Improve this release…"), "split", "Ctrl+I", needs=WHOLE_TABLE),
    ActionSpec("help", N_("&Help"), "circle-question-mark", "F1"),
    ActionSpec("contents", N_("&Contents"), "book-open"),
    ActionSpec("shortcuts", N_("&Keyboard shortcuts"), "keyboard", "Shift+F1"),
    ActionSpec("tour", N_("&Tour of the program"), "flag"),
    ActionSpec("news", N_("&What's new"), "newspaper"),
    ActionSpec("about", N_("&About Anonymizer"), "info"),
)
MENUS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        N_("&File"),
        (
            *("open", RECENT, "open_folder", "open_database", "open_with", "reimport", "judge"),
            *(SEPARATOR, "save", "save_as", "save_recipe", "files_for_arx", "export", "report"),
            *(SEPARATOR, "close", "quit"),
        ),
    ),
    (
        N_("&Edit"),
        (
            *("undo", "redo", "history", SEPARATOR, "paste"),
            *(SEPARATOR, "find_replace", "filter_records", "go_to_record", SEPARATOR, "preferences"),
        ),
    ),
    (
        N_("&View"),
        (
            *("configure", "explore", "utility", "risk", SEPARATOR, "columns_table", "palette"),
            *(SEPARATOR, APPEARANCE, "full_screen"),
        ),
    ),
    (
        N_("&Run"),
        (
            *("first_release", SEPARATOR, "apply_optimum", "apply_again", "improve"),
            *(SEPARATOR, "cancel", "jobs"),
        ),
    ),
    (
        N_("&Help"),
        (
            *("help", "contents", "shortcuts", SEPARATOR, "search_with", "walk"),
            *(SEPARATOR, "tour", "news", "about"),
        ),
    ),
)
SUBMENUS = {
    APPEARANCE: (
        N_("&Appearance"),
        (
            *("theme_system", "theme_light", "theme_dark", "theme_contrast-light", "theme_contrast-dark"),
            *(SEPARATOR, "larger", "smaller", "normal_size"),
        ),
    ),
    MEMORY: (N_("&Memory for scores"), ("memory_256", "memory_1024", "memory_4096", "memory_16384")),
}
SCORING = (N_("Scoring"), ("score", "continue_scoring", SEPARATOR, MEMORY))  # menu of the status strip
ALL_MENUS = (*MENUS, SCORING)


def entries_of(names: Iterable[str]) -> Iterator[str]:
    """Yield the ids of the entries of a menu and its submenus."""
    for name in names:
        if name in SUBMENUS:
            yield from entries_of(SUBMENUS[name][1])
        elif name not in (SEPARATOR, RECENT):
            yield name


class Actions(QObject):
    """Menu entries as QActions, hidden from menus, shortcuts and buttons until `offer` connects them."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._actions: dict[str, QAction] = {}
        self._groups: dict[str, QActionGroup] = {}
        for spec in _SPECS:
            self._actions[spec.id] = self._made(spec)

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def all(self) -> tuple[QAction, ...]:
        """All entries, with or without a handler."""
        return tuple(self._actions.values())

    def offered(self) -> tuple[str, ...]:
        """Return the ids of the entries that have a handler."""
        return tuple(name for name, action in self._actions.items() if action.isVisible())

    def offer(self, name: str, slot: Callable[[], object]) -> None:
        """Show an entry and connect it with a function."""
        action = self._actions[name]
        action.triggered.connect(lambda _checked=False: slot())
        action.setVisible(True)

    def name_of(self, name: str) -> str:
        """Return the text of an entry without the object it currently acts on."""
        spec = next(spec for spec in _SPECS if spec.id == name)
        return _(spec.text).replace("&", "").rstrip("…")

    def menu_of(self, name: str) -> str:
        """Return the title of the menu with an entry, itself or in a submenu."""
        titles = (_(title).replace("&", "") for title, names in ALL_MENUS if name in entries_of(names))
        return next(titles, "")

    def icon_of(self, name: str) -> str:
        """Return the name of the icon of an entry."""
        return next(spec for spec in _SPECS if spec.id == name).icon

    def needing(self, what: frozenset[str]) -> tuple[str, ...]:
        """Return the ids of the entries that need a project, or a whole table."""
        return tuple(spec.id for spec in _SPECS if what <= spec.needs)

    def set_enabled(self, name: str, enabled: bool, reason: str = "") -> None:
        """Enable an entry, or disable it and show the reason in its tooltip."""
        action = self._actions[name]
        action.setEnabled(enabled)
        text = self.name_of(name)
        action.setToolTip(text if enabled or not reason else f"{text}: {reason}")

    def _made(self, spec: ActionSpec) -> QAction:
        action = QAction(_(spec.text), self)
        action.setObjectName(f"action.{spec.id}")
        action.setShortcuts([QKeySequence(keys) for keys in (spec.shortcut, spec.also) if keys])
        action.setVisible(False)
        if spec.icon:
            set_icon(action, spec.icon)
        if spec.group:
            if spec.group not in self._groups:
                self._groups[spec.group] = QActionGroup(self)
            action.setCheckable(True)
            self._groups[spec.group].addAction(action)
        return action


def shortcut_text(action: QAction) -> str:
    """Return the shortcut of an action in the notation of this platform."""
    return action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
