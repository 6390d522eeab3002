"""Card of the selected columns: role, type, allowed levels, hierarchy and its preview."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QLabel,
    QLayout,
    QSizePolicy,
    QWidget,
)

from anonymizer_gui.models.column_summary import KIND_NAMES
from anonymizer_gui.perspectives.configure.hierarchy.values.table import HierarchyTable
from anonymizer_gui.perspectives.configure.table.data_table import ROLE_MEANINGS, ROLE_TITLES
from anonymizer_gui.tables.rows_model import Cell, Heading
from anonymizer_gui.tables.table_view import TableView
from anonymizer_gui.theming import Text, follow_theme, font, scaled
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.chip import Chip
from anonymizer_gui.widgets.drawn import FitsRoom, IconLabel
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox, offer
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.labels import ElidedLabel, make_label, set_tone
from anonymizer_gui.widgets.layouts import STRETCH, at_least, fixed, gridbox, hbox, named, nest, vbox
from anonymizer_gui.widgets.level_boxes import LevelBoxes
from anonymizer_gui.widgets.role_badge import RoleBadge, RoleButton
from anonymizer_gui.widgets.scroll_body import ScrollBody
from engine.project import AttributeHierarchy
from engine.qi_detection.suggest import RoleSuggestion
from engine.records import NO_ROLE, Column, Kind, Role, role_key, role_word
from engine.words import _, ngettext

_CHOICE_WIDTH = 158


@dataclass(frozen=True)
class ReleaseFacts:
    """Forms in which the selected columns may be released.

    Attributes
    ----------
    options : tuple of (str, str, str)
        Key, title and summary of each.
    chosen : str or None
        Key of the chosen one; None if that of the columns differs.
    hint : str
        What it does.
    words : str
        Its parameters in short.
    tone : str
        Colour of these words.
    has_settings : bool
        Whether it has parameters.
    """

    options: tuple[tuple[str, str, str], ...]
    chosen: str | None
    hint: str
    words: str = ""
    tone: str = "text_3"
    has_settings: bool = True


class ReleaseChoice(QWidget):
    """List, description, and a button for the parameters.

    Parameters
    ----------
    name, settings_name : str
        Object names of the list and of the button.
    settings_hint : str
        What the parameters decide.
    """

    def __init__(self, name: str, settings_name: str, settings_hint: str) -> None:
        super().__init__()
        self.box = named(ElidedComboBox(), name, self.tr("Released as"))
        self.box.setProperty("size", "small")
        self.box.setPlaceholderText(self.tr("Several"))
        self.words = ElidedLabel("", Text.CELL, "text_3")
        settings = make_button(self.tr("Settings"), icon_name="settings-2", small=True, tooltip=settings_hint)
        self.settings_button = named(settings, settings_name)
        hbox(self.box, (self.words, 1), self.settings_button, spacing=8, margins=0, of=self)
        fixed(self.box, width=_CHOICE_WIDTH)

    def show_facts(self, facts: ReleaseFacts) -> None:
        """Show the choice of the selected columns."""
        offer(self.box, facts.options, facts.chosen)
        self.box.setToolTip(facts.hint)
        self.words.setText(facts.words)
        set_tone(self.words, facts.tone)
        self.settings_button.setVisible(facts.has_settings)


PERSONS, WEIGHTS, HOUSEHOLDS = "person", "weight", "household"  # uses of a column beside its role
_MOST_BOXES = 12
_PREVIEW_LEAST, _SETS = 60, 200
_BAR = 12  # width of the scroll bar in a low window


@dataclass(frozen=True)
class ColumnFacts:
    """Selected columns as shown in the panel."""

    names: tuple[str, ...]
    roles: frozenset[Role | None]
    kinds: frozenset[Kind]
    caption: str = ""
    column: Column | None = None  # if a single one is selected
    hierarchy: AttributeHierarchy | None = None  # of the single one
    levels: tuple[str, ...] = ()  # of that hierarchy, what each means
    levels_in_short: str = ""
    n_without: int = 0  # selected columns without a hierarchy
    aggregate: ReleaseFacts | None = None  # released values of the selected column, if selectable
    rule: ReleaseFacts | None = None  # how columns are released that are all identifying, or all not known
    uses: Mapping[str, bool] = field(default_factory=dict)  # whether the one column has each use it may have
    is_provisional: bool = False  # the values are the first ones of a file still being read


class ColumnPanel(FitsRoom, Card):
    """Role and hierarchies apply to all selected columns, type and levels to a single one."""

    role_requested = Signal(object)  # Role
    kind_requested = Signal(object)  # Kind
    levels_requested = Signal(int, int)
    use_requested = Signal(str, bool)  # one of `ColumnFacts.uses`, and whether the column has it

    def __init__(self) -> None:
        super().__init__()
        self._badge = RoleBadge(NO_ROLE, 18)
        self.add_lead(self._badge)
        self.role_buttons = {role: self._role_button(role) for role in Role}
        self._roles_per_row = 0
        self.kind_box = fixed(named(QComboBox(), "typeBox", self.tr("Type")), width=150)
        self.kind_box.setProperty("size", "small")
        self.kind_box.activated.connect(lambda at: self.kind_requested.emit(self.kind_box.itemData(at)))
        self._levels_label = ElidedLabel(self.tr("Levels allowed"), Text.CELL, "text_2")
        self.level_boxes = named(LevelBoxes(self.tr("Levels allowed"), keeps_range=True), "levelBoxes")
        self.level_boxes.allowed_changed.connect(lambda own: self.levels_requested.emit(min(own), max(own)))
        self._levels_words = ElidedLabel("", Text.CELL, "text_3")
        self.hierarchy_words = ElidedLabel("", Text.CELL_STRONG)
        self._hierarchy_chip = Chip("")
        self.propose_button = make_button(self.tr("Suggest"), icon_name="wand-sparkles", small=True)
        self.propose_button.setObjectName("proposeButton")
        self.edit_button = make_button(self.tr("Edit"), "editHierarchyButton", icon_name="pencil", small=True)
        self.role_hint = RoleHint()
        self._names: tuple[str, ...] = ()
        self._together = named(ElidedLabel("", Text.CELL_STRONG), "columnsTogether")
        self._sets = TableView("columnSets", self.tr("Records that are singled out"), widths=(0, _SETS))
        self.aggregate = ReleaseChoice(
            "aggregateBox",
            "aggregateSettings",
            self.tr("How the aggregate is computed and which records form the classes"),
        )
        self.rule = ReleaseChoice(
            "columnRuleBox", "columnRuleSettings", self.tr("Text that replaces the values")
        )
        self.use_boxes = {
            PERSONS: self._use_box(
                PERSONS,
                self.tr("One person per value"),
                self.tr(
                    "Records with the same value belong to one person: classes, models, risks and the "
                    "suppression limit then count people. The role of the column still decides how it is "
                    "released"
                ),
            ),
            WEIGHTS: self._use_box(
                WEIGHTS,
                self.tr("Survey weights"),
                self.tr(
                    "Each record stands for this many people of the population, for the risks of a survey"
                ),
            ),
            HOUSEHOLDS: self._use_box(
                HOUSEHOLDS,
                self.tr("Households"),
                self.tr(
                    "Records with the same value belong to one household, for the household risk of a survey"
                ),
            ),
        }
        self.error = ErrorBanner()
        self.preview = HierarchyTable("previewTable")
        self._build()
        self.show_columns(ColumnFacts((), frozenset(), frozenset()))

    def show_columns(self, facts: ColumnFacts) -> None:
        """Show the selected columns with their settings."""
        n_columns = len(facts.names)
        self.error.hide()
        title = facts.names[0] if n_columns == 1 else self._several(n_columns)
        room = scaled(_WIDEST_TITLE)
        self.set_title(QFontMetrics(font(Text.TITLE)).elidedText(title, Qt.TextElideMode.ElideRight, room))
        self._title.setToolTip(title)
        self.set_caption(facts.caption if n_columns == 1 else ", ".join(facts.names))
        only_role = next(iter(facts.roles)) if len(facts.roles) == 1 else None
        self._badge.setVisible(len(facts.roles) == 1)
        self._badge.set_role(role_key(only_role))
        self._show_hint_of(facts)
        for role, button in self.role_buttons.items():
            button.setChecked(role is only_role)
            button.setEnabled(n_columns > 0)
        self.show_together("")
        self._show_kind(facts)
        self._show_hierarchy(facts)
        self._release_label.setVisible(facts.aggregate is not None or facts.rule is not None)
        for choice, released in ((self.aggregate, facts.aggregate), (self.rule, facts.rule)):
            choice.setVisible(released is not None)
            if released is not None:
                choice.show_facts(released)
        self._survey_label.setVisible(HOUSEHOLDS in facts.uses)
        for use, box in self.use_boxes.items():
            box.setVisible(use in facts.uses)
            with QSignalBlocker(box):
                box.setChecked(facts.uses.get(use, False))

    def _show_hint_of(self, facts: ColumnFacts) -> None:
        """Show a role suggestion only while its column is selected alone and has no role."""
        shown = self.role_hint.suggestion
        if shown is not None and (facts.names != (shown.column,) or facts.roles != {None}):
            self.role_hint.show_suggestion(None)
        if facts.names != self._names:  # until then, the rows below a hint that was followed do not move
            self.role_hint.keep_place(False)
        self._names = facts.names

    def set_scrolled_with_others(self, is_scrolled: bool) -> None:
        """Show the whole content, because the panels scroll together, or scroll it here."""
        self._content.set_whole(is_scrolled)

    def show_together(self, text: str, sets: Sequence[tuple[str, str, float]] = ()) -> None:
        """Show what several selected columns do together, and how many records each set of them singles out.

        Sets are pairs of names and count, with the share of all records.
        """
        self._together.setText(text)
        self._together.setVisible(bool(text))
        headings = Heading(self.tr("Columns")), Heading(self.tr("Records singled out"), is_number=True)
        self._sets.texts.show(headings, [(Cell(names), Cell(n, bar=share)) for names, n, share in sets])
        self._sets.setVisible(bool(sets))

    def show_error(self, problem: str, hint: str) -> None:
        """Show why a type was refused, and restore the type in the box."""
        self.error.show_error(problem, hint)

    def _several(self, n_columns: int) -> str:
        return (
            self.tr("No column selected")
            if n_columns == 0
            else self.tr("{n_columns} columns").format(n_columns=n_columns)
        )

    def _show_kind(self, facts: ColumnFacts) -> None:
        kind = next(iter(facts.kinds)) if len(facts.kinds) == 1 else None
        offer(self.kind_box, ((offered, _(title)) for offered, title in KIND_NAMES.items()), kind)
        if kind is None and facts.kinds:
            self.kind_box.setPlaceholderText(self.tr("Several"))
        self.kind_box.setEnabled(facts.column is not None and not facts.is_provisional)
        self.kind_box.setToolTip(
            self._still_read()
            if facts.is_provisional
            else self.tr("How the values are ordered and measured")
            if facts.column is not None
            else self.tr("Select one column to change its type")
        )

    def _still_read(self) -> str:
        return self.tr("The table is still being read: this requires all values")

    def _show_hierarchy(self, facts: ColumnFacts) -> None:
        shown = facts.hierarchy
        self.edit_button.setVisible(facts.column is not None)
        self.propose_button.setVisible(facts.n_without > 0)
        for button in (self.edit_button, self.propose_button):
            button.setEnabled(not facts.is_provisional)
        edit = self.tr("Build, import or change the hierarchy of this column")
        self.edit_button.setToolTip(self._still_read() if facts.is_provisional else edit)
        self.propose_button.setToolTip(
            self._still_read()
            if facts.is_provisional
            else self.tr("Build a hierarchy that suits type and values")
            if len(facts.names) == 1
            else self.tr("See a suggested hierarchy for each of the {n} columns").format(n=len(facts.names))
        )
        has_boxes = shown is not None and shown.hierarchy.height < _MOST_BOXES
        self._levels_label.setVisible(shown is not None)
        self.level_boxes.setVisible(has_boxes)
        self._levels_words.setVisible(shown is not None)
        self._hierarchy_chip.setVisible(shown is not None)
        if shown is not None and facts.column is not None:
            low, high = shown.min_level, shown.top_level
            self.level_boxes.show_levels(len(facts.levels), range(low, high + 1), None, facts.levels)
            words = self.tr("{min_level} to {max_level}")
            self._levels_words.setText(words.format(min_level=low, max_level=high))
            self.hierarchy_words.setText(facts.levels_in_short)
            if n_gaps := len(shown.hierarchy.gaps(facts.column)):
                text = ngettext("{n} value not covered", "{n} values not covered", n_gaps)
                self._hierarchy_chip.show_status(text.format(n=n_gaps), "danger")
            else:
                self._hierarchy_chip.show_status(self.tr("Complete"), "ok")
        elif len(facts.names) > 1:
            n_with = len(facts.names) - facts.n_without
            words = self.tr("{n_with} of {n} columns have one").format(n_with=n_with, n=len(facts.names))
            self.hierarchy_words.setText(words)
        else:
            self.hierarchy_words.setText(self.tr("none") if facts.names else "")
        self.preview.setVisible(facts.column is not None)
        self.preview.show_hierarchy(facts.column, shown.hierarchy if shown is not None else None)

    def _use_box(self, use: str, text: str, tooltip: str) -> QCheckBox:
        box = named(QCheckBox(text), f"{use}Box", tooltip=tooltip)
        box.toggled.connect(partial(self.use_requested.emit, use))
        return box

    def _role_button(self, role: Role) -> RoleButton:
        title = _(ROLE_TITLES[role])
        button = named(RoleButton(role.value, title), f"roleButton.{role.value}")
        button.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        number = list(ROLE_TITLES).index(role) + 1
        button.setToolTip(f"{title} ({number}). {_(ROLE_MEANINGS[role])}")
        button.clicked.connect(lambda _unused=False, r=role: self.role_requested.emit(r))
        return button

    def _build(self) -> None:
        self._roles = QGridLayout()
        self._roles.setSpacing(4)  # fits all four next to a scroll bar in the smallest window
        self._place_roles(len(ROLE_TITLES))
        hint = hbox(self.role_hint)
        types = hbox(self.kind_box, STRETCH)
        levels = hbox(self._levels_label, self.level_boxes, self._levels_words, STRETCH, spacing=8)
        hierarchy = hbox(
            (self.hierarchy_words, 1), self._hierarchy_chip, self.propose_button, self.edit_button, spacing=8
        )
        rows = gridbox(spacing=(12, 8), stretched=1)
        self._labels: list[QLabel] = []
        parts: tuple[tuple[str, QLayout], ...] = (
            (self.tr("Role"), self._roles),
            ("", hint),
            (self.tr("Type"), types),
            (self.tr("Hierarchy"), hierarchy),
            ("", levels),
        )
        for row, (text, content) in enumerate(parts):
            if text:
                label = make_label(text, Text.CELL, "text_2")
                self._labels.append(label)
                rows.addWidget(label, row, 0, Qt.AlignmentFlag.AlignVCenter)
            nest(rows, content, row, 1)
        self._release_label = make_label(self.tr("Release"), Text.CELL, "text_2")
        released = vbox(self.aggregate, self.rule)  # one of them
        rows.addWidget(self._release_label, rows.rowCount(), 0, Qt.AlignmentFlag.AlignVCenter)
        nest(rows, released, rows.rowCount() - 1, 1)
        rows.addWidget(self.use_boxes[PERSONS], rows.rowCount(), 1)
        self._survey_label = make_label(self.tr("Survey"), Text.CELL, "text_2")
        rows.addWidget(self._survey_label, rows.rowCount(), 0, Qt.AlignmentFlag.AlignVCenter)
        survey = hbox(self.use_boxes[WEIGHTS], self.use_boxes[HOUSEHOLDS], STRETCH, spacing=12)
        nest(rows, survey, rows.rowCount() - 1, 1)
        column = vbox(rows, self._together, self.error, (self.preview, 1), (self._sets, 1), spacing=8)
        column.addStretch(0)  # the rows keep their positions without a preview
        column.setContentsMargins(12, 12, 12, 12)
        for part in (self.preview, self._sets):
            part.setMinimumHeight(scaled(_PREVIEW_LEAST))
        self._content = ScrollBody(column, PANEL_LEAST)
        self.set_body(self._content, 0)
        at_least(self._labels[0], width=56)
        follow_theme(self._fit)

    def _room(self) -> int:
        """Return the width of the rows next to their labels."""
        widest = max(label.sizeHint().width() for label in self._labels)
        return self.width() - 2 * 12 - 12 - max(widest, self._labels[0].minimumWidth()) - _BAR

    def _fit(self) -> None:
        """Put the four role buttons in one row, two rows or below each other, with their whole words."""
        widths = [self.role_buttons[role].sizeHint().width() for role in ROLE_TITLES]
        for per_row in (len(widths), 2):
            columns = [max(widths[place::per_row]) for place in range(per_row)]
            if sum(columns) + 4 * (per_row - 1) <= self._room():
                self._place_roles(per_row)
                return
        self._place_roles(1)

    def _place_roles(self, per_row: int) -> None:
        if per_row == self._roles_per_row:
            return
        self._roles_per_row = per_row
        for button in self.role_buttons.values():
            self._roles.removeWidget(button)
        for number, role in enumerate(ROLE_TITLES):
            self._roles.addWidget(self.role_buttons[role], *divmod(number, per_row))


class RoleHint(FitsRoom, QWidget):
    """Line with a suggested role; empty and without height if there is none."""

    accepted = Signal(object)  # RoleSuggestion

    def __init__(self) -> None:
        super().__init__()
        self.suggestion: RoleSuggestion | None = None
        self._words = ""
        self._reason = make_label("", Text.CELL, "text_2")
        self._reason.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.set_button = make_button(self.tr("Set this role"), "setSuggestedRoleButton", small=True)
        self.set_button.clicked.connect(self._on_set_clicked)
        hbox(
            IconLabel("lightbulb", 16, "warn"),
            (self._reason, 1),
            self.set_button,
            spacing=8,
            margins=0,
            of=self,
        )
        self.hide()

    def text(self) -> str:
        return self._words

    def _fit(self) -> None:
        """Break the reason into two lines; a label that wraps would let the panel scroll."""
        metrics, room = QFontMetrics(font(Text.CELL)), self._reason.width() - 4
        first, rest = "", self._words
        while rest and metrics.horizontalAdvance(f"{first}{rest.partition(' ')[0]}") <= room:
            word, _space, rest = rest.partition(" ")
            first += f"{word} "
        second = metrics.elidedText(rest, Qt.TextElideMode.ElideRight, room)
        self._reason.setText("\n".join(filter(None, [first.rstrip(), second])))
        self._reason.setToolTip(self._words if second != rest else "")

    def keep_place(self, is_kept: bool) -> None:
        """Choose whether the line takes its height while it is hidden."""
        policy = self.sizePolicy()
        policy.setRetainSizeWhenHidden(is_kept)
        self.setSizePolicy(policy)

    def show_suggestion(self, suggestion: RoleSuggestion | None) -> None:
        """Show the suggestion for a column; None hides the line, in whose place nothing moves."""
        self.suggestion = suggestion
        if suggestion is not None:
            self.keep_place(True)
            self._words = self.tr("Suggested: {value}. {reason}").format(
                value=role_word(suggestion.role), reason=suggestion.reason
            )
            self._fit()
            self.set_button.setToolTip(
                self.tr("Set role {value} for {column}").format(
                    column=suggestion.column, value=role_word(suggestion.role)
                )
            )
        self.setVisible(suggestion is not None)

    def _on_set_clicked(self) -> None:
        if self.suggestion is not None:
            self.accepted.emit(self.suggestion)


_WIDEST_TITLE = 240
PANEL_LEAST = 456  # width of the panels next to the table
