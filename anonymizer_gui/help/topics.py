"""Help page of a widget, found by the object names of the widget and its ancestors."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtWidgets import QWidget

from anonymizer_gui.forms import ParamForm
from anonymizer_gui.help.members import member_link
from engine.assessment.base import risk_analyses, utility_analyses

# The nearest ancestor with an entry decides; * at the end is a wildcard.
TOPICS: Mapping[str, str] = {
    "mainWindow": "window",
    "startPage": "window",
    "openDialog": "formats",
    "databaseDialog": "formats",
    "arxDialog": "arx-projects",
    "formatDialog": "formats",
    "configurePerspective": "roles",
    "suggestDialog": "detection",
    "suggestRolesButton": "detection",
    "proposeDialog": "hierarchies",
    "proposeHierarchiesButton": "hierarchies",
    "filterBar": "filters",
    "replaceBar": "filters",
    "filterButton": "filters",
    "peopleDialog": "population",
    "peopleButton": "population",
    "populationPage": "population",
    "personBox": "persons",
    "weightBox": "survey",
    "householdBox": "survey",
    "attackersDialog": "attackers",
    "addModelButton": "members-models",
    "model.*": "members-models",
    "memberDialog": "members-models",
    "presetDialog": "presets",
    "presetsButton": "presets",
    "questionnaireDialog": "questionnaire",
    "questionnaireButton": "questionnaire",
    "limitSlider": "glossary#suppression-limit",
    "limitBox": "glossary#suppression-limit",
    "metricBox": "metrics",
    "metricSettingsButton": "metrics",
    "metricDialog": "metrics",
    "weightBars": "metrics",
    "weightsButton": "metrics",
    "weightsDialog": "metrics",
    "hierarchyEditor": "hierarchy-editor",
    "copyDialog": "hierarchy-editor",
    "libraryDialog": "hierarchy-editor",
    "explore": "explore",
    "knob.ε*": "differential-privacy",
    "knob.LK*": "attackers",
    "knob.ka*": "attackers",
    "compareDialog": "explore",
    "classesDialog": "explore",
    "algorithmDialog": "algorithms",
    "algorithmButton": "algorithms",
    "walkButton": "walk",
    "walkCard": "walk",
    "walkDialog": "walk",
    "improveButton": "improve",
    "improveDialog": "improve",
    "section.stars": "stars",
    "section.payout": "cost",
    "utility": "analyze",
    "lossCard": "metrics",
    "risk": "risk",
    "attackTestPage": "attack-test",
    "survey_riskPage": "survey",
    "special_uniquesPage": "survey",
    "wildcardsPage": "wildcards",
    "judge": "risk",
    "wildcardForm": "wildcards",
    "wildcardPage": "wildcards",
    "exportDialog": "export",
    "identifiersDialog": "export",
    "bundleDialog": "export",
    "reportDialog": "report",
    "preferencesDialog": "window",
}
ANYTHING = "index"


def topic_of(widget: QWidget | None) -> str:
    """Return the link to the page or section about a widget."""
    while widget is not None:
        if (own := _of_member(widget)) is not None:
            return own
        if (topic := _of_name(widget.objectName())) is not None:
            page, _, anchor = topic.partition("#")
            return f"{page}.md#{anchor}" if anchor else f"{page}.md"
        widget = widget.parentWidget()
    return f"{ANYTHING}.md"


def _of_name(name: str) -> str | None:
    if name in TOPICS:
        return TOPICS[name]
    patterns = (pattern for pattern in TOPICS if pattern.endswith("*"))
    return next((TOPICS[pattern] for pattern in patterns if name.startswith(pattern[:-1])), None)


def _of_member(widget: QWidget) -> str | None:
    """Return the link to the model, builder or analysis of a form or card, or None."""
    if isinstance(widget, ParamForm):
        return member_link(widget.kind)
    kind, _, key = widget.objectName().partition(".")
    if kind == "card":
        for analyses in (risk_analyses, utility_analyses):
            if key in analyses:
                return member_link(analyses[key])
    return None
