"""Inspector, list, map and hover card match a slow computation from the records."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from anonymizer_gui.widgets.level_glyph import LevelGlyph
from engine.numbers import DASH, as_decimal, as_exact_count, as_percent, as_vector
from engine.privacy import Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.t_closeness import TCloseness
from engine.records import Kind
from tests.anonymizer_gui.perspectives.explore.conftest import Bench
from tests.slow_reference import SlowNode
from tests.strategies import Attributes, Case

N_RECORDS, N_REQUIREMENTS, N_NODES = 90, 10, 20
SENSITIVE = "illness"


def a_case(chance: random.Random) -> Case:
    """Return three quasi-identifying columns (3 x 3 x 3 levels) and one sensitive column."""
    ages = [str(age) for age in range(20, 32)]
    zips = [f"1{a}{b}" for a in "012" for b in "01"]
    jobs = ["clerk", "cook", "guard", "nurse"]

    def column(name: str, rows: list[tuple[str, ...]], kind: Kind = Kind.TEXT) -> Attributes:
        texts = tuple(chance.choice(rows)[0] for _ in range(N_RECORDS))
        return Attributes(name, texts, kind, tuple(rows))

    illnesses = tuple(chance.choice(["flu", "flu", "flu", "asthma", "angina"]) for _ in range(N_RECORDS))
    return Case(
        (
            column("age", [(age, f"{int(age) // 4 * 4}+", "*") for age in ages], Kind.INTEGER),
            column("zip", [(text, f"{text[:2]}*", "***") for text in zips]),
            column("job", [(job, "health" if job == "nurse" else "other", "*") for job in jobs]),
        ),
        (Attributes(SENSITIVE, illnesses),),
    )


def a_requirement(chance: random.Random) -> Requirement:
    models = (
        KAnonymity(chance.randint(2, 9)),
        DistinctLDiversity(SENSITIVE, chance.randint(1, 3)),
        TCloseness(SENSITIVE, chance.choice([0.15, 0.25, 0.4, 0.6])),
    )
    return Requirement(models, chance.choice([0.0, 0.05, 0.1, 0.3, 0.6]))


def shown_by_inspector(bench: Bench) -> dict[str, str]:
    inspector = bench.explore.view.inspector
    lines = {line.name.split(",")[0]: line.value for line in inspector.models.lines}
    histogram = inspector.sizes.histogram.data
    measured = {name: values for _, name, *values in inspector.requirement.texts()}
    suppressed = next(value for name, value in measured.items() if name.startswith("suppressed "))
    return {
        "status": inspector.head.chips[0].text(),
        "k": measured["k smallest class"][0],
        "l": measured[f"l {SENSITIVE}, distinct"][0],
        "t": measured[f"t {SENSITIVE}, equal"][0],
        "suppressed": suppressed[0],
        "allowed": suppressed[1],
        "loss": dict(line[::2] for line in inspector.metrics.texts())["loss"],
        "model k": lines["k-anonymity"],
        "model l": lines["distinct l-diversity"],
        "model t": lines["t-closeness"],
        "sizes": str(sum(histogram.records)),
        "hollow": str(sum(histogram.suppressed)),
    }


def shown_by_list(bench: Bench, number: int) -> dict[str, str]:
    model = bench.explore.view.list.model
    names = {
        "loss": "loss",
        "suppressed": "suppressed",
        "k": "k",
        f"l.{SENSITIVE}": "l",
        f"t.{SENSITIVE}": "t",
    }
    shown = {}
    for key, name in names.items():
        column = model.table.column(key)
        assert column is not None
        shown[name] = model.text(number, column)
    return shown


@pytest.mark.parametrize("seed", [7])
def test_every_view_matches_a_slow_recount_for_200_nodes_and_requirements(
    qtbot: QtBot, empty_bench: Bench, seed: int
) -> None:
    bench, chance = empty_bench, random.Random(seed)
    bench.explore.view.hide()  # painting two hundred pictures would take longer than the comparison
    case = a_case(chance)
    bench.session.open_project(case.under(a_requirement(chance)))
    qtbot.waitUntil(lambda: bench.session.results.profile is not None and bench.is_settled, timeout=20_000)
    lattice, runner = case.problem.lattice, bench.session.runner
    n_pairs = 0
    for _ in range(N_REQUIREMENTS):
        requirement = a_requirement(chance)
        bench.session.edit("requirement", replace(bench.session.project, requirement=requirement))
        qtbot.waitUntil(lambda: bench.is_settled and bench.explore.state.details is not None, timeout=20_000)
        for number in chance.sample(range(lattice.n_nodes), N_NODES):
            bench.explore.state.select(number)
            qtbot.waitUntil(lambda: not runner.is_running("explore.inspect.node"), timeout=20_000)
            check(bench, case, number, requirement)
            n_pairs += 1
    assert n_pairs == 200


def check(bench: Bench, case: Case, number: int, requirement: Requirement) -> None:
    node = case.problem.lattice.node(number)
    slow = SlowNode(case, node)
    release = slow.under(requirement)
    kept = [place for place, met in enumerate(release.met) if met]
    distances = slow.distances(SENSITIVE, "equal")
    k = as_exact_count(release.kept_k) if kept else DASH
    l_kept = as_exact_count(min(slow.distinct(SENSITIVE)[i] for i in kept)) if kept else DASH
    t_kept = as_decimal(float(max(distances[i] for i in kept)), 3) if kept else DASH
    loss, suppressed = release.metric("loss"), as_exact_count(release.suppressed)
    allowed = as_exact_count(release.allowed)

    inspector = shown_by_inspector(bench)
    assert inspector == {
        "status": "Satisfies"
        if release.satisfies
        else f"Fails: {suppressed} records would be suppressed; the limit allows {allowed}",
        "k": k,
        "l": l_kept,
        "t": t_kept,
        "suppressed": suppressed,
        "allowed": f"≤ {allowed}",
        "loss": as_decimal(loss, 3),
        "model k": k,
        "model l": l_kept,
        "model t": t_kept,
        "sizes": str(case.n_records),
        "hollow": str(release.suppressed),
    }
    name = bench.explore.view.inspector.findChild(QLabel, "inspectorName")
    assert name.text() == bench.explore.state.named(node).name
    assert as_vector(node) in name.toolTip()
    glyph = bench.explore.view.inspector.findChild(LevelGlyph, "inspectorGlyph")
    assert tuple(glyph.glyph.levels) == tuple(node)
    listed = shown_by_list(bench, number)
    assert listed == {"loss": as_decimal(loss, 3), "suppressed": suppressed, "k": k, "l": l_kept, "t": t_kept}
    hover = bench.explore.state.describe(node)
    assert hover.startswith(name.text())
    assert hover.endswith(as_vector(node))
    assert ("Satisfies" if release.satisfies else "Fails") in hover
    assert f"loss {as_decimal(loss, 3)}" in hover
    assert f"{suppressed} record" in hover
    assert as_percent(release.suppressed / case.n_records) in hover
    for text in (f"k {k} (", f"l of {SENSITIVE} {l_kept} (", f"t of {SENSITIVE} {t_kept} (") if kept else ():
        assert text in hover
    points = bench.explore.view.map.view.points
    across = points.x.axis.value_at(float(points.across[number]))
    assert across == pytest.approx(float(Fraction(release.suppressed, case.n_records)), abs=1e-9)
    assert points.y.axis.value_at(float(points.up[number])) == pytest.approx(loss, abs=1e-9)
    marks = bench.explore.state.marks
    assert marks.selected == number
