"""Form that sets which cells of an assessed table could be anything."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from anonymizer_gui.forms.number_spin import NumberSpin
from anonymizer_gui.perspectives.given_table.assessment import WildcardChoice
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox
from anonymizer_gui.widgets.labels import ElidedLabel
from anonymizer_gui.widgets.layouts import fixed, hbox, named, vbox

_WIDTH = 112
NOTHING, STARS, MISSING, BOTH = "", "stars", "missing", "both"


class WildcardForm(QWidget):
    """A box that names the wildcards; with some, how records are counted that match by them."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("wildcardForm")
        self.box = fixed(ElidedComboBox(), width=_WIDTH)
        self.box.setObjectName("wildcardBox")
        self.box.setProperty("size", "small")
        self.box.setAccessibleName(self.tr("Cells that could be anything"))
        self.box.setToolTip(
            self.tr("Also read these cells as wildcards; the values are shown beside those as values")
        )
        for key, words in (
            (NOTHING, self.tr("no cell")),
            (STARS, self.tr("stars")),
            (MISSING, self.tr("missing cells")),
            (BOTH, self.tr("both")),
        ):
            self.box.addItem(words, key)
        self.box.activated.connect(lambda _place: self._on_chosen())
        self.all_star = named(
            QCheckBox(self.tr("Count records of wildcards only")),
            "allStarBox",
            tooltip=self.tr(
                "They match everybody. Without this they are left out, as a suppressed record hides nobody."
            ),
        )
        self.all_star.toggled.connect(self.changed)
        self.weight = fixed(named(NumberSpin(0.0, 1.0, 2), "matchWeightBox"), width=_WIDTH)
        self.weight.setAccessibleName(self.tr("Weight of a match by wildcard"))
        self.weight.setToolTip(
            self.tr("What a record counts that matches only because of a wildcard; 1 counts it in full.")
        )
        self.weight.setSingleStep(0.1)
        self.weight.setKeyboardTracking(False)
        self.weight.setValue(1.0)
        self.weight.valueChanged.connect(self.changed)
        which = hbox((ElidedLabel(self.tr("Could be anything"), Text.CELL, "text_2"), 1), self.box, spacing=8)
        counting = hbox(
            (ElidedLabel(self.tr("Weight of such a match"), Text.CELL, "text_2"), 1),
            self.weight,
            spacing=8,
        )
        self._details = QWidget()
        vbox(self.all_star, counting, spacing=4, margins=0, of=self._details)
        vbox(which, self._details, spacing=4, margins=0, of=self)
        self.reset()

    @property
    def choice(self) -> WildcardChoice | None:
        """The chosen wildcards; None without any."""
        key = self.box.currentData()
        if key == NOTHING:
            return None
        stars, missing = key in (STARS, BOTH), key in (MISSING, BOTH)
        return WildcardChoice(stars, missing, self.weight.value(), self.all_star.isChecked())

    def reset(self) -> None:
        """Choose no wildcards, without a signal."""
        with QSignalBlocker(self.weight), QSignalBlocker(self.all_star):
            self.weight.setValue(1.0)
            self.all_star.setChecked(False)
        self.box.setCurrentIndex(0)
        self._details.hide()

    def _on_chosen(self) -> None:
        self._details.setVisible(self.choice is not None)
        self.changed.emit()
