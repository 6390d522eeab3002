"""Every privacy model is restored unchanged from a recipe and from a project file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.params import describe
from engine.privacy import PrivacyModel, Requirement, privacy_models
from engine.project import Project
from engine.project.pins_and_runs import ProjectState
from engine.project.recipe.files import read_recipe, write_recipe
from engine.project.storage.file import open_project, save_project
from tests.contracts.uncommon import uncommon

of_every_model = pytest.mark.parametrize("kind", list(privacy_models.values()), ids=list(privacy_models))
RECIPE = """\
format = 1
[data]
path = "people.csv"
[roles]
quasi_identifying = ["zip"]
sensitive = ["disease"]
"""


def members(kind: type[PrivacyModel]) -> list[PrivacyModel]:
    """Return the model with its defaults, with all of them changed, and with one changed at a time."""
    changed = uncommon(kind)
    column = {name: value for name, value in changed.items() if name == "column"}
    alone = [kind(**column | {name: value}) for name, value in changed.items()]
    return [kind(**column), kind(**changed), *alone]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "people.csv").write_text("zip,disease\n01067,flu\n01069,cold\n", encoding="utf-8")
    (tmp_path / "people.toml").write_text(RECIPE, encoding="utf-8")
    return read_recipe(tmp_path / "people.toml")


@of_every_model
def test_every_parameter_of_a_model_has_another_value_to_try(kind: type[PrivacyModel]) -> None:
    assert set(uncommon(kind)) == {descriptor.name for descriptor in describe(kind)}
    assert all(getattr(kind(), name) != value for name, value in uncommon(kind).items())


@of_every_model
def test_a_model_is_restored_from_recipe_and_project_file(
    kind: type[PrivacyModel], project: Project, tmp_path: Path
) -> None:
    for model in members(kind):
        write_recipe(replace(project, requirement=Requirement((model,), 0.29)), tmp_path / "again.toml")
        assert read_recipe(tmp_path / "again.toml").requirement == Requirement((model,), 0.29)
    requirement = Requirement(tuple(members(kind)), 0.29)
    save_project(replace(project, requirement=requirement), tmp_path / "people.anon", ProjectState())
    assert open_project(tmp_path / "people.anon")[0].requirement == requirement
