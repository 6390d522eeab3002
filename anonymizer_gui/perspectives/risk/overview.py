"""First page of the risk analysis: attackers, column sets, exposed records, and classes."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QScrollArea, QSizePolicy, QWidget

from anonymizer_gui.charts.analysis_pane import About, AnalysisPane
from anonymizer_gui.charts.chart_card import AnalysisCard
from anonymizer_gui.charts.findings_view import FindingsView
from anonymizer_gui.charts.legend import Legend, LegendEntry, Sample
from anonymizer_gui.perspectives.risk.exposed_view import ExposedView
from anonymizer_gui.perspectives.risk.reveals_view import RevealsView
from anonymizer_gui.perspectives.risk.risk_chart import RiskChart
from anonymizer_gui.theming import scaled, theme_manager
from anonymizer_gui.theming.dressing import make_bare
from anonymizer_gui.widgets.buttons import make_icon_button
from anonymizer_gui.widgets.card_places import CardPlaces
from anonymizer_gui.widgets.design_splitter import DesignSplitter
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox
from anonymizer_gui.widgets.fits_room import FitsRoom
from anonymizer_gui.widgets.layouts import named, vbox
from anonymizer_gui.widgets.role_badge import RoleBadge
from engine.frequency.counted import Noun, either
from engine.numbers import as_risk

ATTACKERS, DISTRIBUTION, SUBSETS = "attackers", "risk_distribution", "column_subsets"
EXPOSED, ATTACKS, REVEALS = "exposed_records", "attacks", "attribute_disclosure"
IDENTIFIERS = "hipaa"
_ATTACKERS_HEIGHT = 248
_ROOM_FOR_ALL = 640  # px of height; lower pages show one of two cards at a time
_ROOM_FOR_TWO = 1000  # px of width; in narrower windows adjacent cards are stacked
_LEAST_LEFT, _LEAST_NARROW = 480, 780  # px of height for the left column; lower windows scroll it


class Overview(FitsRoom, QWidget):
    """Layout of seven cards, which follows the window until the user moves a splitter."""

    subsets_wanted = Signal(int)  # largest number of columns in a set
    column_chosen = Signal(str)  # sensitive column

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("riskOverview")
        self._make_views()
        self._cards = {
            ATTACKERS: self._card(ATTACKERS, self.tr("Attackers"), self.attackers),
            DISTRIBUTION: self._card(
                DISTRIBUTION,
                self.tr("Records by risk"),
                self.distribution,
                self.tr("share of records with at least this risk"),
            ),
            SUBSETS: self._card(SUBSETS, self.tr("Column combinations"), self.subsets),
            IDENTIFIERS: self._card(IDENTIFIERS, self.tr("Identifiers"), self.identifiers),
            EXPOSED: self._card(EXPOSED, self.tr("Most exposed records"), self.exposed),
            ATTACKS: self._card(ATTACKS, self.tr("Attacks"), self.attacks),
            REVEALS: self._card(REVEALS, self.tr("What a class reveals"), self.reveals),
        }
        self._arrange()
        theme_manager().theme_changed.connect(self._fit)

    def card(self, key: str) -> AnalysisCard:
        """Return a card by the key of its analysis."""
        return self._cards[key]

    def pane(self, key: str) -> AnalysisPane:
        """Return the pane of a card."""
        return self._cards[key].pane_of(key)

    @property
    def cards(self) -> tuple[AnalysisCard, ...]:
        """All cards."""
        return tuple(self._cards.values())

    def show_counted(self, counted: Noun) -> None:
        """Show whether records or people are counted."""
        self.left_places.title_card(
            DISTRIBUTION, either(counted, self.tr("Records by risk"), self.tr("People by risk"))
        )
        self.distribution.show_counted(counted)

    def show_columns(self, names: tuple[str, ...], chosen: str) -> None:
        """Offer the sensitive columns; a single one needs no box."""
        self.columns.clear()
        self.columns.addItems(list(names))
        self.columns.setCurrentText(chosen)
        self.columns.setToolTip(chosen)
        self.columns.setVisible(len(names) > 1)

    def show_most_columns(self, most: int, largest: int) -> None:
        """Offer sets of up to `largest` columns."""
        self.most_columns.clear()
        for count in range(1, largest + 1):
            self.most_columns.addItem(self.tr("Up to {count}").format(count=count), count)
        self.most_columns.setCurrentIndex(self.most_columns.findData(most))

    # -------------------------------------------------------------------------------------------

    def _make_views(self) -> None:
        self.attackers, self.subsets, self.identifiers, self.attacks = (
            FindingsView(key, as_share=as_risk, is_small=True)
            for key in (ATTACKERS, SUBSETS, IDENTIFIERS, ATTACKS)
        )
        self.attackers.hide_sentence()  # the strip says it
        self.distribution = RiskChart()
        self.exposed = ExposedView()
        self.reveals = RevealsView()
        self.most_columns = self._box("mostColumns", self.tr("Largest number of columns combined"))
        self.most_columns.activated.connect(
            lambda place: self.subsets_wanted.emit(self.most_columns.itemData(place))
        )
        self.columns = self._box("revealColumn", self.tr("Sensitive column"))
        self.columns.textActivated.connect(self.column_chosen)
        self.columns.setMaximumWidth(scaled(180))
        self.filter = make_icon_button("funnel", self.tr("Show only records with certain values"))
        self.filter.setObjectName("exposedFilter")
        self.filter.setCheckable(True)
        self.filter.toggled.connect(self.exposed.show_search)

    def _card(self, key: str, title: str, view: QWidget, caption: str = "") -> AnalysisCard:
        card = named(AnalysisCard(title, caption), f"card.{key}")
        for tool in self._tools(key):
            card.add_tool(tool)
        if key == REVEALS:
            card.add_lead(RoleBadge("sensitive"))
        card.add_panes([(key, title, AnalysisPane(view, About(title), key.replace("_", "-")))])
        return card

    def _tools(self, key: str) -> list[QWidget]:
        if key == ATTACKERS:
            entries = [
                LegendEntry(Sample.BLOCK, "series_1", self.tr("input")),
                LegendEntry(Sample.BLOCK, "series_2", self.tr("release")),
            ]
            return [Legend(entries)]
        tools: dict[str, list[QWidget]] = {
            SUBSETS: [self.most_columns],
            EXPOSED: [self.filter],
            REVEALS: [self.columns],
        }
        return tools.get(key, [])

    def _arrange(self) -> None:
        cards, down, across = self._cards, Qt.Orientation.Vertical, Qt.Orientation.Horizontal
        self.left_places = CardPlaces(
            down,
            "risk.left",
            [
                (DISTRIBUTION, self.tr("By risk"), cards[DISTRIBUTION]),
                (SUBSETS, self.tr("Combinations"), cards[SUBSETS]),
                (IDENTIFIERS, self.tr("Identifiers"), cards[IDENTIFIERS]),
            ],
            self.tr("Records by risk, column combinations, or identifiers"),
            largest_share=0.6,
            sharing=(SUBSETS, IDENTIFIERS),
        )
        self.right_places = CardPlaces(
            down,
            "risk.right",
            [
                (ATTACKS, self.tr("Attacks"), cards[ATTACKS]),
                (REVEALS, self.tr("What a class reveals"), cards[REVEALS]),
            ],
            self.tr("Attacks, or what a class reveals"),
            largest_share=0.5,
        )
        self._lower = DesignSplitter(across, "risk.lower")
        self._lower.addWidget(self.left_places)
        self._lower.addWidget(cards[EXPOSED])
        self._rows = DesignSplitter(down, "risk.rows")
        self._rows.addWidget(cards[ATTACKERS])
        self._rows.addWidget(self._lower)
        self._rows.setStretchFactor(1, 1)
        self._left = QScrollArea()
        self._left.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._left.setWidgetResizable(True)
        self._left.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._left.setWidget(self._rows)
        make_bare(self._left)
        self._sides = DesignSplitter(across, "risk.sides")
        self._sides.addWidget(self._left)
        self._sides.addWidget(self.right_places)
        vbox(self._sides, margins=0, of=self)

    def minimumSizeHint(self) -> QSize:
        # The layout may have cached the sizes of a hidden page in another arrangement.
        return self._sides.minimumSizeHint()

    def _fit(self) -> None:
        """Set the sizes of the design: left 61 % wide, attackers 248 high, the others in equal parts."""
        width, height = self.width(), self.height()
        is_low, is_narrow = height < scaled(_ROOM_FOR_ALL), width < scaled(_ROOM_FOR_TWO)
        least = scaled(_LEAST_NARROW if is_narrow else _LEAST_LEFT)
        self.left_places.set_stacked(is_low)
        self.right_places.set_stacked(is_low)
        left = round(0.61 * width)
        self.right_places.fit(width - left)
        self._rows.setMinimumHeight(least)
        inner = max(height, least)
        attackers = scaled(_ATTACKERS_HEIGHT)
        self._rows.set_design_sizes([attackers, inner - attackers])
        self._lower.setOrientation(Qt.Orientation.Vertical if is_narrow else Qt.Orientation.Horizontal)
        rest = inner - attackers - 8
        shared = rest if is_narrow else left
        self._lower.set_design_sizes([round(0.495 * shared), shared - round(0.495 * shared)])
        upper = round(0.47 * rest)
        self.left_places.set_design_sizes([upper, rest - upper, rest - upper])
        attacks = round(0.64 * height)
        self.right_places.set_design_sizes([attacks, height - attacks])
        self._sides.set_design_sizes([left, width - left])

    def _box(self, name: str, words: str) -> ElidedComboBox:
        box = named(ElidedComboBox(), name, words, words)
        box.setProperty("compact", "true")
        box.setMinimumContentsLength(8)
        box.setSizeAdjustPolicy(ElidedComboBox.SizeAdjustPolicy.AdjustToContents)
        box.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        return box
