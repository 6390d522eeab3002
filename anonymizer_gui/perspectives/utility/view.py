"""Layout of Analyze utility: tiles, input and release side by side, three cards of analyses below."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.charts.analysis_pane import About, AnalysisPane
from anonymizer_gui.charts.chart_card import AnalysisCard
from anonymizer_gui.charts.findings_view import FindingsView
from anonymizer_gui.perspectives.utility.panes.distribution import DistributionView
from anonymizer_gui.perspectives.utility.panes.strips import ClassificationStrip, ColumnStrip, PairStrip
from anonymizer_gui.perspectives.utility.tables.panel import TablesPanel
from anonymizer_gui.perspectives.utility.tiles_strip import TilesStrip
from anonymizer_gui.theming import scaled
from anonymizer_gui.widgets.card_places import CardPlaces
from anonymizer_gui.widgets.design_splitter import DesignSplitter
from anonymizer_gui.widgets.drawn import FitsRoom
from anonymizer_gui.widgets.layouts import vbox
from anonymizer_gui.widgets.made_ahead import MadeAhead
from anonymizer_gui.widgets.results_stack import ResultsPerspective, ResultsStack

LOSS, COLUMNS, PAIRS = "loss", "columns", "pairs"
_LOWER_SHARE, _LEAST_LOWER = 0.48, 250

_GENERIC = (
    "loss_by_attribute",
    "statistics",
    "class_sizes",
    "classification",
    "contingency",
    "metrics",
    "local_queries",
    "settings",
)

# Parts that take long to create.
AHEAD: tuple[type[QWidget], ...] = (
    TilesStrip,
    TablesPanel,
    DistributionView,
    ClassificationStrip,
    PairStrip,
)


class UtilityPerspective(FitsRoom, ResultsPerspective):
    """Layout of the parts, or an empty state without a release."""

    def __init__(self, parent: QWidget | None = None, ahead: MadeAhead | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("utility")
        ahead = ahead or MadeAhead()
        self.strip = ahead.take(TilesStrip)
        self.tables = ahead.take(TablesPanel)
        self.distribution = ahead.take(DistributionView)
        self.views = {key: FindingsView(key) for key in _GENERIC}
        self.distribution_strip = ColumnStrip("distribution", has_suppressed=True)
        self.statistics_strip = ColumnStrip("statistics")
        self.classification_strip = ahead.take(ClassificationStrip)
        self.pair_strip = ahead.take(PairStrip)
        self.panes = self._made_panes()
        self.cards = {
            LOSS: AnalysisCard(self.tr("Loss by column"), self.tr("per column")),
            COLUMNS: AnalysisCard(),
            PAIRS: AnalysisCard(),
        }
        for key, card in self.cards.items():
            card.setObjectName(f"{key}Card")
        self.cards[LOSS].add_panes([("loss_by_attribute", "", self.panes["loss_by_attribute"])])
        self.cards[COLUMNS].add_panes(
            [
                ("distribution", self.tr("Distribution"), self.panes["distribution"]),
                ("statistics", self.tr("Statistics"), self.panes["statistics"]),
                ("class_sizes", self.tr("Class sizes"), self.panes["class_sizes"]),
                ("classification", self.tr("Classification"), self.panes["classification"]),
            ],
            self.tr("Columns and classes"),
        )
        self.cards[PAIRS].add_panes(
            [
                ("contingency", self.tr("Contingency"), self.panes["contingency"]),
                ("metrics", self.tr("Metrics"), self.panes["metrics"]),
                ("local_queries", self.tr("Queries"), self.panes["local_queries"]),
                ("settings", self.tr("Settings"), self.panes["settings"]),
            ],
            self.tr("Pairs, metrics and settings"),
        )
        self.lower_cards = LowerCards(
            [
                (LOSS, self.tr("Loss"), self.cards[LOSS]),
                (COLUMNS, self.tr("Columns"), self.cards[COLUMNS]),
                (PAIRS, self.tr("Pairs and metrics"), self.cards[PAIRS]),
            ],
            self.tr("Lower cards"),
        )
        self._build()

    def _made_panes(self) -> dict[str, AnalysisPane]:
        """Return the panes by the key of their analysis; their texts follow with the engine."""
        strips = {
            "distribution": self.distribution_strip,
            "statistics": self.statistics_strip,
            "classification": self.classification_strip,
            "contingency": self.pair_strip,
        }
        views = {**self.views, "distribution": self.distribution}
        return {
            key: AnalysisPane(view, About(), key.replace("_", "-"), strip=strips.get(key))
            for key, view in views.items()
        }

    def add_pane(self, key: str, title: str, view: QWidget) -> AnalysisPane:
        """Add an analysis without a special view, after the metrics and queries."""
        pane = self.panes[key] = AnalysisPane(view, About(title), key.replace("_", "-"))
        self.cards[PAIRS].add_further_pane(key, title, pane)
        return pane

    def show_metrics(self) -> None:
        """Show all metrics, also those that are folded."""
        self.lower_cards.show_page(PAIRS)
        self.cards[PAIRS].show_pane("metrics")
        self.views["metrics"].open_folds("metrics")

    def _build(self) -> None:
        self.rows = DesignSplitter(Qt.Orientation.Vertical, "utility.rows", self.tables, self.lower_cards)
        inner = vbox(self.error, (self.rows, 1), spacing=8, margins=8)
        self.empty.button.setObjectName("utilityEmptyAction")
        self._stack = ResultsStack([self.preview, self.strip], inner, self.empty, self)

    def _fit(self) -> None:
        room = self.height() - self.strip.height() - 24
        lower = max(round(_LOWER_SHARE * room), min(scaled(_LEAST_LOWER), room // 2))
        self.rows.set_design_sizes([room - lower, lower])


ROOM_FOR_ALL = 1340  # px at font scale 1
_SHARES = (0.25, 0.38, 0.37)


class LowerCards(CardPlaces):
    """The three cards of analyses; without room for three there is room for one."""

    def __init__(self, cards: Sequence[tuple[str, str, AnalysisCard]], name: str) -> None:
        super().__init__(Qt.Orientation.Horizontal, "utility.lower", cards, name, largest_share=0.5)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)

    def _fit(self) -> None:
        self.set_stacked(self.width() < scaled(ROOM_FOR_ALL))
        if not self.is_stacked:
            room = self.width() - 16
            self.set_design_sizes([int(share * room) for share in _SHARES])
        super()._fit()
