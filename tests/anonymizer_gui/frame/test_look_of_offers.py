"""The recovery card and the import dialog fit, and all controls can be reached by keyboard."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.start.changes_dialog import ChangesDialog
from anonymizer_gui.perspectives.start.recovery_offers import RecoveryCard
from anonymizer_gui.theming import CONTRAST_DARK, LIGHT, theme_manager
from engine.project.reimport import Changes
from engine.project.storage.recovery import Offer
from engine.records import DataType, Kind
from tests.anonymizer_gui.look_checks import focus_problems, laid_out, layout_faults

LONG = "household survey of the northern districts, second wave, corrected after the audit of March 2026"
CHANGES = Changes(
    n_before=1_000_000,
    n_after=1_204_113,
    added=("number of the insurance policy of the household", "town"),
    removed=("income",),
    retyped={"age": (DataType(Kind.INTEGER), DataType(Kind.TEXT))},
    new_values={"town": 3},
    gone_values={"town": 1},
    gaps={"town": ("Bari", "Bonn", "Brno", "Caen", "Cork", "Graz", "Linz")},
    n_models_lost=1,
    lost_person="number of the insurance policy of the household",
    lost_weight="number of the insurance policy of the household",
    n_replaced=12,
    lost_hierarchies={"income": "Its values are no numbers any more."},
)


def recovery_card() -> QWidget:
    """Return the card as on the start page of the smallest window."""
    holder, card = QWidget(), RecoveryCard()
    card.show_offers(
        [
            Offer(Path(), "hospital", "2026-11-22T14:03:00", None),
            Offer(Path(), LONG, "2026-11-22T09:41:00", Path(f"{LONG}.anon")),
        ]
    )
    column = QVBoxLayout(holder)
    column.addWidget(card)
    column.addStretch(1)
    holder.setFixedSize(QSize(760, 320))
    return holder


OFFERS: dict[str, Callable[[], QWidget]] = {
    "recovery": recovery_card,
    "changes": lambda: ChangesDialog("people-2026-11.csv", CHANGES),
    "applied recipe": lambda: ChangesDialog("people-2026-11.csv", CHANGES, recipe="monthly.toml"),
}


@pytest.mark.parametrize("name", OFFERS)
def test_every_text_fits_and_every_control_is_named_and_reached(
    qtbot: QtBot, themed: QApplication, name: str
) -> None:
    wrong = {}
    for theme, scale in ((LIGHT, 1.0), (CONTRAST_DARK, 2.0)):
        theme_manager().apply(themed, theme, scale)
        shown = OFFERS[name]()
        qtbot.addWidget(shown)
        with qtbot.waitExposed(shown):
            shown.show()
        shown.activateWindow()
        qtbot.waitUntil(shown.isActiveWindow)
        laid_out(shown)
        found = [*layout_faults(shown), *focus_problems(shown)]
        if shown.height() > 680 or shown.width() > 1240:
            found.append(f"it is {shown.width()} x {shown.height()}")
        if found:
            wrong[theme.name, scale] = found
        shown.close()
    assert wrong == {}
