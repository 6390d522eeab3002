"""The button beside an error of the window: what a person can do about it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from anonymizer_gui.widgets.error_banner import ErrorBanner


class WaysOut(QObject):
    """Offers one way out of the error that the banner shows; the error goes once it is no longer true."""

    def __init__(self, banner: ErrorBanner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._banner = banner
        self._offered: tuple[str, str] | None = None  # what the banner and its button say
        self._act: Callable[[], object] | None = None
        self._holds: Callable[[], bool] | None = None
        banner.action_requested.connect(self._on_asked)

    def show_error(
        self,
        problem: str,
        hint: str,
        text: str = "",
        act: Callable[[], object] | None = None,
        *,
        tone: str = "danger",
        holds: Callable[[], bool] | None = None,
    ) -> None:
        """Show an error; `act` is what a button called `text` does, `holds` whether it is still true."""
        text = text if act is not None else ""
        self._banner.show_error(problem, hint, text, tone=tone)
        self._offered, self._act, self._holds = (problem, text), act, holds

    def look_again(self) -> None:
        """Take the error away if it is in sight and no longer true."""
        if self._holds is not None and self._is_shown() and not self._holds():
            self._holds = None
            self._banner.dismiss()

    def _on_asked(self) -> None:
        act, self._act = self._act, None
        if act is not None and self._is_shown():
            self._banner.dismiss()
            act()

    def _is_shown(self) -> bool:
        # Another error, with a button of its own, may have taken the place of this one.
        return self._offered == (self._banner.problem(), self._banner.action())
