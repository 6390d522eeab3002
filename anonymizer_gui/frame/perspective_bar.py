"""Bar with the tabs of the perspectives at the left and common controls at the right."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QFontMetrics
from PySide6.QtWidgets import QButtonGroup, QFrame, QPushButton, QWidget

from anonymizer_gui.actions import Actions, shortcut_text
from anonymizer_gui.theming import Text, fit_icon, follow_theme, font, scaled, set_icon
from anonymizer_gui.widgets.accessible import PRESS, Accessible, Role
from anonymizer_gui.widgets.buttons import make_button, make_icon_button, set_primary
from anonymizer_gui.widgets.chip import Chip
from anonymizer_gui.widgets.drawn import FitsRoom
from anonymizer_gui.widgets.labels import make_line
from anonymizer_gui.widgets.layouts import hbox, named
from engine.words import N_, _

BAR_HEIGHT = 44
# Next steps, by their action.
FIRST, EXPLORE, EXPORT, AGAIN = "first_release", "explore", "export", "apply_again"
TABS = (
    ("configure", "settings-2"),
    ("explore", "waypoints"),
    ("utility", "chart-column"),
    ("risk", "shield-check"),
)
_SHORT = {
    "configure": N_("Configure"),
    "explore": N_("Explore"),
    "utility": N_("Utility"),
    "risk": N_("Risk"),
}
_TAB_PADDING = 24 + 16 + 8  # both sides, icon, gap
_SHORT_PADDING = 24  # the sides of a short tab do not grow with the text


class _Tab(QPushButton):
    """Button that screen readers present as a tab."""

    def as_accessible(self) -> Accessible:
        states = {"selectable": True, "selected": self.isChecked(), "checkable": False, "checked": False}
        return Accessible(Role.PageTab, actions={PRESS: self.click}, states=states)


class PerspectiveBar(FitsRoom, QFrame):
    """Shows which perspective is open; every control at the right triggers an action."""

    perspective_requested = Signal(str)

    def __init__(self, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("strip", "true")
        self.setObjectName("perspectiveBar")
        self._tabs: dict[str, QPushButton] = {}
        self._tab_texts: dict[str, tuple[str, str]] = {}  # long and short
        self._group = QButtonGroup(self)
        self._stale_text = ""
        self._reading_text = self._broken_text = ""
        row = hbox(spacing=6, margins=(8, 0, 8, 0), of=self)
        for name, icon_name in TABS:
            row.addWidget(self._make_tab(name, icon_name, actions[name]))
        row.addStretch(1)
        self.stale = named(Chip("", "warn", link_text=self.tr("Review")), "staleChip")
        self.stale.hide()
        row.addWidget(self.stale)
        self._reading = named(Chip("", "warn"), "readingChip")
        self.broken = named(
            Chip("", "danger", link_text=self.tr("Change import settings…")), "brokenReadingChip"
        )
        for chip in (self._reading, self.broken):
            chip.hide()
            row.addWidget(chip)
        self._again = make_button("", "applyAgainButton", icon_name="refresh-cw", small=True)
        self._again.hide()
        row.addWidget(self._again)
        self._first = make_button("", "firstReleaseButton", kind="primary", icon_name="wand-sparkles")
        self._explore = make_button("", "exploreButton", kind="primary", icon_name="waypoints")
        self._undo = make_icon_button("undo-2", self.tr("Undo"), "undoButton")
        self._redo = make_icon_button("redo-2", self.tr("Redo"), "redoButton")
        self._history = make_button("", "historyButton", kind="quiet", icon_name="history")
        self._export = make_button("", "exportButton", icon_name="download")
        line = make_line(Qt.Orientation.Vertical)
        for button in (self._first, self._explore):
            row.addWidget(button)
            button.hide()
        for widget in (self._undo, self._redo, self._history, line, self._export):
            row.addWidget(widget)
        self._texts = {
            self._first: (self.tr("Get a first release"), "wand-sparkles"),
            self._explore: (self.tr("Explore results"), "waypoints"),
            self._history: (self.tr("History"), "history"),
            self._export: (self.tr("Export…"), "download"),
            self._again: (self.tr("Re-apply"), "refresh-cw"),
        }
        self._actions = {
            self._first: actions[FIRST],
            self._explore: actions[EXPLORE],
            self._undo: actions["undo"],
            self._redo: actions["redo"],
            self._export: actions["export"],
            self._again: actions["apply_again"],
            self._history: actions["history"],
        }
        self._history.setVisible(actions["history"].isVisible())
        for button, action in self._actions.items():
            button.clicked.connect(action.trigger)
            action.changed.connect(self._follow_actions)
        self._follow_actions()
        self._offers_again = actions["apply_again"].isVisible
        actions["apply_again"].changed.connect(self._show_again)
        line.setFixedHeight(20)
        follow_theme(self._update_sizes)

    def as_accessible(self) -> Accessible:
        return Accessible(Role.PageTabList, name=self.tr("Perspectives"))

    @property
    def names(self) -> tuple[str, ...]:
        """Perspectives that have a tab."""
        return tuple(self._tabs)

    def show_perspective(self, name: str) -> None:
        """Mark the tab of the open perspective."""
        if name in self._tabs:
            self._tabs[name].setChecked(True)

    def focus_perspective(self, name: str) -> None:
        """Focus the tab of a perspective, so that a screen reader says its name and Tab enters it."""
        self._tabs[name].setFocus()

    def show_stale(self, text: str) -> None:
        """Show how release and settings differ; an empty text hides the chip."""
        self._stale_text = text
        self.stale.setVisible(bool(text))
        self._show_again()
        self._fit()

    def show_reading(self, name: str, is_broken: bool) -> None:
        """Show that a file is still being read, or could not be read completely; an empty name hides it."""
        reading, broken = (
            self.tr("Reading {name}; types are provisional"),
            self.tr("{name} is only partly read"),
        )
        self._reading_text = reading.format(name=name) if name and not is_broken else ""
        self._broken_text = broken.format(name=name) if name and is_broken else ""
        self._reading.setVisible(bool(self._reading_text))
        self.broken.setVisible(bool(self._broken_text))
        self._fit()

    def history_corner(self) -> QPoint:
        """Return the screen point for the upper right corner of the history list."""
        below = self._history if self._history.isVisible() else self
        return below.mapToGlobal(below.rect().bottomRight())

    def show_next(self, step: str) -> None:
        """Show the next step as the only primary button; none if another part of the window has it."""
        self._first.setVisible(step == FIRST)
        self._explore.setVisible(step == EXPLORE)
        for button, own in ((self._export, EXPORT), (self._again, AGAIN)):
            set_primary(button, self._texts[button][1], is_primary=step == own)
        self._fit()

    def _show_again(self) -> None:
        visible = bool(self._stale_text) and self._offers_again()
        if visible == self._again.isHidden():
            self._again.setVisible(visible)
            self._fit()

    def _follow_actions(self) -> None:
        """Mirror the enabled state, keys and tooltips of actions on their buttons."""
        for button, action in self._actions.items():
            button.setEnabled(action.isEnabled())
            keys = shortcut_text(action)
            text = action.toolTip().replace("…", "")
            button.setToolTip(f"{text} ({keys})" if keys else text)
            button.setAccessibleName(action.text().replace("&", "").rstrip("…"))
        is_shown = self._actions[self._history].isVisible()
        if is_shown == self._history.isHidden():
            self._history.setVisible(is_shown)
            self._fit()

    def _make_tab(self, name: str, icon_name: str, action: QAction) -> QPushButton:
        tab = named(_Tab(action.text().replace("&", "")), f"tab.{name}")
        tab.setProperty("kind", "tab")
        tab.setCheckable(True)
        tab.setAutoDefault(False)
        tab.setToolTip(f"{tab.text()} ({shortcut_text(action)})")
        tab.setAccessibleName(tab.text())
        set_icon(tab, icon_name, 16, on_token="accent")
        tab.clicked.connect(lambda: self.perspective_requested.emit(name))
        self._group.addButton(tab)
        self._tabs[name] = tab
        self._tab_texts[name] = tab.text(), _(_SHORT[name])
        tab.setVisible(action.isVisible())
        action.changed.connect(lambda: self._show_tab(tab, action.isVisible()))
        return tab

    def _show_tab(self, tab: QPushButton, visible: bool) -> None:
        if visible == tab.isHidden():
            tab.setVisible(visible)
            self._fit()

    def _update_sizes(self) -> None:
        self.setFixedHeight(scaled(BAR_HEIGHT) + 1)
        self._fit()
        QTimer.singleShot(0, self, self._fit)  # widgets get their style only after this event

    def _fit(self) -> None:
        """Shorten texts to the room: first those of buttons, then of chips, then of tabs."""
        own = self.layout()
        assert own is not None
        until_read = self.tr(
            "Your changes can be saved, and recovered after a crash, once the file has been read completely."
        )
        for step in range(4):
            for button, (text, _icon) in self._texts.items():
                wanted = text if step == 0 else ""
                if button.text() != wanted:
                    button.setText(wanted)
                    fit_icon(button)
            self.stale.set_text(self._stale_text if step < 2 else self.tr("Release is out of date"))
            self.stale.setToolTip(self._stale_text)
            self._reading.set_text(self._reading_text if step < 2 else self.tr("Provisional types"))
            self._reading.setToolTip(f"{self._reading_text}\n{until_read}")
            self.broken.set_text(self._broken_text if step < 2 else self.tr("Cancelled"))
            self.broken.setToolTip(f"{self._broken_text}\n{until_read}")
            for chip in (self.stale, self._reading, self.broken):
                _forget_size(chip)
            self._set_tab_texts(is_short=step == 3)
            own.invalidate()
            if own.minimumSize().width() <= self.width():
                return

    def _set_tab_texts(self, *, is_short: bool) -> None:
        """Set tab texts; every tab is as wide as its active form, so that the row does not move."""
        bold = QFontMetrics(font(Text.TAB_ACTIVE))
        for name, tab in self._tabs.items():
            text = self._tab_texts[name][is_short]
            padding = _SHORT_PADDING + scaled(_TAB_PADDING - _SHORT_PADDING)
            width = bold.horizontalAdvance(text) + (padding if is_short else scaled(_TAB_PADDING))
            if tab.text() != text:
                tab.setText(text)
            tab.setFixedWidth(width)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.height())


def _forget_size(chip: Chip) -> None:
    """Recompute the size of a chip for its new text."""
    layout = chip.layout()
    assert layout is not None
    layout.invalidate()
    chip.updateGeometry()
