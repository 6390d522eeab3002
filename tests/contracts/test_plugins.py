"""Plug-ins: members of installed packages, and packages that are missing or broken."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import ProjectFileError, RecipeError
from engine.plugins import is_older
from engine.project.recipe.files import read_recipe
from engine.project.storage.file import open_project, save_project
from engine.testing.__main__ import main as check_plugin
from tests.conftest import EXAMPLES
from tests.engine.project.storage.test_file import rewrite
from tests.plugin_site import EXAMPLE, install, install_example, run

CODE = """
import sys
from dataclasses import dataclass
from engine.privacy.highest_risk import HighestRisk
from engine.privacy.k_anonymity import KAnonymity
from engine.search.exhaustive import Exhaustive
from engine.utility import UtilityMetric
from engine.utility.height import Height

@dataclass(frozen=True, slots=True)
class OwnK(KAnonymity):
    title = "Own k"

class Unfrozen(KAnonymity):
    pass

@dataclass(frozen=True)
class Wordless(UtilityMetric):
    title = "Wordless"

    def natural(self, candidates, weights=None):
        return candidates.suppressed * 1.0

@dataclass(frozen=True)
class Unfinished(UtilityMetric):
    title = "Unfinished"
    meaning = "nothing"

@dataclass(frozen=True, slots=True)
class Slow(Exhaustive):
    title = "Slow"

    def explore(self, search):
        raise ZeroDivisionError("a value of the table")

def function():
    pass
"""
JUDGES = """
from engine.verification.models.base import ModelVerifier

JUDGE = ModelVerifier(title="k", threshold="k", class_met="size >= {k}")
"""
BROKEN = {
    "anonymizer.models": {
        "k_anonymity": "odd:OwnK",
        "unjudged": "odd:OwnK",
        "unjudged_too": "odd:OwnK",
        "unfrozen": "odd:Unfrozen",
        "metric_as_model": "odd:Height",
        "absent": "odd.absent:Model",
        "Capital": "odd:HighestRisk",
        "twice": "odd:HighestRisk",
    },
    "anonymizer.metrics": {"wordless": "odd:Wordless", "unfinished": "odd:Unfinished", "quits": "quits:X"},
    "anonymizer.algorithms": {"slow": "odd:Slow"},
    "anonymizer.readers": {"csv": "odd:function", "odd": "odd:function"},
    "anonymizer.judges": {"k_map": "odd:function", "same": "odd:function"},
    "anonymizer.programs": {"other": "odd:absent"},
    "anonymizer.charts": {"pie": "odd:function"},
}
REASONS = {
    "model: k_anonymity": "the program itself has the model 'k_anonymity', which odd-plugin may not replace",
    "model: unjudged_too": "the same class is offered as 'unjudged'",
    "model: unfrozen": "'Unfrozen' is not a frozen dataclass",
    "model: metric_as_model": "'Height' is not a class derived from engine.privacy.base.PrivacyModel",
    "model: absent": "ModuleNotFoundError: No module named 'odd.absent'; 'odd' is not a package",
    "model: Capital": "its name may contain only lower-case letters, digits and '_'",
    "model: twice": "other-plugin 3 offers the model 'twice' too",
    "metric: wordless": "'Wordless' lacks the attribute 'meaning' of type str",
    "metric: unfinished": "'Unfinished' lacks the method 'natural'",
    "metric: quits": "SystemExit: 3",
    "reader: csv": "the program itself has the reader 'csv', which odd-plugin may not replace",
    "reader: odd": "'function' is not a class derived from engine.records.opening.readers.TableReader",
    "verifier: k_map": "the program itself has the verifier 'k_map', which odd-plugin may not replace",
    "verifier: same": "it is not a ModelVerifier",
    "other program: other": "AttributeError: module 'odd' has no attribute 'absent'",
    "member: pie": "unknown group 'anonymizer.charts'",
}
LIES = """
import numpy as np
from dataclasses import dataclass, field
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.base import NO_CONTEXT, HierarchyBuilder
from engine.params import Integer, param
from engine.privacy import Monotonic
from engine.privacy.k_anonymity import KAnonymity
from engine.recoding import Recoding, RecodingMethod
from engine.search.exhaustive import Exhaustive
from engine.utility import UtilityMetric
from engine.verification.models.base import ModelVerifier

@dataclass(frozen=True, slots=True)
class Large(KAnonymity):
    title = "Large"
    source = "Nobody 1999"

    def fulfilled(self, classes):
        return classes.sizes > self.k

@dataclass(frozen=True, slots=True)
class Rare(KAnonymity):
    title = "Rare"
    monotonic = Monotonic.ALWAYS

    def measure(self, classes):
        return 50 - classes.sizes

@dataclass(frozen=True)
class Falling(UtilityMetric):
    title = "Falling"
    meaning = "classes left"
    size: int = param(3, Integer())

    def natural(self, candidates, weights=None):
        return 2.0 * candidates.kept_classes

    def bounds(self, problem, weights=None):
        return 0.0, 1.0

@dataclass(frozen=True)
class Starless(HierarchyBuilder):
    title = "Starless"
    summary = "Builds nothing."

    def accepts(self, column):
        return True

    def build(self, column, context=NO_CONTEXT):
        return Hierarchy.identity(column.labels)

@dataclass(frozen=True, slots=True)
class Hasty(Exhaustive):
    title = "Hasty"

    def explore(self, search):
        search.check(search.lattice.maximum)
        search.is_settled = True

@dataclass(frozen=True, slots=True)
class Flat(RecodingMethod):
    title = "Flat"
    summary = "Returns one level per record"

    def improve(self, task, monitor):
        return Recoding(task.problem.attributes[0].leaves.astype(np.int16), np.ones(1, dtype=np.bool_))

JUDGE = ModelVerifier(title="any", threshold="k", class_met="size >= 1")
"""
LYING = {
    "anonymizer.models": {"large": "lies:Large", "rare": "lies:Rare"},
    "anonymizer.judges": {"large": "lies:JUDGE"},
    "anonymizer.metrics": {"falling": "lies:Falling"},
    "anonymizer.builders": {"starless": "lies:Starless"},
    "anonymizer.algorithms": {"hasty": "lies:Hasty"},
    "anonymizer.recoding": {"flat": "lies:Flat"},
}
FOUND = {
    "model large": {
        "It cites its source",
        "A class meets it exactly if its measure meets the threshold",
        "Written releases are verified",
        "The verifier agrees with the model",
    },
    "model rare": {
        "It cites its source",
        "It has a verifier",
        "It carries over to successors as declared",
        "Written releases are verified",
        "The verifier agrees with the model",
    },
    "verifier large": {"It shares no code with the engine"},
    "metric falling": {
        "Its parameters are explained",
        "It stays within its bounds",
        "Weights change it only if declared",
        "It never falls if it is monotonic",
        "Suppression never lowers it if it declares that",
    },
    "builder starless": {"A built hierarchy is a tree over all values"},
    "algorithm hasty": {"Its claims are true", "Its claims are true within a limit of steps"},
    "recoding method flat": {"Its summary is a sentence", "Its releases are verified"},
}
RECIPE = """
[data]
path = "people.csv"
[roles]
quasi_identifying = ["age"]
[hierarchies."age"]
builder = "suppress"
[[privacy]]
model = "{model}"
"""


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a plug-in of which little can be loaded, and another one that offers the same key."""
    site = tmp_path_factory.mktemp("broken")
    (site / "odd.py").write_text(CODE, "utf-8")
    (site / "quits.py").write_text("raise SystemExit(3)", "utf-8")
    install(site, "odd-plugin", "0.1", BROKEN)
    install(site, "other-plugin", "3", {"anonymizer.models": {"twice": "odd:HighestRisk"}})
    (site / "people.csv").write_text("age\n" + "31\n" * 6, "utf-8")
    for model in ("unjudged", "absent", "k_anonymity"):
        (site / f"{model}.toml").write_text(RECIPE.format(model=model), "utf-8")
    return site


def anonymized(site: Path, name: str) -> tuple[int, str]:
    """Run a recipe of the folder; return the exit code, and what is said on standard error."""
    out = str(site / f"{name}.out.csv")
    done = run(site, "-m", "anonymizer_gui", "anonymize", str(site / f"{name}.toml"), "--out", out, "--quiet")
    return done.returncode, done.stderr


def test_the_example_works_everywhere_members_are_used(tmp_path: Path) -> None:
    install_example(tmp_path / "site")
    done = run(tmp_path / "site", "-m", "tests.contracts.plugged_members", str(tmp_path))
    assert done.returncode == 0, done.stderr


@pytest.mark.thorough
def test_the_window_shows_the_members_of_the_example(tmp_path: Path) -> None:
    install_example(tmp_path)
    done = run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/journeys/plugged_window.py")
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout


def test_the_version_lists_what_plugins_offer_and_why_it_could_not_be_loaded(broken: Path) -> None:
    done = run(broken, "-m", "anonymizer_gui", "--version")
    assert done.returncode == 0, done.stderr
    first, title, *offered, other, _twice = done.stdout.splitlines()
    assert first.startswith("Anonymizer")
    assert (title, other) == ("Plug-in odd-plugin 0.1", "Plug-in other-plugin 3")
    usable = [
        "model: Own k (unjudged); without a verifier, so that its releases cannot be verified",
        "algorithm: Slow (slow)",
    ]
    refused = [f"{name}; could not be loaded: {reason}" for name, reason in REASONS.items()]
    assert sorted(offered) == sorted(f"  {line}" for line in (*usable, *refused))


def test_an_error_within_a_plugin_names_the_plugin_and_no_value(broken: Path) -> None:
    text = f'{RECIPE.format(model="k_anonymity")}[search]\nalgorithm = "slow"\n'
    (broken / "slow.toml").write_text(text, "utf-8")
    code, said = anonymized(broken, "slow")
    assert code == 2
    assert "Internal error: ZeroDivisionError in odd.py" in said
    assert "This is a bug in the plug-in odd-plugin 0.1, not in your files." in said
    assert "a value of the table" not in said


def test_a_model_without_a_judge_is_never_released_as_verified(broken: Path) -> None:
    code, said = anonymized(broken, "unjudged")
    assert code != 0
    assert "the plug-in odd-plugin 0.1 has no verifier for its model 'unjudged'" in said
    assert not (broken / "unjudged.out.csv").exists()


def test_a_recipe_that_needs_a_broken_member_says_why_it_is_missing(broken: Path) -> None:
    code, said = anonymized(broken, "absent")
    assert code == 2
    assert "This recipe needs the model 'absent', which this program does not have." in said
    assert "The plug-in odd-plugin 0.1 offers it, but could not be loaded: ModuleNotFoundError" in said
    assert "Warning: The model 'absent' of the plug-in odd-plugin 0.1 could not be loaded" in said


def test_a_package_that_verifies_the_model_of_another_takes_part(tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_text(CODE, "utf-8")
    (tmp_path / "judges.py").write_text(JUDGES, "utf-8")
    (tmp_path / "people.csv").write_text("age\n" + "31\n" * 6, "utf-8")
    (tmp_path / "recipe.toml").write_text(RECIPE.format(model="own_k"), "utf-8")
    install(tmp_path, "b-model", "0.1", {"anonymizer.models": {"own_k": "odd:OwnK"}})
    install(tmp_path, "a-judge", "2", {"anonymizer.judges": {"own_k": "judges:JUDGE"}})
    words = ("anonymize", str(tmp_path / "recipe.toml"), "--out", str(tmp_path / "out.csv"), "--quiet")
    done = run(tmp_path, "-m", "anonymizer_gui", *words, "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["plugins"] == {"a-judge": "2", "b-model": "0.1"}


def test_a_recipe_of_the_programs_own_members_does_not_load_plugins(broken: Path) -> None:
    assert anonymized(broken, "k_anonymity") == (0, "")


def test_the_example_passes_the_contract_tests(tmp_path: Path) -> None:
    install_example(tmp_path)
    done = run(tmp_path, "-m", "engine.testing", "anonymizer-example")
    assert done.returncode == 0, done.stdout
    lines = done.stdout.splitlines()
    assert (lines[0], lines[-1]) == ("anonymizer-example 1.0", "All checks passed")
    assert "  ok      The verifier agrees with the model" in lines


def test_the_contract_tests_say_which_promises_a_plugin_breaks(tmp_path: Path) -> None:
    (tmp_path / "lies.py").write_text(LIES, "utf-8")
    install(tmp_path, "lying-plugin", "1", LYING)
    done = run(tmp_path, "-m", "engine.testing", "lying-plugin")
    assert done.returncode == 1, done.stderr
    broken: dict[str, set[str]] = {}
    member = ""
    for line in done.stdout.splitlines()[1:-1]:
        member = member if line.startswith(" ") else line
        if line.startswith("  FAILED"):
            broken.setdefault(member, set()).add(line.removeprefix("  FAILED").partition(":")[0].strip())
    assert broken == FOUND
    assert done.stdout.endswith(f"{sum(map(len, FOUND.values()))} failed\n")


def test_the_contract_tests_need_an_installed_plugin(capsys: pytest.CaptureFixture[str]) -> None:
    assert check_plugin(["absent-plugin"]) == 2
    assert "The plug-in 'absent-plugin' is not installed." in capsys.readouterr().err
    assert check_plugin([]) == 2


def test_a_missing_plugin_is_named_with_everything_that_needs_it() -> None:
    with pytest.raises(RecipeError) as caught:
        read_recipe(EXAMPLE / "recipe.toml")
    assert caught.value.problem == (
        "This recipe needs the model 'bounded_confidence', the builder 'initials', the metric "
        "'lost_classes', the algorithm 'top_down', the reader 'fixed', which this program does not have."
    )
    assert caught.value.hint == "Install the plug-in anonymizer-example 1.0."


@pytest.mark.parametrize(
    ("old", "new", "needed"),
    [
        ('"k_anonymity"', '"zeta"', "the model 'zeta'"),
        ("[search]\n", '[search]\nalgorithm = "zeta"\n', "the algorithm 'zeta'"),
        ("[search]\n", '[recoding]\nmethod = "zeta"\n[search]\n', "the recoding method 'zeta'"),
    ],
)
def test_an_unknown_member_is_that_of_a_missing_plugin(
    tmp_path: Path, old: str, new: str, needed: str
) -> None:
    text = (EXAMPLES / "hospital" / "recipe.toml").read_text("utf-8")
    assert old in text
    (tmp_path / "recipe.toml").write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(RecipeError) as caught:
        read_recipe(tmp_path / "recipe.toml")
    assert caught.value.problem == f"This recipe needs {needed}, which this program does not have."
    assert caught.value.hint.startswith("Install the plug-in that offers it.")


def test_a_project_that_needs_a_plugin_is_not_taken_for_a_damaged_file(tmp_path: Path) -> None:
    save_project(read_recipe(EXAMPLES / "hospital" / "recipe.toml"), tmp_path / "project.anon")
    rewrite(
        tmp_path / "project.anon",
        lambda member, data: data.replace(b'"k_anonymity"', b'"zeta"') if member == "recipe.toml" else data,
    )
    with pytest.raises(ProjectFileError, match="This project needs the model 'zeta'") as caught:
        open_project(tmp_path / "project.anon")
    assert type(caught.value) is ProjectFileError


@pytest.mark.parametrize("table", ["plugins = 3", "[plugins]\nexample = 1"])
def test_the_table_of_plugins_has_versions_by_package(tmp_path: Path, table: str) -> None:
    text = f"{table}\n{RECIPE.format(model='k_anonymity')}"
    (tmp_path / "recipe.toml").write_text(text, "utf-8")
    with pytest.raises(RecipeError, match="cannot be"):
        read_recipe(tmp_path / "recipe.toml")


def test_versions_are_compared_by_their_numbers() -> None:
    assert is_older("1.9", "1.10")
    assert is_older("1.0", "1.0.1")
    assert is_older("", "1")
    assert not is_older("1.0", "1")
    assert not is_older("2.0rc1", "2.0")
    assert not is_older("1.0", "")


OBJECTS = """
import pandas as pd
from engine import KAnonymity, anonymize, KAnonymizer
from engine.errors import InputError
from engine.privacy import Requirement
from anonymizer_example.builders import InitialsBuilder
from anonymizer_example.models import BoundedConfidence
from anonymizer_example.recoding import Staircase

assert Requirement((BoundedConfidence("ill"),)).models[0].key == "bounded_confidence"
people = pd.DataFrame({"town": ["Rome", "Rieti", "Oslo", "Odda"] * 3, "ill": ["a", "b", "c"] * 4})
models = [KAnonymity(2), BoundedConfidence("ill", 0.8)]
for recoding in (None, Staircase()):
    released = anonymize(
        people, "town", "ill", models=models, hierarchies={"town": InitialsBuilder(letters=1)},
        recoding=recoding, metric="lost_classes" if recoding is None else "loss", suppression_limit=1,
    )
    assert released.verdict.ok
    assert 'model = "bounded_confidence"' in released.recipe()
    assert 'builder = "initials"' in released.recipe()
assert KAnonymizer(2, models=models[1:], sensitive=["ill"]).fit(people).released_.verdict.ok
from odd import OwnK
try:
    anonymize(people, "town", models=OwnK(2))
except InputError as error:
    print(error)
"""


def test_members_of_plugins_are_given_as_objects(tmp_path: Path) -> None:
    site = tmp_path / "site"
    install_example(site)
    (site / "odd.py").write_text(CODE, "utf-8")
    done = run(site, "-c", OBJECTS)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(
        "The privacy model OwnK is neither part of the program nor offered by a plug-in"
    )
