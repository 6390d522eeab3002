"""A release under differential privacy in the window: declared, drawn, exported, verified, and its secret."""

from __future__ import annotations

import csv
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QComboBox, QDialog, QLabel
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.node_scores import EXPECTED_KEPT
from engine.privacy import Requirement
from engine.privacy.differential_privacy import DifferentialPrivacy
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project
from engine.project.recipe.files import write_recipe
from engine.project.storage.file import open_project, save_project
from engine.project.trade_off import complete_problem, expected_records
from engine.records import Role
from tests.engine.test_differential_privacy import RUNS, draw_as_arx, of_run
from tests.window_driver import LONG, Driver, driven_window

CONTROL = Qt.KeyboardModifier.ControlModifier
N_RECORDS = 3000
RECIPE = """\
[data]
path = "people.csv"
[roles]
identifying = ["name"]
quasi_identifying = ["age", "region"]
sensitive = ["illness"]
[hierarchies."age"]
path = "age.csv"
[hierarchies."region"]
path = "region.csv"
[[privacy]]
model = "k_anonymity"
k = 5
"""


@pytest.fixture
def opened(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Driver]:
    """Return the window with a table of people and a sensitive column."""
    source = random.Random(11)
    rows = [
        (f"P{i}", source.randint(20, 59), source.choice(["north", "south", "east"]), source.choice("ab"))
        for i in range(N_RECORDS)
    ]
    files = {
        "people.csv": [("name", "age", "region", "illness"), *rows],
        "age.csv": [(age, f"{age // 10}0s", "*") for age in range(20, 60)],
        "region.csv": [(region, "*") for region in ("north", "south", "east")],
    }
    for name, lines in files.items():
        with open(tmp_path / name, "w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter="," if name == "people.csv" else ";").writerows(lines)
    (tmp_path / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    with driven_window(qtbot, qapp, (1440, 900)) as driver:
        assert driver.drop(tmp_path / "recipe.toml")
        driver.wait(lambda: driver.session.project is not None, LONG)
        driver.wait_settled()
        yield driver


def project_of(driver: Driver) -> Project:
    project = driver.session.project
    assert project is not None
    return project


def model_of(driver: Driver) -> DifferentialPrivacy:
    model = project_of(driver).requirement.sampling
    assert model is not None
    return model


def text(driver: Driver, name: str) -> str:
    return driver.find(name, QLabel).text()


def open_model(driver: Driver) -> QDialog:
    """Open the dialog that adds the model in Configure."""
    driver.click("tab.configure")
    driver.pick_model("differential privacy")
    return driver.dialog("memberDialog")


def add_model(driver: Driver, node: str = "") -> None:
    """Add the model in Configure by mouse, with a declared node if given."""
    dialog = open_model(driver)
    driver.wait(lambda: "k = 61" in text(driver, "consequenceLine"))
    assert "not the choice of the node" in text(driver, "consequenceLine")
    driver.type_into("param.delta", "0.0001")
    driver.wait(lambda: "k = 47" in text(driver, "consequenceLine"))
    assert "about 1\u202f896 of 3\u202f000 records are drawn" in text(driver, "consequenceLine")
    if node:
        driver.choose(driver.find("param.node", QComboBox), node)
        driver.wait(lambda: "holds in full" in text(driver, "consequenceLine"))
    driver.click(driver.button(dialog, "acceptButton"))
    driver.wait(lambda: project_of(driver).requirement.sampling is not None)
    driver.wait(lambda: "released unchanged" in str(driver.session.results.problem_error), LONG)


def hide_illness(driver: Driver) -> None:
    """Hide the column that would be released unchanged, by the fix that is offered."""
    preflight = driver.wiring.configure.view.preflight
    driver.wait(lambda: preflight.fix_button("sampling.columns") is not None, LONG)
    button = preflight.fix_button("sampling.columns")
    assert button is not None
    driver.click(button)
    driver.wait(lambda: project_of(driver).role("illness") is Role.IDENTIFYING)
    driver.wait_settled()


def test_a_declared_release_is_drawn_verified_and_made_again_from_its_project_file(
    opened: Driver, tmp_path: Path
) -> None:
    add_model(opened, "Medium degree (50 %)")
    hide_illness(opened)
    assert not opened.find("limitSlider").isEnabled()
    assert opened.find("limitSlider").toolTip() == "No limit applies to records drawn at random"
    assert not opened.find("peopleButton").isEnabled()
    assert opened.find("peopleButton").toolTip() == "Differential privacy draws the records"
    opened.click("tab.explore")
    opened.wait_settled()
    project, model = project_of(opened), model_of(opened)
    problem = opened.session.results.problem
    assert (problem.lattice.minimum, problem.lattice.maximum) == ((1, 1), (1, 1))
    assert problem.n_records == project.records.n_records < N_RECORDS

    opened.apply()
    out = tmp_path / "out.csv"
    opened.key(Qt.Key.Key_E, CONTROL)
    dialog = opened.dialog("exportDialog")
    assert "holds in full" in text(opened, "weakness")
    assert "do not publish them" in text(opened, "weakness")
    for name in ("param.way", "param.shuffle"):
        assert not opened.find(name).isEnabled()
        assert "Differential privacy removes suppressed records" in opened.find(name).toolTip()
    opened.type_into("exportPath", str(out))
    opened.key(Qt.Key.Key_Return)
    opened.wait(lambda: dialog.written, LONG)  # type: ignore[attr-defined]
    assert dialog.written == "Written and verified: out.csv"  # type: ignore[attr-defined]
    assert "cannot be checked that the node was declared" in text(opened, "exportDetails")
    opened.key(Qt.Key.Key_Escape)

    release = opened.session.applied.release
    with open(out, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == release.n_records - release.n_suppressed
    sizes = Counter((row["age"], row["region"]) for row in rows)
    assert min(sizes.values()) >= model.required_k == 47
    assert {row["illness"] for row in rows} == {row["name"] for row in rows} == {"*"}

    opened.click("tab.risk")
    opened.wait_settled()
    opened.click("tab.utility")
    opened.wait_settled()
    caption = opened.wiring.explore.view.pinned.caption  # type: ignore[attr-defined]
    assert caption.text() == "1 release under differential privacy: ε = 1, δ = 0.0001"
    recipe = tmp_path / "again.toml"
    opened.answer_file_dialog(recipe)
    opened.trigger("File", "Save recipe")
    opened.wait(recipe.exists, LONG)
    assert project.sampling_key not in recipe.read_text(encoding="utf-8")
    save_project(*[opened.session.snapshot()[0], tmp_path / "kept.anon", opened.session.snapshot()[1]])
    assert open_project(tmp_path / "kept.anon").project.sampling_key == project.sampling_key


def test_a_chosen_node_shows_its_trade_off_and_knobs_draw_anew(opened: Driver) -> None:
    add_model(opened)
    hide_illness(opened)
    opened.click("tab.explore")
    opened.wait_settled()
    first = project_of(opened).sampling_key
    knob = opened.find("knob.ε")
    assert "k = 47, not the choice of the node" in knob.accessibleName()
    opened.type_into("knob.ε/share", "50")
    opened.key(Qt.Key.Key_Return)
    opened.wait(lambda: model_of(opened).share == 0.5)
    opened.wait_settled()
    assert project_of(opened).sampling_key not in ("", first)
    assert opened.find("knob.ε/share").accessibleName() == "β, 0.316, k = 14"
    problem = opened.session.results.problem
    assert problem.n_records == project_of(opened).records.n_records

    whole = complete_problem(project_of(opened))
    opened.choose("mapAcross", "Expected kept")
    state = opened.wiring.explore.state
    opened.wait(lambda: state.details is not None and EXPECTED_KEPT in state.details, LONG)
    opened.wait_settled()
    shares = state.details[EXPECTED_KEPT]  # type: ignore[index]
    for number in range(whole.lattice.n_nodes):
        node = whole.lattice.node(number)
        expected = expected_records(whole, node, project_of(opened).requirement)
        assert shares[number] * N_RECORDS == pytest.approx(expected, rel=1e-9)
        assert "of the whole table expected to be kept" in state.describe_number(number)


# Runs of ARX, in its own random stream ------------------------------------------------------------------


def test_dp_runs(qtbot: QtBot, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw_as_arx(monkeypatch)
    run = RUNS[5]  # the engine makes all of them in tests/engine/test_differential_privacy.py
    larger_k = Requirement((KAnonymity(run["k_arx"]),), 0.0)  # ARX's k is larger by one
    write_recipe(replace(of_run(run, tmp_path), requirement=larger_k), tmp_path / "adult.toml")
    with driven_window(qtbot, qapp, (1440, 900)) as driver:
        assert driver.drop(tmp_path / "adult.toml")
        driver.wait(lambda: driver.session.project is not None, LONG)
        dialog = open_model(driver)
        driver.type_into("param.epsilon", run["epsilon"])
        driver.type_into("param.delta", f"{float(run['delta']):f}")
        driver.choose("param.node", "By the allowed levels, one per column")
        driver.wait(lambda: "holds in full" in text(driver, "consequenceLine"))
        said = "β = 0.7769, k = 99; about 23\u202f432 of"
        assert said in text(driver, "consequenceLine")
        driver.click(driver.button(dialog, "acceptButton"))
        driver.wait(lambda: project_of(driver).requirement.sampling is not None)
        assert model_of(driver).beta == pytest.approx(run["beta"], rel=1e-12)
        driver.click("tab.explore")
        driver.wait_settled()
        whole, levels = complete_problem(project_of(driver)), tuple(run["node"].values())
        expected = expected_records(whole, levels, project_of(driver).requirement)
        assert expected == pytest.approx(run["expected_kept"], rel=1e-9)

        driver.apply()
        release, details = driver.session.applied.release, driver.session.results.evaluation
        assert release.levels == run["node"]
        assert (release.n_records, release.n_suppressed) == (run["sampled"], run["suppressed_in_sample"])
        assert (release.n_classes, release.k) == (run["classes"], run["min_class"])
        assert details.metric("loss")[0] == pytest.approx(run["arx_loss"], rel=1e-9)
        assert driver.export(tmp_path / "out.csv").startswith("Written and verified: out.csv")
        with open(tmp_path / "out.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))[1:]
        sizes = Counter(tuple(row) for row in rows).values()
        found = (len(rows), len(sizes), min(sizes), max(sizes))
        assert found == (run["kept"], run["classes"], run["min_class"], run["max_class"])
