"""Widgets created ahead are taken once."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QFrame, QLabel

from anonymizer_gui.widgets.made_ahead import MadeAhead


def test_a_widget_created_ahead_is_taken_once(qapp: QApplication) -> None:
    ahead = MadeAhead()
    first, second = ahead.steps([QLabel, QFrame])
    first()
    label = ahead.take(QLabel)
    assert type(label) is QLabel
    assert ahead.take(QLabel) is not label
    second()
    assert type(ahead.take(QFrame)) is QFrame


def test_without_steps_every_widget_is_new(qapp: QApplication) -> None:
    ahead = MadeAhead()
    assert ahead.take(QLabel) is not ahead.take(QLabel)
