"""Running job in the status strip: name, progress, time and Cancel."""

from __future__ import annotations

from time import monotonic

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import at_least, hbox
from anonymizer_gui.widgets.meter import Meter
from engine.numbers import as_duration
from engine.words import _

BAR_WIDTH = 120
_FIRST_ESTIMATE_SECONDS = 1.0


class JobStrip(QWidget):
    """Hidden while no job runs.

    Parameters
    ----------
    fills : bool
        Whether the text fills the available width, so that the bars of several strips are aligned.
    """

    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None, *, fills: bool = False) -> None:
        super().__init__(parent)
        self.text = ElidedLabel("", Text.CELL, "text_2")
        self.bar = Meter("", BAR_WIDTH)
        self._left = at_least(make_label("", Text.CELL, "text_3"), width=72)
        self._cancel = make_button(_("Cancel"), kind="quiet", small=True, icon_name="x")
        self._cancel.clicked.connect(self._on_cancel_clicked)
        self._started = 0.0
        hbox(
            (self.text, 1 if fills else 0),
            self.bar,
            self._left,
            self._cancel,
            spacing=8,
            margins=0,
            of=self,
        )
        self.hide()

    def start(self, text: str, *, since: float | None = None) -> None:
        """Show a job started now, or at `since` on the monotonic clock."""
        self._started = monotonic() if since is None else since
        self._cancel.setEnabled(True)
        self._cancel.setAccessibleName(self.tr("Cancel: {job}").format(job=text))
        self.bar.setAccessibleName(text)
        self._left.clear()
        self.show_progress(0.0, text)
        self.show()

    def show_progress(self, share: float, text: str = "") -> None:
        """Set the progress as a fraction, and optionally the text."""
        if text:
            self.text.setText(text)
        self.bar.show_share(share, token="accent")
        elapsed = monotonic() - self._started
        if share > 0 and elapsed >= _FIRST_ESTIMATE_SECONDS:
            self._left.setText(as_duration(elapsed * (1 - share) / share))

    def show_cancelling(self) -> None:
        """Show that cancellation was requested."""
        self._cancel.setEnabled(False)
        self.text.setText(_("Cancelling"))

    def finish(self) -> None:
        """Hide the strip after the job has ended."""
        self.hide()

    def _on_cancel_clicked(self) -> None:
        self.show_cancelling()
        self.cancel_requested.emit()
