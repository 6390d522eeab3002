"""F1: opens the page about the focused widget, in the window or next to a dialog."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from anonymizer_gui.actions import Actions
from anonymizer_gui.frame.side_place import WIDTH
from anonymizer_gui.help.library import CONTENTS, NEWS, HelpLibrary, anchor_of, member_link
from anonymizer_gui.help.panel import HelpPanel
from anonymizer_gui.main_window import MainWindow
from anonymizer_gui.theming import scaled
from anonymizer_gui.widgets.layouts import named, vbox
from anonymizer_gui.widgets.terms import use_terms
from engine.words import _, language_in_use

# The nearest ancestor with an entry decides; * at the end is a wildcard. After # is a term of the glossary.
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
    "crowdPage": "analyze",
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
    "limitSlider": "glossary#suppression limit",
    "limitBox": "glossary#suppression limit",
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
            page, _mark, term = topic.partition("#")
            return f"{page}.md#{anchor_of(_(term))}" if term else f"{page}.md"
        widget = widget.parentWidget()
    return f"{ANYTHING}.md"


def _of_name(name: str) -> str | None:
    if name in TOPICS:
        return TOPICS[name]
    patterns = (pattern for pattern in TOPICS if pattern.endswith("*"))
    return next((TOPICS[pattern] for pattern in patterns if name.startswith(pattern[:-1])), None)


def _of_member(widget: QWidget) -> str | None:
    """Return the link to the model, builder or analysis of a form or card, or None."""
    from anonymizer_gui.forms import ParamForm  # not needed at startup, like the analyses
    from engine.findings.base import risk_analyses, utility_analyses

    if isinstance(widget, ParamForm):
        return member_link(widget.kind)
    kind, _, key = widget.objectName().partition(".")
    if kind == "card":
        for analyses in (risk_analyses, utility_analyses):
            if key in analyses:
                return member_link(analyses[key])
    return None


_HEIGHT = 620


class HelpPresenter(QObject):
    """Opens help, and carries out links that show a part of the window."""

    def __init__(self, window: MainWindow, actions: Actions, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._window, self._actions = window, actions
        self.library = HelpLibrary(language_in_use())  # all pages
        use_terms(lambda: self.library.terms)
        self._panel: HelpPanel | None = None
        app = QApplication.instance()
        assert isinstance(app, QApplication), "it is there as long as a window"
        app.focusChanged.connect(self._answer_in)

    def actions(self) -> Mapping[str, Callable[[], object]]:
        """Handlers of menu entries by id."""
        return {
            "help": self.show_about_focus,
            "contents": lambda: self.show(f"{CONTENTS}.md"),
            "news": lambda: self.show(f"{NEWS}.md"),
        }

    def pages(self) -> list[tuple[str, str]]:
        """Return links to all pages with their names in the command palette."""
        names = self.library.names
        return [
            (f"{name}.md", self.tr("Help: {page}").format(page=self.library.page(name).title))
            for name in names
        ]

    def show_about_focus(self) -> None:
        """Open the page about the focused widget; inside the panel, close it."""
        focused = QApplication.focusWidget()
        if focused is not None and _panel_around(focused) is not None:
            self._close(focused.window())
            return
        self.show(topic_of(focused or self._window.shown_page), focused)

    def show(self, link: str, near: QWidget | None = None) -> None:
        """Open a page in the window, or next to the dialog that contains `near`."""
        dialog = None if near is None else near.window()
        panel = self._next_to(dialog) if isinstance(dialog, QDialog) else self._in_window()
        panel.open_link(link)
        panel.page.setFocus()

    def _in_window(self) -> HelpPanel:
        if self._panel is None:
            self._panel = self._made()
            self._window.add_side_panel(self._panel)
            self._panel.close_requested.connect(lambda: self._close(self._window))
        self._panel.show()
        return self._panel

    def _next_to(self, dialog: QDialog) -> HelpPanel:
        """Return a separate help window that stays usable while a modal dialog is open."""
        held = dialog.findChild(HelpPanel)
        if held is not None:
            held.window().show()
            return held
        side = named(QDialog(dialog), "helpWindow")
        side.setWindowTitle(self.tr("Help"))
        side.setModal(False)
        panel = self._made()
        panel.close_requested.connect(side.reject)
        vbox(panel, margins=0, of=side)
        side.resize(scaled(WIDTH), scaled(_HEIGHT))
        side.move(dialog.frameGeometry().topRight())
        side.show()
        return panel

    def _made(self) -> HelpPanel:
        panel = HelpPanel(self.library)
        panel.page.show_requested.connect(self._show_me)
        return panel

    def _close(self, window: QWidget) -> None:
        if window is self._window and self._panel is not None:
            self._panel.hide()
            self._window.shown_page.setFocus()
        elif isinstance(window, QDialog):
            window.reject()

    def _show_me(self, name: str) -> None:
        """Carry out a link that shows a part of the window, or show why it is not available."""
        action = self._actions[name]
        if action.isEnabled() and QApplication.activeModalWidget() is None:
            action.trigger()
        else:
            self._window.banner.show_error(action.toolTip() or action.text(), tone="warn")

    def _answer_in(self, _before: QWidget | None, now: QWidget | None) -> None:
        """Handle F1 in dialogs too; a modal dialog does not pass keys to the window."""
        window = None if now is None else now.window()
        if isinstance(window, QDialog) and window.findChild(QShortcut, "helpShortcut") is None:
            keys = QShortcut(QKeySequence(Qt.Key.Key_F1), window, self.show_about_focus)
            keys.setObjectName("helpShortcut")


def _panel_around(widget: QWidget) -> HelpPanel | None:
    here: QWidget | None = widget
    while here is not None and not isinstance(here, HelpPanel):
        here = here.parentWidget()
    return here
