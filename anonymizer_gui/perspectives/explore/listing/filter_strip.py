"""Strip of chips for the active filters, with a button that removes all of them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QFrame, QMenu, QWidget

from anonymizer_gui.perspectives.explore.listing.filter_chips import FilterChip
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.fits_room import FitsRoom
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named
from anonymizer_gui.widgets.removable_chip import RemovableChip

_SIDE, _GAP = 12, 6


class FilterStrip(FitsRoom, QFrame):
    """Hidden while empty; chips without room are behind a button with their number."""

    removal_requested = Signal(object)  # Part
    clearing_requested = Signal()
    chips_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("filterStrip")
        self.setProperty("strip", "true")
        self.setAccessibleName(self.tr("Active filters"))
        self._shown: tuple[FilterChip, ...] = ()
        self._chips: list[RemovableChip] = []
        self._field: QWidget | None = None
        self._more = named(make_button("", kind="link", small=True), "moreFilters")
        self._more.clicked.connect(self._show_rest)
        self._clear = named(make_button(self.tr("Clear all"), kind="link", small=True), "clearFilters")
        self._clear.setToolTip(self.tr("Remove all filters"))
        self._clear.clicked.connect(self.clearing_requested)
        self._row = hbox(
            self._more, self._clear, STRETCH, spacing=_GAP, margins=(_SIDE, 1, _SIDE, 1), of=self
        )
        self.hide()

    def show_chips(self, chips: Sequence[FilterChip]) -> None:
        """Show other filters."""
        if tuple(chips) == self._shown:
            return
        held = next((i for i, chip in enumerate(self._chips) if chip.hasFocus()), None)
        self._shown = tuple(chips)
        for chip in self._chips:
            self._row.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self._chips = []
        for place, shown in enumerate(self._shown):
            chip = RemovableChip(shown.text, shown.explanation, self)
            chip.setObjectName(f"chip.{shown.part[0]}.{shown.part[1]}")
            chip.removal_requested.connect(lambda part=shown.part: self.removal_requested.emit(part))
            self._row.insertWidget(place + (self._field is not None), chip)
            self._chips.append(chip)
        self._update_visible()
        self._fit()
        self.chips_changed.emit()
        if held is not None and self._chips:
            self._chips[min(held, len(self._chips) - 1)].setFocus()

    def take_field(self, field: QWidget, *, shown: bool) -> None:
        """Place the field for typed filters before the chips."""
        self._field = field
        if field.parentWidget() is not self:
            self._row.insertWidget(0, field)
        field.setVisible(shown)
        self._update_visible()

    def release_field(self, field: QWidget) -> None:
        """Return the field to its former parent."""
        if self._field is not None:
            self._row.removeWidget(field)
            self._field = None
            self._update_visible()

    def chips(self) -> list[RemovableChip]:
        """Return the visible chips, from the left."""
        return [chip for chip in self._chips if not chip.isHidden()]

    def controls(self) -> list[QWidget]:
        """Return the widgets in tab order."""
        return [*self._chips, self._more, self._clear]

    def _update_visible(self) -> None:
        self._clear.setVisible(bool(self._shown))
        self.setVisible(bool(self._shown) or (self._field is not None and not self._field.isHidden()))

    def _fit(self) -> None:
        """Show as many chips as fit."""
        room = self.width() - 2 * _SIDE - self._clear.sizeHint().width() - _GAP
        if self._field is not None and not self._field.isHidden():
            room -= self._field.maximumWidth() + _GAP
        widths = [chip.sizeHint().width() + _GAP for chip in self._chips]
        if sum(widths) > room:
            self._more.setText(self.tr("{n} more").format(n=len(widths)))
            room -= self._more.sizeHint().width() + _GAP
        n_shown = 0
        for width in widths:
            room -= width
            if room < 0:
                break
            n_shown += 1
        for place, chip in enumerate(self._chips):
            chip.setVisible(place < n_shown)
        n_rest = len(self._chips) - n_shown
        self._more.setVisible(n_rest > 0)
        self._more.setText(self.tr("{n_rest} more").format(n_rest=n_rest))
        self._more.setToolTip("\n".join(chip.text for chip in self._shown[n_shown:]))

    def _show_rest(self) -> None:
        """Show a menu to remove the filters without room."""
        menu = named(QMenu(self), "moreFiltersMenu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for chip in self._shown[len(self.chips()) :]:
            action = menu.addAction(self.tr("Remove {value}").format(value=chip.text.replace("&", "&&")))
            action.triggered.connect(lambda _=False, part=chip.part: self.removal_requested.emit(part))
        menu.popup(self._more.mapToGlobal(QPoint(0, self._more.height())))
