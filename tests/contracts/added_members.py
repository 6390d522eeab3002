"""Adds the members shown in CONTRIBUTING to one process, and tests them everywhere members are used."""

from __future__ import annotations

import contextlib
import csv
import importlib
import io
import json
import os
import re
import sys
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"```python\n# (engine/\S+)/(\w+)\.py\n(.*?)```", re.DOTALL)
MODEL, METRIC, JUDGES = "values_once", "suppressed_share", "engine.verification.models"
PEOPLE = [(31, "flu"), (33, "flu"), (34, "cold"), (36, "cold"), (52, "flu"), (55, "flu"), (58, "gout")]


def files() -> dict[str, tuple[str, str]]:
    """Return the package and the source of each file in CONTRIBUTING, by its name and package."""
    text = (ROOT / ".github" / "CONTRIBUTING.md").read_text("utf-8")
    found = {
        f"{place}/{name}": (place.replace("/", "."), source) for place, name, source in BLOCK.findall(text)
    }
    assert len(found) == 4, "a measure, a model, its judge and a metric"
    return found


def add(folder: Path, *, leaving_out: str = "") -> None:
    """Add these files to their packages."""
    for name, (package, source) in files().items():
        if package != leaving_out:
            place = folder / package
            place.mkdir(exist_ok=True)
            (place / f"{name.rsplit('/', 1)[1]}.py").write_text(source, encoding="utf-8")
            importlib.import_module(package).__path__.append(str(place))
    importlib.invalidate_caches()


def recipe(folder: Path, most: int = 0) -> Path:
    """Write a recipe with the model and the metric."""
    lines = ["age,illness", *(f"{age},{illness}" for age, illness in PEOPLE)]
    (folder / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    path = folder / f"recipe-{most}.toml"
    path.write_text(
        f"""[data]
path = "people.csv"
[roles]
quasi_identifying = ["age"]
sensitive = ["illness"]
[hierarchies."age"]
builder = "intervals"
width = 5
merge = [2]
[[privacy]]
model = "{MODEL}"
column = "illness"
most = {most}
[transformation]
suppression_limit = 0.5
[search]
metric = "{METRIC}"
""",
        encoding="utf-8",
    )
    return path


def goes_through_recipe_and_project(folder: Path) -> None:
    """Assert that recipe and project file keep both."""
    from engine.project.recipe.files import read_recipe, recipe_text
    from engine.project.storage.file import open_project, save_project

    project = read_recipe(recipe(folder, 2))
    assert [(model.key, model.limit) for model in project.requirement.models] == [(MODEL, 2)]
    text = recipe_text(project, folder)
    assert f'model = "{MODEL}"' in text
    assert f'metric = "{METRIC}"' in text
    save_project(project, folder / "people.anon")
    opened = open_project(folder / "people.anon").project
    assert (opened.requirement, opened.search.metric) == (project.requirement, METRIC)


def is_scored_as_counted_by_hand(folder: Path) -> None:
    """Assert that every node and the best metric value agree with a plain count."""
    from engine.cli import main

    nodes, printed = folder / "nodes.csv", io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert main(["lattice", str(recipe(folder)), "--out", str(nodes), "--format", "json"]) == 0
    bands = {0: lambda age: age, 1: lambda age: age // 5, 2: lambda age: age // 10, 3: lambda age: 0}
    with nodes.open(encoding="utf-8", newline="") as lines:
        found = {int(line["level.age"]): line for line in csv.DictReader(lines)}
    assert sorted(found) == sorted(bands)
    for level, band in bands.items():
        classes: defaultdict[int, Counter[str]] = defaultdict(Counter)
        for age, illness in PEOPLE:
            classes[band(age)][illness] += 1
        lost = sum(sum(kept.values()) for kept in classes.values() if 1 in kept.values())
        assert int(found[level]["suppressed"]) == lost
    best = json.loads(printed.getvalue())
    assert (best["metric"], best["optimum"]) == (METRIC, {"age": 2})
    assert best["value"] == pytest.approx(3 / len(PEOPLE))
    assert len({line["satisfies"] for line in found.values()}) == 2, "nodes of both kinds"


def is_released_judged_and_reported(folder: Path) -> None:
    """Assert that a release is verified and reported, and a release that fails the model is refuted."""
    from engine.cli import main
    from engine.project.claims import release_claim
    from engine.project.compile import compile_problem
    from engine.project.recipe.files import read_recipe
    from engine.recoding import make_release
    from engine.verification import verify

    asked, out = recipe(folder), folder / "out.csv"
    assert main(["anonymize", str(asked), "--out", str(out), "--quiet"]) == 0
    with out.open(encoding="utf-8", newline="") as lines:
        kept = [(line["age"], line["illness"]) for line in csv.DictReader(lines) if line["age"] != "*"]
    assert kept
    assert 1 not in Counter(kept).values()
    project = read_recipe(asked)
    release = make_release(project, compile_problem(project), (2,))
    claim = release_claim(project, release, folder / "people.csv", out)
    assert verify(claim).ok
    strict = [replace(model, parameters={**model.parameters, "most": -1}) for model in claim.models]
    lax = replace(claim, models=tuple(replace(model, met=False) for model in claim.models))
    for wrong in (replace(claim, models=tuple(strict)), lax):
        assert not verify(wrong).ok
    report = folder / "report.json"
    assert main(["report", str(asked), "--out", str(report), "--quiet"]) == 0
    told = report.read_text(encoding="utf-8").casefold()
    assert "values that occur once" in told
    assert "suppressed share" in told
    json.loads(report.read_text(encoding="utf-8"))


def passes_the_contracts_of_every_member(folder: Path) -> None:
    """Assert that every contract of members holds for both, once the saved files of their keys are made."""
    from tests.contracts import make_saved_files

    make_saved_files.make(folder / "saved")
    saved = {path.stem for path in (folder / "saved" / "recipes").glob("*.toml")}
    assert saved >= {f"privacy-{MODEL}", f"metric-{METRIC}"}
    # Those files stand elsewhere than the saved files of the repository.
    of_both = f"({MODEL} or {METRIC}) and not saved_recipes"
    assert pytest.main(["-q", "-p", "no:cacheprovider", "-k", of_both, "tests/contracts"]) == 0


def is_shown_in_forms() -> None:
    """Assert that the window has a form for its parameters, and offers the metric."""
    from PySide6.QtWidgets import QApplication

    from anonymizer_gui.forms.editors import FormContext
    from anonymizer_gui.forms.param_form import ParamForm
    from anonymizer_gui.theming import theme_manager
    from engine.privacy import privacy_models
    from engine.utility import utility_metrics

    app = QApplication([])
    with theme_manager().building(app):
        form = ParamForm(privacy_models[MODEL], context=FormContext({"sensitive": ["illness"]}))
        form.show_values({"column": "illness", "most": 3})
        assert form.values() == {"column": "illness", "most": 3}
        form.deleteLater()
    assert utility_metrics[METRIC].title == "Suppressed share"


def is_refused_without_a_judge() -> None:
    """Assert that a model is refused if its released file cannot be verified."""
    from engine.privacy import privacy_models

    with pytest.raises(ValueError, match=f"privacy model '{MODEL}' has no module in {JUDGES}"):
        list(privacy_models)


if __name__ == "__main__":
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    what, here = sys.argv[1], Path(sys.argv[2])
    add(here, leaving_out=JUDGES if what == "unjudged" else "")
    if what == "unjudged":
        is_refused_without_a_judge()
    elif what == "contracts":
        passes_the_contracts_of_every_member(here)
    else:
        goes_through_recipe_and_project(here)
        is_scored_as_counted_by_hand(here)
        is_released_judged_and_reported(here)
        is_shown_in_forms()
