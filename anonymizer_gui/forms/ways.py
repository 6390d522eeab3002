"""Alternatives by which a member can be described: one of them is shown at a time."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from anonymizer_gui.forms.field import ParamField
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.segmented import SegmentedControl


class Ways(QWidget):
    """Fields of no way are none of its business; a field may belong to several."""

    chosen = Signal()

    def __init__(self, title: str, fields: Sequence[ParamField], optional: Sequence[ParamField]) -> None:
        super().__init__()
        self._fields, self._optional = fields, optional
        ways = dict.fromkeys(way for field in fields for way in field.descriptor.ways)
        self.control = SegmentedControl([(way, way) for way in ways], title or self.tr("Described by"))
        self.control.setObjectName("ways")
        self.control.selected.connect(self._on_selected)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        if title:
            column.addWidget(make_label(title, Text.CELL, "text_2"))
        column.addWidget(self.control, 0, Qt.AlignmentFlag.AlignLeft)
        self._first = next(iter(ways))
        self.show_given()

    def show_given(self) -> None:
        """Choose the way by which the member is described."""
        self.control.set_current(self._given() or self._first)
        self._update()

    def leaves_out(self, field: ParamField) -> bool:
        """Whether a parameter is absent because another way is chosen."""
        ways = field.descriptor.ways
        return bool(ways) and field in self._optional and self.control.current() not in ways

    def show_field(self, field: ParamField) -> None:
        """Choose a way in which a field is seen."""
        if field.descriptor.ways and self.control.current() not in field.descriptor.ways:
            self.control.set_current(field.descriptor.ways[0])
            self._update()

    def _given(self) -> str:
        """The way whose own parameter has a value; the last one, since it takes precedence."""
        own = [f for f in self._optional if len(f.descriptor.ways) == 1 and f.held() is not None]
        return own[-1].descriptor.ways[0] if own else ""

    def _on_selected(self, way: str) -> None:
        self._update()
        for field in self._optional:
            if field.descriptor.ways == (way,):
                field.fill_in()
        self.chosen.emit()

    def _update(self) -> None:
        for field in self._fields:
            field.setVisible(self.control.current() in field.descriptor.ways)
