"""Dialogs for keyboard shortcuts and for version and licences."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QPlainTextEdit,
    QScrollArea,
    QWidget,
)

from anonymizer_gui.actions import ALL_MENUS, Actions, entries_of, shortcut_text
from anonymizer_gui.perspectives.configure.hierarchy.commands import COMMANDS, keys_of
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.accessible import Accessible, Role
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import STRETCH, gridbox, hbox, named, vbox
from engine import plugins
from engine.shipped import distributions, program_name, resources_path, words_for_the_window
from engine.words import N_, _

_IN_VIEWS = (
    ("1 to 4", N_("Set the role of the selected columns")),
    (
        N_("Type, Up or Down, Enter"),
        N_("In the command palette: find a command, column, recent file or help page"),
    ),
    (N_("Arrow keys"), N_("Move along the edges of the lattice, or to the nearest node of the map")),
    (N_("Shift, Up or Down"), N_("In the lattice: take the next edge by cost instead of the last one")),
    (N_("Ctrl, Shift and arrow keys"), N_("In the map: move along the Pareto front, frame nodes")),
    ("+ and −, Home", N_("Zoom the lattice or the map, show all of it")),
    (N_("Alt+1 to Alt+5"), N_("Prices, lattice, map, list, or all four")),
    (N_("Arrow keys, Space, Esc"), N_("In the prices: to another level, insist on it, release all")),
    ("Ctrl+L", N_("Find a node by its levels")),
    (N_("Alt+Left, Alt+Right"), N_("To the previously visited node, and forward again")),
    ("Ctrl+D", N_("Pin or unpin the selected node")),
    (
        N_("Space, Left, Right, End"),
        N_("In a walk: play or pause, one step back or forward, jump to the last step"),
    ),
    (N_("Arrow keys on a knob"), N_("To the next value that changes which nodes satisfy")),
    (N_("Shift while dragging a knob"), N_("Any value, not only those")),
)
_IN_HIERARCHIES = (
    (N_("Drag"), N_("Move values or groups to another group, or to free space for a new one")),
    (N_("Shift, Ctrl, letters"), N_("Select several, one by one, or by name")),
    (N_("Arrow keys on a cut"), N_("Move it by one value")),
    ("F", N_("Show all groups")),
)
_PARTS = (
    (N_("Anonymizer"), N_("Apache License 2.0")),
    (N_("Qt and PySide6"), N_("GNU Lesser General Public License 3")),
    (N_("Inter typeface"), N_("SIL Open Font License 1.1")),
    (N_("Lucide icons"), "ISC License"),
    (N_("NumPy, Numba, pandas, pyqtgraph, Typer, Rich"), N_("BSD and MIT licenses")),
    (N_("SQLAlchemy, openpyxl, xlrd, python-calamine"), N_("BSD and MIT licenses")),
    (N_("Tomli-W, platformdirs, psutil"), N_("BSD and MIT licenses")),
    (N_("Apache Arrow, pyreadstat"), N_("Apache License 2.0")),
)


class ShortcutsDialog(QDialog):
    """List of all keyboard shortcuts."""

    def __init__(self, parent: QWidget, actions: Actions) -> None:
        super().__init__(parent)
        self.setObjectName("shortcutsDialog")
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        grid = gridbox(spacing=(24, 4))
        for title, names in ALL_MENUS:
            keys = [
                (shortcut_text(actions[name]), actions.name_of(name))
                for name in entries_of(names)
                if name in actions.offered() and shortcut_text(actions[name])
            ]
            _add_group(grid, _(title).replace("&", ""), keys)
        _add_group(grid, self.tr("In the views"), _shown(_IN_VIEWS))
        commands = [(keys_of(spec), _(spec.help)) for spec in COMMANDS if spec.shortcut]
        _add_group(grid, self.tr("In the hierarchy editor"), [*commands, *_shown(_IN_HIERARCHIES)])
        _fill(self, _TextArea(grid, self.windowTitle()))
        self.resize(scaled(600), min(scaled(560), 660))


class AboutDialog(QDialog):
    """Version, licence and bundled components, and the plug-ins that are installed."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("aboutDialog")
        self.setWindowTitle(self.tr("About Anonymizer"))
        grid = gridbox(spacing=(24, 4))
        _add_group(grid, self.tr("Licences"), _shown(_PARTS))
        listed = [(_plugins_area(self.tr("Plug-ins")), 2)] if plugins.all_offers() else []
        licences = QPlainTextEdit(_licence_texts())
        licences.setReadOnly(True)
        licences.setAccessibleName(self.tr("License texts"))
        licences.setTabChangesFocus(True)
        content = QWidget()
        vbox(
            make_label(program_name(), Text.HEADING),
            make_label(
                self.tr(
                    "Anonymize tables about people and see what each setting costs in utility and gains "
                    "in privacy. The program opens no network connection, except to a database or cluster "
                    "whose address you typed or confirmed."
                ),
                Text.CELL,
                "text_2",
                wraps=True,
            ),
            grid,
            *_two_distributions(self),
            *listed,
            (licences, 1),
            spacing=8,
            margins=0,
            of=content,
        )
        _fill(self, content)
        licences.setProperty("focus_ring", "inside")
        self.resize(scaled(560), min(scaled(660 if listed else 560), 660))


class _TextArea(QScrollArea):
    """Scrolled text, which takes the focus so that keys scroll it."""

    def __init__(self, grid: QGridLayout, name: str) -> None:
        super().__init__()
        content = QWidget()
        content.setProperty("scrolled", "true")
        content.setLayout(grid)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setProperty("focus_ring", "inside")
        self.setAccessibleName(name)
        self.setWidget(content)

    def as_accessible(self) -> Accessible:
        return Accessible(Role.Document)


def _shown(rows: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(_(left), _(right)) for left, right in rows]


def _two_distributions(dialog: QDialog) -> list[QWidget]:
    """Return what to do about two installed distributions that share their files."""
    found = distributions()
    if len(found) < 2:
        return []
    words = dialog.tr("{packages} are both installed, with the same files. These words keep one: {words}")
    text = words.format(packages=", ".join(found), words="; ".join(words_for_the_window()))
    return [make_label(text, Text.CELL, "danger", wraps=True)]


def _plugins_area(title: str) -> QWidget:
    """Return the scrolled list of plug-ins, each with what it offers and what could not be loaded."""
    from engine.families import installed_plugins  # every family, which the window starts without

    grid = QGridLayout()
    grid.setVerticalSpacing(4)
    grid.addWidget(make_label(title, Text.SECTION, "text_3"))
    for plugin in installed_plugins():
        grid.addWidget(make_label(plugin.title, Text.CELL_STRONG))
        for entry in plugin.offered:
            tone = "danger" if entry.problem else "text_2"
            grid.addWidget(make_label(entry.line, Text.CELL, tone, wraps=True))
    grid.setRowStretch(grid.rowCount(), 1)
    area = named(_TextArea(grid, title), "pluginsArea")
    area.setMinimumHeight(scaled(170))
    return area


def _fill(dialog: QDialog, content: QWidget) -> None:
    close = make_button(dialog.tr("Close"), "closeButton")
    close.clicked.connect(dialog.accept)
    close.setDefault(True)
    vbox((content, 1), hbox(STRETCH, close), spacing=12, margins=16, of=dialog)


def _add_group(grid: QGridLayout, title: str, rows: list[tuple[str, str]]) -> None:
    row = grid.rowCount()
    if rows:
        grid.addWidget(make_label(title, Text.SECTION, "text_3"), row, 0, 1, 2)
    for offset, (left, right) in enumerate(rows, start=1):
        grid.addWidget(make_label(left, Text.CELL_STRONG), row + offset, 0)
        grid.addWidget(make_label(right, Text.CELL, "text_2", wraps=True), row + offset, 1)
    grid.setColumnStretch(1, 1)


def _licence_texts() -> str:
    folder = resources_path()
    paths = (folder / "fonts" / "OFL.txt", folder / "icons" / "LICENSE")
    texts = [path.read_text(encoding="utf-8") for path in paths if path.is_file()]
    return "\n\n".join(texts)
