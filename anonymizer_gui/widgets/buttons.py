"""Push buttons in the kinds that the style sheet defines."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtGui import QKeySequence, QShortcutEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from anonymizer_gui.theming import fit_icon, set_icon
from anonymizer_gui.widgets.labels import set_style_property
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named

_ICON_TOKENS = {"primary": "on_accent", "danger": "danger", "link": "accent_text"}


class _IconButton(QPushButton):
    """Icon button whose shortcut does not move the focus."""

    def event(self, event: QEvent) -> bool:
        is_shortcut = isinstance(event, QShortcutEvent) and not event.isAmbiguous()
        if is_shortcut and self.isEnabled():
            self.click()
            return True
        return super().event(event)


def make_button(
    text: str, name: str = "", *, kind: str = "", icon_name: str = "", small: bool = False, tooltip: str = ""
) -> QPushButton:
    """Return a button with a text; kinds are "" (outlined), "primary", "quiet", "danger" and "link"."""
    button = named(QPushButton(text), name)
    button.setProperty("kind", kind)
    if small:
        button.setProperty("compact", "true")
    if icon_name:
        set_icon(button, icon_name, 14 if small else 16, _ICON_TOKENS.get(kind, "text_2"))
    button.setToolTip(tooltip)
    button.setAutoDefault(False)
    return button


def set_primary(button: QPushButton, icon_name: str, *, is_primary: bool) -> None:
    """Make a button the primary one of its place, or an outlined one."""
    kind = "primary" if is_primary else ""
    set_style_property(button, "kind", kind)
    set_icon(button, icon_name, 16, _ICON_TOKENS.get(kind, "text_2"))


def fold_text(button: QPushButton, text: str, *, is_folded: bool) -> None:
    """Hide the text of a button that has no room for it and show only its icon."""
    if button.property("unfolded_kind") is None:
        button.setProperty("unfolded_kind", button.property("kind") or "")
    button.setText("" if is_folded else text)
    set_style_property(button, "kind", "icon" if is_folded else button.property("unfolded_kind"))
    fit_icon(button)


def button_row(*buttons: QWidget) -> QHBoxLayout:
    """Return the layout for the buttons of a dialog, right-aligned."""
    return hbox(STRETCH, *buttons)


def make_icon_button(
    icon_name: str, tooltip: str, name: str = "", *, shortcut: str | QKeySequence = ""
) -> QPushButton:
    """Return a button with an icon only; its tooltip names the action and the shortcut."""
    button = named(_IconButton(), name)
    button.setProperty("kind", "icon")
    set_icon(button, icon_name, on_token="accent_text")
    button.setAccessibleName(tooltip)
    keys = QKeySequence(shortcut) if isinstance(shortcut, str) else shortcut
    if not keys.isEmpty():
        button.setShortcut(keys)
        tooltip = f"{tooltip} ({keys.toString(QKeySequence.SequenceFormat.NativeText)})"
    button.setToolTip(tooltip)
    button.setAutoDefault(False)
    return button
