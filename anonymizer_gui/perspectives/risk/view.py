"""Layout of Analyze risk: main statement at the top, pages below."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from anonymizer_gui.perspectives.risk.pages import (
    ATTACKERS,
    ATTACKS,
    CROWD,
    EXPOSED,
    SUPPRESSED,
    TESTS,
    AttackersPage,
    AttacksPage,
    CrowdPage,
    RecordsPage,
)
from anonymizer_gui.perspectives.risk.statement_strip import StatementStrip
from anonymizer_gui.perspectives.risk.tests_page import PageOfTests
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.card_places import PageSwitch
from anonymizer_gui.widgets.drawn import FitsRoom
from anonymizer_gui.widgets.labels import CaptionLabel, set_tone
from anonymizer_gui.widgets.layouts import hbox, named, vbox
from anonymizer_gui.widgets.made_ahead import MadeAhead
from anonymizer_gui.widgets.results_stack import ResultsPerspective, ResultsStack


class _Pages(QStackedWidget):
    """As high as the visible page: a hidden page has outdated text sizes."""

    def __init__(self) -> None:
        super().__init__()
        self.currentChanged.connect(lambda _place: self.updateGeometry())

    def minimumSizeHint(self) -> QSize:
        page: QWidget | None = self.currentWidget()
        return super().minimumSizeHint() if page is None else page.minimumSizeHint()


# Parts that take long to create.
AHEAD: tuple[type[QWidget], ...] = (
    StatementStrip,
    CrowdPage,
    AttackersPage,
    AttacksPage,
    RecordsPage,
    PageOfTests,
)


class RiskPerspective(FitsRoom, ResultsPerspective):
    """Displays values and emits requests; the presenter provides the values."""

    page_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None, ahead: MadeAhead | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("risk")
        ahead = ahead or MadeAhead()
        self.strip = ahead.take(StatementStrip)
        self.crowd, self.attackers = ahead.take(CrowdPage), ahead.take(AttackersPage)
        self.attacks, self.records = ahead.take(AttacksPage), ahead.take(RecordsPage)
        self.tests, self.suppressed = ahead.take(PageOfTests), QWidget()
        vbox(margins=0, of=self.suppressed)
        self.cards = {
            CROWD: self.crowd.card,
            EXPOSED: self.records.card,
            **self.attackers.cards,
            **self.attacks.cards,
        }
        self._made_with = named(CaptionLabel("", Text.CELL), "riskMadeWith")
        self._made_with.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._pages = _Pages()
        pages = (
            (CROWD, self.tr("Crowd"), self.crowd),
            (ATTACKERS, self.tr("Attackers"), self.attackers),
            (ATTACKS, self.tr("Attacks"), self.attacks),
            (TESTS, self.tr("Tests"), self.tests),
            (SUPPRESSED, self.tr("Who is suppressed"), self.suppressed),
            (EXPOSED, self.tr("Records", "page of Analyze risk"), self.records),
        )
        self._keys = [key for key, _text, _page in pages]
        for _key, _text, page in pages:
            self._pages.addWidget(page)
        self.switch = PageSwitch([(key, text) for key, text, _page in pages], self.tr("Page of the analysis"))
        self.switch.setObjectName("riskPages")
        self.switch.selected.connect(self.show_page)
        self.empty.button.setObjectName("riskAction")
        self._build()

    def fill_suppressed(self, page: QWidget) -> None:
        """Show who is suppressed, made only with its analysis."""
        layout = self.suppressed.layout()
        assert layout is not None, "it has one since it was made"
        layout.addWidget(page)

    @property
    def pages(self) -> tuple[str, ...]:
        """Keys of all pages."""
        return tuple(self._keys)

    @property
    def page(self) -> str:
        """Key of the visible page."""
        return self._keys[self._pages.currentIndex()]

    def show_page(self, key: str) -> None:
        """Bring a page to the front."""
        self.switch.set_current(key)
        self._pages.setCurrentIndex(self._keys.index(key))
        if (shown := self._pages.currentWidget()) is not None and shown.hasFocus():
            self.switch.take_focus()  # Qt focuses the page itself if its parts were never shown
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
