"""Pages of the linkage test with a second table, and of the attack test with its settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QVBoxLayout

from anonymizer_gui.forms import FormContext, ParamForm
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.labels import ElidedLabel, make_label, make_line
from anonymizer_gui.widgets.layouts import STRETCH, clear, gridbox, hbox, named, vbox
from anonymizer_gui.widgets.scroll_body import ScrollBody
from engine.params import values_of
from engine.project.attack_settings import RELEASED, AttackSettings

LINKAGE = "linkage"


class LinkageSetup(Card):
    """Chooses the table and pairs the columns; a disabled button gives the reason."""

    table_requested = Signal()
    table_dropped = Signal()
    pairs_changed = Signal()
    link_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.set_title(self.tr("Second table"))
        self.set_caption(self.tr("what an attacker may have about the same people"))
        self.setObjectName("linkageSetup")
        self.error = ErrorBanner()
        self.choose_button = make_button(self.tr("Choose table…"), icon_name="folder-open", small=True)
        self.choose_button.setObjectName("linkageTable")
        self.choose_button.setToolTip(
            self.tr("A table with names, such as a register. It is read but never stored.")
        )
        self.choose_button.clicked.connect(self.table_requested)
        self._file = ElidedLabel("", Text.CELL_STRONG, mode=Qt.TextElideMode.ElideMiddle)
        self._file.setObjectName("linkageFile")
        self._facts = ElidedLabel("", Text.CELL, "text_3")
        self.drop_button = make_icon_button("x", self.tr("Close this table"), "linkageDrop")
        self.drop_button.clicked.connect(self.table_dropped)
        self.hint = named(make_label("", Text.CELL, "text_2", wraps=True), "linkageHint")
        self._grid = gridbox(spacing=(12, 6), stretched=(0, 1))
        self._boxes: dict[str, ElidedComboBox] = {}
        self.link_button = make_button(self.tr("Link"), "linkButton", kind="primary", icon_name="link")
        self.link_button.clicked.connect(self.link_requested)
        self._build()
        self.show_table("", "")

    def show_table(self, name: str, facts: str) -> None:
        """Show the name of the second table; empty for none, and then nothing can be set."""
        self._file.setText(name)
        self._facts.setText(facts)
        self.setVisible(bool(name) or not self.error.isHidden())
        for part in (self._file, self._facts, self.drop_button):
            part.setVisible(bool(name))

    def show_pairs(self, own: Sequence[str], theirs: Sequence[str], pairs: Mapping[str, str]) -> None:
        """Offer the columns of the second table for each of the release; some are preselected."""
        clear(self._grid)
        self._boxes = {}
        if theirs:
            self._grid.addWidget(make_label(self.tr("Column of the release"), Text.SECTION, "text_2"), 0, 0)
            self._grid.addWidget(make_label(self.tr("Corresponds to"), Text.SECTION, "text_2"), 0, 1)
        for row, name in enumerate(own if theirs else (), start=1):
            label = ElidedLabel(name, Text.CELL)
            words = self.tr("Column that corresponds to {name}").format(name=name)
            box = named(ElidedComboBox(6), f"pair.{name}", words)
            box.addItem(self.tr("not linked"), "")
            for other in theirs:
                box.addItem(other, other)
            box.setCurrentIndex(max(box.findData(pairs.get(name, "")), 0))
            box.setToolTip(box.currentText())
            box.currentIndexChanged.connect(lambda _place, b=box: b.setToolTip(b.currentText()))
            box.currentIndexChanged.connect(lambda _place: self.pairs_changed.emit())
            self._grid.addWidget(label, row, 0)
            self._grid.addWidget(box, row, 1)
            self._boxes[name] = box

    def pairs(self) -> dict[str, str]:
        """Return the paired columns of the release, with those of the second table."""
        chosen = {name: str(box.currentData()) for name, box in self._boxes.items()}
        return {name: other for name, other in chosen.items() if other}

    def show_hint(self, text: str) -> None:
        """Show what to do next."""
        self.hint.setText(text)

    def allow(self, reason: str) -> None:
        """Enable linking, or show why it is impossible."""
        self.link_button.setEnabled(not reason)
        self.link_button.setToolTip(reason or self.tr("Match every record with the second table"))

    def _build(self) -> None:
        inside = vbox(
            self.error,
            hbox(self.choose_button, (self._file, 1), self.drop_button, spacing=8),
            self._facts,
            self.hint,
            make_line(),
            self._grid,
            STRETCH,
            spacing=8,
            margins=(12, 10, 12, 12),
        )
        self.set_body(ScrollBody(inside), 0)
        foot = hbox(STRETCH, self.link_button)
        self.set_footer(foot)
        foot.setContentsMargins(12, 6, 12, 6)


ATTACK_TEST = "attack_test"


class AttackSetup(Card):
    """Form of the settings, and whether recipe and report keep them."""

    changed = Signal()
    keep_toggled = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
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
        self.set_body(ScrollBody(vbox(self._slot, STRETCH, margins=(12, 10, 12, 12))), 0)
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
