"""Active filters as chips, one for each filter that can be removed separately, and their strip."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QFrame, QMenu, QWidget

from anonymizer_gui.perspectives.explore.node_filter import NodeFilter, Status
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.chip import RemovableChip
from anonymizer_gui.widgets.drawn import FitsRoom
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named
from engine.errors import InputError
from engine.filters import Filter, parse_filter
from engine.filters.conditions import Expression, Joined, Not, quoted_name
from engine.numbers import as_nodes
from engine.words import _

if TYPE_CHECKING:
    from anonymizer_gui.models.node_name import LevelWords
    from engine.frequency import Problem


Part = tuple[str, str | int]  # kind of filter, and which of them

TYPED, COLUMN, LEVELS, CHOSEN, STATUS = "typed", "column", "levels", "chosen", "status"
_SIGNS = (("<=", "≤"), (">=", "≥"), ("!=", "≠"))


@dataclass(frozen=True)
class FilterChip:
    """One filter as text, with the key to remove it."""

    part: Part
    text: str
    explanation: str = ""


def filter_chips(
    chosen: NodeFilter, problem: Problem, words: LevelWords, titles: Mapping[str, str], names: Sequence[str]
) -> Iterator[FilterChip]:
    """Return the active filters.

    Parameters
    ----------
    Problem and level descriptions of the nodes shown.
        Of the nodes shown.
    titles : mapping of str to str
        Titles of columns by key.
    names : sequence of str
        Names allowed in typed conditions.
    """
    if chosen.status.is_filter:
        yield FilterChip((STATUS, chosen.status.value), status_words(chosen.status))
    for place, part in enumerate(typed_parts(chosen.typed)):
        yield FilterChip((TYPED, place), _signs(plain_text(part, names)))
    for key, condition in chosen.columns.items():
        yield FilterChip((COLUMN, key), f"{titles.get(key, key)}: {_signs(condition.text)}")
    for q, shown in chosen.levels.items():
        name = problem.names[q]
        text = "\n".join(f"{level}: {words.level(q, level)}" for level in sorted(shown))
        levels = _("{name}: levels {shown}") if len(shown) > 1 else _("{name}: level {shown}")
        yield FilterChip((LEVELS, q), levels.format(name=name, shown=ranges(sorted(shown))), text)
    if chosen.chosen is not None:
        n_chosen = as_nodes(int(np.count_nonzero(chosen.chosen)))
        yield FilterChip(
            (CHOSEN, 0), _("{n_chosen} framed").format(n_chosen=n_chosen), _("Framed in the map")
        )


def status_words(status: Status) -> str:
    """Return the text of a status filter."""
    return {
        Status.SATISFIES: _("satisfies"),
        Status.ALL: _("all nodes"),
        Status.FAILS: _("fails"),
        Status.MINIMAL: _("minimal"),
        Status.SHORT: _("short-listed"),
    }[status]


def typed_parts(typed: Filter) -> tuple[Expression, ...]:
    """Return the parts of typed conditions that must all be met."""
    expression = typed.expression
    if expression is None:
        return ()
    if isinstance(expression, Joined) and expression.word == "and":
        return expression.parts
    return (expression,)


def typed_without(typed: Filter, place: int, names: Sequence[str]) -> str:
    """Return typed conditions without one of their parts, as they could be typed."""
    rest = tuple(part for i, part in enumerate(typed_parts(typed)) if i != place)
    if len(rest) == 1:
        return plain_text(rest[0], names)
    return plain_text(Joined("and", rest), names) if rest else ""


def plain_text(part: Expression, names: Sequence[str]) -> str:
    """Return a part as text, without quotation marks around names if it reads the same."""
    plain = _unquoted(part)
    try:
        return plain if parse_filter(plain, names, names).expression == part else part.text
    except InputError:
        return part.text


def _unquoted(part: Expression) -> str:
    """Return the text of a part with all names unquoted, whether or not it can be read."""
    if isinstance(part, Not):
        return f"not ({_unquoted(part.part)})"
    if isinstance(part, Joined):
        texts = ((_unquoted(inner), isinstance(inner, Joined)) for inner in part.parts)
        return f" {part.word} ".join(f"({text})" if is_joined else text for text, is_joined in texts)
    return part.text.replace(quoted_name(part.name), part.name, 1)


def ranges(levels: Sequence[int]) -> str:
    """Return ascending numbers with runs of three and more joined: 0, 2–5."""
    runs: list[list[int]] = []
    for level in levels:
        if runs and level == runs[-1][-1] + 1:
            runs[-1].append(level)
        else:
            runs.append([level])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)


def _signs(text: str) -> str:
    for typed, shown in _SIGNS:
        text = text.replace(typed, shown)
    return text


_SIDE, _GAP = 12, 6


class FilterStrip(FitsRoom, QFrame):
    """Hidden while empty; chips without room are behind a button with their number."""

    removal_requested = Signal(object)  # Part
    chips_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("filterStrip")
        self.setProperty("strip", "true")
        self.setAccessibleName(self.tr("Active filters"))
        self._shown: tuple[FilterChip, ...] = ()
        self._chips: list[RemovableChip] = []
        self._field: QWidget | None = None
        self._more = make_button("", "moreFilters", kind="link", small=True)
        self._more.clicked.connect(self._show_rest)
        self.clear = make_button(self.tr("Clear all"), "clearFilters", kind="link", small=True)
        self.clear.setToolTip(self.tr("Remove all filters"))
        self._row = hbox(self._more, self.clear, STRETCH, spacing=_GAP, margins=(_SIDE, 1, _SIDE, 1), of=self)
        self.hide()

    def show_chips(self, chips: Sequence[FilterChip]) -> None:
        """Show other filters."""
        if tuple(chips) == self._shown:
            return
        held = next((i for i, chip in enumerate(self._chips) if chip.hasFocus()), None)
        self._shown = tuple(chips)
        for chip in self._chips:
            self._row.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self._chips = []
        for place, shown in enumerate(self._shown):
            chip = RemovableChip(shown.text, shown.explanation, self)
            chip.setObjectName(f"chip.{shown.part[0]}.{shown.part[1]}")
            chip.removal_requested.connect(lambda part=shown.part: self.removal_requested.emit(part))
            self._row.insertWidget(place + (self._field is not None), chip)
            self._chips.append(chip)
        self._update_visible()
        self._fit()
        self.chips_changed.emit()
        if held is not None and self._chips:
            self._chips[min(held, len(self._chips) - 1)].setFocus()

    def take_field(self, field: QWidget, *, shown: bool) -> None:
        """Place the field for typed filters before the chips."""
        self._field = field
        if field.parentWidget() is not self:
            self._row.insertWidget(0, field)
        field.setVisible(shown)
        self._update_visible()

    def release_field(self, field: QWidget) -> None:
        """Return the field to its former parent."""
        if self._field is not None:
            self._row.removeWidget(field)
            self._field = None
            self._update_visible()

    def chips(self) -> list[RemovableChip]:
        """Return the visible chips, from the left."""
        return [chip for chip in self._chips if not chip.isHidden()]

    def controls(self) -> list[QWidget]:
        """Return the widgets in tab order."""
        return [*self._chips, self._more, self.clear]

    def _update_visible(self) -> None:
        self.clear.setVisible(bool(self._shown))
        self.setVisible(bool(self._shown) or (self._field is not None and not self._field.isHidden()))

    def _fit(self) -> None:
        """Show as many chips as fit."""
        room = self.width() - 2 * _SIDE - self.clear.sizeHint().width() - _GAP
        if self._field is not None and not self._field.isHidden():
            room -= self._field.maximumWidth() + _GAP
        widths = [chip.sizeHint().width() + _GAP for chip in self._chips]
        if sum(widths) > room:
            self._more.setText(self.tr("{n} more").format(n=len(widths)))
            room -= self._more.sizeHint().width() + _GAP
        n_shown = 0
        for width in widths:
            room -= width
            if room < 0:
                break
            n_shown += 1
        for place, chip in enumerate(self._chips):
            chip.setVisible(place < n_shown)
        n_rest = len(self._chips) - n_shown
        self._more.setVisible(n_rest > 0)
        self._more.setText(self.tr("{n_rest} more").format(n_rest=n_rest))
        self._more.setToolTip("\n".join(chip.text for chip in self._shown[n_shown:]))

    def _show_rest(self) -> None:
        """Show a menu to remove the filters without room."""
        menu = named(QMenu(self), "moreFiltersMenu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for chip in self._shown[len(self.chips()) :]:
            action = menu.addAction(self.tr("Remove {value}").format(value=chip.text.replace("&", "&&")))
            action.triggered.connect(lambda _=False, part=chip.part: self.removal_requested.emit(part))
        menu.popup(self._more.mapToGlobal(QPoint(0, self._more.height())))
