"""From a DataFrame to a verified one: the public names of `engine`, and what they return."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import engine
from engine import (
    AnonymizerError,
    Hierarchy,
    KAnonymity,
    anonymize,
    check,
    suggest_hierarchies,
    suggest_roles,
)
from engine.cli import main
from engine.errors import InputError, RequirementNotMetError
from engine.hierarchies.builders.intervals import IntervalsBuilder
from engine.project.recipe.files import read_recipe

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def people() -> pd.DataFrame:
    """Eight people, in an index of their own."""
    return pd.DataFrame(
        {
            "name": list("abcdefgh"),
            "age": [31, 33, 35, 36, 52, 55, 57, 70],
            "sex": pd.Categorical(["f", "f", "m", "m", "f", "f", "m", "m"]),
            "illness": ["flu", "cold", "flu", None, "flu", "cold", "gout", "flu"],
            "income": pd.array([1, 2, None, 4, 5, 6, 7, 8], dtype="Int64"),
        },
        index=pd.Index([10, 20, 30, 40, 50, 60, 70, 80], name="case"),
    )


def test_order_types_and_missing_values_are_kept(people: pd.DataFrame) -> None:
    before = people.copy(deep=True)
    released = anonymize(
        people, ["age", "sex"], "illness", "income", models=KAnonymity(2), suppression_limit=0.3,
        hierarchies={"age": IntervalsBuilder(width=20, origin=20), "sex": "suggest"}, node=(1, 0),
    )  # fmt: skip
    frame = released.frame
    pd.testing.assert_frame_equal(people, before)
    pd.testing.assert_index_equal(frame.index, pd.RangeIndex(8))
    pd.testing.assert_series_equal(frame["illness"], people["illness"].reset_index(drop=True))
    pd.testing.assert_series_equal(frame["income"], people["income"].reset_index(drop=True))
    assert frame["name"].tolist() == ["*"] * 8
    n_stars = released.scores["suppressed"]
    assert n_stars == (frame["age"] == "*").sum() > 0
    assert isinstance(frame["sex"].dtype, pd.CategoricalDtype)
    assert set(frame["sex"].cat.categories) == {"f", "m", "*"}
    assert (frame.loc[frame["age"] == "*", "sex"] == "*").all()


def test_unchanged_columns_keep_their_categories(people: pd.DataFrame) -> None:
    node = {"sex": 0, "age": 4}
    released = anonymize(people, ["age", "sex"], models=KAnonymity(2), node=node, keep_index=True)
    pd.testing.assert_series_equal(released.frame["sex"], people["sex"])


def test_removed_records_leave_the_others_in_place(people: pd.DataFrame) -> None:
    released = anonymize(
        people, ["age", "sex"], models=KAnonymity(2), suppression_limit=0.5, suppressed="remove",
        hierarchies={"age": IntervalsBuilder(width=20, origin=20), "sex": "suggest"}, node=(1, 0),
        keep_index=True,
    )  # fmt: skip
    assert len(released.frame) == 8 - released.scores["suppressed"] < 8
    assert list(released.frame.index) == [case for case in people.index if case in released.frame.index]
    assert "*" not in released.frame["age"].tolist()


def test_hierarchies_are_values_builders_rows_and_files(people: pd.DataFrame, tmp_path: Path) -> None:
    rows = [[str(age), f"{age // 10}0s", "*"] for age in people["age"]]
    path = tmp_path / "age.csv"
    path.write_text("".join(f"{';'.join(row)}\n" for row in rows), encoding="utf-8")
    texts = {"a": [row[0] for row in rows], "b": [row[1] for row in rows], "c": ["*"] * len(rows)}
    frames = (pd.DataFrame(rows), pl.DataFrame(texts), pa.table(texts), pa.table(texts).to_reader())
    numbers = pd.DataFrame(texts).astype({"a": float})
    for given in (rows, np.array(rows), Hierarchy.from_rows(rows), path, str(path), numbers, *frames):
        released = anonymize(people, "age", models=KAnonymity(1), hierarchies={"age": given}, node=[1])
        assert released.frame["age"].tolist() == ["30s"] * 4 + ["50s"] * 3 + ["70s"]


def test_levels_may_vary_by_record(people: pd.DataFrame) -> None:
    released = anonymize(people, ["age", "sex"], models=KAnonymity(2), recoding="mondrian")
    assert released.node is None
    assert released.verdict.ok
    assert engine.check(released.frame, ["age", "sex"], leave_out_suppressed=True).k >= 2
    assert "levels vary by record" in repr(released)


def test_people_with_several_records_are_counted_once(people: pd.DataFrame) -> None:
    visits = people.assign(name=list("aabbccdd"))
    released = anonymize(visits, "age", models=KAnonymity(2), person="name", suppression_limit=1)
    assert released.scores["persons"]["persons"] == 4


def test_the_lattice_has_the_numbers_of_the_command(examples: Path, tmp_path: Path) -> None:
    recipe = examples / "hospital" / "recipe.toml"
    assert main(["lattice", str(recipe), "--out", str(tmp_path / "nodes.csv"), "--quiet"]) == 0
    project = read_recipe(recipe)
    hospital = pd.read_csv(examples / "hospital" / "hospital.csv")
    released = anonymize(
        hospital, ["age", "gender", "city"], ["religion", "disease"],
        models=project.requirement.models, suppression_limit=0.1,
        hierarchies={name: entry.hierarchy for name, entry in project.hierarchies.items()},
    )  # fmt: skip
    found = released.lattice()
    found.to_csv(tmp_path / "own.csv", index=False)
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "own.csv"), pd.read_csv(tmp_path / "nodes.csv"))
    best = found[found["satisfies"]].sort_values("loss").iloc[0]
    assert released.node == {name: best[f"level.{name}"] for name in ("age", "gender", "city")}


def test_a_recipe_can_be_run_by_the_command(people: pd.DataFrame, tmp_path: Path) -> None:
    released = anonymize(people, ["age", "sex"], "illness", "income", models=KAnonymity(2))
    text = released.recipe(tmp_path / "recipe.toml", with_table=True)
    assert 'model = "k_anonymity"' in text
    out = tmp_path / "released.csv"
    assert main(["anonymize", str(tmp_path / "recipe.toml"), "--out", str(out), "--quiet"]) == 0
    assert out.read_text(encoding="utf-8") == released.frame.to_csv(index=False, lineterminator="\n")
    assert main(["verify", str(out), "--recipe", str(tmp_path / "recipe.toml"), "--quiet"]) == 0
    assert released.recipe() != ""
    anonymize(people, "age", models=KAnonymity(2)).recipe(tmp_path / "without.toml")
    assert not (tmp_path / "without-files" / "data.csv").exists()


def test_a_release_is_reported_and_exported(people: pd.DataFrame, tmp_path: Path) -> None:
    released = anonymize(people, ["age", "sex"], "illness", models=KAnonymity(2))
    assert "<html" in released.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert released.export(tmp_path / "released.parquet").ok
    assert list(pd.read_parquet(tmp_path / "released.parquet").columns) == list(people.columns)


def test_a_notebook_shows_values_and_the_lattice_with_escaped_names(people: pd.DataFrame) -> None:
    frame = people.rename(columns={"sex": "<b>sex</b>"})
    html = anonymize(frame, ["age", "<b>sex</b>"], models=KAnonymity(2))._repr_html_()
    assert html.startswith("<table>")
    assert html.count("<svg") == 1
    assert "satisfies" in html
    assert "<b>sex</b>" not in html
    assert "&lt;b&gt;sex&lt;/b&gt;" in html


def test_results_of_measuring_show_their_values_in_a_notebook(people: pd.DataFrame) -> None:
    known = ["age", "sex"]
    checked, at_risk = engine.check(people, known, "illness"), engine.risk(people, known)
    lost = engine.utility(people, people, known, "illness")
    found, study = engine.detect(people), engine.singletons(people, known)
    for result, shown in (
        (checked, "t_closeness.t"), (at_risk, "prosecutor.highest"), (lost, "classification.illness"),
        (found, "identifiers"), (study, "best.scope"),
    ):  # fmt: skip
        assert f">{shown}<" in result._repr_html_()


def test_suggestions_for_a_frame_can_be_used(people: pd.DataFrame) -> None:
    roles = {suggestion.column: suggestion.role.value for suggestion in suggest_roles(people)}
    assert roles["age"] == "quasi-identifying"
    found = suggest_hierarchies(people, ["age", "sex"])
    assert list(found) == ["age", "sex"]
    released = anonymize(people, ["age", "sex"], models=KAnonymity(2), hierarchies=found)
    assert released.verdict.ok


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"quasi_identifying": "agee"}, "Did you mean 'age'?"),
        ({"sensitive": "age"}, "'age' is listed twice"),
        ({"hierarchies": {}}, "'age' has no hierarchy"),
        ({"hierarchies": {"agee": "suggest"}}, "Did you mean 'age'?"),
        ({"hierarchies": "guess"}, "cannot be 'guess'"),
        ({"node": [1, 2]}, "a level for each quasi-identifying column"),
        ({"person": "sex"}, "identifying"),
        ({"models": []}, "No privacy model was given"),
        ({"models": [5]}, "5 is not a privacy model"),
        ({"models": 5}, "5 is not a privacy model"),
        ({"models": KAnonymity}, "KAnonymity is not a privacy model. Give models such as KAnonymity(5)."),
        ({"models": "k_anonymity"}, "str is not a privacy model"),
        ({"models": None}, "NoneType is not a privacy model"),
        ({"models": {"k": 5}}, "dict is not a privacy model"),
        ({"quasi_identifying": 5}, "5 is not the name of a column"),
        ({"insensitive": [["sex"]]}, "list is not the name of a column"),
        ({"hierarchies": {"age": {31: ["*"]}}}, "The hierarchy of 'age' cannot be of type dict"),
        ({"hierarchies": {"age": str}}, "The hierarchy of 'age' cannot be of type type"),
        ({"hierarchies": {"age": lambda age: "*"}}, "The hierarchy of 'age' cannot be of type function"),
        ({"hierarchies": {"age": ["31", "*"]}}, "The hierarchy of 'age' cannot be of type list"),
        ({"hierarchies": 5}, "cannot be 5"),
        ({"node": 1.5}, "a level for each quasi-identifying column"),
        ({"node": {"age": "1"}}, "a level for each quasi-identifying column"),
        ({"recoding": "mondria"}, "Did you mean 'mondrian'?"),
        ({"metric": "los"}, "Did you mean 'loss'?"),
        ({"suppressed": "gone"}, "star"),
        ({"suppression_limit": 3}, "a fraction from 0 to 1"),
    ],
)
def test_wrong_settings_are_refused_with_words(
    people: pd.DataFrame, settings: dict[str, object], words: str
) -> None:
    given = {"quasi_identifying": "age", "insensitive": "sex", **settings}
    with pytest.raises(InputError) as raised:
        anonymize(people, **given)
    assert words in str(raised.value)


def test_a_requirement_that_cannot_be_met_is_an_error(people: pd.DataFrame) -> None:
    with pytest.raises(RequirementNotMetError):
        anonymize(people, "age", models=KAnonymity(9))
    assert issubclass(RequirementNotMetError, AnonymizerError)


def test_the_public_page_imports_nothing_until_a_name_is_used() -> None:
    code = "import sys; before = set(sys.modules); import engine; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "engine" in done.stdout.split()
    assert not set(done.stdout.split()) & {"numpy", "pandas", "engine.python", "engine.privacy", "sklearn"}


def test_every_public_name_is_there() -> None:
    for name in engine.__all__:
        assert callable(getattr(engine, name)), name
    with pytest.raises(AttributeError):
        _ = engine.no_such_name  # type: ignore[attr-defined]
    assert set(engine.__all__) == {name for name in dir(engine) if not name.startswith("__")}


def test_what_is_not_the_name_of_a_column_is_refused_with_words(people: pd.DataFrame) -> None:
    for call in (
        lambda: engine.check(people, 5),
        lambda: engine.risk(people, ["age", None]),
        lambda: engine.detect(people, 5),
        lambda: engine.singletons(people, [["age"]]),
        lambda: suggest_hierarchies(people, 5),
        lambda: engine.utility(people, people, "age", len),
    ):
        with pytest.raises(InputError, match=r"(5|NoneType|list|len) is not the name of a column"):
            call()


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_blank_rows_have_stars_in_texts_and_no_value_in_numbers_and_dates(library: str) -> None:
    days = pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04", "2024-01-05"])
    frame = pd.DataFrame({"town": list("aaaab"), "ill": list("xyxyz"), "pay": [1, 2, 3, 4, 5], "day": days})
    given: Any = frame
    if library == "polars":
        given = pl.from_pandas(frame)
    elif library == "arrow":
        given = pa.Table.from_pandas(frame)
    released = anonymize(
        given, "town", "ill", ["pay", "day"], models=KAnonymity(2), node=[0], suppression_limit=0.2
    )
    assert released.scores["group"]["cells"] == "blank"
    found = released.frame
    found = found if library == "pandas" else found.to_pandas()
    assert found.loc[4, ["town", "ill"]].tolist() == ["*", "*"]
    assert found.loc[4, ["pay", "day"]].isna().all()
    assert found["pay"].tolist()[:4] == [1, 2, 3, 4]
    assert pd.api.types.is_datetime64_any_dtype(found["day"])
    assert check(released.frame, "town", "ill").blank_rows == 1
