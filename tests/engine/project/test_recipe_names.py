"""Further names of tables and keys in recipes mean the models and settings that are declared."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import RecipeError
from engine.privacy.any_columns import AnyColumns
from engine.privacy.differential_privacy import DifferentialPrivacy
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.known_columns import KnownColumns
from engine.privacy.sampling import largest_beta
from engine.project import Project
from engine.project.recipe.files import read_recipe, write_recipe

TABLE = "age,sex,ill\n31,f,flu\n31,f,gout\n52,m,flu\n52,m,cold\n"
RECIPE = """
[data]
path = "t.csv"
[roles]
quasi_identifying = ["age", "sex"]
sensitive = ["ill"]
"""


def project_of(folder: Path, text: str) -> Project:
    (folder / "t.csv").write_text(TABLE)
    recipe = folder / "recipe.toml"
    recipe.write_text(RECIPE + text)
    found = read_recipe(recipe)
    write_recipe(found, folder / "saved.toml")
    again = read_recipe(folder / "saved.toml")
    assert (again.requirement, again.search) == (found.requirement, found.search)
    return found


def test_attackers_are_models_of_known_columns(tmp_path: Path) -> None:
    text = """
[[privacy]]
model = "k_anonymity"
k = 2
[[attackers]]
name = "neighbour"
columns = ["age"]
k = 3
[[attackers]]
columns = ["sex"]
[attackers_any]
columns = 1
k = 2
confidence = 0.5
"""
    assert project_of(tmp_path, text).requirement.models == (
        KAnonymity(2),
        KnownColumns(k=3, attacker="neighbour", known=("age",)),
        KnownColumns(known=("sex",)),
        AnyColumns(m=1, k=2, column="ill", confidence=0.5),
    )


def test_differential_privacy_has_its_own_table_with_the_probability_of_drawing(tmp_path: Path) -> None:
    beta = 0.5 * largest_beta(2.0)
    text = f"[differential_privacy]\nepsilon = 2.0\ndelta = 1e-10\nbeta = {beta!r}\n"
    (model,) = project_of(tmp_path, text).requirement.models
    assert (model.epsilon, model.delta, model.share) == (2.0, 1e-10, 0.5)
    largest = f"[differential_privacy]\nepsilon = 2.0\nbeta = {largest_beta(2.0)!r}\n"
    assert project_of(tmp_path, largest).requirement.models == (DifferentialPrivacy(2.0),)


def test_the_sums_of_the_payout_have_their_own_table(tmp_path: Path) -> None:
    sums = {"benefit": 100.0, "attacker": "journalist"}
    text = "".join(f"{key} = {value!r}\n" for key, value in sums.items())
    search = project_of(tmp_path, f"[search.payout]\n{text}[search.weights]\n'age' = 2.0\n").search
    assert (search.metric, dict(search.metric_options), dict(search.weights)) == (
        "payout",
        sums,
        {"age": 2.0},
    )
    assert project_of(tmp_path, f'[search]\nmetric = "payout"\n{text}').search.metric_options == sums


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[search]\nbenefit = 1.0\n[search.payout]\nbenefit = 2.0\n", "'benefit' is also in"),
        ('[search]\nmetric = "loss"\n[search.payout]\nbenefit = 2.0\n', "unknown key 'benefit'"),
        ("[differential_privacy]\nepsilon = 1.0\nbeta = 0.9\n", "'beta' cannot be 0.9"),
        ("[differential_privacy]\nepsilon = 1.0\nbeta = 0.0\n", "'beta' cannot be 0.0"),
        ("[attackers_any]\ncolumns = 2\nkk = 3\n", "'kk' of privacy model 'any_columns'"),
        ("[attackers]\ncolumns = 2\n", "'attackers' cannot be"),
        ('[[attackers]]\ncolumns = ["zip"]\n', "no column 'zip'"),
    ],
)
def test_what_they_cannot_mean_is_refused(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(RecipeError) as refusal:
        project_of(tmp_path, text)
    assert told in refusal.value.problem
