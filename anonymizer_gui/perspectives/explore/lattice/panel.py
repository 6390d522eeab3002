"""Lattice card: the painted view, the zoom buttons, and overlays with filter, legend and hints."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QPalette, QShortcut
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.models.node_name import short_names
from anonymizer_gui.perspectives.explore.lattice.corners import LevelFilter, LevelRow
from anonymizer_gui.perspectives.explore.lattice.diagram import FULL, HALF
from anonymizer_gui.perspectives.explore.lattice.layout import LatticeLayout
from anonymizer_gui.perspectives.explore.lattice.legend import (
    CardLegend,
    Drawing,
    InUse,
    Legend,
    LegendScale,
    marks_in_use,
)
from anonymizer_gui.perspectives.explore.lattice.neighbourhood import CAPTION_WIDTH
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook, no_words
from anonymizer_gui.perspectives.explore.lattice.split import SplitWords
from anonymizer_gui.perspectives.explore.lattice.view import (
    LEFT_GUTTER,
    RIGHT_GUTTER,
    LatticeView,
)
from anonymizer_gui.theming import Text, scaled, theme_manager
from anonymizer_gui.widgets.buttons import fold_text, make_button, make_icon_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.drawn import FitsRoom
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox, offer
from anonymizer_gui.widgets.labels import make_label, set_style_property
from anonymizer_gui.widgets.layouts import named
from anonymizer_gui.widgets.picture_saving import PictureButton
from anonymizer_gui.widgets.search_field import SearchField
from anonymizer_gui.widgets.segmented import SegmentedControl
from engine.scoring.split import Split

_HINT_ROOM = 620
_ROOMY = 720


class LatticePanel(FitsRoom, Card):
    """Card with the view; the presenter uses `view`, `levels` and the card."""

    pair_requested = Signal(object)  # place of a pair of columns

    def __init__(self) -> None:
        super().__init__("")
        self.set_title(self.tr("Lattice"))
        self.setObjectName("latticeCard")
        self.view = LatticeView()
        self.levels = LevelFilter(self.view)
        self.levels.size_changed.connect(self._place_corners)
        self._is_zoomed = False
        self.legend = Legend(self.view)
        self.card_legend = CardLegend(self.view)
        self._scale: LegendScale | None = None
        self._names: tuple[str, ...] = ()
        self._heights: tuple[int, ...] = ()
        self._hint = named(
            make_label(
                self.tr(
                    "Wheel: zoom · drag: pan · arrows: move along edges\nrow number = sum of levels, 0 = "
                    "original values"
                ),
                Text.CAPTION,
                "text_3",
                parent=self.view,
            ),
            "latticeHint",
        )
        self._hint.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._hint.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._hint.setBackgroundRole(QPalette.ColorRole.Base)
        self._hint.setAutoFillBackground(True)  # the lines between rows would cross the text
        self.stops = named(
            SegmentedControl(
                [
                    ("fit", self.tr("Fit")),
                    ("split", self.tr("Split", "view")),
                    ("chips", self.tr("Chips")),
                    ("cards", self.tr("Cards")),
                ],
                self.tr("Size of the nodes"),
            ),
            "zoomStops",
        )
        self.stops.segment("fit").setToolTip(self.tr("Show all nodes (Home)"))
        self.stops.segment("chips").setToolTip(self.tr("Nodes with their levels, around the selected node"))
        self.stops.segment("cards").setToolTip(self.tr("The selected node and every node one step away"))
        self.stops.segment("split").hide()
        self._prefers_split = self._has_chosen_stop = False
        self.pair = named(
            ElidedComboBox(8), "splitPair", self.tr("The two columns by which the lattice is split")
        )
        self.pair.data_chosen.connect(self.pair_requested)
        self.pair.hide()
        self._out = make_icon_button("zoom-out", self.tr("Zoom out (-)"), "zoomOut")
        self._in = make_icon_button("zoom-in", self.tr("Zoom in (+)"), "zoomIn")
        search = self.tr("Search with an algorithm")
        self.search = make_button(self.tr("Algorithm…"), small=True, icon_name="workflow", tooltip=search)
        named(self.search, "algorithmButton", search)
        walk = self.tr("Replay the steps of an algorithm")
        self.walk = make_button(self.tr("Walk"), kind="quiet", small=True, icon_name="play", tooltip=walk)
        named(self.walk, "walkButton", walk)
        self.find_field = FindField(self)
        self.find_field.left.connect(self.view.setFocus)
        self.picture = PictureButton(self.view, "lattice")
        self.explain = make_icon_button("info", self.tr("Show the legend"), "showLegend")
        self.explain.setCheckable(True)
        self.explain.toggled.connect(lambda _wanted: self._place_legends())
        zooms = (self.stops, self._out, self._in)
        for tool in (self.pair, self.find_field, self.search, self.walk, *zooms, self.explain, self.picture):
            self.add_tool(tool)
        self.set_body(self.view, 0)
        self.stops.selected.connect(self._on_stop_chosen)
        self._out.clicked.connect(self.view.zoom_out)
        self._in.clicked.connect(self.view.zoom_in)
        self.view.zoom_changed.connect(self._on_zoom_changed)
        self.view.marks_changed.connect(self._explain_again)
        self.view.resized.connect(self._place_corners)
        theme_manager().theme_changed.connect(self._place_corners)

    def _fit(self) -> None:
        """Show icons instead of texts if the header has no room."""
        is_roomy = self.width() >= scaled(_ROOMY)
        fold_text(self.search, self.tr("Algorithm…"), is_folded=not is_roomy)
        fold_text(self.walk, self.tr("Walk"), is_folded=not is_roomy)

    def show_lattice(
        self,
        layout: LatticeLayout,
        levels: NDArray[np.int16],
        rows: Sequence[LevelRow],
        heights: Sequence[int] | None = None,
        phrases: Callable[[int], Sequence[str]] = no_words,
    ) -> None:
        """Show another lattice with its attributes."""
        self._has_chosen_stop = False
        self.levels.show_attributes(rows)
        self._scale, self._names = None, short_names([row.name for row in rows])
        self._heights = tuple(heights or ())
        self.view.show_lattice(layout, levels, heights, phrases)
        self._place_corners()

    def show_split(
        self, split: Split | None, layout: LatticeLayout | None, words: SplitWords | None, why_not: str = ""
    ) -> None:
        """Show the facets of a large lattice, or say why it has none; without a reason it needs none."""
        self.view.show_facets(split, layout, words)
        self.stops.segment("split").setVisible(split is not None or bool(why_not))
        tooltip = self.tr("Facets by the two columns that explain most of what satisfies")
        self.stops.set_segment_enabled("split", split is not None, why_not or tooltip)
        self.prefer_split(preferred=self._prefers_split)

    def show_pairs(self, pairs: Sequence[tuple[int, str]], chosen: int) -> None:
        """Offer other pairs of columns by place and words."""
        offer(self.pair, pairs, chosen)
        self.pair.setToolTip(self.pair.currentText())

    def prefer_split(self, *, preferred: bool) -> None:
        """Set whether a large lattice is split until the user chooses otherwise."""
        self._prefers_split = preferred
        if self._has_chosen_stop or preferred is (self.view.split is not None):
            return
        if preferred:
            self.view.show_split()
        else:
            self.view.fit()

    def show_more(self, layout: LatticeLayout, levels: NDArray[np.int16]) -> None:
        """Show more nodes of the same lattice; their colours follow."""
        self.view.show_more(layout, levels)
        self._place_corners()

    def show_colours(
        self, colours: NodeLook, scale: LegendScale | None, *, keeps_formats: bool = False
    ) -> None:
        """Recolour the nodes and update the legend; cards keep their formats while a knob is held."""
        self.view.show_colours(colours, keeps_formats=keeps_formats)
        self._scale = scale
        self._explain_again()

    def _explain_again(self) -> None:
        if self._explain():
            self._place_corners()

    def _on_stop_chosen(self, stop: str) -> None:
        view, self._has_chosen_stop = self.view, True
        {"fit": view.fit, "split": view.show_split, "chips": view.show_chips, "cards": view.show_cards}[
            stop
        ]()

    def _on_zoom_changed(self) -> None:
        if self._prefers_split and self.view.can_split and self.view.split is None:
            self._has_chosen_stop = True  # by wheel or keys
        if stop := self.view.zoom_stop:
            self.stops.set_current(stop)
        view = self.view
        is_fitted = view.is_fitted
        if self._is_zoomed is is_fitted:
            self._is_zoomed = not is_fitted
            self._place_corners()
            return
        self.stops.segment("chips").setVisible(view.has_chips)
        split = view.split
        self.pair.setVisible(split is not None)
        self.levels.setHidden(view.shows_cards or split is not None)  # captions and heads are there
        covers = self.levels.is_open and not view.is_free(self.levels.inked())
        self.levels.set_solid(view.diagram is not None or covers)
        self._place_legends()
        roomy = view.width() >= scaled(_HINT_ROOM)
        has_hint = is_fitted and roomy and view.diagram is None
        self._hint.setVisible(has_hint and view.is_free(self._hint.geometry()))
        self._out.setEnabled(not is_fitted and (split is None or split.opened is not None))
        self._in.setEnabled(view.can_zoom_in)

    def _explain(self) -> bool:
        """Update the legend; return whether it explains something else."""
        view, geometry = self.view, self.view.geometry_shown
        if view.colours is None or geometry is None:
            return False
        used = marks_in_use(view.colours, view.marks, view.drawing, (view.split or geometry).pitch)
        return self.legend.show_used(self._scale, used)

    def _place_legends(self) -> None:
        """Show the legends in free corners, over nodes only on demand."""
        view = self.view
        if view.colours is None or view.geometry_shown is None:
            return
        self._explain()
        # In the cards view, the captions of the rows are at the left.
        left = scaled(CAPTION_WIDTH) if view.shows_cards else scaled(LEFT_GUTTER) + 8
        bottom = view.height() - 4
        self.legend.move(left, bottom - self.legend.height())
        place = self.legend.geometry()
        covers = not view.is_free(place.adjusted(4, 4, -4, -4))
        self.legend.set_solid(covers)
        below = view.shows_cards or self.levels.geometry().bottom() < place.y()
        fits = below and place.height() < view.height() / 2
        has_room = fits and not covers
        self.explain.setEnabled(not has_room)  # not hidden, which would move the buttons beside it
        name = self.explain.accessibleName()
        self.explain.setToolTip(self.tr("The legend is in view") if has_room else name)
        self.legend.setVisible(has_room or self.explain.isChecked())
        self._place_card_legend(self.legend.used)

    def _place_card_legend(self, used: InUse) -> None:
        view, legend, diagram = self.view, self.card_legend, self.view.diagram
        if diagram is None or view.colours is None or used.drawing is not Drawing.DIAGRAM:
            legend.hide()
            return
        has_bar, metric = diagram.size in (FULL, HALF), view.colours.metric
        legend.show_cards(self._names, self._heights, metric, has_bar=has_bar, has_step=used.has_selected)
        right = round(diagram.area.right()) - 8
        legend.move(right - legend.width(), view.height() - 4 - legend.height())
        legend.setVisible(view.is_free(legend.geometry()) and legend.x() > self.legend.geometry().right())

    def _place_corners(self) -> None:
        view = self.view
        self._hint.adjustSize()
        self.levels.fit_into(view.height() - 8)
        self.levels.move(scaled(LEFT_GUTTER) + 8, 1 if view.strip else 4)
        view.set_reserved(self.levels.reserved())
        geometry = view.geometry_shown
        covered = self.levels.geometry() if view.diagram is not None else self.levels.reserved()
        if geometry is not None and view.is_fitted and not view.is_free(covered):
            self.levels.fit_into(view.height() - 8, folded=True)
            view.set_reserved(QRect())
        elif self._is_zoomed and view.diagram is None:  # over nodes that could not be seen otherwise
            self.levels.fit_into(view.height() - 8, folded=True)
        x = view.width() - scaled(RIGHT_GUTTER) - self._hint.width() - 14
        self._hint.move(x, view.height() - self._hint.height() - 16)
        self._on_zoom_changed()


KEYS = "Ctrl+L"
_WIDTH, _LEAST_WIDTH, _WIDEST_PROBLEM = 150, 76, 340


class FindField(FitsRoom, SearchField):
    """Line edit for a level vector; Enter selects its node, Escape cancels."""

    find_requested = Signal(str)
    left = Signal()  # by Escape, to return the focus to the nodes

    def __init__(self, home: QWidget) -> None:
        """Create a field; `home` is the card that shows errors and contains the scope of the shortcut."""
        super().__init__()
        self.setObjectName("findNode")
        self.setProperty("compact", "true")
        self.setPlaceholderText(self.tr("Find: age 20"))
        self.setAccessibleName(self.tr("Find a node by its levels"))
        self.setToolTip(self.tr("Levels in the order of the columns, then Enter ({KEYS})").format(KEYS=KEYS))
        self._home = home
        self.problem = named(make_label("", Text.CELL, "danger", wraps=True, parent=home), "findProblem")
        self.problem.setProperty("tag", "true")
        self.problem.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.problem.hide()
        self.textEdited.connect(lambda _text: self.show_problem(""))
        shortcut = QShortcut(QKeySequence(KEYS), home)
        shortcut.activated.connect(self._on_wanted)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_problem(self, problem: str) -> None:
        """Show the error of the text below the field; an empty text hides it."""
        set_style_property(self, "invalid", "true" if problem else "false")
        self.setAccessibleDescription(problem)
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(scaled(_WIDTH), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(_LEAST_WIDTH), super().minimumSizeHint().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.text().strip():
                self.find_requested.emit(self.text())
        elif event.key() == Qt.Key.Key_Escape:
            self.clear()
            self.show_problem("")
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.ActiveWindowFocusReason:
            self.show_problem("")

    def _on_wanted(self) -> None:
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.selectAll()

    def _fit(self) -> None:
        if not self.problem.isVisible():
            return
        room = min(scaled(_WIDEST_PROBLEM), self._home.width() - 16)
        self.problem.setFixedWidth(room)
        self.problem.setFixedHeight(self.problem.heightForWidth(room))
        below = self.mapTo(self._home, QPoint(0, self.height() + 6))
        self.problem.move(max(min(below.x(), self._home.width() - room - 8), 8), below.y())
        self.problem.raise_()
