"""Layout of Analyze risk: main statement at the top, pages below."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from anonymizer_gui.perspectives.risk.attack_pages import ATTACK_TEST, LINKAGE, AttackSetup, LinkageSetup
from anonymizer_gui.perspectives.risk.further_page import (
    POPULATION,
    SettingsCard,
    SettingsPage,
    findings_card,
)
from anonymizer_gui.perspectives.risk.overview import Overview
from anonymizer_gui.perspectives.risk.statement_strip import StatementStrip
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.card_places import PageSwitch
from anonymizer_gui.widgets.drawn import FitsRoom
from anonymizer_gui.widgets.labels import CaptionLabel, set_tone
from anonymizer_gui.widgets.layouts import hbox, named, vbox
from anonymizer_gui.widgets.made_ahead import MadeAhead
from anonymizer_gui.widgets.results_stack import ResultsPerspective, ResultsStack

OVERVIEW = "overview"


class _Pages(QStackedWidget):
    """As high as the visible page: a hidden page has outdated text sizes."""

    def __init__(self) -> None:
        super().__init__()
        self.currentChanged.connect(lambda _place: self.updateGeometry())

    def minimumSizeHint(self) -> QSize:
        page: QWidget | None = self.currentWidget()
        return super().minimumSizeHint() if page is None else page.minimumSizeHint()


# Parts that take long to create.
AHEAD: tuple[type[QWidget], ...] = (StatementStrip, Overview, LinkageSetup)


class RiskPerspective(FitsRoom, ResultsPerspective):
    """Displays values and emits requests; the presenter provides the values."""

    page_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None, ahead: MadeAhead | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("risk")
        ahead = ahead or MadeAhead()
        self.strip = ahead.take(StatementStrip)
        self.overview = ahead.take(Overview)
        card = findings_card(POPULATION, self.tr("Uniqueness in the population"))
        self.population = SettingsPage("populationPage", SettingsCard(), card, "risk.uniqueness", 380, 0.38)
        card, setup = findings_card(LINKAGE, self.tr("Linkage test")), ahead.take(LinkageSetup)
        self.linkage = SettingsPage("linkagePage", setup, card, "risk.linkage", 420, 0.46)
        card = findings_card(ATTACK_TEST, self.tr("Attack test"))
        self.attack_test = SettingsPage("attackTestPage", AttackSetup(), card, "risk.attackTest", 320, 0.42)
        self._made_with = named(CaptionLabel("", Text.CELL), "riskMadeWith")
        self._made_with.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._pages = _Pages()
        self._keys: list[str] = []
        pages = (
            (OVERVIEW, self.tr("Overview"), self.overview),
            (POPULATION, self.tr("Population"), self.population),
            (LINKAGE, self.tr("Linkage test"), self.linkage),
            (ATTACK_TEST, self.tr("Attack test"), self.attack_test),
        )
        for key, _, page in pages:
            self._keys.append(key)
            self._pages.addWidget(page)
        self.switch = PageSwitch([(key, text) for key, text, _ in pages], self.tr("Page of the analysis"))
        self.switch.setObjectName("riskPages")
        self.switch.selected.connect(self.show_page)
        self.empty.button.setObjectName("riskAction")
        self._build()

    def add_page(self, key: str, title: str, page: QWidget) -> None:
        """Append a page."""
        self._keys.append(key)
        self._pages.addWidget(page)
        self.switch.add(key, title)
        self.switch.fit(self.width() - scaled(200))

    @property
    def page(self) -> str:
        """Key of the visible page."""
        return self._keys[self._pages.currentIndex()]

    def show_page(self, key: str) -> None:
        """Bring a page to the front."""
        self.switch.set_current(key)
        self._pages.setCurrentIndex(self._keys.index(key))
        self.page_chosen.emit(key)

    def show_made_with(self, text: str, hint: str = "") -> None:
        """Show the described release; the hint says how the current settings differ."""
        self._made_with.setText(text)
        self._made_with.set_hint(hint)
        set_tone(self._made_with, "warn" if hint else "text_3")

    def _fit(self) -> None:
        self.switch.fit(self.width() - scaled(200))

    def _build(self) -> None:
        inner = vbox(
            hbox(self.switch, (self._made_with, 1), spacing=12),
            self.error,
            (self._pages, 1),
            spacing=8,
            margins=8,
        )
        self._stack = ResultsStack([self.preview, self.strip], inner, self.empty, self)
