"""Error next to its cause: problem, hint and a button."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame

from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.accessible import announce
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.drawn import IconLabel
from anonymizer_gui.widgets.labels import make_label, set_style_property
from anonymizer_gui.widgets.layouts import hbox, vbox
from engine.errors import AnonymizerError
from engine.words import _

_ICONS = {"danger": "circle-alert", "warn": "triangle-alert", "ok": "circle-check"}


class ErrorBanner(QFrame):
    """Hidden until `show_error`; never opens a dialog."""

    action_requested = Signal()  # the button was clicked and has no `act`

    def __init__(self) -> None:
        super().__init__()
        self._act: Callable[[], object] | None = None
        self._holds: Callable[[], bool] | None = None
        self._icon = IconLabel("circle-alert", 18, "danger")
        self._problem = make_label("", Text.TITLE, wraps=True)
        self.hint = make_label("", Text.CELL, wraps=True)
        for words in (self._problem, self.hint):
            words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._action = make_button("", small=True)
        self._action.clicked.connect(self._on_action_clicked)
        self._close = make_icon_button("x", _("Close"))
        self._close.clicked.connect(self.dismiss)
        hbox(
            (self._icon, 0, Qt.AlignmentFlag.AlignTop),
            (vbox(self._problem, self.hint, spacing=2), 1),
            (self._action, 0, Qt.AlignmentFlag.AlignTop),
            (self._close, 0, Qt.AlignmentFlag.AlignTop),
            spacing=10,
            margins=(12, 8, 8, 8),
            of=self,
        )
        self.setProperty("banner", "danger")
        self.hide()

    def show_error(
        self,
        problem: str,
        hint: str = "",
        action: str = "",
        act: Callable[[], object] | None = None,
        *,
        tone: str = "danger",
        holds: Callable[[], bool] | None = None,
    ) -> None:
        """Show an error with a hint.

        Parameters
        ----------
        action : str
            Text of a button, empty for none.
        act : callable, optional
            Effect of the button.
        holds : callable, optional
            Returns whether the error still applies; see `look_again`.
        """
        self._act, self._holds = act, holds
        self._problem.setText(problem)
        self.hint.setText(hint)
        self.hint.setVisible(bool(hint))
        self._action.setText(action)
        self._action.setVisible(bool(action))
        self._icon.set_icon(_ICONS[tone], tone)
        set_style_property(self, "banner", tone)
        self.setAccessibleName(f"{problem} {hint}".strip())
        self.updateGeometry()
        self.show()
        announce(self, self.accessibleName(), is_urgent=tone == "danger")

    def show_failure(self, error: Exception) -> None:
        """Show an error meant for users; any other one is a bug, and raised."""
        if not isinstance(error, AnonymizerError):
            raise error
        self.show_error(error.problem, error.hint)

    def focus_action(self) -> None:
        """Focus the button."""
        self._action.setFocus(Qt.FocusReason.OtherFocusReason)

    def look_again(self) -> None:
        """Hide the banner if the error no longer applies."""
        if self._holds is not None and not self._holds():
            self.dismiss()

    def take_success(self) -> None:
        """Hide what was said before something else succeeded; a warning about the open file stays."""
        if self.property("banner") != "warn":
            self.dismiss()

    def dismiss(self) -> None:
        """Hide the banner."""
        self._holds = None
        self.hide()

    def problem(self) -> str:
        return self._problem.text()

    def _on_action_clicked(self) -> None:
        if self._act is not None:
            self._act()
        else:
            self.action_requested.emit()
