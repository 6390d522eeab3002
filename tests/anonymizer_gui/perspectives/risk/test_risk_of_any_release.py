"""Any release of any table is shown on every page with the values of the engine."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from anonymizer_gui.perspectives.risk.overview import ATTACKERS, IDENTIFIERS
from engine.findings.risk.attackers import Attackers
from tests.anonymizer_gui.perspectives.risk.conftest import Bench
from tests.engine.findings.risk.subjects import Released, releases
from tests.strategies import few

PAGES = ("population_uniqueness", "linkage", "suppressed_groups", "overview")


@settings(few, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(releases())
def test_any_release_is_shown_on_every_page(empty_bench: Bench, case: Released) -> None:
    subject, session = case.subject, empty_bench.session
    session.open_project(subject.project)
    session.applied.set(subject.release, subject.project)
    for page in PAGES:
        empty_bench.risk.view.show_page(page)
        empty_bench.settle()
        empty_bench.window.grab()
    view = empty_bench.risk.view
    assert view.strip.sentence() == Attackers().run(subject).statement().sentence
    assert view.overview.cards[ATTACKERS].pane.is_shown
    for card in view.overview.cards.values():
        if not card.isVisible():
            view.overview.left_places.show_page(IDENTIFIERS)
            empty_bench.settle()
        assert card.pane.is_shown or card.pane.sentence(), card.objectName()
