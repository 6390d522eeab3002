"""Part of the inspector about money: what the publisher keeps, and which classes are worth an attack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.explore.inspector.line_grid import Item, LineGrid, name, note, number
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import named, vbox
from engine.numbers import as_exact_count, as_percent
from engine.words import _

if TYPE_CHECKING:
    from engine.scoring.nodes.payout import PayoutReport


class PayoutPart(QWidget):
    """Lines of money, and a warning if the sums require no protection."""

    def __init__(self) -> None:
        super().__init__()
        self.warning = named(make_label("", Text.CELL, "warn", wraps=True), "payoutWarning")
        self.lines = LineGrid(name(tone="text_2"), number(), note, stretched=0)
        vbox(self.lines, self.warning, spacing=4, margins=0, of=self)

    def show_lines(self, lines: Sequence[Sequence[Item]], warning: str) -> None:
        """Show the values of another node."""
        self.lines.show_lines(lines)
        self.warning.setText(warning)
        self.warning.setVisible(bool(warning))


def money_lines(found: PayoutReport) -> list[tuple[Item, ...]]:
    """Return the lines of a node."""
    from engine.scoring.nodes.payout import as_money

    records = as_exact_count(found.records_attacked)
    kept = as_percent(found.total / found.most) if found.most else ""
    most, of_all = as_money(found.most), _("of {n}").format(n=as_exact_count(found.n_classes))
    return [
        _line(
            _("Publisher keeps"),
            as_money(found.total),
            _("Payout of the kept records, attacks deducted; {most} at most").format(most=most),
            kept,
        ),
        _line(
            _("Classes worth an attack"),
            as_exact_count(found.n_attacked),
            _("Kept classes in which an attack gains more than it costs: {n} records").format(n=records),
            of_all,
        ),
        _line(
            _("Damage of attacks"),
            as_money(found.damage),
            _("What attacks are expected to cost the publisher"),
        ),
        _line(
            _("Published unchanged"),
            as_money(found.unchanged),
            _("Payout of publishing every record unchanged"),
        ),
    ]


def _line(title: str, value: str, meaning: str, remark: str = "") -> tuple[Item, ...]:
    return Item(title, meaning), Item(value, meaning), Item(remark)
