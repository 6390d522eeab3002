"""Announcements to screen readers: ends of jobs, verdicts and errors, without moving the focus."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget


def announce(widget: QWidget, text: str, *, is_urgent: bool = False) -> None:
    """Have screen readers say a text.

    Parameters
    ----------
    widget : QWidget
        Widget that the text is about.
    text : str
        Nothing is said if empty.
    is_urgent : bool
        Whether the text interrupts speech, as errors do.
    """
    if not text:
        return
    event = QAccessibleAnnouncementEvent(widget, text)
    if is_urgent:
        event.setPoliteness(QAccessible.AnnouncementPoliteness.Assertive)
    QAccessible.updateAccessibility(event)
