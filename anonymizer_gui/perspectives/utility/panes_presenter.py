"""Requests the analysis of each pane, and shows its result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.charts.analysis_pane import About
from anonymizer_gui.charts.findings_view import FindingsView
from anonymizer_gui.charts.lazy_pane import LazyPane
from anonymizer_gui.perspectives.utility.panes import distribution
from anonymizer_gui.perspectives.utility.panes.strips import CHANGE, PAIRS
from anonymizer_gui.perspectives.utility.view import UtilityPerspective
from anonymizer_gui.session.analyses import AnalysisDesk
from engine.hierarchies.hierarchy import SUPPRESSED
from engine.records import Role, role_key

if TYPE_CHECKING:
    from engine.findings.base import Analysis
    from engine.findings.subject import Subject
    from engine.findings.utility.associations import AssociationsFound
    from engine.findings.utility.contingency import ContingencyFound
    from engine.findings.utility.distribution import DistributionFound
    from engine.findings.utility.loss_by_attribute import LossByAttributeFound
    from engine.findings.utility.statistics import StatisticsFound
    from engine.recoding import Release

PLACE = "utility"
ASSOCIATIONS, CONTINGENCY = "associations", "contingency"


def _always(_subject: Subject) -> bool:
    return True


_MOST_RECORDS = 300_000  # answering the queries takes up to two seconds
_WAITS: dict[str, Callable[[Subject], bool]] = {  # what is slow starts by a button
    "classification": _always,
    "local_queries": lambda subject: subject.n_records > _MOST_RECORDS,
}


class PanesPresenter(QObject):
    """Chosen columns stay chosen for other releases, if they exist there."""

    loss_found = Signal(object)  # LossByAttributeFound

    def __init__(self, desk: AnalysisDesk, view: UtilityPerspective) -> None:
        super().__init__(view)
        self._session, self._desk, self._view = desk.session, desk, view
        self._chosen: dict[str, dict[str, Any]] = {  # parameters of analyses by key
            "distribution": {"column": "", "with_suppressed": False},
            CONTINGENCY: {"row": "", "column": ""},
            # Without features they are all quasi-identifying columns.
            "classification": {"target": "", "features": None, "classifier": "logistic_regression"},
        }
        self._which = CHANGE
        self._columns: list[tuple[str, str]] = []
        self._has_help = False
        self._statistics: StatisticsFound | None = None
        self._contingency: ContingencyFound | None = None
        shown: dict[str, Callable[[Any], None]] = {
            "loss_by_attribute": self._show_loss,
            "distribution": self._show_distribution,
            "statistics": self._show_statistics,
            CONTINGENCY: self._show_contingency,
        }
        self._asked = {
            key: LazyPane(
                desk,
                view.panes[key],
                self._contingency_or_pairs if key == CONTINGENCY else partial(self._made, key),
                PLACE,
                self,
                show=shown.get(key),
                waits=_WAITS.get(key),
                has_button=key != "classification",
            )
            for key in (*shown, "class_sizes", "classification", "metrics", "local_queries")
        }
        self._connect()

    def _connect(self) -> None:
        view = self._view
        for card in view.cards.values():
            card.pane_chosen.connect(lambda _key: self.look())
        view.lower_cards.page_shown.connect(lambda _key: self.look())
        for strip, key in (
            (view.distribution_strip, "distribution"),
            (view.statistics_strip, "distribution"),
            (view.classification_strip, "classification"),
            (view.pair_strip, CONTINGENCY),
        ):
            strip.chosen.connect(partial(self._on_chosen, key))
        view.classification_strip.measure_requested.connect(self._asked["classification"].measure)
        view.pair_strip.which_chosen.connect(self._on_which_chosen)

    def show_subject(self) -> None:
        """Update after the release changed or was removed."""
        self._statistics = self._contingency = None
        for asked in self._asked.values():
            asked.forget()
        subject = self._desk.subject
        if subject is not None:
            self._offer_columns(subject)
        self.look()

    def look(self) -> None:
        """Request the visible analyses."""
        view = self._view
        if view.isVisible() and view.shows_results:
            self._set_help()
        for card_key, card in view.cards.items():
            is_here = view.isVisible() and view.shows_results and view.lower_cards.is_in_sight(card_key)
            for key in self._asked:
                pane = view.panes[key]
                if pane.parent() is not None and card.isAncestorOf(pane):
                    self._asked[key].set_wanted(is_here and pane is card.pane)
        if view.isVisible():
            self.show_settings()

    def show_settings(self) -> None:
        """Show the settings of the release."""
        subject = self._desk.subject
        pane = self._view.panes["settings"]
        if subject is None or not self._view.cards["pairs"].isAncestorOf(pane):
            return
        if self._view.cards["pairs"].pane is not pane:
            return
        from anonymizer_gui.perspectives.utility.panes.settings import ReleaseSettings

        runs = self._session.remembered.runs
        made_at = runs[-1].made_at if runs and runs[-1].node == subject.release.node else ""
        found = ReleaseSettings(subject, made_at, self._session.applied.stale_text)
        self._view.views["settings"].show_findings(found)
        pane.show_findings(found)

    # Requests --------------------------------------------------------------------------------------

    def _made(self, key: str) -> Analysis | None:
        """Return an analysis with the chosen parameters; None if one of them is empty."""
        from engine.findings.base import utility_analyses

        chosen = self._chosen.get(key, {})
        values = {name: value for name, value in chosen.items() if value is not None}
        if any(value in ("", ()) for value in values.values()):
            return None
        return utility_analyses.create(key, **values)

    def _contingency_or_pairs(self) -> Analysis | None:
        return self._made(ASSOCIATIONS if self._which == PAIRS else CONTINGENCY)

    def _set_help(self) -> None:
        """Give panes the help texts of the engine, and analyses without a pane a generic one."""
        from engine.findings.base import utility_analyses

        if self._has_help:
            return
        self._has_help = True
        for key, kind in utility_analyses.items():
            if key not in self._asked and key != ASSOCIATIONS:
                pane = self._view.add_pane(key, kind.title, FindingsView(key))
                waits = _always if kind.is_costly else None
                self._asked[key] = LazyPane(self._desk, pane, kind, PLACE, self, waits=waits)
            if key in self._asked:
                self._view.panes[key].set_about(About.of(kind))
        self._view.panes["settings"].set_about(
            About(
                self.tr("Settings of the release"),
                self.tr("Settings that the release was made with, even if the current settings differ."),
            )
        )

    def _offer_columns(self, subject: Subject) -> None:
        """Offer the columns of the release; the default is a quasi-identifying column of numbers."""
        release, project = subject.release, subject.project
        qis = subject.quasi_identifying
        counted = [column.name for column in release.columns]
        alone = [name for name in subject.uncounted if not subject.why_not_described(name)]
        there = [*counted, *alone]
        others = [n for n in there if n not in qis and project.role(n) is not Role.IDENTIFYING]
        names = [*qis, *others]
        columns = [
            (name, role_key(Role.QUASI_IDENTIFYING if name in qis else project.role(name))) for name in names
        ]
        one, pair, many = (self._chosen[key] for key in ("distribution", CONTINGENCY, "classification"))
        if one["column"] not in names:
            numeric = [name for name in qis if subject.input.column(name).data_type.is_numeric]
            one["column"] = (numeric or names or [""])[0]
        together = [(name, role) for name, role in columns if name not in alone]
        if not set(pair.values()) <= {name for name, _role in together}:
            pair["row"], pair["column"] = _first_pair(release, [name for name, _role in together])
        if many["target"] not in names:
            many["target"] = project.target_column or (names[-1] if names else "")
        for strip in (self._view.distribution_strip, self._view.statistics_strip):
            strip.box.show_columns(columns, one["column"])
        self._view.pair_strip.show_columns(together, **pair)
        self._columns = columns
        if many["features"] is not None and not set(many["features"]) <= set(names):
            many["features"] = None
        self._view.classification_strip.target_box.show_columns(columns, many["target"])
        self._offer_features()

    def _offer_features(self) -> None:
        """Offer all columns except the target; chosen features are kept."""
        choice = self._chosen["classification"]
        others = [(name, role) for name, role in self._columns if name != choice["target"]]
        if choice["features"] is None:
            chosen = [name for name, role in others if role == Role.QUASI_IDENTIFYING.value]
        else:
            chosen = [name for name in choice["features"] if name != choice["target"]]
            choice["features"] = tuple(chosen)
        self._view.classification_strip.show_features(others, chosen)

    # Choices ---------------------------------------------------------------------------------------

    def _on_chosen(self, key: str, parameter: str, value: object) -> None:
        self._chosen[key][parameter] = value
        if key == "classification":
            if parameter == "target":
                self._offer_features()
            self._asked[key].reset()
            if value == ():
                words = self.tr("Choose at least one column to predict from.")
                self._view.panes[key].show_empty(words)
            return
        self._asked[key].update()
        if key == "distribution" and parameter == "column":
            for strip in (self._view.distribution_strip, self._view.statistics_strip):
                strip.box.choose(str(value))
            self._show_column()

    def _on_which_chosen(self, which: str) -> None:
        self._which = which
        for box in (self._view.pair_strip.row_box, self._view.pair_strip.column_box):
            box.setEnabled(which != PAIRS)
        found = self._contingency
        if (
            which != PAIRS
            and found is not None
            and {"row": found.row, "column": found.column} == self._chosen[CONTINGENCY]
        ):
            self._show_contingency(found)
        self._asked[CONTINGENCY].update()

    # Results ---------------------------------------------------------------------------------------

    def _show_loss(self, found: LossByAttributeFound) -> None:
        self._view.views["loss_by_attribute"].show_findings(found)
        self.loss_found.emit(found)

    def _show_distribution(self, found: DistributionFound) -> None:
        self._view.distribution.show_drawing(distribution.drawing_of(found))

    def _show_statistics(self, found: StatisticsFound) -> None:
        self._statistics = found
        self._show_column()

    def _show_column(self) -> None:
        """Show the statistics of the chosen column, if available."""
        if self._statistics is None:
            return
        found = replace(self._statistics, shown=self._chosen["distribution"]["column"])
        self._view.views["statistics"].show_findings(found)
        self._view.panes["statistics"].show_findings(found)

    def _show_contingency(self, found: ContingencyFound | AssociationsFound) -> None:
        """Show the table that is chosen, or all pairs."""
        from engine.findings.utility.contingency import ContingencyFound as Table

        if isinstance(found, Table):
            self._contingency = found
            found = replace(found, shown=CHANGE if self._which == PAIRS else self._which)
        self._view.views[CONTINGENCY].show_findings(found)
        self._view.panes[CONTINGENCY].show_findings(found)


def _first_pair(release: Release, names: Sequence[str]) -> tuple[str, str]:
    """Return the first two columns with an informative table: with more than two labels."""
    columns = [column for column in map(release.column, names) if column is not None]
    rich = [c.name for c in columns if len(set(c.labels) - {SUPPRESSED}) > 2]
    pair = [*rich, *(name for name in names if name not in rich)][:2]
    return (pair[0], pair[-1]) if pair else ("", "")
