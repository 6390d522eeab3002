"""Choice of one member of a family: list with a sentence each, and the form of the chosen one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from anonymizer_gui.forms import ParamForm
from anonymizer_gui.tables.rows_model import Cell, Heading
from anonymizer_gui.tables.table_view import TableView
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import STRETCH, hbox, vbox
from anonymizer_gui.widgets.scroll_body import ScrollBody
from engine.params import Configurable, describe, values_of

_LIST, _FORM = 3, 2  # shares of the width
_NAME_WIDTH, _LAST_WIDTH, _FORM_LEAST = 128, 120, 300


class MemberWords(NamedTuple):
    """Additional texts of a member.

    Attributes
    ----------
    last : str
        Its entry in the last column of the list, if there is one.
    lines : tuple of str
        Sentences shown above the form.
    """

    last: str = ""
    lines: tuple[str, ...] = ()


class MemberChoice(QWidget):
    """List at the left, the chosen member with its parameters at the right."""

    chosen = Signal(str)  # the key of a member
    changed = Signal()  # a parameter

    def __init__(
        self,
        kinds: Mapping[str, type[Configurable]],
        words: Mapping[str, MemberWords],
        *,
        title: str,
        last_heading: str = "",
    ) -> None:
        super().__init__()
        self._kinds, self._words = dict(kinds), dict(words)
        self._keys = tuple(self._kinds)
        self._values: dict[str, Mapping[str, Any]] = {}
        self._has_last = bool(last_heading)
        self.form: ParamForm | None = None
        widths = (_NAME_WIDTH, 0, _LAST_WIDTH)[: 2 + self._has_last]
        self.list = TableView("memberList", title, widths=widths, wraps=True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._model = self.list.texts
        self.key = ""  # key of the chosen member; empty before the first choice
        self._own = QWidget()
        self._inside = vbox(self._own, STRETCH, spacing=12, margins=12)
        self.card = Card("")
        self._scroll = ScrollBody(self._inside, scaled(_FORM_LEAST))
        self.card.set_body(self._scroll, 0)
        _HeightKeeper(self._inside)
        listed = Card(title)
        listed.set_body(self.list, 0)
        hbox((listed, _LIST), (self.card, _FORM), spacing=8, margins=0, of=self)
        headings = [Heading(title), Heading(self.tr("What it does"))]
        self._model.show(headings + [Heading(last_heading)] * self._has_last, self._rows())
        self.list.selectionModel().currentRowChanged.connect(lambda now, _: self._show(self._keys[now.row()]))

    def choose(self, key: str, values: Mapping[str, Any] | None = None) -> None:
        """Choose a member, with values other than its defaults if some are given."""
        if values:
            self._values[key] = values
        self.list.setCurrentIndex(self._model.index(self._keys.index(key), 0))

    def member(self) -> Configurable | None:
        """Return the chosen member with the values of the form; None if a value is invalid."""
        return None if self.form is None else self.form.member()

    def add_below(self, widget: QWidget) -> None:
        """Add a widget below the form that is shown for every member."""
        self._inside.insertWidget(self._inside.count() - 1, widget)

    def _rows(self) -> list[list[Cell]]:
        rows = []
        for key, kind in self._kinds.items():
            summary = str(getattr(kind, "summary", ""))
            spoken = f"{kind.title}: {summary}"
            cells = [Cell(kind.title, is_strong=True, spoken=spoken), Cell(summary, tone="text_2")]
            rows.append(cells + [Cell(self._words[key].last, tone="text_2")] * self._has_last)
        return rows

    def _show(self, key: str) -> None:
        self._keep_values()
        kind, own = self._kinds[key], QWidget()
        column = vbox(spacing=8, margins=0, of=own)
        for line in (str(getattr(kind, "summary", "")), *self._words[key].lines):
            column.addWidget(make_label(line, Text.CELL, "text_2", wraps=True))
        if source := str(getattr(kind, "source", "")):
            column.addWidget(make_label(source, Text.CAPTION, "text_3", wraps=True))
        self.form = ParamForm(kind, self._values.get(key), shows_help=True)
        self.form.setVisible(bool(describe(kind)))
        self.form.changed.connect(self.changed)
        column.addWidget(self.form)
        self._inside.replaceWidget(self._own, own)
        self._own.hide()
        self._own.deleteLater()
        own.show()
        self._scroll.updateGeometry()  # width of the widest line
        self._own, self.key = own, key
        self.card.set_title(kind.title)
        self._order_tabs()
        self.chosen.emit(key)

    def _keep_values(self) -> None:
        """Store the values of the form, to restore them when the member is chosen again."""
        if self.form is not None and (member := self.form.member()) is not None:
            self._values[self.key] = values_of(member)

    def _order_tabs(self) -> None:
        """Put a new form after the list in the tab order instead of last."""
        if self.form is None:
            return
        before: QWidget = self.list
        for descriptor in describe(self.form.kind):
            editor = self.form.editor(descriptor.name).widget
            QWidget.setTabOrder(before, editor)
            before = editor


class _HeightKeeper(QObject):
    """Gives wrapped lines the height they need; a scroll area alone uses the least."""

    def __init__(self, layout: QVBoxLayout) -> None:
        inside = layout.parentWidget()
        assert inside is not None, "it is the layout of a widget"
        super().__init__(inside)
        self._inside, self._lines = inside, layout
        inside.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            height = max(self._lines.totalHeightForWidth(self._inside.width()), 0)  # -1 if empty
            if height != self._inside.minimumHeight():
                self._inside.setMinimumHeight(height)
        return super().eventFilter(watched, event)
