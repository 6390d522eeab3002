"""Page of a test on request: its settings at the left, its results at the right."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from anonymizer_gui.theming import scaled
from anonymizer_gui.widgets.design_splitter import DesignSplitter
from anonymizer_gui.widgets.fits_room import FitsRoom
from anonymizer_gui.widgets.layouts import vbox


class SettingsPage(FitsRoom, QWidget):
    """Settings beside results; subclasses call `lay_out` at the end of their construction."""

    def lay_out(self, setup: QWidget, results: QWidget, name: str, width: int, share: float) -> None:
        """Place both sides.

        Parameters
        ----------
        setup, results : QWidget
        name : str
            Name under which the splitter keeps its sizes.
        width : int
            Width of the settings in design pixels.
        share : float
            Largest share of the page that they take.
        """
        self._width, self._share = width, share
        self._sides = DesignSplitter(Qt.Orientation.Horizontal, name)
        self._sides.addWidget(setup)
        self._sides.addWidget(results)
        self._sides.setStretchFactor(1, 1)
        vbox(self._sides, margins=0, of=self)

    def _fit(self) -> None:
        left = min(scaled(self._width), round(self._share * self.width()))
        self._sides.set_design_sizes([left, self.width() - left - 8])
