"""Map card: the nodes by two scores, with choices of scores, shade, size and mouse tool."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QFontMetrics
from PySide6.QtWidgets import QMenu, QPushButton

from anonymizer_gui.perspectives.explore.map.view import Drag, MapView
from anonymizer_gui.theming import Text, font, scaled, theme_manager
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox, offer
from anonymizer_gui.widgets.layouts import named, stacked
from anonymizer_gui.widgets.picture_saving import save_picture
from anonymizer_gui.widgets.results_stack import EmptyState
from engine.errors import AnonymizerError

_COMBO_ROOM, _WIDEST_COMBO = 46, 120  # px: space around the text of a combo box, and its largest width
_LEAST_COMBO = 72
_CLEAR_MARGIN = 6


class MapPanel(Card):
    """Card with the view; the presenter uses `view` and the card."""

    axis_requested = Signal(str, str)  # "x" or "y", key of a score
    third_requested = Signal(str, str)  # "shade" or "size", key of a score, empty for none
    error_raised = Signal(object)  # exception

    def __init__(self) -> None:
        super().__init__("")
        self.set_title(self.tr("Map"))
        self.setObjectName("mapCard")
        self.view = MapView()
        self.across = self._make_combo("mapAcross", self.tr("Value of the horizontal axis"), "x")
        self.up = self._make_combo("mapUp", self.tr("Value of the vertical axis"), "y")
        self.more = make_icon_button("ellipsis", self.tr("Map options"), "mapMore")
        self._thirds: dict[str, QMenu] = {}
        self._choices: dict[str, QActionGroup] = {}  # menu entries of each choice
        self.more.setMenu(self._make_menu())
        for tool in (self.across, self.up, self.more):
            self.add_tool(tool)
        self.clear_button = self._make_clear()
        self.empty = EmptyState("", self.tr("Show the usual map"))
        self.stack = stacked(self.view, self.empty)
        self.set_body(self.stack, 0)
        self.view.resized.connect(self._place_clear)
        theme_manager().theme_changed.connect(self._fit_combos)

    # -- display -------------------------------------------------------------------------------

    def show_scores(self, scores: Sequence[tuple[str, str]], chosen: dict[str, str]) -> None:
        """Offer pairs of key and title; `chosen` has those of "x", "y", "shade" and "size"."""
        for combo, place in ((self.across, "x"), (self.up, "y")):
            offer(combo, scores, chosen[place])
        for use, none in (("shade", self.tr("As in the lattice")), ("size", self.tr("None"))):
            self._fill_third(use, [("", none), *scores], chosen[use])
        self._fit_combos()

    def show_empty(self, sentence: str, *, has_usual: bool = False) -> None:
        """Show why the map is empty, optionally with a way back; an empty text shows the map."""
        self.empty.set_sentence(sentence)
        self.empty.button.setVisible(has_usual)
        self.stack.setCurrentIndex(1 if sentence else 0)

    def show_choice(self, has_choice: bool) -> None:
        """Offer to clear the choice while framed nodes filter the views."""
        self.view.show_choice(has_choice)
        had_focus = self.clear_button.hasFocus()
        self.clear_button.setVisible(has_choice)
        if had_focus and not has_choice:
            self.view.setFocus()
        self._place_clear()

    def save_picture(self) -> None:
        """Ask for a file name and write the map to the file."""
        try:
            save_picture(self.view, "map")
        except AnonymizerError as error:
            self.error_raised.emit(error)

    # -- parts ---------------------------------------------------------------------------------

    def _make_combo(self, name: str, spoken: str, place: str) -> ElidedComboBox:
        combo = named(ElidedComboBox(0), name, spoken)
        combo.setMaxVisibleItems(20)
        combo.currentIndexChanged.connect(lambda: self._fit_combos())
        combo.data_chosen.connect(lambda key: self.axis_requested.emit(place, key))
        return combo

    def _fit_combos(self) -> None:
        metrics = QFontMetrics(font(Text.CELL))
        for combo in (self.across, self.up):
            text = combo.currentText()
            width = metrics.horizontalAdvance(text) + scaled(_COMBO_ROOM)
            # As wide as its text if there is room, and elided before the cards next to it.
            combo.setMinimumContentsLength(width // metrics.horizontalAdvance("X") + 1)
            combo.setMaximumWidth(min(width, scaled(_WIDEST_COMBO)))
            combo.setMinimumWidth(_LEAST_COMBO)
            combo.setToolTip(f"{combo.accessibleName()}: {text}")
            popup = max(
                (metrics.horizontalAdvance(combo.itemText(i)) for i in range(combo.count())), default=0
            )
            combo.view().setMinimumWidth(popup + scaled(_COMBO_ROOM))

    def _make_menu(self) -> QMenu:
        menu = named(QMenu(self.more), "mapMenu")
        self._drags = QActionGroup(self)
        for drag, text in (
            (Drag.FRAME, self.tr("Drag a rectangle around nodes")),
            (Drag.LASSO, self.tr("Drag a lasso around nodes")),
            (Drag.MOVE, self.tr("Drag to pan")),
        ):
            action = QAction(text, self._drags, checkable=True)
            menu.addAction(action)
            action.setChecked(drag is self.view.tool)
            action.setObjectName(f"map.{drag.value}")
            action.triggered.connect(lambda _checked, d=drag: self.view.set_tool(d))
        menu.addSeparator()
        for use, text in (("shade", self.tr("Shade by")), ("size", self.tr("Size by"))):
            self._thirds[use] = QMenu(text, menu)
            self._thirds[use].setObjectName(f"map.{use}")
            menu.addMenu(self._thirds[use])
        menu.addSeparator()
        self._add_action(menu, "map.fit", self.tr("Show everything\tHome")).triggered.connect(self.view.fit)
        save = self._add_action(menu, "map.save", self.tr("Save as picture…"))
        save.triggered.connect(self.save_picture)
        return menu

    def _add_action(self, menu: QMenu, name: str, text: str) -> QAction:
        action = menu.addAction(text)
        action.setObjectName(name)
        return action

    def _fill_third(self, use: str, scores: Sequence[tuple[str, str]], chosen: str) -> None:
        menu = self._thirds[use]
        menu.clear()
        if use in self._choices:
            self._choices[use].deleteLater()
        group = self._choices[use] = QActionGroup(self)
        for key, title in scores:
            action = self._add_action(menu, f"map.{use}.{key}", title)
            action.setCheckable(True)
            group.addAction(action)
            action.setChecked(key == chosen)
            action.triggered.connect(lambda _checked, k=key: self.third_requested.emit(use, k))

    def _make_clear(self) -> QPushButton:
        button = make_button(
            self.tr("Clear"),
            "mapClear",
            small=True,
            icon_name="x",
            tooltip=self.tr("Show all nodes again (Esc)"),
        )
        button.setParent(self.view)
        button.setCursor(Qt.CursorShape.ArrowCursor)
        button.clicked.connect(self.view.clear_requested)
        button.hide()
        return button

    def _place_clear(self) -> None:
        geometry = self.view.geometry_shown
        if geometry is None:
            return
        self.clear_button.adjustSize()
        corner = geometry.seen.bottomRight().toPoint()
        size = self.clear_button.size()
        self.clear_button.move(
            corner.x() - size.width() - _CLEAR_MARGIN, corner.y() - size.height() - _CLEAR_MARGIN
        )
