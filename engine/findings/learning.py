"""Training of classifiers in a subprocess, since fitting cannot be interrupted; arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.kernels.arrays import BoolArray, Codes, FloatArray, IntArray
from engine.monitor import Monitor
from engine.words import _

SIDES = ("original", "released")
N_BINS = 10  # bins of numbers for classifiers of categories
N_TREES = 50
SMALLEST_LEAF = 5  # records
MOST_STEPS = 1000


@dataclass(frozen=True, eq=False)
class Records:
    """Features and classes of records for a classifier.

    Attributes
    ----------
    numbers : ndarray of float64, shape (n_records, n_numbers)
        Numeric features; nan if unknown.
    codes : ndarray of int32, shape (n_records, n_categorical)
    spans : ndarray of int64, shape (n_categorical,)
        Number of categories of each feature.
    keys : ndarray of int64, shape (n_records,)
        Equal for records with equal features.
    teaches : ndarray of bool, shape (n_records,)
        Whether each record may be used for training.
    is_blank : ndarray of bool, shape (n_records,)
        Whether a record has no known feature: its class probabilities are those of the training records.
    target : ndarray of int64, shape (n_records,)
        Class of each record.
    """

    numbers: FloatArray
    codes: Codes
    spans: IntArray
    keys: IntArray
    teaches: BoolArray
    is_blank: BoolArray
    target: IntArray

    def save(self, folder: Path, name: str) -> None:
        """Write the arrays into a folder."""
        for part in self.__dataclass_fields__:
            np.save(folder / f"{name}_{part}.npy", getattr(self, part), allow_pickle=False)

    @classmethod
    def load(cls, folder: Path, name: str) -> Records:
        """Read the arrays from a folder."""
        parts = (
            np.load(folder / f"{name}_{part}.npy", allow_pickle=False) for part in cls.__dataclass_fields__
        )
        return cls(*parts)


def work(request: Mapping[str, Any], folder: Path, monitor: Monitor) -> None:
    """Predict every record by a classifier trained on other folds; see `engine.subprocess_job`.

    Parameters
    ----------
    request : mapping
        "data", the folder with `Records` of both `SIDES` and "folds.npy", the fold of each record;
        "classifier", "n_folds", "n_classes" and "seed".
    folder : Path
        Folder for the probability of every class per record, shape (n_records, n_classes), written as
        "original.npy" and "released.npy".
    """
    data, n_folds, n_classes = Path(request["data"]), request["n_folds"], request["n_classes"]
    folds = np.load(data / "folds.npy", allow_pickle=False)
    predict = CLASSIFIERS[request["classifier"]]
    for side, name in enumerate(SIDES):
        records = Records.load(data, name)
        found = np.zeros((len(folds), n_classes))
        for fold in range(n_folds):
            text = _("Training on {name} records, part {fold} of {n_folds}").format(
                name=name, fold=fold + 1, n_folds=n_folds
            )
            monitor.step(side * n_folds + fold, len(SIDES) * n_folds, text)
            train, test = np.flatnonzero(records.teaches & (folds != fold)), np.flatnonzero(folds == fold)
            counts = np.bincount(records.target[train], minlength=n_classes)
            found[test] = counts / len(train) if len(train) else 1 / n_classes
            with_values = test[~records.is_blank[test]]
            if np.count_nonzero(counts) > 1 and len(with_values):
                found[with_values] = predict(records, train, with_values, n_classes, request["seed"] + fold)
        np.save(folder / f"{name}.npy", found, allow_pickle=False)


def logistic_regression(
    records: Records, train: IntArray, test: IntArray, n_classes: int, seed: int
) -> FloatArray:
    """Multinomial logistic regression, L2 penalty 1, on standardized numbers and one column per category.

    Equal records are used once with their number as weight, which gives the same model.
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import OneHotEncoder

    rows, weights = _distinct(records, train, n_classes)
    numbers = _standardized(records, train)
    n_numbers = numbers.shape[1]
    encoder = ColumnTransformer(
        [
            ("numbers", "passthrough", list(range(n_numbers))),
            (
                "categories",
                OneHotEncoder(
                    categories=[np.arange(span) for span in records.spans], handle_unknown="ignore"
                ),
                list(range(n_numbers, n_numbers + len(records.spans))),
            ),
        ],
        sparse_threshold=1.0,
    )
    table = np.column_stack((numbers, records.codes.astype(np.float64)))
    encoder.fit(table[rows])
    model = LogisticRegression(max_iter=MOST_STEPS)
    model.fit(encoder.transform(table[rows]), records.target[rows], sample_weight=weights)
    return _predicted(records, test, n_classes, model, lambda some: encoder.transform(table[some]))


def naive_bayes(records: Records, train: IntArray, test: IntArray, n_classes: int, seed: int) -> FloatArray:
    """Naive Bayes of categories with Laplace's correction; numbers are binned by quantiles."""
    from sklearn.naive_bayes import CategoricalNB

    rows, weights = _distinct(records, train, n_classes)
    columns = [_binned(records.numbers[:, i], train) for i in range(records.numbers.shape[1])]
    table = np.column_stack([*columns, records.codes]).astype(np.int64)
    spans = [*[N_BINS + 1] * len(columns), *records.spans.tolist()]
    model = CategoricalNB(min_categories=spans)
    model.fit(table[rows], records.target[rows], sample_weight=weights)
    return _predicted(records, test, n_classes, model, lambda some: table[some])


def random_forest(records: Records, train: IntArray, test: IntArray, n_classes: int, seed: int) -> FloatArray:
    """Forest of 50 trees with leaves of at least 5 records; categories by their position on the axis."""
    from sklearn.ensemble import RandomForestClassifier

    lowest = np.fmin.reduce(records.numbers, axis=0, initial=0.0) - 1
    numbers = np.where(np.isnan(records.numbers), lowest, records.numbers)
    table = np.column_stack((numbers, records.codes)).astype(np.float32)
    # One thread: scikit-learn resets the process's filters of warnings in every thread of a forest, and the
    # threads race for them. One thread also sums the votes in a fixed order.
    model = RandomForestClassifier(N_TREES, min_samples_leaf=SMALLEST_LEAF, random_state=seed, n_jobs=1)
    model.fit(table[train], records.target[train])
    return _predicted(records, test, n_classes, model, lambda some: table[some])


CLASSIFIERS: dict[str, Callable[[Records, IntArray, IntArray, int, int], FloatArray]] = {
    "logistic_regression": logistic_regression,
    "naive_bayes": naive_bayes,
    "random_forest": random_forest,
}


def _distinct(records: Records, train: IntArray, n_classes: int) -> tuple[IntArray, FloatArray]:
    """Return the distinct records by features and target, and their counts."""
    keys = records.keys[train] * n_classes + records.target[train]
    _unused, first, counts = np.unique(keys, return_index=True, return_counts=True)
    return train[first], counts.astype(np.float64)


def _standardized(records: Records, train: IntArray) -> FloatArray:
    """Return numbers with mean 0 and deviation 1 over the training records; unknown ones are the mean.

    An additional column marks unknown numbers, if some training record has one.
    """
    columns = []
    for numbers in records.numbers.T:
        known = numbers[train][~np.isnan(numbers[train])]
        mean, deviation = (known.mean(), known.std()) if len(known) else (0.0, 1.0)
        columns.append(np.where(np.isnan(numbers), 0.0, (numbers - mean) / (deviation or 1.0)))
        if len(known) < len(train):
            columns.append(np.isnan(numbers).astype(np.float64))
    return np.column_stack(columns) if columns else np.zeros((len(records.keys), 0))


def _binned(numbers: FloatArray, train: IntArray) -> IntArray:
    """Return bins between the deciles of the training records; the last is for unknown numbers."""
    known = numbers[train][~np.isnan(numbers[train])]
    edges = np.unique(np.quantile(known, np.arange(1, N_BINS) / N_BINS)) if len(known) else np.zeros(0)
    bins = np.searchsorted(edges, np.nan_to_num(numbers), side="left")
    return np.where(np.isnan(numbers), N_BINS, bins).astype(np.int64)


def _predicted(
    records: Records, test: IntArray, n_classes: int, model: Any, encode: Callable[[IntArray], Any]
) -> FloatArray:
    """Return the probabilities of every class; equal records are predicted once."""
    _unused, first, which = np.unique(records.keys[test], return_index=True, return_inverse=True)
    found = np.zeros((len(test), n_classes))
    found[:, model.classes_] = model.predict_proba(encode(test[first]))[which]
    return found
