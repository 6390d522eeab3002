"""List of released forms of columns, with the parameters of the chosen one in short."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox, offer
from anonymizer_gui.widgets.labels import ElidedLabel, set_tone
from anonymizer_gui.widgets.layouts import fixed, hbox, named

_WIDTH = 158


@dataclass(frozen=True)
class ReleaseFacts:
    """Forms in which the selected columns may be released.

    Attributes
    ----------
    options : tuple of (str, str, str)
        Key, title and summary of each.
    chosen : str or None
        Key of the chosen one; None if that of the columns differs.
    hint : str
        What it does.
    words : str
        Its parameters in short.
    tone : str
        Colour of these words.
    has_settings : bool
        Whether it has parameters.
    """

    options: tuple[tuple[str, str, str], ...]
    chosen: str | None
    hint: str
    words: str = ""
    tone: str = "text_3"
    has_settings: bool = True


class ReleaseChoice(QWidget):
    """List, description, and a button for the parameters.

    Parameters
    ----------
    name, settings_name : str
        Object names of the list and of the button.
    settings_hint : str
        What the parameters decide.
    """

    def __init__(self, name: str, settings_name: str, settings_hint: str) -> None:
        super().__init__()
        self.box = named(ElidedComboBox(), name, self.tr("Released as"))
        self.box.setProperty("size", "small")
        self.box.setPlaceholderText(self.tr("Several"))
        self.words = ElidedLabel("", Text.CELL, "text_3")
        settings = make_button(self.tr("Settings"), icon_name="settings-2", small=True, tooltip=settings_hint)
        self.settings_button = named(settings, settings_name)
        hbox(self.box, (self.words, 1), self.settings_button, spacing=8, margins=0, of=self)
        fixed(self.box, width=_WIDTH)

    def show_facts(self, facts: ReleaseFacts) -> None:
        """Show the choice of the selected columns."""
        offer(self.box, facts.options, facts.chosen)
        self.box.setToolTip(facts.hint)
        self.words.setText(facts.words)
        set_tone(self.words, facts.tone)
        self.settings_button.setVisible(facts.has_settings)
