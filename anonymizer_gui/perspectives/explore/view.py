"""Layout of Explore: knobs above lattice, map and list, with the inspector at the right."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QFrame, QSizePolicy, QStackedWidget, QWidget

from anonymizer_gui.perspectives.explore.inspector.panel import InspectorPanel
from anonymizer_gui.perspectives.explore.knobs.bar import KnobBar
from anonymizer_gui.perspectives.explore.lattice.panel import LatticePanel
from anonymizer_gui.perspectives.explore.listing.panel import ListPanel
from anonymizer_gui.perspectives.explore.map.panel import MapPanel
from anonymizer_gui.perspectives.explore.pinned.panel import PinnedPanel
from anonymizer_gui.perspectives.explore.prices.panel import PricesPanel
from anonymizer_gui.session.preferences import VIEWS
from anonymizer_gui.theming import scaled
from anonymizer_gui.widgets.buttons import make_icon_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.card_places import PageSwitch
from anonymizer_gui.widgets.design_splitter import DesignSplitter
from anonymizer_gui.widgets.drawn import FitsRoom
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.floating_card import Drawer
from anonymizer_gui.widgets.labels import TwoLineLabel
from anonymizer_gui.widgets.layouts import fixed, hbox, named, stacked, vbox
from anonymizer_gui.widgets.made_ahead import MadeAhead
from anonymizer_gui.widgets.results_stack import EmptyState, ResultsStack
from anonymizer_gui.widgets.scroll_body import ScrollBody
from engine.words import N_, _

_LARGEST_SHARE = 0.45  # of the width for a switch; above it, a combo box is used
_HEAD = 36  # px
FIRST_VIEW = "prices"  # of a project that is opened for the first time
TITLES = (N_("Prices"), N_("Lattice"), N_("Map"), N_("List"), N_("All four"))


class ExploreHead(FitsRoom, QFrame):
    """What the numbers say in one sentence, and the switch between the views."""

    view_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("exploreHead")
        self.sentence = named(TwoLineLabel(), "headline")
        self.switch = PageSwitch(
            [(key, _(title)) for key, title in zip(VIEWS, TITLES, strict=True)],
            self.tr("View of the lattice"),
        )
        self.switch.segments.setObjectName("viewSwitch")
        self.switch.selected.connect(self.view_chosen)
        hbox((self.sentence, 1), self.switch, spacing=12, margins=(12, 0, 0, 0), of=self)
        for number, key in enumerate(VIEWS, start=1):
            shortcut = QShortcut(QKeySequence(f"Alt+{number}"), self)
            shortcut.activated.connect(lambda key=key: self.view_chosen.emit(key))
        self._sentences = {False: "", True: ""}
        fixed(self, height=_HEAD)  # of two lines, so that nothing below moves with the sentence

    def show_sentence(self, text: str, *, of_lattice: bool = False) -> None:
        """Show what the numbers say; what they say of the lattice, if anything, where it is in view."""
        self._sentences[of_lattice] = text
        self.say()

    def say(self) -> None:
        """Show the sentence of the present view."""
        has_lattice = self.switch.current() in ("lattice", "all")
        self.sentence.setText(self._sentences[has_lattice] or self._sentences[False])

    def _fit(self) -> None:
        self.switch.fit(int(_LARGEST_SHARE * self.width()))


_WIDE, _NARROW = 1800, 1360
_USUAL, _LEAST_LEFT = 1280, 720  # px: a narrower page with less room beside the inspector has it in a drawer
_DRAWER = 352  # px
_NO_LIMIT = (1 << 24) - 1  # px, which Qt takes for none
_ROOM_BELOW_PRICES = 260  # px in which the lattice is shown too
_ROOM_FOR_BOTH = 440  # px; lower windows show one row only
_LEAST_LATTICE, _LEAST_LISTED = 190, 150  # px of the rows, which scroll in lower windows


# Parts that take long to create.
AHEAD: tuple[type[QWidget], ...] = (
    KnobBar,
    LatticePanel,
    MapPanel,
    ListPanel,
    PinnedPanel,
    InspectorPanel,
    PricesPanel,
)


class ExplorePerspective(FitsRoom, QWidget):
    """Layout of the parts, which follows the window until the user moves a splitter."""

    configure_requested = Signal()
    roles_requested = Signal()  # those that are suggested
    view_chosen = Signal(str)  # by the user

    def __init__(self, parent: QWidget | None = None, ahead: MadeAhead | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("explore")
        ahead = ahead or MadeAhead()
        self.knobs = ahead.take(KnobBar)
        self.lattice = ahead.take(LatticePanel)
        self.map = ahead.take(MapPanel)
        self.list = ahead.take(ListPanel)
        self.pinned = ahead.take(PinnedPanel)
        self.prices = ahead.take(PricesPanel)
        self.inspector = ahead.take(InspectorPanel)
        self.pin = make_icon_button("pin", self.tr("Pin this node"), "pinNode", shortcut="Ctrl+D")
        self.pin.setCheckable(True)
        self.inspector.add_tool(self.pin)
        self.error = ErrorBanner()
        self.columns = DesignSplitter(Qt.Orientation.Horizontal, "explore.columns")
        self.rows = DesignSplitter(Qt.Orientation.Vertical, "explore.rows")
        self.stage = stacked(self.lattice)  # the lattice, or the view shown in its place
        self.stage.currentChanged.connect(self._on_stage_changed)
        self.rows.addWidget(self.stage)
        pages = [
            ("list", self.tr("List"), self.list),
            ("remembered", self.tr("Pinned"), self.pinned),
        ]
        self.pages = Pages(pages, self.tr("View of nodes"))
        self.bottom = DesignSplitter(Qt.Orientation.Horizontal, "explore.bottom", self.map, self.pages)
        self.bottom.setStretchFactor(0, 0)
        self.bottom.setStretchFactor(1, 1)
        self.rows.addWidget(self.bottom)
        left = QWidget()
        self.head = ExploreHead()
        self.head.view_chosen.connect(self.show_view)
        self.head.view_chosen.connect(self.view_chosen)
        self.prices.view.rows_changed.connect(self._make_room)
        self._scroll = ScrollBody(vbox(self.rows, margins=0))  # with large text in a low window
        vbox(self.head, self.prices, (self._scroll, 1), spacing=8, margins=0, of=left)
        self.columns.addWidget(left)
        self.columns.addWidget(self.inspector)
        self.columns.setStretchFactor(0, 1)
        self.columns.setStretchFactor(1, 0)
        self.inspector.setMinimumWidth(300)
        self._drawer = Drawer(
            "inspectorDrawer", self.tr("Selected node"), _DRAWER, self, self.columns, self.inspector
        )
        beside = hbox((self.columns, 1), (self._drawer.button, 0, Qt.AlignmentFlag.AlignTop), spacing=0)
        inner = vbox(self.error, (beside, 1), spacing=8, margins=8)
        self._offers_roles = False
        self.empty = EmptyState("", self.tr("Configure transformation"))
        self.empty.action_requested.connect(self._on_empty_action)
        self._stack = ResultsStack([self.knobs], inner, self.empty, self)

    def show_results(self) -> None:
        self._stack.setCurrentIndex(1)

    def show_empty(self, sentence: str, *, offers_roles: bool = False) -> None:
        """Show why there is nothing to explore; roles that are missing can be set as suggested."""
        self._offers_roles = offers_roles
        self.empty.set_sentence(sentence)
        roles, configure = self.tr("Set suggested roles"), self.tr("Configure transformation")
        self.empty.set_action(roles if offers_roles else configure)
        self._stack.setCurrentIndex(0)

    def _on_empty_action(self) -> None:
        (self.roles_requested if self._offers_roles else self.configure_requested).emit()

    @property
    def shows_results(self) -> bool:
        return self._stack.currentIndex() == 1

    @property
    def shown_view(self) -> str:
        """Key of the view shown, one of `VIEWS`."""
        return self.head.switch.current()

    def show_view(self, key: str) -> None:
        """Show prices, lattice, map, list, or the last three together."""
        self.head.switch.set_current(key)
        self.head.say()
        if key == "list":
            self.pages.show_page("list")
        self._make_room()

    def _fit(self) -> None:
        self._set_sizes()
        self._make_room()

    def _on_stage_changed(self, _place: int) -> None:
        self._fit()

    def _make_room(self) -> None:
        """Show the parts of the chosen view, and in low windows a walk in place of the others."""
        view, has_lattice = self.shown_view, self.stage.currentWidget() is self.lattice
        is_low = self.height() - self.knobs.height() < scaled(_ROOM_FOR_BOTH)
        room = self.height() - self.knobs.height() - self.prices.wanted_height()
        is_below = view == "prices" and has_lattice and room >= scaled(_ROOM_BELOW_PRICES)
        self.prices.setVisible(view == "prices" and has_lattice)
        self.inspector.set_brief(view == "prices" and has_lattice)
        wanted = self.prices.wanted_height()
        self.prices.setMinimumHeight(wanted if is_below else 0)
        self.prices.setMaximumHeight(wanted if is_below else _NO_LIMIT)
        self.lattice.prefer_split(preferred=view == "lattice")
        has_stage = view in ("lattice", "all") or is_below or not has_lattice
        self.stage.setVisible(has_stage)
        self.map.setVisible(view in ("map", "all"))
        self.pages.setVisible(view in ("list", "all"))
        has_others = view in ("map", "list", "all") and (has_lattice or not is_low)
        self.bottom.setVisible(has_others)
        self._scroll.setVisible(has_stage or has_others)

    def _set_sizes(self) -> None:
        """Set the sizes of the design: inspector 320, 352 or 420 wide, map 360, 424 or 480, both with the
        list 216 to 300 high, and the remaining room for lattice and list.
        """
        width, height = self.width(), self.height() - self.knobs.height() - 24
        inspector = scaled(420 if width >= _WIDE else 352 if width >= _NARROW else 320)
        self._drawer.take_in(is_narrow=width < _USUAL and width - inspector < _LEAST_LEFT)
        self.columns.set_design_sizes([width - 24 - inspector, inspector])
        mapped = scaled(480 if width >= _WIDE else 424 if width >= _NARROW else 360)
        self.bottom.set_design_sizes([mapped, width - 32 - inspector - mapped])
        lattice, least = scaled(_LEAST_LATTICE), scaled(_LEAST_LISTED)
        has_lattice = self.stage.currentWidget() is self.lattice
        self.stage.setMinimumHeight(lattice if has_lattice else 0)  # a walk says what it needs
        self.bottom.setMinimumHeight(least)
        listed = max(216 if height < 600 else 252 if height < 800 else 300, least)
        self.rows.set_design_sizes([max(height - listed, lattice), listed])


class Pages(FitsRoom, QStackedWidget):
    """Shows one of several cards, chosen by the user or with `show_page`."""

    page_shown = Signal(str)  # key, also of the page already shown

    def __init__(self, pages: Sequence[tuple[str, str, Card]], name: str) -> None:
        """Create pages from triples of key, title and card; `name` is the accessible name of the switch."""
        super().__init__()
        self._cards = {key: card for key, _title, card in pages}
        self._switches: dict[str, PageSwitch] = {}
        for key, _title, card in pages:
            titles = [(other, title) for other, title, _card in pages]
            switch = self._switches[key] = PageSwitch(titles, name, letters=4)
            switch.segments.setObjectName(f"{key}Switch")
            switch.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Preferred)
            switch.set_current(key)
            switch.selected.connect(self._on_chosen)
            card.insert_lead(switch)
            self.addWidget(card)

    @property
    def page(self) -> str:
        """Key of the page shown."""
        return next(key for key, card in self._cards.items() if card is self.currentWidget())

    def show_page(self, key: str) -> None:
        """Show a page."""
        self.setCurrentWidget(self._cards[key])
        self.page_shown.emit(key)

    def _fit(self) -> None:
        for switch in self._switches.values():
            switch.fit(int(_LARGEST_SHARE * self.width()))

    def _on_chosen(self, key: str) -> None:
        had_focus = self._switches[self.page].has_focus
        for own, switch in self._switches.items():
            switch.set_current(own)
        self.show_page(key)
        if had_focus:
            self._switches[key].take_focus()
