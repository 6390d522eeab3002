"""Which page of help is about a widget: by the names of the widget and of what it is in."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtWidgets import QWidget

HELP = "help_topic"  # property of a widget: the link to its own section

# The nearest of a widget's ancestors that has an entry decides; * at the end stands for anything.
TOPICS: Mapping[str, str] = {
    "mainWindow": "window",
    "startPage": "window",
    "perspectiveBar": "window",
    "preferencesDialog": "window",
    "commandPalette": "window",
    "shortcutsDialog": "window",
    "aboutDialog": "window",
    "historyList": "window",
    "columnsTable": "window",
    "openDialog": "formats",
    "databaseDialog": "formats",
    "formatDialog": "formats",
    "configurePerspective": "roles",
    "columnsCard": "roles",
    "suggestDialog": "detection",
    "identifiersDialog": "detection",
    "filterBar": "filters",
    "replaceBar": "filters",
    "peopleDialog": "population",
    "requirementPanel": "members-models",
    "presetDialog": "presets",
    "memberDialog": "members-models",
    "weightsDialog": "metrics",
    "metricDialog": "metrics",
    "hierarchyEditor": "hierarchy-editor",
    "proposeDialog": "hierarchies",
    "copyDialog": "hierarchies",
    "libraryDialog": "hierarchies",
    "param.*": "hierarchies",
    "explore": "explore",
    "algorithmDialog": "algorithms",
    "improveDialog": "improve",
    "walkCard": "walk",
    "walkDialog": "walk",
    "starsCard": "stars",
    "utility": "analyze",
    "lossCard": "metrics",
    "risk": "risk",
    "riskSettings": "risk",
    "exportDialog": "export",
    "bundleDialog": "export",
    "reportDialog": "report",
    "judge": "risk",
}
ANYTHING = "index"


def topic_of(widget: QWidget | None) -> str:
    """Return the link to the page, or the section of a page, that is about a widget."""
    while widget is not None:
        if own := widget.property(HELP):
            return str(own)
        name = widget.objectName()
        if name in TOPICS:
            return f"{TOPICS[name]}.md"
        for pattern, page in TOPICS.items():
            if pattern.endswith("*") and name.startswith(pattern[:-1]):
                return f"{page}.md"
        widget = widget.parentWidget()
    return f"{ANYTHING}.md"
