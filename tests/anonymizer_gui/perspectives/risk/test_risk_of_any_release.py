"""Any release of any table is shown on every page with the values of the engine."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from engine.findings.risk.attackers import Attackers
from engine.findings.risk.crowd import Crowd
from tests.anonymizer_gui.perspectives.risk.conftest import Bench
from tests.engine.findings.risk.subjects import Released, releases
from tests.strategies import few


@settings(few, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(releases())
def test_any_release_is_shown_on_every_page(empty_bench: Bench, case: Released) -> None:
    subject, session = case.subject, empty_bench.session
    session.open_project(subject.project)
    session.applied.set(subject.release, subject.project)
    view = empty_bench.risk.view
    for page in (*view.pages, "population_uniqueness", "special_uniques", "hipaa", "linkage"):
        empty_bench.risk.show_place(page)
        empty_bench.settle()
        empty_bench.window.grab()
    assert view.strip.sentence() == Attackers().run(subject).statement().sentence
    assert view.cards["attackers"].pane.is_shown
    for card in view.cards.values():
        assert card.pane.is_shown or card.pane.sentence(), card.objectName()
    assert view.crowd.crowd.headline.text() == Crowd().run(subject).statement().sentence
