"""The scikit-learn transformer: scikit-learn's own checks, and what it returns."""

from __future__ import annotations

import pickle
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator

from engine import DistinctLDiversity, KAnonymizer

NOT_APPLICABLE = {
    "check_array_api_input": "arrays of other libraries have no texts",
    "check_pipeline_consistency": "compares results as numbers, and labels are texts",
}
CHECKS = [
    (check.func.__name__, check, estimator)
    for estimator, check in estimator_checks_generator(KAnonymizer(2, suppression_limit=1.0), mark=None)
]


@pytest.mark.parametrize(("name", "check", "estimator"), CHECKS, ids=[name for name, *_rest in CHECKS])
@pytest.mark.filterwarnings("ignore")
def test_the_estimator_passes_the_checks_of_scikit_learn(name, check, estimator) -> None:
    if name in NOT_APPLICABLE:
        with pytest.raises(Exception, match=r"isfinite|SCIPY_ARRAY_API"):
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
