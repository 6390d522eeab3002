"""First page of the risk analysis: attackers, column sets, exposed records, and classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QComboBox, QSizePolicy, QWidget

from anonymizer_gui.charts.analysis_pane import About, AnalysisPane
from anonymizer_gui.charts.chart_card import AnalysisCard
from anonymizer_gui.charts.findings_view import FindingsView
from anonymizer_gui.charts.legend import Legend, LegendEntry, Sample
from anonymizer_gui.perspectives.risk.risk_chart import RiskChart
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.theming.dressing import make_bare
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.card_places import CardPlaces
from anonymizer_gui.widgets.chip import RemovableChip
from anonymizer_gui.widgets.design_splitter import DesignSplitter
from anonymizer_gui.widgets.drawn import FitsRoom
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox, offer
from anonymizer_gui.widgets.labels import ElidedLabel
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named, vbox
from anonymizer_gui.widgets.role_badge import RoleBadge
from anonymizer_gui.widgets.scroll_body import SteadyArea
from anonymizer_gui.widgets.search_field import SearchField
from engine.frequency.counted import Noun, either
from engine.numbers import as_risk

if TYPE_CHECKING:
    from engine.findings.risk.attribute_disclosure import AttributeDisclosureFound
    from engine.findings.risk.exposed_records import ExposedRecordsFound

ATTACKERS, DISTRIBUTION, SUBSETS = "attackers", "risk_distribution", "column_subsets"
EXPOSED, ATTACKS, REVEALS = "exposed_records", "attacks", "attribute_disclosure"
IDENTIFIERS = "hipaa"
_ATTACKERS_HEIGHT = 248
_ROOM_FOR_ALL = 640  # px of height; lower pages show one of two cards at a time
_ROOM_FOR_TWO = 1000  # px of width; in narrower windows adjacent cards are stacked
_LEAST_LEFT, _LEAST_NARROW = 480, 780  # px of height for the left column; lower windows scroll it


class Overview(FitsRoom, QWidget):
    """Layout of seven cards, which follows the window until the user moves a splitter."""

    column_chosen = Signal(str)  # sensitive column

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("riskOverview")
        self._make_views()
        self.cards = {
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
        cards, down, across = self.cards, Qt.Orientation.Vertical, Qt.Orientation.Horizontal
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
        self._lower = DesignSplitter(across, "risk.lower", self.left_places, cards[EXPOSED])
        self._rows = DesignSplitter(down, "risk.rows", cards[ATTACKERS], self._lower)
        self._rows.setStretchFactor(1, 1)
        self._left = SteadyArea(self._rows)
        make_bare(self._left)
        self._sides = DesignSplitter(across, "risk.sides", self._left, self.right_places)
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


_KEY = "exposed_records"


class ExposedView(QWidget):
    """A click or the arrow keys choose a record."""

    table_requested = Signal(int)  # record, counted from 0
    usual_requested = Signal()  # the most exposed records again

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("exposedView")
        self._found: ExposedRecordsFound | None = None
        self.chosen: int | None = None  # record, counted from 0
        self.listed = FindingsView(_KEY, as_share=as_risk)
        self.listed.hide_sentence()
        self.listed.row_chosen.connect(self._on_row)
        self.search = named(SearchField(), "exposedSearch", self.tr("Show only records with these words"))
        self.search.setPlaceholderText(self.tr("Values or record numbers"))
        self.search.textChanged.connect(self._on_words)
        self._nothing = ElidedLabel("", Text.CELL, "text_3")
        chip = named(RemovableChip(self.tr("Singled out by unchanged columns")), "singledOutChip")
        chip.removal_requested.connect(self.usual_requested)
        self._chip_row, self._search_row = QWidget(), QWidget()
        hbox(chip, STRETCH, margins=(8, 6, 8, 2), of=self._chip_row)
        hbox((self.search, 1), self._nothing, spacing=8, margins=(8, 6, 8, 6), of=self._search_row)
        self.show_button = make_button(self.tr("Show in table"), small=True, kind="quiet", icon_name="table")
        named(self.show_button, "showInTable").setToolTip(
            self.tr("Show in table: go to this record in Analyze utility, next to its original")
        )
        self.show_button.clicked.connect(lambda: self.table_requested.emit(self.chosen))
        foot = hbox(STRETCH, self.show_button, margins=(8, 0, 8, 6))
        vbox(self._chip_row, self._search_row, (self.listed, 1), foot, spacing=0, margins=0, of=self)
        self._chip_row.hide()
        self._search_row.hide()

    def show_records(self, found: ExposedRecordsFound, *, are_singled_out: bool = False) -> None:
        """Show other records and choose the first, or the one chosen before if it is still listed.

        `are_singled_out` is whether they are those that unchanged columns single out, under a chip.
        """
        before, self._found = self.chosen, found
        self._chip_row.setVisible(are_singled_out)
        self.listed.show_findings(found)
        records = found.records.tolist()
        self.listed.choose(_KEY, records.index(before) if before in records else 0)

    def forget(self) -> None:
        """Forget the record and the words sought in another table."""
        self.search.clear()
        self._found = self.chosen = None

    def show_search(self, visible: bool) -> None:
        """Show the search field, or hide it and show all records."""
        self._search_row.setVisible(visible)
        if visible:
            self.search.setFocus()
        else:
            self.search.clear()

    def _on_row(self, _key: str, place: int) -> None:
        has_record = self._found is not None and 0 <= place < len(self._found)
        self.chosen = int(self._found.records[place]) if self._found is not None and has_record else None
        self.show_button.setEnabled(has_record)

    def _on_words(self, words: str) -> None:
        if self._found is None:
            return
        texts, before = self.listed.list_of(_KEY).texts, self.chosen
        texts.search(words)
        self._nothing.setText("" if texts.rowCount() else self.tr("no listed record matches"))
        records = self._found.records.tolist()
        self.listed.choose(_KEY, records.index(before) if before in records else 0)


_MOST_CLASSES = 20
Key = TypeVar("Key", int, str)


class RevealsView(QWidget):
    """Combo boxes choose the measure and the class; the sensitive column is chosen in the header."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("revealsView")
        self._found: AttributeDisclosureFound | None = None
        self._measure, self._class = "t", -1
        words = self.tr("Measure that defines the worst class")
        self._measures = named(ElidedComboBox(6), "revealMeasure", words, words)
        words = self.tr("Class of the release")
        self._classes = named(ElidedComboBox(6), "revealClass", words, words)
        self._measures.data_chosen.connect(self.choose)
        self._classes.data_chosen.connect(self._show_class)
        self.compared = FindingsView("class", as_share=as_risk, is_small=True)
        boxes = hbox((self._measures, 2), (self._classes, 3), spacing=8, margins=(12, 8, 12, 0))
        vbox(boxes, (self.compared, 1), spacing=0, margins=0, of=self)

    def show_findings(self, found: AttributeDisclosureFound) -> None:
        """Show the findings of another release or column."""
        self._found = found
        self._show_measure()

    def forget(self) -> None:
        """Forget the class of another release."""
        self._found, self._class = None, -1

    def choose(self, measure: str) -> None:
        """Rank the classes by a measure."""
        self._measure, self._class = measure, -1
        if self._found is not None:
            self._show_measure()

    def _show_measure(self) -> None:
        assert self._found is not None, "a measure is chosen of what is shown"
        measure = self._measure
        titles = {each.key: f"{each.title} ({each.symbol})" for each in self._found.measures}
        _fill(self._measures, titles, measure, self._found.meaning(measure))
        classes = self._found.named(measure, _MOST_CLASSES)
        self._show_class(self._class if self._class in classes else next(iter(classes)))

    def _show_class(self, number: int) -> None:
        assert self._found is not None, "a class is chosen of what is shown"
        self._class = number
        _fill(self._classes, self._found.named(self._measure, _MOST_CLASSES), number)
        self.compared.show_findings(self._found.compare(number, self._measure))
        self.compared.sentence().setToolTip(self._found.meaning(self._measure))


def _fill(box: QComboBox, texts: Mapping[Key, str], chosen: Key, meaning: str = "") -> None:
    offer(box, texts.items(), chosen)
    box.setToolTip(f"{texts[chosen]}\n{meaning}".strip())
