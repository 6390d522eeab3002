"""Arguments of `anonymize` are the declarations of recipes: the recipe of a release makes it again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import engine
from engine import (
    AnyColumns,
    Drop,
    IntervalsBuilder,
    KAnonymity,
    KMap,
    KnownColumns,
    Population,
    PopulationUniqueness,
    Pseudonym,
    Round,
    Star,
    Subset,
    SuppressBuilder,
)
from engine.errors import AnonymizerError
from engine.hierarchies.builders.base import builders
from engine.privacy import privacy_models
from engine.recoding.rules import column_rules

PEOPLE = pd.DataFrame(
    {
        "name": list("abcdefghab"),
        "age": [31, 33, 34, 36, 51, 52, 53, 55, 56, 38],
        "sex": list("ffmmffmmfm"),
        "ill": ["flu", "cold"] * 5,
        "pay": [101, 202, 303, 404, 505, 606, 707, 808, 909, 111],
        "weight": [1, 2] * 5,
    }
)
LIBRARIES: dict[str, Callable[[], Any]] = {
    "pandas": lambda: PEOPLE,
    "polars": lambda: pl.from_pandas(PEOPLE),
    "Arrow": lambda: pa.Table.from_pandas(PEOPLE),
}
SETTINGS: dict[str, dict[str, Any]] = {
    "size of the population": {"population": 1000, "models": PopulationUniqueness(threshold=1)},
    "table of the population": {"population": PEOPLE, "models": [KAnonymity(2), KMap(2)]},
    "sampling fraction": {"population": Population(sampling_fraction=0.1)},
    "subset by a filter": {"subset": "age >= 40"},
    "subset by rows": {"subset": PEOPLE[["name", "age"]].iloc[4:8], "shuffle": True},
    "sample": {"subset": Subset(size=6, seed=2)},
    "weight and household": {"weight": "weight", "household": "name"},
    "persons": {"person": "name", "whole_persons": True, "limit_counts": "persons"},
    "rules": {"rules": {"pay": Round(100), "name": Pseudonym(), "ill": Star()}},
    "dropped column": {"rules": {"pay": Drop()}, "suppressed": "remove"},
    "fixed level": {"levels": {"age": 2}},
    "lowest and highest level": {"levels": {"age": (1, None), "sex": (0, 1)}},
    "attackers": {"models": [KAnonymity(2), KnownColumns(known=("age",), k=3), AnyColumns(m=1, k=2)]},
    "search": {"algorithm": "flash", "weights": {"age": 3.0}, "metric": "discernibility"},
    "output": {"shuffle": True, "seed": 5, "blank_suppressed": True},
    "builders": {"hierarchies": {"age": IntervalsBuilder(width=20), "sex": SuppressBuilder()}},
}


# Every setting has a third of the libraries.
PAIRS = [
    pytest.param(name, library, marks=[pytest.mark.thorough] * ((i + j) % 3 != 0))
    for i, name in enumerate(SETTINGS)
    for j, library in enumerate(LIBRARIES)
]


@pytest.mark.parametrize(("name", "library"), PAIRS)
def test_the_recipe_of_a_release_makes_it_again(name: str, library: str, tmp_path: Path) -> None:
    data, recipe = LIBRARIES[library](), tmp_path / "recipe.toml"
    settings = {"models": KAnonymity(2), "suppression_limit": 0.5} | SETTINGS[name]
    released = engine.anonymize(data, ["age", "sex"], "ill", ["pay", "weight"], **settings)
    released.recipe(recipe, with_table=True)
    again = engine.apply(recipe, data)
    assert type(again.frame) is type(data)
    assert again.frame.equals(released.frame)
    assert again.node == released.node
    for own in (released, again):
        written = tmp_path / "released.csv"
        own.export(written)
        wanted = pd.read_csv(written, dtype=str, keep_default_na=False)
        frame = own.frame if isinstance(own.frame, pd.DataFrame) else pa.table(own.frame).to_pandas()
        pd.testing.assert_frame_equal(frame.astype(str), wanted.astype(frame.astype(str).dtypes.to_dict()))
    assert engine.verify(released.frame, recipe).verified


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"algo": 3}, r"'algo' is not a setting\. Did you mean 'algorithm'"),
        ({"shuffle": 3}, "Shuffle records"),
        ({"weights": {"agee": 3.0}}, r"no column 'agee'"),
        ({"levels": {"sexx": 0}}, r"'sexx' has no hierarchy\. Did you mean 'sex'"),
        ({"levels": {"sex": "high"}}, "levels of 'sex' are not whole numbers"),
        ({"levels": {"sex": (1, 0)}}, "levels 1 to 0"),
        ({"rules": {"pay": "drop"}}, "rule of 'pay' cannot be of type str"),
        ({"rules": {"age": Drop()}}, "'age' has the role"),
        ({"rules": 5}, "'rules' cannot be of type int"),
        ({"levels": 5}, "'levels' cannot be of type int"),
        ({"subset": "agee > 3"}, "agee"),
        ({"subset": 5}, "A int is not a table"),
        ({"population": True}, "A bool is not a table"),
        ({"weight": "sex"}, "'sex'"),
        ({"models": 5}, "5 is not a privacy model"),
        ({"models": KAnonymity}, "KAnonymity is not a privacy model"),
        ({"hierarchies": {"age": len, "sex": "suggest"}}, "hierarchy of 'age'"),
        (
            {"hierarchies": {"age": {"31": "*"}, "sex": "suggest"}},
            "'age' cannot be of type dict",
        ),
    ],
)
def test_a_wrong_argument_is_one_sentence(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(AnonymizerError, match=words):
        engine.anonymize(PEOPLE, ["age", "sex"], "ill", ["pay", "weight"], **settings)


def test_every_model_builder_and_rule_is_a_public_name() -> None:
    for registry in (privacy_models, builders, column_rules):
        for key in registry:
            kind = registry[key]
            if kind.__module__.startswith("engine."):
                assert getattr(engine, kind.__name__) is kind
                assert kind.__name__ in engine.__all__


def test_attackers_are_in_the_search_the_report_and_the_measured_frame(tmp_path: Path) -> None:
    known, models = ["age", "sex"], [KAnonymity(2), KnownColumns(attacker="employer", known=("age",), k=6)]
    alone = engine.anonymize(PEOPLE, known, "ill", models=models[0])
    released = engine.anonymize(PEOPLE, known, "ill", models=[*models, AnyColumns(m=1, k=2)])
    assert alone.node == {"age": 2, "sex": 0}
    assert released.node == {"age": 4, "sex": 0}
    report = json.loads(released.report(tmp_path / "report.json").read_text(encoding="utf-8"))
    (section,) = (own for own in report["sections"] if own["key"] == "attackers")
    rows = [row[:4] for row in section["blocks"][-1]["rows"]]
    assert rows == [["employer", "age", 6, 10], ["any 1 column", "age", 2, 10], ["any 1 column", "sex", 2, 5]]
    measured = engine.check(released.frame, known, known=[["age"]], any_columns=1).attackers
    assert [own.k for own in measured] == [10, 5]
    assert engine.risk(released.frame, "age").prosecutor.highest == 0.1
