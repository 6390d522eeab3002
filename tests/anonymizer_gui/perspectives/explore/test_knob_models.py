"""Every threshold has a knob, and each knob marks the values at which the optimum changes."""

from __future__ import annotations

import random
from bisect import bisect_right
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from anonymizer_gui.models.node_name import own_name
from anonymizer_gui.perspectives.explore.knobs.optima import measure_optima
from anonymizer_gui.perspectives.explore.knobs.specs import knob_grid, knob_specs, turned
from engine.params import ColumnRef, describe
from engine.privacy import PrivacyModel, Requirement, privacy_models
from engine.privacy.k_anonymity import KAnonymity
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from tests.anonymizer_gui.perspectives.explore.conftest import Bench, settle
from tests.contracts.populated import problem_for
from tests.strategies import Attributes, Case

LEFT = Qt.MouseButton.LeftButton
CASE = Case(
    (
        Attributes(
            "age", tuple("aabbccddab"), rows=tuple((c, "ab" if c in "ab" else "cd", "*") for c in "abcd")
        ),
        Attributes("place", tuple("xyxyxxxyxx"), rows=(("x", "*"), ("y", "*"))),
    ),
    (Attributes("illness", tuple("uvwxyzuuvw")),),
)
WITHOUT_PEOPLE = [key for key, kind in privacy_models.items() if not kind().needs_people]


def made(key: str) -> PrivacyModel:
    kind = privacy_models[key]
    return kind(**{d.name: "illness" for d in describe(kind) if isinstance(d, ColumnRef)})


@pytest.mark.parametrize("key", WITHOUT_PEOPLE)
def test_the_marked_values_of_every_model_are_those_at_which_the_optimum_changes(key: str) -> None:
    requirement = Requirement((KAnonymity(2), made(key)), 0.3)
    problem = problem_for(CASE, requirement.models[1], random.Random(1))
    profile = score_lattice(problem, profile=LatticeProfile(problem, requirement))
    evaluation = evaluate(profile, requirement)
    for spec in knob_specs(requirement, problem)[1:]:
        optima = measure_optima(evaluation, spec, "loss")

        def optimum(value: float, key: str = spec.key) -> str:
            found = evaluate(profile, turned(requirement, key, value)).optimum("loss")
            return "no node" if found is None else own_name(profile.lattice.node(found), problem)

        marked = [value for value, _ in optima]
        assert marked[0] == spec.scale.minimum
        assert marked == sorted(marked)
        for value, text in optima:
            assert optimum(value) in text
        for value in marked[1:]:
            just_before = spec.scale.tidy(value - spec.scale.unit)
            assert optimum(just_before) != optimum(value), "a smaller one that can be typed would not do"
        for value in {*knob_grid(spec.scale), spec.value}:
            assert optimum(value) in optima[bisect_right(marked, value) - 1][1]


def test_knobs_of_any_model_work_live_and_those_without_room_are_behind_a_button(
    qtbot: QtBot, bench: Bench
) -> None:
    session, bar = bench.session, bench.explore.view.knobs
    hours = "hours-per-week"
    others = [privacy_models[key](column=hours) for key in ("entropy_l_diversity", "basic_beta_likeness")]
    whole = [privacy_models[key]() for key in ("average_risk", "records_at_risk")]
    models = (*session.project.requirement.models, *others, *whole)
    session.edit("models", replace(session.project, requirement=Requirement(models, 0.05)))
    settle(qtbot, bench)
    keys = ["k", "l", "t", "l.2", "β", "average risk", "at risk", "suppression"]
    assert [spec.key for spec in bar._specs] == keys
    behind = [key for key in keys if not bar.knobs[key].isVisible()]
    assert behind
    qtbot.mouseClick(bar.findChild(object, "moreKnobs"), LEFT)  # type: ignore[arg-type]
    qtbot.waitUntil(lambda: all(bar.knobs[key].isVisible() for key in keys))
    knob = bar.knobs["average risk"]
    assert len(knob.marks) >= 1
    knob.entry.setFocus()
    knob.entry.selectAll()
    assert knob.entry.text().endswith("%"), "risk is shown in percent"
    qtbot.keyClicks(knob.entry, "1")
    qtbot.keyClick(knob.entry, Qt.Key.Key_Return)
    settle(qtbot, bench)
    limits = {model.key: model.limit for model in session.project.requirement.models}
    assert limits["average_risk"] == 0.01
    assert session.results.profile is not None
    assert (
        bench.explore.state.scores.n_satisfying
        == evaluate(session.results.profile, session.project.requirement).n_satisfying
    )
    bar._overflow.close()


def test_a_moved_knob_gets_new_marks_and_shows_the_optimum_of_its_value(qtbot: QtBot, bench: Bench) -> None:
    session, knob = bench.session, bench.explore.view.knobs.knobs["k"]
    assert session.results.optimum is not None
    assert session.results.problem is not None
    assert own_name(session.results.optimum, session.results.problem) in knob.note(knob.value())
    stricter = replace(session.project.requirement, suppression_limit=0.0)
    session.edit("limit", replace(session.project, requirement=stricter))
    settle(qtbot, bench)
    assert own_name(session.results.optimum, session.results.problem) in knob.note(knob.value())
    assert own_name(session.results.optimum, session.results.problem) in knob.accessibleDescription()
