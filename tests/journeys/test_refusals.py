"""Unreachable settings are refused before any work, with one message that names the fix."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.cli import main
from engine.search import search_algorithms
from tests.huge import write_huge_recipe

TABLE = "age,sex,illness\n31,f,flu\n32,f,cold\n35,m,flu\n36,m,flu\n58,f,cold\n71,m,gout\n"
RECIPE = """\
format = 1
[data]
path = "people.csv"
[roles]
quasi_identifying = ["sex", "age"]
sensitive = ["illness"]
[hierarchies."sex"]
builder = "suppress"
[hierarchies."age"]
path = "age.csv"
[[privacy]]
model = "k_anonymity"
k = 2
[transformation]
suppression_limit = 0.1
"""
AGES = "31;30s;*\n32;30s;*\n35;30s;*\n36;30s;*\n58;50s;*\n71;70s;*\n"
AGE = '[hierarchies."age"]\npath = "age.csv"\n'
L_DIVERSITY = '[[privacy]]\nmodel = "distinct_l_diversity"\ncolumn = "illness"\nl = 4\n'
T_CLOSENESS = '[[privacy]]\nmodel = "t_closeness"\ncolumn = "illness"\nt = 0.2\n'


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "age.csv").write_text(AGES, encoding="utf-8")
    path = tmp_path / "people.toml"
    path.write_text(RECIPE, encoding="utf-8")
    return path


def refused(
    recipe: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> tuple[int, str]:
    """Run a recipe without permitting any work; return the exit code and the message."""
    monkeypatch.setattr("engine.pipeline.making.search", None)
    monkeypatch.setattr("engine.pipeline.making.recode", None)
    out = recipe.with_name("out.csv")
    code = main(["anonymize", str(recipe), "--out", str(out), "--summary", str(out.with_suffix(".json"))])
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("Error: ") == 1
    assert "Traceback" not in printed.err
    assert not out.exists()
    assert not out.with_suffix(".json").exists()
    return code, " ".join(printed.err.split())


@pytest.mark.parametrize(
    ("old", "new", "problem", "mended"),
    [
        ("k = 2", "k = 7", "A table of 6 records cannot meet k = 7.", "Choose a k of at most 6."),
        (
            "[transformation]",
            L_DIVERSITY + "[transformation]",
            "l = 4 cannot be met: 'illness' has 3 values",
            "Choose an l of at most 3.",
        ),
        (
            'model = "k_anonymity"\nk = 2',
            'model = "alpha_k_anonymity"\ncolumn = "illness"\nalpha = 0.3\nk = 2',
            "alpha = 0.3 cannot be met: 'illness' has 3 values",
            "Choose an alpha of at least 1/3.",
        ),
        (
            'model = "k_anonymity"\nk = 2',
            'model = "highest_risk"\nthreshold = 0.1',
            "A highest risk of 0.1 needs classes of 10 records; the table has 6.",
            "Choose a higher threshold.",
        ),
        (
            AGE,
            "",
            "On the highest allowed levels, 6 of 6 records are in classes that do not meet k-anonymity; "
            "the limit allows 0.",
            "'age' has no hierarchy and cannot be generalized. Add one",
        ),
        (
            AGE,
            AGE + "max_level = 1\n",
            "2 of 6 records are in classes that do not meet k-anonymity",
            "Allow higher levels of age (max_level).",
        ),
    ],
)
def test_an_unreachable_requirement_ends_with_1_before_any_search(
    recipe: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    old: str,
    new: str,
    problem: str,
    mended: str,
) -> None:
    recipe.write_text(RECIPE.replace(old, new), encoding="utf-8")
    code, said = refused(recipe, capsys, monkeypatch)
    assert code == 1
    assert problem in said
    assert mended in said


def test_a_hierarchy_that_ends_in_several_values_is_named(
    recipe: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (recipe.parent / "age.csv").write_text(AGES.replace(";*", ""), encoding="utf-8")
    code, said = refused(recipe, capsys, monkeypatch)
    assert code == 1
    assert "End the hierarchy of age with one label, such as *" in said


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("k = 2", "k = 0", "It must be a whole number from 1 to"),
        (
            "[transformation]",
            T_CLOSENESS.replace("0.2", "-1") + "[transformation]",
            "It must be a number from 0",
        ),
        (
            "[transformation]",
            T_CLOSENESS + 'distance = "ordered"\n[transformation]',
            "is text, which has no order. Use the equal distance.",
        ),
        (
            "[transformation]",
            T_CLOSENESS.replace('"illness"', '"sex"') + "[transformation]",
            "'sex' is not a sensitive column. Known: illness.",
        ),
        ("= 0.1", "= 1.5", "a fraction"),
        ("= 0.1", '= 0.1\n[search]\nalgorithm = "datafli"', "Did you mean 'datafly'?"),
        ("= 0.1", '= 0.1\n[search]\nalgorithm = "genetic"\npopulation = 2', "whole number from 4 to"),
        ("= 0.1", '= 0.1\n[search]\nalgorithm = "genetic"\npopulatoin = 20', "'population'"),
        ("= 0.1", '= 0.1\n[search]\nmetric = "classification"\nsteps = -1', "steps"),
    ],
)
def test_settings_that_mean_nothing_end_with_2_before_any_search(
    recipe: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    old: str,
    new: str,
    message: str,
) -> None:
    recipe.write_text(RECIPE.replace(old, new), encoding="utf-8")
    code, said = refused(recipe, capsys, monkeypatch)
    assert (code, message in said) == (2, True), said


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_an_empty_hierarchy_is_reported_with_its_remedy(
    recipe: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    (recipe.parent / "age.csv").write_text(text, encoding="utf-8")
    code, said = refused(recipe, capsys, monkeypatch)
    assert code == 2
    assert "'age.csv' is empty. A hierarchy needs one line per value" in said


SETTLING = [key for key, kind in search_algorithms.items() if kind.settles_all]


@pytest.mark.parametrize("algorithm", SETTLING)
def test_an_algorithm_that_settles_every_node_is_refused_for_a_huge_lattice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], algorithm: str
) -> None:
    recipe = write_huge_recipe(tmp_path, f'algorithm = "{algorithm}"')
    out = tmp_path / "out.csv"
    assert main(["anonymize", str(recipe), "--out", str(out)]) == 2
    said = capsys.readouterr().err
    assert "1\u202f000\u202f000\u202f000\u202f000 nodes" in said
    assert "best_first" in said
    assert not out.exists()


@pytest.mark.parametrize("algorithm", [key for key in search_algorithms if key not in SETTLING])
def test_algorithms_that_settle_nothing_release_a_node_of_a_huge_lattice(
    tmp_path: Path, algorithm: str
) -> None:
    recipe = write_huge_recipe(tmp_path, f'algorithm = "{algorithm}"\nsteps = 300')
    assert main(["anonymize", str(recipe), "--out", str(tmp_path / "out.csv"), "--quiet"]) == 0


def test_a_column_without_hierarchy_is_released_if_the_requirement_allows_it(recipe: Path) -> None:
    text = RECIPE.replace('[hierarchies."sex"]\nbuilder = "suppress"\n', "")
    recipe.write_text(text, encoding="utf-8")
    out = recipe.with_name("out.csv")
    assert main(["anonymize", str(recipe), "--out", str(out), "--quiet"]) == 0
    assert out.read_text(encoding="utf-8").splitlines()[1] == "*,f,flu"


def test_if_all_records_may_be_suppressed_every_requirement_is_reachable(recipe: Path) -> None:
    recipe.write_text(RECIPE.replace("k = 2", "k = 7").replace("= 0.1", "= 1.0"), encoding="utf-8")
    assert main(["anonymize", str(recipe), "--out", str(recipe.with_name("out.csv")), "--quiet"]) == 0


def test_a_search_without_a_result_suggests_how_to_continue(
    recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    search = '[search]\nalgorithm = "datafly"\n'
    recipe.write_text(RECIPE + search + "steps = 1\n", encoding="utf-8")
    words = ["anonymize", str(recipe), "--out", str(recipe.with_name("out.csv"))]
    assert main(words) == 1
    assert "Raise the limit of steps or seconds of the search" in " ".join(capsys.readouterr().err.split())
