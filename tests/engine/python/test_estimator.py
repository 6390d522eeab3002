"""The scikit-learn transformer: scikit-learn's own checks, and what it returns."""

from __future__ import annotations

import pickle
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.estimator_checks import estimator_checks_generator

from engine import DistinctLDiversity, KAnonymizer, LevelTransformer

NOT_APPLICABLE = {
    "check_array_api_input": "arrays of other libraries have no texts",
    "check_pipeline_consistency": "compares results as numbers, and labels are texts",
}
COMPARES_NUMBERS = {  # of transformers, and labels are texts
    "check_estimators_pickle",
    "check_transformer_data_not_an_array",
    "check_transformer_general",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_fit_idempotent",
}
CHECKS = [
    (check.func.__name__, check, estimator)
    for kind in (KAnonymizer, LevelTransformer)
    for estimator, check in estimator_checks_generator(kind(2, suppression_limit=1.0), mark=None)
]


@pytest.mark.parametrize(("name", "check", "estimator"), CHECKS, ids=[name for name, *_rest in CHECKS])
@pytest.mark.filterwarnings("ignore")
def test_the_estimator_passes_the_checks_of_scikit_learn(name, check, estimator) -> None:
    is_transformer = isinstance(estimator, LevelTransformer)
    if name in NOT_APPLICABLE or (is_transformer and name in COMPARES_NUMBERS):
        with pytest.raises(Exception, match=r"isfinite|SCIPY_ARRAY_API|'str' and 'str'"):
            check(estimator)
    else:
        check(estimator)


@pytest.fixture
def people() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": [31, 33, 35, 36, 52, 55],
            "sex": ["f", "f", "m", "m", "f", "f"],
            "illness": ["flu", "cold", "flu", "cold", "flu", "cold"],
        }
    )


def test_a_frame_is_anonymized_with_all_its_records(people: pd.DataFrame) -> None:
    model = KAnonymizer(2, models=[DistinctLDiversity("illness", 2)], sensitive=["illness"])
    found = model.fit_transform(people)
    assert list(found.columns) == list(model.feature_names_in_) == list(people.columns)
    assert len(found) == len(people)
    assert min(Counter(zip(found["age"], found["sex"], strict=True)).values()) >= 2
    assert model.released_.verdict.ok
    assert found.equals(make_pipeline(clone(model)).fit_transform(people))


def test_an_array_becomes_an_array_of_labels() -> None:
    found = KAnonymizer(2).fit_transform(np.array([[1, 10], [1, 11], [2, 10], [2, 11]]))
    assert found.dtype == object
    assert min(Counter(map(tuple, found.tolist())).values()) >= 2


def test_there_is_no_transform_of_new_records() -> None:
    assert not hasattr(KAnonymizer(), "transform")


def test_what_cannot_be_anonymized_is_a_value_error(people: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="records"):
        KAnonymizer(7).fit(people)


def test_the_original_table_is_not_stored_with_the_transformer(people: pd.DataFrame) -> None:
    stored = pickle.dumps(KAnonymizer(2).fit(people))
    assert b"cold" not in stored
    assert pickle.loads(stored).k == 2


NEW = {"age": [31, 55, 90], "sex": ["f", "x", "m"], "illness": ["gout", "flu", "flu"]}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "Arrow"])
def test_new_rows_get_the_labels_of_the_learned_levels(people: pd.DataFrame, make) -> None:
    learned = LevelTransformer(2, sensitive=["illness"], hierarchies={
        "age": [[str(age), f"{age // 10}0s", "*"] for age in people["age"]],
        "sex": [["f", "*"], ["m", "*"]],
    }).fit(make(people.to_dict("list")))  # fmt: skip
    assert learned.levels_ == {"age": 1, "sex": 0}
    learned = pickle.loads(pickle.dumps(learned))
    data = make(NEW)
    found = learned.transform(data)
    assert type(found) is type(data)
    cells = {name: list(found[name].to_pylist() if make is pa.table else found[name]) for name in NEW}
    assert cells == {"age": ["30s", "50s", "*"], "sex": ["f", "*", "m"], "illness": ["gout", "flu", "flu"]}
    assert list(learned.get_feature_names_out()) == list(NEW)


def test_levels_are_a_step_before_a_model(people: pd.DataFrame) -> None:
    step = LevelTransformer(2, insensitive=["illness"]).set_output(transform="pandas")
    encoded = make_pipeline(clone(step), OneHotEncoder()).fit(people)
    assert encoded.transform(people).shape[0] == len(people)
    parts = ColumnTransformer([("levels", LevelTransformer(2), ["age", "sex"])], remainder="passthrough")
    assert list(parts.fit(people).get_feature_names_out()) == [
        "levels__age",
        "levels__sex",
        "remainder__illness",
    ]
    assert len(parts.transform(people.head(1))) == 1
    with pytest.raises(ValueError, match="vary by record"):
        LevelTransformer(2, recoding="mondrian").fit(people)
    with pytest.raises(ValueError, match="feature names"):
        step.fit(people).transform(people.rename(columns={"age": "years"}))
