"""The first page: who can find whom, by which columns, which records, and what a class reveals."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from anonymizer_gui.charts.analysis_pane import About, AnalysisPane
from anonymizer_gui.charts.chart_card import AnalysisCard
from anonymizer_gui.charts.legend import Legend, LegendEntry, Sample
from anonymizer_gui.perspectives.risk.attackers_view import AttackersView
from anonymizer_gui.perspectives.risk.attacks_view import AttackCounts, AttacksView
from anonymizer_gui.perspectives.risk.card_places import CardPlaces
from anonymizer_gui.perspectives.risk.exposed_view import ExposedView
from anonymizer_gui.perspectives.risk.reveals_view import RevealsView
from anonymizer_gui.perspectives.risk.risk_chart import RiskChart
from anonymizer_gui.perspectives.risk.subsets_view import SubsetsView
from anonymizer_gui.theming import scaled, theme_manager
from anonymizer_gui.widgets.buttons import make_icon_button
from anonymizer_gui.widgets.design_splitter import DesignSplitter
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox
from anonymizer_gui.widgets.role_badge import RoleBadge
from engine.frequency.counted import Noun

ATTACKERS, DISTRIBUTION, SUBSETS = "attackers", "risk_distribution", "column_subsets"
EXPOSED, ATTACKS, REVEALS = "exposed_records", "attacks", "attribute_disclosure"
_ATTACKERS_HEIGHT = 238
_ROOM_FOR_ALL = 640  # lower pages show one of two cards at a time
_ROOM_FOR_TWO = 1000  # of width; in narrower windows what lies beside each other goes below
_LEAST_LEFT, _LEAST_NARROW = 480, 780  # what the left column needs in height; lower windows scroll it
_ROOM_FOR_WORDS = 460  # of a card's header for the words of the counts


class Overview(QWidget):
    """Lays six cards out; sizes follow the window until a person moves a splitter."""

    subsets_wanted = Signal(int)  # at most so many columns
    column_chosen = Signal(str)  # sensitive column

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("riskOverview")
        self._make_views()
        self._cards = {
            ATTACKERS: self._card(
                ATTACKERS, self.tr("Attackers"), self.attackers, self.tr("share of records, before and after")
            ),
            DISTRIBUTION: self._card(
                DISTRIBUTION,
                self.tr("Records by risk"),
                self.distribution,
                self.tr("share of records with at least this risk"),
            ),
            SUBSETS: self._card(
                SUBSETS, self.tr("Combinations of columns"), self.subsets, self.tr("unique records")
            ),
            EXPOSED: self._card(EXPOSED, self.tr("Most exposed records"), self.exposed),
            ATTACKS: self._card(
                ATTACKS, self.tr("Attacks"), self.attacks, self.tr("what the release resists, and why")
            ),
            REVEALS: self._card(REVEALS, self.tr("What a class reveals"), self.reveals),
        }
        self._arrange()
        theme_manager().theme_changed.connect(self._set_sizes)

    def card(self, key: str) -> AnalysisCard:
        """A card by the key of its analysis."""
        return self._cards[key]

    def pane(self, key: str) -> AnalysisPane:
        """The pane of a card."""
        return self._cards[key].pane_of(key)

    @property
    def cards(self) -> tuple[AnalysisCard, ...]:
        """All of them."""
        return tuple(self._cards.values())

    def show_counted(self, counted: Noun) -> None:
        """Say whether records are counted, or the people they are about."""
        self.left_places.title_card(DISTRIBUTION, counted.worded(self.tr("Records by risk")))
        self.distribution.show_counted(counted)
        self.subsets.show_counted(counted)
        self.exposed.model.show_counted(counted)

    def show_columns(self, names: tuple[str, ...], chosen: str) -> None:
        """Offer the sensitive columns; a single one needs no box."""
        self.columns.clear()
        self.columns.addItems(list(names))
        self.columns.setCurrentText(chosen)
        self.columns.setToolTip(chosen)
        self.columns.setVisible(len(names) > 1)

    def show_most_columns(self, most: int, largest: int) -> None:
        """Offer sets of up to so many columns."""
        self.most_columns.clear()
        for count in range(1, largest + 1):
            self.most_columns.addItem(self.tr("Up to {0}").format(count), count)
        self.most_columns.setCurrentIndex(self.most_columns.findData(most))

    # -------------------------------------------------------------------------------------------

    def _make_views(self) -> None:
        self.attackers = AttackersView()
        self.distribution = RiskChart()
        self.subsets = SubsetsView()
        self.exposed = ExposedView()
        self.attacks = AttacksView()
        self.reveals = RevealsView()
        self.counts = AttackCounts()
        self.most_columns = self._box("mostColumns", self.tr("Largest sets of columns that are counted"))
        self.most_columns.activated.connect(
            lambda place: self.subsets_wanted.emit(self.most_columns.itemData(place))
        )
        self.columns = self._box("revealColumn", self.tr("Sensitive column"))
        self.columns.textActivated.connect(self.column_chosen)
        self.columns.setMaximumWidth(160)
        self.filter = make_icon_button("funnel", self.tr("Show only records with certain values"))
        self.filter.setObjectName("exposedFilter")
        self.filter.setCheckable(True)
        self.filter.toggled.connect(self.exposed.show_search)

    def _card(self, key: str, title: str, view: QWidget, caption: str = "") -> AnalysisCard:
        card = AnalysisCard(title, caption)
        card.setObjectName(f"card.{key}")
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
            ATTACKS: [self.counts],
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
            ],
            self.tr("Records by risk, or combinations of columns"),
            largest_share=0.6,
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
        self._left.setFrameShape(QFrame.Shape.NoFrame)
        self._left.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._left.setWidgetResizable(True)
        self._left.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._left.setWidget(self._rows)
        self._sides = DesignSplitter(across, "risk.sides")
        self._sides.addWidget(self._left)
        self._sides.addWidget(self.right_places)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._sides)

    def minimumSizeHint(self) -> QSize:
        # What the layout remembers of a page that was hidden may be of another arrangement.
        return self._sides.minimumSizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._set_sizes()

    def _set_sizes(self) -> None:
        """The design's sizes: left 61 % wide, attackers 238 high, the rest shared."""
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
        self.left_places.set_design_sizes([upper, rest - upper])
        attacks = round(0.57 * height)
        self.right_places.set_design_sizes([attacks, height - attacks])
        room = _ROOM_FOR_WORDS + (120 if is_low else 0)
        self.counts.set_short(width - left < scaled(room))
        self._sides.set_design_sizes([left, width - left])

    def _box(self, name: str, words: str) -> ElidedComboBox:
        box = ElidedComboBox()
        box.setObjectName(name)
        box.setProperty("compact", "true")
        box.setAccessibleName(words)
        box.setToolTip(words)
        box.setMinimumContentsLength(8)
        box.setSizeAdjustPolicy(ElidedComboBox.SizeAdjustPolicy.AdjustToContents)
        box.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        return box
