"""Attack test: settings of the attacks at the left, risks with their intervals at the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from anonymizer_gui.charts.analysis_pane import About, AnalysisPane
from anonymizer_gui.charts.chart_card import AnalysisCard
from anonymizer_gui.forms import FormContext, ParamForm
from anonymizer_gui.perspectives.risk.settings_page import SettingsPage
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.interval_bar import IntervalBar
from anonymizer_gui.widgets.labels import make_label, set_tone
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named, vbox
from anonymizer_gui.widgets.scroll_body import scrolled
from engine.params import values_of
from engine.project.attack_settings import RELEASED, AttackSettings

ATTACK_TEST = "attack_test"
_SETUP = 320


@dataclass(frozen=True)
class AttackLine:
    """One attack: name, value with the ends of its interval or None, their text, and the meaning."""

    name: str
    interval: tuple[float, float, float] | None
    text: str
    meaning: str


class AttackSetup(Card):
    """Form of the settings, and whether recipe and report keep them."""

    changed = Signal()
    keep_toggled = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.set_title(self.tr("Attackers and control group"))
        self.setObjectName("attackSetup")
        self.form: ParamForm | None = None
        self._released: tuple[str, ...] = ()
        self._secrets: tuple[str, ...] = ()
        self._slot = QVBoxLayout()
        self._slot.setContentsMargins(0, 0, 0, 0)
        self.keep_box = named(QCheckBox(self.tr("Keep in recipe and report")), "attackKeep")
        self.keep_box.setToolTip(
            self.tr("Stores these settings in project and recipe; internal reports then contain the test")
        )
        self.keep_box.toggled.connect(self.keep_toggled)
        self.set_body(scrolled(vbox(self._slot, STRETCH, margins=(12, 10, 12, 12))), 0)
        self.set_footer(hbox(self.keep_box, STRETCH))

    def show_settings(
        self, settings: AttackSettings, released: Sequence[str], secrets: Sequence[str], *, is_kept: bool
    ) -> None:
        """Show settings; `released` are the columns an attacker may know, `secrets` may be inferred."""
        with QSignalBlocker(self.keep_box):
            self.keep_box.setChecked(is_kept)
        if (self._released, self._secrets) != (tuple(released), tuple(secrets)) or self.form is None:
            self._released, self._secrets = tuple(released), tuple(secrets)
            self._rebuild(settings)
        elif self.settings() != settings:
            self.form.show_values(values_of(settings))

    def settings(self) -> AttackSettings | None:
        """Return the settings of the form; None if a field is not valid, which the form then says."""
        member = None if self.form is None else self.form.member()
        assert member is None or isinstance(member, AttackSettings)
        return member

    def _rebuild(self, settings: AttackSettings) -> None:
        if self.form is not None:
            self._slot.removeWidget(self.form)
            self.form.hide()
            self.form.deleteLater()
        context = FormContext({RELEASED: self._released, "": self._secrets})
        self.form = ParamForm(AttackSettings, values_of(settings), context)
        self.form.changed.connect(self.changed)
        self._slot.addWidget(self.form)


class _AttackRow(QWidget):
    """Name and numbers above the interval, the meaning below."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = make_label("", Text.CELL_STRONG, wraps=True)
        self._numbers = make_label("", Text.CELL_STRONG)
        self.bar = IntervalBar()
        self._meaning = make_label("", Text.CELL, "text_2", wraps=True)
        vbox(
            hbox((self._name, 1), self._numbers, spacing=8),
            self.bar,
            self._meaning,
            spacing=4,
            margins=0,
            of=self,
        )

    def show_line(self, line: AttackLine) -> None:
        self._name.setText(line.name)
        self._numbers.setText(line.text)
        self._meaning.setText(line.meaning)
        self.bar.show_interval(line.interval, f"{line.name}: {line.text}")
        self.bar.setVisible(line.interval is not None)

    def words(self) -> tuple[str, str, str]:
        return self._name.text(), self._numbers.text(), self._meaning.text()


class AttackTestView(QWidget):
    """Main result, one row per attack, and what the test was made of."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("attackTestView")
        self._sentence = named(make_label("", Text.TITLE, wraps=True), "attackSentence")
        self._scale = make_label(
            self.tr("Risk above the control group, from 0 to 100 %, with its interval"), Text.CELL, "text_3"
        )
        self._basis = named(make_label("", Text.CELL, "text_2", wraps=True), "attackBasis")
        self.rows: list[_AttackRow] = []
        self._lines = vbox(spacing=16)
        column = vbox(
            self._sentence,
            self._scale,
            4,
            self._lines,
            12,
            self._basis,
            STRETCH,
            spacing=8,
            margins=(16, 12, 16, 12),
        )
        vbox(scrolled(column), margins=0, of=self)

    def show_attacks(self, sentence: str, tone: str, lines: Sequence[AttackLine], basis: str) -> None:
        """Show other results."""
        self._sentence.setText(sentence)
        set_tone(self._sentence, tone)
        self._basis.setText(basis)
        for row in self.rows[len(lines) :]:
            row.hide()
            self._lines.removeWidget(row)
            row.deleteLater()
        del self.rows[len(lines) :]
        while len(self.rows) < len(lines):
            row = _AttackRow()
            self._lines.addWidget(row)
            self.rows.append(row)
        for row, line in zip(self.rows, lines, strict=True):
            row.show_line(line)

    def sentence(self) -> str:
        return self._sentence.text()

    def basis(self) -> str:
        return self._basis.text()

    def words(self) -> list[tuple[str, str, str]]:
        """Return name, numbers and meaning of every attack."""
        return [row.words() for row in self.rows]


class AttackTestPage(SettingsPage):
    """Settings at the left, results at the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("attackTestPage")
        self.setup = AttackSetup()
        self.view = AttackTestView()
        self.pane = AnalysisPane(self.view, About(self.tr("Attack test")), "attack-test")
        self.card = named(AnalysisCard(self.tr("Attack test")), "card.attack_test")
        self.card.add_panes([(ATTACK_TEST, "", self.pane)])
        self.lay_out(self.setup, self.card, "risk.attackTest", _SETUP, 0.42)
