"""Pages of the risk analysis: the crowd, the attackers, the attacks, and the records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtWidgets import QComboBox, QSizePolicy, QWidget

from anonymizer_gui.charts.analysis_pane import About, AnalysisPane
from anonymizer_gui.charts.chart_card import AnalysisCard
from anonymizer_gui.charts.findings_view import FindingsView
from anonymizer_gui.perspectives.risk.crowd_view import CrowdView
from anonymizer_gui.perspectives.risk.risk_chart import RiskChart
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.chip import RemovableChip
from anonymizer_gui.widgets.design_splitter import DesignSplitter
from anonymizer_gui.widgets.drawn import FitsRoom, Picture
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox, offer
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named, vbox
from anonymizer_gui.widgets.role_badge import RoleBadge
from anonymizer_gui.widgets.search_field import SearchField
from engine.frequency.counted import Noun, either
from engine.numbers import as_exact_count, as_risk

if TYPE_CHECKING:
    from engine.findings.risk.attribute_disclosure import AttributeDisclosureFound
    from engine.findings.risk.crowd import MemberFound
    from engine.findings.risk.exposed_records import ExposedRecordsFound

CROWD, TESTS, SUPPRESSED = "crowd", "tests", "suppressed_groups"
ATTACKERS, DISTRIBUTION, SUBSETS = "attackers", "risk_distribution", "column_subsets"
EXPOSED, ATTACKS, REVEALS = "exposed_records", "attacks", "attribute_disclosure"
_ROOM_FOR_TWO = 1000  # px of width; in narrower pages two parts are stacked
_SIDE, _NARROW_SIDE, _WIDE = (
    352,
    320,
    1400,
)  # px; the width of the window from which there is room for the first
_BARS, _ATTACKERS, _LEAST = 236, 232, 210  # px of height
_MOST_PEOPLE, _PERSON = 7, 24  # drawn in a row, and px of each


class Divided(FitsRoom, DesignSplitter):
    """Two parts, of which the first has a share of the room; stacked if there is little width."""

    def __init__(self, name: str, first: QWidget, second: QWidget, share: float) -> None:
        super().__init__(Qt.Orientation.Horizontal, name, first, second)
        self._share = share

    def _fit(self) -> None:
        is_narrow = self.width() < scaled(_ROOM_FOR_TWO)
        self.setOrientation(Qt.Orientation.Vertical if is_narrow else Qt.Orientation.Horizontal)
        room = self.height() if is_narrow else self.width()
        self.set_design_sizes([round(self._share * room), room - round(self._share * room) - 8])


def analysis_card(key: str, title: str, view: QWidget, *tools: QWidget, file_name: str = "") -> AnalysisCard:
    """Return a card with the view of one analysis; help follows with the analysis."""
    card = named(AnalysisCard(title), f"card.{key}")
    for tool in tools:
        card.add_tool(tool)
    card.add_panes([(key, title, AnalysisPane(view, About(title), file_name or key.replace("_", "-")))])
    return card


def _small_view(key: str) -> FindingsView:
    return FindingsView(key, as_share=as_risk, is_small=True)


class CrowdPage(FitsRoom, QWidget):
    """The crowd; beside it the attackers in three pairs of bars, and one record of a class."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("crowdPage")
        self.crowd, self.member, self.bars = CrowdView(), MemberCard(), _small_view("attackerBars")
        self.bars.hide_sentence()
        text = self.tr("Classes by size, as a table")
        self.table = make_icon_button("table", text, "crowdTable", shortcut="Ctrl+T")
        self.table.setCheckable(True)
        self.table.toggled.connect(self.crowd.show_table)
        title, name = self.tr("Crowd"), "crowd-internal"
        self.card = analysis_card(CROWD, title, self.crowd, self.table, file_name=name)
        attackers = named(Card(self.tr("Attackers")), "attackerBarsCard")
        attackers.set_body(self.bars, 0)
        for part in (attackers, self.member):
            part.setMinimumHeight(scaled(_LEAST))
        self._right = DesignSplitter(Qt.Orientation.Vertical, "risk.crowdSide", attackers, self.member)
        self._sides = DesignSplitter(Qt.Orientation.Horizontal, "risk.crowd", self.card, self._right)
        self._sides.setStretchFactor(0, 1)
        vbox(self._sides, margins=0, of=self)

    def _fit(self) -> None:
        side = scaled(_NARROW_SIDE if self.width() < scaled(_WIDE) else _SIDE)
        self._sides.set_design_sizes([self.width() - side - 8, side])
        self._right.set_design_sizes([scaled(_BARS), self.height() - scaled(_BARS) - 8])


class AttackersPage(FitsRoom, QWidget):
    """All values of the attackers, records by risk, and what combinations of columns single out."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("attackersPage")
        self.attackers, self.subsets, self.distribution = (
            _small_view(ATTACKERS),
            _small_view(SUBSETS),
            RiskChart(),
        )
        self.attackers.hide_sentence()  # the strip says it
        self.most_columns = _box("mostColumns", self.tr("Largest number of columns combined"))
        self.cards = {
            ATTACKERS: analysis_card(ATTACKERS, self.tr("Attackers"), self.attackers),
            DISTRIBUTION: analysis_card(DISTRIBUTION, self.tr("Records by risk"), self.distribution),
            SUBSETS: analysis_card(SUBSETS, self.tr("Column combinations"), self.subsets, self.most_columns),
        }
        self._lower = Divided("risk.lower", self.cards[DISTRIBUTION], self.cards[SUBSETS], 0.5)
        self._rows = DesignSplitter(Qt.Orientation.Vertical, "risk.rows", self.cards[ATTACKERS], self._lower)
        self._rows.setStretchFactor(1, 1)
        vbox(self._rows, margins=0, of=self)
        for card in self.cards.values():
            card.setMinimumHeight(scaled(_LEAST))

    def show_counted(self, counted: Noun) -> None:
        """Show whether records or people are counted."""
        title = either(counted, self.tr("Records by risk"), self.tr("People by risk"))
        self.cards[DISTRIBUTION].set_title(title)
        self.distribution.show_counted(counted)

    def show_most_columns(self, most: int, largest: int) -> None:
        """Offer sets of up to `largest` columns."""
        self.most_columns.clear()
        for count in range(1, largest + 1):
            self.most_columns.addItem(self.tr("Up to {count}").format(count=count), count)
        self.most_columns.setCurrentIndex(self.most_columns.findData(most))

    def _fit(self) -> None:
        self._rows.set_design_sizes([scaled(_ATTACKERS), self.height() - scaled(_ATTACKERS) - 8])


class AttacksPage(QWidget):
    """Which attacks the release resists, and what a class reveals."""

    column_chosen = Signal(str)  # sensitive column

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("attacksPage")
        self.attacks, self.reveals = _small_view(ATTACKS), RevealsView()
        self.columns = _box("revealColumn", self.tr("Sensitive column"))
        self.columns.textActivated.connect(self.column_chosen)
        self.columns.setMaximumWidth(scaled(180))
        self.cards = {
            ATTACKS: analysis_card(ATTACKS, self.tr("Attacks"), self.attacks),
            REVEALS: analysis_card(REVEALS, self.tr("What a class reveals"), self.reveals, self.columns),
        }
        self.cards[REVEALS].add_lead(RoleBadge("sensitive"))
        vbox(Divided("risk.attacks", self.cards[ATTACKS], self.cards[REVEALS], 0.6), margins=0, of=self)

    def show_columns(self, names: tuple[str, ...], chosen: str) -> None:
        """Offer the sensitive columns; a single one needs no box."""
        self.columns.clear()
        self.columns.addItems(list(names))
        self.columns.setCurrentText(chosen)
        self.columns.setToolTip(chosen)
        self.columns.setVisible(len(names) > 1)


class RecordsPage(QWidget):
    """The most exposed records."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("recordsPage")
        self.exposed = ExposedView()
        self.filter = make_icon_button("funnel", self.tr("Show only records with certain values"))
        self.filter.setObjectName("exposedFilter")
        self.filter.setCheckable(True)
        self.filter.toggled.connect(self.exposed.show_search)
        self.card = analysis_card(EXPOSED, self.tr("Most exposed records"), self.exposed, self.filter)
        vbox(self.card, margins=0, of=self)


def _box(name: str, words: str) -> ElidedComboBox:
    box = named(ElidedComboBox(), name, words, words)
    box.setProperty("compact", "true")
    box.setMinimumContentsLength(8)
    box.setSizeAdjustPolicy(ElidedComboBox.SizeAdjustPolicy.AdjustToContents)
    box.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
    return box


class _People(Picture):
    """As many people as are in a small class, each as a head with shoulders."""

    def __init__(self) -> None:
        super().__init__(0, 32)
        self.n_people = 0

    def sizeHint(self) -> QSize:
        return QSize(scaled(_PERSON) * self.n_people, super().sizeHint().height())

    def draw(self, painter: ThemedPainter) -> None:
        painter.ink("series_2", 1.6)
        wide, high = scaled(_PERSON) - 3, self.height()
        for place in range(self.n_people):
            left = place * scaled(_PERSON) + 1.0
            painter.drawEllipse(QRectF(left + wide * 0.27, 1.5, wide * 0.46, wide * 0.46))
            painter.drawArc(QRectF(left + 1, high * 0.52, wide - 2, high * 0.9), 0, 180 * 16)


class MemberCard(Card):
    """One record of the class that was clicked, before and after."""

    step_requested = Signal(int)  # to the next record of the class, or the one before

    def __init__(self) -> None:
        super().__init__(self.tr("One record"))
        self.setObjectName("memberCard")
        view = FindingsView("member", as_share=as_risk, is_small=True)
        self.pane = AnalysisPane(view, About(), "record")
        self._people, self._risk = _People(), named(make_label("", Text.STAT), "memberRisk")
        self._before = named(make_label("", Text.CELL, "text_2", wraps=True), "memberBefore")
        self._head = QWidget()
        numbers = vbox(self._risk, self._before, spacing=0)
        hbox(self._people, (numbers, 1), spacing=12, margins=(12, 10, 12, 0), of=self._head)
        self.set_body(vbox(self._head, (self.pane, 1), spacing=0), 0)
        self.back = make_icon_button("chevron-left", self.tr("Previous record of the class"), "memberBack")
        self.next = make_icon_button("chevron-right", self.tr("Next record of the class"), "memberNext")
        for button, step in ((self.back, -1), (self.next, 1)):
            button.clicked.connect(lambda _checked=False, step=step: self.step_requested.emit(step))
            self.add_tool(button)
        self.forget()

    def show_member(self, found: MemberFound) -> None:
        """Show a record."""
        record = found.record
        self.set_title(found.title)
        self.set_caption(self.tr("record {n}").format(n=as_exact_count(record.record + 1)))
        self._people.n_people = record.class_size if record.class_size <= _MOST_PEOPLE else 0
        self._people.updateGeometry()
        self._people.setVisible(bool(self._people.n_people) and not record.is_suppressed)
        risk = self.tr("suppressed") if record.is_suppressed else as_risk(record.risk)
        self._risk.setText(risk)
        self._before.setText(self.tr("{risk} in the input").format(risk=as_risk(1 / record.size_before)))
        self._show_steps(found.n_rows)
        self.pane.show_findings(found)
        view = self.pane.view
        assert isinstance(view, FindingsView)
        view.show_findings(found)

    def show_failed(self, error: Exception) -> None:
        """Show why no record can be shown."""
        self._show_steps(0)
        self.pane.show_failed(error)

    def forget(self) -> None:
        """Say how a record is chosen."""
        self.set_title(self.tr("One record"))
        self.set_caption("")
        self._show_steps(0)
        self.pane.show_empty(self.tr("Click a class of the crowd to see one of its records."))

    def _show_steps(self, n_rows: int) -> None:
        self._head.setVisible(n_rows > 0)
        for button in (self.back, self.next):
            button.setEnabled(n_rows > 1)


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
        """Forget the class of another release, and offer none of its classes."""
        self._found, self._class = None, -1
        self._measures.clear()
        self._classes.clear()

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
