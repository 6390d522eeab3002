"""Card that sets which columns are quasi-identifying and which are sensitive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionViewItem

from anonymizer_gui.forms.editors import FormContext
from anonymizer_gui.forms.param_form import PairsForm
from anonymizer_gui.models.column_summary import describe_values
from anonymizer_gui.perspectives.given_table.assessment import NUMBERS, OTHERS, AssessmentOptions
from anonymizer_gui.tables.rows_model import Cell, Heading, RowsModel
from anonymizer_gui.tables.table_view import SEVERAL, RowDelegate, TableView
from anonymizer_gui.theming import Text, current_theme, scaled
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import vbox
from anonymizer_gui.widgets.role_badge import draw_role_badge
from anonymizer_gui.widgets.scroll_body import ScrollBody
from engine.numbers import as_exact_count
from engine.params import values_of
from engine.records import Column, Role, Table
from engine.words import N_, _, ngettext

NAME, KNOWN, SENSITIVE = range(3)
ROLES = {KNOWN: Role.QUASI_IDENTIFYING, SENSITIVE: Role.SENSITIVE}
_TITLES = {NAME: N_("Column"), KNOWN: N_("Known"), SENSITIVE: N_("Sensitive")}
_MEANINGS = {
    NAME: N_("Keys 2 and 3 mark the selected columns as known or sensitive, 4 as neither."),
    KNOWN: N_("Quasi-identifying: an attacker could know it about a person and find the record by it."),
    SENSITIVE: N_("Must not be learned about a person."),
}
_States = Qt.CheckState


class ColumnsModel(RowsModel):
    """A click or Space ticks; a column has at most one of both roles."""

    roles_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._columns: tuple[Column, ...] = ()
        self._roles: dict[str, Role] = {}
        self._reasons: Mapping[str, str] = {}
        self.tick_requested.connect(
            lambda row, place, is_on: self.set_role([row], ROLES[place] if is_on else None)
        )

    def show_table(self, table: Table, roles: Mapping[str, Role], reasons: Mapping[str, str]) -> None:
        """Show the columns of another table."""
        self._columns, self._reasons = table.columns, reasons
        kept = set(ROLES.values())
        self._roles = {name: role for name, role in roles.items() if role in kept}
        headings = [
            Heading(_(title), tooltip=_(_MEANINGS[place]), is_tick=place in ROLES)
            for place, title in _TITLES.items()
        ]
        self.show_made(headings, self._columns, self._cell_of)

    def _cell_of(self, column: Column, place: int) -> Cell:
        if place in ROLES:
            is_ticked = self._roles.get(column.name) is ROLES[place]
            spoken = f"{column.name}: {_(_TITLES[place]).lower()}"
            return Cell("", _(_MEANINGS[place]), spoken=spoken, is_ticked=is_ticked)
        facts = f"{column.name}: {describe_values(column)}\n{self._reasons.get(column.name, '')}"
        return Cell(column.name, facts.strip())

    def names(self, role: Role) -> tuple[str, ...]:
        """Return the columns of a role in table order."""
        return tuple(column.name for column in self._columns if self._roles.get(column.name) is role)

    @property
    def others(self) -> tuple[str, ...]:
        """Columns without a role, in table order."""
        return tuple(column.name for column in self._columns if column.name not in self._roles)

    @property
    def other_numbers(self) -> tuple[str, ...]:
        """Numeric columns without a role, in table order."""
        others = set(self.others)
        return tuple(c.name for c in self._columns if c.name in others and c.data_type.is_numeric)

    def set_role(self, rows: Iterable[int], role: Role | None) -> None:
        """Set the role of columns, or clear it."""
        before = dict(self._roles)
        for row in rows:
            name = self._columns[row].name
            self._roles.pop(name, None)
            if role is not None:
                self._roles[name] = role
        if self._roles != before:
            self.refresh()
            self.roles_changed.emit()


_KEYS: dict[int, Role | None] = {
    Qt.Key.Key_1: None,
    Qt.Key.Key_2: Role.QUASI_IDENTIFYING,
    Qt.Key.Key_3: Role.SENSITIVE,
    Qt.Key.Key_4: None,
}
_TICK_WIDTH, _BADGE, _POPULATION_WIDTH = 74, 16, 112


class TickDelegate(RowDelegate):
    """Badge of the role if the column has it, otherwise an empty box."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        super().paint(painter, option, index)
        role = ROLES.get(index.column())
        if role is None:
            return
        theme, side = current_theme(), scaled(_BADGE)
        center = QRectF(option.rect).center()
        box = QRectF(center.x() - side / 2, center.y() - side / 2, side, side)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if _is_ticked(index):
            draw_role_badge(painter, box, theme, role.value)
        else:
            painter.setPen(QPen(QColor(theme.border_strong), 1))
            painter.setBrush(QColor(theme.surface))
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        painter.restore()

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        # The badge is the tick; the style would also draw a check box.
        option.features &= ~QStyleOptionViewItem.ViewItemFeature.HasCheckIndicator

    def editorEvent(
        self,
        event: QEvent,
        model: object,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> bool:
        is_click = (
            event.type() == QEvent.Type.MouseButtonRelease
            and isinstance(event, QMouseEvent)
            and event.button() == Qt.MouseButton.LeftButton
            and event.modifiers() == Qt.KeyboardModifier.NoModifier
        )
        if is_click and index.column() in ROLES and isinstance(model, ColumnsModel):
            state = Qt.CheckState.Unchecked if _is_ticked(index) else Qt.CheckState.Checked
            return model.setData(index, state, Qt.ItemDataRole.CheckStateRole)
        return False


class ColumnsTable(TableView):
    """One or several rows are selected; Space ticks quasi-identifying, keys 2 to 4 set a role."""

    def __init__(self, model: ColumnsModel) -> None:
        title = _("Columns: known to attackers, or sensitive")
        widths = (0, _TICK_WIDTH, _TICK_WIDTH)
        super().__init__("judgedColumns", title, model, chooses=SEVERAL, widths=widths)
        self._model = model
        self.setItemDelegate(TickDelegate(self))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        rows = sorted({index.row() for index in self.selectionModel().selectedIndexes()})
        if rows and event.key() in _KEYS and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self._model.set_role(rows, _KEYS[event.key()])
        elif rows and event.key() == Qt.Key.Key_Space:
            all_known = all(_is_ticked(self._model.index(row, KNOWN)) for row in rows)
            self._model.set_role(rows, None if all_known else Role.QUASI_IDENTIFYING)
        else:
            super().keyPressEvent(event)


class _OptionsBody(ScrollBody):
    """Options as high as they need to be with a scroll bar, which then disappears permanently."""

    def heightForWidth(self, width: int) -> int:
        return super().heightForWidth(width - self.verticalScrollBar().sizeHint().width())


class ColumnsPanel(Card):
    """Roles of the columns, and the options of the assessment; emits requests only."""

    roles_changed = Signal()
    options_changed = Signal()

    def __init__(self) -> None:
        super().__init__(self.tr("Columns"))
        self.model = ColumnsModel(self)
        self.model.roles_changed.connect(self.roles_changed)
        self.table = ColumnsTable(self.model)
        self.options = AssessmentOptions()
        self._offered = FormContext({OTHERS: (), NUMBERS: ()})
        self._suppressed = make_label("", Text.CAPTION, "text_3", wraps=True)
        self._n_suppressed, self._n_sensitive = 0, 0
        self.form = self._new_form()
        self._column = vbox(self._suppressed, self.form, spacing=4, margins=(12, 8, 12, 10))
        self._fix()
        self.set_body(vbox((self.table, 1), _OptionsBody(self._column, is_fitted=True), spacing=0), 0)

    def show_others(self, names: Sequence[str], numeric: Sequence[str]) -> None:
        """Offer the columns without a role for people, weights and households.

        A choice whose column is not among them is cleared.

        Parameters
        ----------
        numeric : sequence of str
            Those with numbers, which may be weights.
        """
        offered = FormContext({OTHERS: tuple(names), NUMBERS: tuple(numeric)})
        if offered != self._offered:
            self._offered, options = offered, self.options
            self.options = replace(
                options,
                person=options.person if options.person in names else "",
                weight=options.weight if options.weight in numeric else "",
                household=options.household if options.household in names else "",
            )
            before, self.form = self.form, self._new_form()
            self._column.replaceWidget(before, self.form)
            before.hide()
            before.deleteLater()
            self._fix()

    def show_suppressed(self, n_records: int) -> None:
        """Show how many records have only * in all quasi-identifying columns."""
        words = self.tr("No record has only * in the quasi-identifying columns")
        if n_records:
            words = ngettext(
                "{n} record has only * in the quasi-identifying columns",
                "{n} records have only * in the quasi-identifying columns",
                n_records,
            ).format(n=as_exact_count(n_records))
        self._suppressed.setText(words)
        self._n_suppressed = n_records
        self._fix()

    def show_counts(self, n_known: int, n_sensitive: int) -> None:
        """Show the numbers of ticked columns in the header."""
        self.set_caption(
            self.tr("{n_known} known, {n_sensitive} sensitive").format(
                n_known=n_known, n_sensitive=n_sensitive
            )
        )
        self._n_sensitive = n_sensitive
        self._fix()

    def reset_options(self) -> None:
        """Choose the defaults, without a signal."""
        self.options = AssessmentOptions()
        self.form.show_values({})
        self.show_others((), ())
        self._fix()

    def _new_form(self) -> PairsForm:
        """Return a form that offers the columns without a role."""
        form = PairsForm(AssessmentOptions, values_of(self.options), self._offered)
        form.changed.connect(self._on_changed)
        return form

    def _on_changed(self) -> None:
        options = self.form.member()
        if options is not None and options != self.options:
            self.options = options
            self._fix()
            self.options_changed.emit()

    def _fix(self) -> None:
        """Disable the options that have no effect, with the reason."""
        options, form = self.options, self.form
        has_stars = self._n_suppressed or options.leave_out_suppressed
        several = self.tr("Select two or more sensitive columns first")
        wildcards = self.tr("Choose first which cells could be anything")
        form.fix("leave_out_suppressed", "" if has_stars else self._suppressed.text())
        form.fix("others_as_qi", "" if self._n_sensitive > 1 else several)
        form.fix("household", "" if options.weight else self.tr("Choose the survey weights first"))
        for name in ("match_weight", "count_all_star"):
            form.fix(name, "" if options.wildcards else wildcards)


def _is_ticked(index: QModelIndex | QPersistentModelIndex) -> bool:
    return Qt.CheckState(index.data(Qt.ItemDataRole.CheckStateRole)) == Qt.CheckState.Checked
