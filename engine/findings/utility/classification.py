"""Predictive accuracy of a release: a column predicted from others, before and after."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

import numpy as np

from engine.errors import InputError, TableError
from engine.findings.base import Analysis, utility_analyses
from engine.findings.blocks import (
    SHARE,
    Block,
    Chart,
    Figure,
    FigureColumn,
    FigureTable,
    Findings,
    Paragraph,
    Series,
    Statement,
    as_column,
    columns_of,
    figure_row,
    row_of,
)
from engine.findings.cells import ReleasedCells
from engine.findings.common_labels import CommonLabels, common_labels
from engine.findings.learning import SIDES, Records
from engine.findings.sample import Sample, sampled
from engine.findings.subject import Subject
from engine.kernels.arrays import BoolArray, FloatArray, IntArray
from engine.kernels.grouping import class_labels
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count, as_percent
from engine.params import Choice, ColumnRef, ColumnRefs, Integer, param
from engine.records import Role
from engine.records.disk.fetched import drawn
from engine.scratch import scratch_folder
from engine.shipped import install_words
from engine.subprocess_job import run_in_subprocess
from engine.words import N_, _, lazy


@figure_row
class ModelFigures:
    """Accuracy of one classifier on records that it was not trained on; the deviation has the divisor n.

    The Brier score is the mean over records of the squared distance between the probabilities and the truth.
    """

    accuracy: float = as_column(N_("Accuracy"), SHARE, N_("Share of correctly predicted records."))
    deviation: float = as_column(
        N_("Deviation"), SHARE, N_("Standard deviation of the accuracy between the folds.")
    )
    brier: float = as_column(
        N_("Brier score"), "", N_("From 0 (certain and right) to 2 (certain and wrong).")
    )
    by_fold: tuple[float, ...] = as_column(
        N_("Accuracy by fold"), is_listed=False, shown=lambda folds: ", ".join(map(as_percent, folds))
    )


_AREA = N_("Area under the ROC curve: 1 separates perfectly, 0.5 is guessing.")
_SENSITIVITY = N_("Its records that are predicted correctly.")
_SPECIFICITY = N_("Other records that are not predicted as it.")


def _area(curve: RocCurve) -> float:
    return curve.area


@figure_row
class ClassFigures:
    """Accuracy for one value of the target, and the number of its examined records."""

    label: str = as_column(N_("Value"), key="class")
    n_records: int = as_column(N_("Records"), "records", key="records")
    original: RocCurve = as_column(N_("Area, original"), "", _AREA, key="area_original", shown=_area)
    released: RocCurve = as_column(N_("Area, released"), "", _AREA, key="area_released", shown=_area)
    sensitivity_original: float = as_column(N_("Sensitivity, original"), SHARE, _SENSITIVITY)
    sensitivity_released: float = as_column(N_("Sensitivity, released"), SHARE, _SENSITIVITY)
    specificity_original: float = as_column(N_("Specificity, original"), SHARE, _SPECIFICITY)
    specificity_released: float = as_column(N_("Specificity, released"), SHARE, _SPECIFICITY)


@dataclass(frozen=True, eq=False)
class ClassificationFound(Findings):
    """Comparison of a classifier trained on the input with one trained on the release.

    Attributes
    ----------
    classifier : str
        Key: "logistic_regression", "naive_bayes" or "random_forest".
    baseline : ModelFigures
        Classifier without features: always the most frequent class of the training records, with the
        shares of the classes as probabilities.
    original, released : ModelFigures
        Accuracy of training and testing on the records of the input, and of the release.
    classes : tuple of ClassFigures
        Classes in the order of the target's labels.
    n_records : int
        Number of examined records.
    n_suppressed : int
        Number of suppressed ones, which are predicted but not used for training.
    sample : Sample
        Examined records among those of the table.
    note : str
        Additional remark, such as that the target's values are released in groups; may be empty.
    """

    target: str
    features: tuple[str, ...]
    classifier: str
    baseline: ModelFigures
    original: ModelFigures
    released: ModelFigures
    classes: tuple[ClassFigures, ...]
    folds: int
    n_records: int
    n_suppressed: int
    sample: Sample
    note: str = ""

    @property
    def relative_accuracy(self) -> float | None:
        """Share of the original's gain over the baseline that the release retains; None without a gain.

        1 is as good as the original, 0 no better than the most frequent class. A gain up to its standard
        error over the folds counts as none, since a share of it would be noise.
        """
        gains = np.subtract(self.original.by_fold, self.baseline.by_fold)
        gain = self.original.accuracy - self.baseline.accuracy
        if gain <= float(np.std(gains)) / max(len(gains) - 1, 1) ** 0.5:
            return None
        return max((self.released.accuracy - self.baseline.accuracy) / gain, 0.0)

    def statement(self) -> Statement:
        share, caption = self.relative_accuracy, _("of '{column}'").format(column=self.target)
        if not self.sample.is_whole:
            caption = f"{caption} · {self.sample.words()}"
        if share is not None:
            kept = as_percent(share, 1)
            return Statement(
                _("The release retains {kept} of the input's predictive accuracy for '{target}'.").format(
                    kept=kept, target=self.target
                ),
                caption=caption,
            )
        right, own = as_percent(self.baseline.accuracy), as_percent(self.original.accuracy)
        return Statement(
            _(
                "The input does not predict '{target}': always choosing its most frequent value is "
                "right in {right} of cases, the input in {own}."
            ).format(target=self.target, right=right, own=own),
            caption=caption,
        )

    def blocks(self) -> tuple[Block, ...]:
        """Return the accuracy, the classes, and the points of the curves."""
        sides = (
            ("baseline", _("baseline"), self.baseline),
            ("original", _("input"), self.original),
            ("released", _("release"), self.released),
        )
        figures = tuple((key, title, *row_of(model)) for key, title, model in sides)
        points: list[tuple[Figure, ...]] = [
            (c.label, side, false, true)
            for c in self.classes
            for side, curve in (("original", c.original), ("released", c.released))
            for false, true in np.column_stack((curve.false_positives, curve.true_positives)).tolist()
        ]
        return (
            Paragraph(self._basis()),
            self._accuracies(),
            FigureTable(
                "classification",
                _("Prediction of {target}").format(target=self.target),
                (*_SIDES, *columns_of(ModelFigures)),
                figures,
            ),
            FigureTable.of(
                "classes", _("Values of {target}").format(target=self.target), ClassFigures, self.classes
            ),
            *map(_curves, self.classes),
            FigureTable("roc", _("ROC curves"), _POINTS, tuple(points), is_listed=False),
        )

    def _basis(self) -> str:
        """Return what the results are based on."""
        parts = [self.sample.words(), _("{folds} folds").format(folds=self.folds)]
        parts.append(_("from {features}").format(features=", ".join(self.features)))
        if self.n_suppressed:
            words = _("{n_suppressed} suppressed records are predicted, but not used for training")
            parts.append(words.format(n_suppressed=as_exact_count(self.n_suppressed)))
        return " · ".join([*parts, *([self.note] if self.note else [])])

    def _accuracies(self) -> Chart:
        models = (self.original, self.released, self.baseline)
        spreads = tuple(f"± {as_percent(one.deviation, keep_zeros=True)}" for one in models[:2])
        return Chart(
            "accuracy",
            _("Accuracy"),
            "rows",
            _("correctly predicted records"),
            _("Trained on"),
            (Series(_("Accuracy"), tuple(one.accuracy for one in models)),),
            (_("input"), _("release"), _("baseline")),
            is_share=True,
            captions=(*spreads, _("most frequent value")),
        )


def _curves(one: ClassFigures) -> Chart:
    """Return the ROC curves of a value, with that of guessing."""
    sides = ((_("input"), one.original, "input"), (_("release"), one.released, "release"))
    series = [
        Series(title, tuple(curve.true_positives.tolist()), side, tuple(curve.false_positives.tolist()))
        for title, curve, side in sides
    ]
    return Chart(
        "roc",
        _("{label} against the rest").format(label=one.label),
        "curves",
        _("false positive rate"),
        _("true positive rate"),
        (*series, Series(_("guessing"), (0.0, 1.0), "other", (0.0, 1.0))),
        is_share=True,
    )


_SIDES = (
    FigureColumn("data", N_("Key"), is_listed=False),
    FigureColumn("title", N_("Trained on")),
)
_POINTS = (
    FigureColumn("class", N_("Value")),
    FigureColumn("data", N_("Trained on")),
    FigureColumn(
        "false_positives", N_("False positives"), SHARE, N_("Other records predicted as this value.")
    ),
    FigureColumn(
        "true_positives", N_("True positives"), SHARE, N_("Records with this value, predicted correctly.")
    ),
)


MOST_CLASSES = 100  # values of a target; classifiers of more are useless
MOST_CATEGORIES = 100  # categories of a feature; rarer ones are joined


@utility_analyses.register("classification")
@dataclass(frozen=True, slots=True)
class Classification(Analysis):
    """Cross-validated accuracy of a classifier trained on the input, and of one trained on the release.

    As in ARX 3.9 [1], records are divided into folds, the same for both sides. Each fold is predicted by a
    classifier trained on the others, on the cells of the input or on those of the release. The release's
    classifier learns from kept records only, but also predicts suppressed ones: without features, their
    class probabilities are the shares among the training records. Folds are stratified by class.

    Numbers and dates are numeric features, with the mean of a released cell's values. Other columns are
    categories: their values, or their released cells. Both sides predict the same classes: the values of
    the target, or, if it is a quasi-identifier, their released labels.

    References
    ----------
    .. [1] Prasser, Eicher, Bild, Spengler, Kuhn (2017). A Tool for Optimizing De-identified Health Data for
       Use in Statistical Classification. IEEE CBMS.
    .. [2] Brier (1950). Verification of Forecasts Expressed in Terms of Probability. Monthly Weather Review
       78(1).
    """

    title: ClassVar[str] = lazy("Classification")
    summary: ClassVar[str] = lazy(
        "How well a column can still be predicted from others: a classifier is trained "
        "several times on parts of the input, and as often on the release."
    )
    reading: ClassVar[str] = lazy(
        "The baseline always predicts the most frequent value. What the original gains over "
        "it can be learned from the input; a relative accuracy of 100 % means that the "
        "release is as useful. The deviation shows how much the folds differ: smaller "
        "differences mean nothing."
    )
    source: ClassVar[str] = lazy("Prasser and others 2017; Brier 1950")
    needs_kept: ClassVar[bool] = True
    is_costly: ClassVar[bool] = True
    needs_records: ClassVar[bool] = True
    samples_records: ClassVar[bool] = True

    target: str = param(
        "",
        ColumnRef(label=N_("Predict"), role="", help=N_("Empty: the target of the project.")),
    )
    features: tuple[str, ...] = param(
        (),
        ColumnRefs(
            label=N_("From", "columns"), help=N_("Empty: all quasi-identifying columns except the target.")
        ),
    )
    classifier: str = param(
        "logistic_regression",
        Choice(
            label=N_("Classifier"),
            options=(
                ("logistic_regression", N_("Logistic regression")),
                ("naive_bayes", N_("Naive Bayes")),
                ("random_forest", N_("Random forest")),
            ),
        ),
    )
    folds: int = param(
        10,
        Integer(
            minimum=2,
            maximum=100,
            label=N_("Folds"),
            help=N_("More folds train on more records and take longer."),
        ),
    )
    most_records: int = param(
        100_000,
        Integer(
            minimum=100,
            maximum=10_000_000,
            label=N_("Largest number of records"),
            help=N_("Larger tables are sampled."),
        ),
    )
    seed: int = param(
        0, Integer(minimum=0, label=N_("Seed"), help=N_("The same number gives the same folds."))
    )

    def why_not(self, subject: Subject) -> str:
        if reason := self.why_not_counted(subject):
            return reason
        if find_spec("sklearn") is None:
            return _(
                "scikit-learn, which is required for classification, is not installed. Install it with: "
                "{command}"
            ).format(command=install_words("stats"))
        subject, _unused = sampled(subject, self.seed)
        return subject.why_empty or self._why_no_target(subject) or self._why_no_features(subject)

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> ClassificationFound:
        n_total = subject.n_records
        subject, _unused = sampled(subject, self.seed, monitor)
        self.refuse_impossible(subject)
        monitor.step(0, 1, _("Preparing records"))
        labels = common_labels(subject, self._target(subject))
        source = np.random.default_rng(self.seed)
        records = drawn(subject.n_records, self.most_records, source)
        present, target = np.unique(labels.of_row[records], return_inverse=True)
        n_folds = min(self.folds, len(records))
        folds = _dealt(target, n_folds, source)
        sides = self._sides(subject, labels, records, present, target)
        classes = tuple(labels.labels[code] for code in present.tolist())
        request = {
            "classifier": self.classifier,
            "n_folds": n_folds,
            "n_classes": len(present),
            "seed": self.seed,
        }
        try:
            with scratch_folder("learning") as folder:
                np.save(folder / "folds.npy", folds, allow_pickle=False)
                for name, side in zip(SIDES, sides, strict=True):
                    side.save(folder, name)
                request["data"] = str(folder)
                with run_in_subprocess(
                    "engine.findings.learning", request, monitor, subject=self.title
                ) as results:
                    judged = _judged(results, target, folds, classes, monitor)
        except (TableError, OSError) as error:
            raise InputError(
                _(
                    "The classifier stopped unexpectedly; memory or space for temporary files may be "
                    "insufficient."
                ),
                hint=_("Use fewer records, or choose another classifier."),
            ) from error
        return ClassificationFound(
            target=self._target(subject),
            features=self._features(subject),
            classifier=self.classifier,
            baseline=_baseline(target, folds, len(present)),
            original=judged[0],
            released=judged[1],
            classes=judged[2],
            folds=n_folds,
            n_records=len(records),
            n_suppressed=int(subject.release.suppressed[records].sum()),
            sample=Sample(len(records), n_total, self.seed),
            note=_note(subject, labels),
        )

    def _target(self, subject: Subject) -> str:
        return self.target or subject.project.target_column or ""

    def _features(self, subject: Subject) -> tuple[str, ...]:
        target = self._target(subject)
        return self.features or tuple(name for name in subject.quasi_identifying if name != target)

    def _why_no_target(self, subject: Subject) -> str:
        name = self._target(subject)
        if not name:
            return _("No column to predict is set. Choose one, or set a target in Configure.")
        if reason := subject.why_not_comparable(name):
            return reason
        if subject.n_records < 2:
            return _("A single record cannot be split into training and test records.")
        cells = subject.cells(name)
        n_values = int(np.count_nonzero(cells.axis.counts))
        if n_values < 2:
            return _("'{name}' has the same value in every record, so there is nothing to predict.").format(
                name=name
            )
        if name in subject.release.aggregates:
            return _("'{name}' is released as an aggregate of each class, which cannot be predicted.").format(
                name=name
            )
        labels = common_labels(subject, name)
        n_classes = len(np.unique(labels.of_value[np.flatnonzero(cells.axis.counts)]))
        if n_classes < 2:
            return _(
                "The release does not distinguish the values of '{name}', so there is nothing to predict."
            ).format(name=name)
        if n_classes > MOST_CLASSES or labels.note:
            return _(
                "'{name}' has {n_values} distinct values; a column to predict can have "
                "{MOST_CLASSES}. Choose another, or a quasi-identifying column with more general "
                "levels."
            ).format(name=name, n_values=as_exact_count(n_values), MOST_CLASSES=MOST_CLASSES)
        return ""

    def _why_no_features(self, subject: Subject) -> str:
        target, features = self._target(subject), self._features(subject)
        if not features:
            return _(
                "There is no column from which to predict '{target}'. Choose at least one other column."
            ).format(target=target)
        if target in features:
            return _("'{target}' cannot be predicted from itself. Remove it from the predictors.").format(
                target=target
            )
        twice = next((name for i, name in enumerate(features) if name in features[:i]), None)
        if twice is not None:
            return _("'{twice}' is listed twice among the predictors.").format(twice=twice)
        return next(filter(None, (subject.why_not_comparable(name) for name in features)), "")

    def _sides(
        self, subject: Subject, labels: CommonLabels, records: IntArray, present: IntArray, target: IntArray
    ) -> tuple[Records, Records]:
        """Return features and classes of the records on both sides."""
        columns = [subject.cells(name) for name in self._features(subject)]
        place = np.full(labels.n_labels + 1, -1, dtype=np.int64)  # the last is for cells with several labels
        place[present] = np.arange(len(present))
        texts = labels.cells.codes[records]
        released = place[np.append(labels.of_cell, -1)[texts]]
        everybody, is_suppressed = np.ones(len(records), dtype=np.bool_), subject.release.suppressed[records]
        before = _records([_original(column, records) for column in columns], everybody, ~everybody, target)
        after = _records(
            [_released(column, records) for column in columns], released >= 0, is_suppressed, target
        )
        return before, after


@dataclass(frozen=True, eq=False)
class _Feature:
    """Column of the examined records: numbers, or categories with their number."""

    numbers: FloatArray | None = None
    codes: IntArray | None = None
    n_categories: int = 0


def _original(cells: ReleasedCells, records: IntArray) -> _Feature:
    axis = cells.axis
    codes = axis.codes[records]
    return _Feature(axis.positions[codes]) if axis.is_numeric else _categories(codes, axis.n_values)


def _released(cells: ReleasedCells, records: IntArray) -> _Feature:
    """Return the released feature; hidden cells have no number, and suppressed records are never read."""
    texts = cells.codes[records]
    if cells.axis.is_numeric:
        return _Feature(np.append(cells.means, np.nan)[texts])
    return _categories(np.maximum(texts, 0), len(cells.labels))


def _categories(codes: IntArray, n_categories: int) -> _Feature:
    """Return the occurring categories, with rare ones joined."""
    counts = np.bincount(codes, minlength=n_categories)
    occurring = np.flatnonzero(counts)
    often = occurring
    if len(occurring) > MOST_CATEGORIES:
        often = np.sort(np.argsort(-counts, kind="stable")[: MOST_CATEGORIES - 1])
    place = np.full(n_categories, len(often), dtype=np.int64)
    place[often] = np.arange(len(often))
    return _Feature(codes=place[codes], n_categories=min(len(occurring), MOST_CATEGORIES))


def _records(features: list[_Feature], teaches: BoolArray, is_blank: BoolArray, target: IntArray) -> Records:
    n_records = len(target)
    numbers = [feature.numbers for feature in features if feature.numbers is not None]
    codes = [feature.codes for feature in features if feature.codes is not None]
    spans = [feature.n_categories for feature in features if feature.codes is not None]
    distinct = [np.unique(column, return_inverse=True) for column in numbers]
    keys = [*codes, *(which for _unused, which in distinct)]
    labels, _unused, _unused = class_labels(keys, [*spans, *(len(values) for values, _unused in distinct)])
    categorical = np.column_stack(codes).astype(np.int32) if codes else np.zeros((n_records, 0), np.int32)
    return Records(
        np.column_stack(numbers) if numbers else np.zeros((n_records, 0)),
        categorical,
        np.array(spans, dtype=np.int64),
        labels,
        teaches,
        is_blank,
        target.astype(np.int64),
    )


def _dealt(target: IntArray, n_folds: int, source: np.random.Generator) -> IntArray:
    """Return the fold of every record; the records of each class are distributed in random order."""
    order = source.permutation(len(target))
    order = order[np.argsort(target[order], kind="stable")]
    folds = np.empty(len(target), dtype=np.int64)
    folds[order] = np.arange(len(target)) % n_folds
    return folds


def _baseline(target: IntArray, folds: IntArray, n_classes: int) -> ModelFigures:
    whole = np.bincount(target, minlength=n_classes)
    probabilities = np.zeros((len(target), n_classes))
    for fold in np.unique(folds).tolist():
        others = whole - np.bincount(target[folds == fold], minlength=n_classes)
        probabilities[folds == fold] = others / max(int(others.sum()), 1)
    return _figures(probabilities, target, folds)


def _figures(probabilities: FloatArray, target: IntArray, folds: IntArray) -> ModelFigures:
    is_right = probabilities.argmax(axis=1) == target
    counts = np.bincount(folds)
    by_fold = np.bincount(folds, weights=is_right) / counts
    of_truth = probabilities[np.arange(len(target)), target]
    squares = np.square(probabilities).sum(axis=1) - 2 * of_truth + 1
    return ModelFigures(
        float(is_right.mean()), float(by_fold.std()), float(squares.mean()), tuple(by_fold.tolist())
    )


def _judged(
    results: Path, target: IntArray, folds: IntArray, classes: tuple[str, ...], monitor: Monitor
) -> tuple[ModelFigures, ModelFigures, tuple[ClassFigures, ...]]:
    """Return the accuracy of both sides and of each class by the predicted probabilities."""
    original, released = (np.load(results / f"{name}.npy", allow_pickle=False) for name in SIDES)
    named = original.argmax(axis=1), released.argmax(axis=1)
    found = []
    for number, label in enumerate(classes):
        monitor.step(1, 1, _("Drawing ROC curves"))
        is_class = target == number
        rates = [
            (float((side[is_class] == number).mean()), float((side[~is_class] != number).mean()))
            for side in named
        ]
        found.append(
            ClassFigures(
                label,
                int(is_class.sum()),
                roc_curve(original[:, number], is_class),
                roc_curve(released[:, number], is_class),
                rates[0][0],
                rates[1][0],
                rates[0][1],
                rates[1][1],
            )
        )
    return _figures(original, target, folds), _figures(released, target, folds), tuple(found)


def _note(subject: Subject, labels: CommonLabels) -> str:
    name = labels.cells.axis.name
    if subject.project.role(name) is not Role.QUASI_IDENTIFYING or labels.labels == labels.cells.axis.values:
        return ""
    return _("'{name}' is released in {n_labels} groups; these are predicted, for input and release.").format(
        name=name, n_labels=as_exact_count(labels.n_labels)
    )


MOST_POINTS = 200


@dataclass(frozen=True, eq=False)
class RocCurve:
    """ROC curve of one class against all others.

    Attributes
    ----------
    false_positives, true_positives : ndarray of float64, shape (n_points,)
        Shares from 0 to 1, both ascending; about 200 points of a longer curve.
    area : float
        Area under the complete curve: 1 for perfect separation, 0.5 for guessing.
    """

    false_positives: FloatArray
    true_positives: FloatArray
    area: float


def roc_curve(scores: FloatArray, is_class: BoolArray) -> RocCurve:
    """Return the ROC curve of scores; records of equal score form one step.

    Parameters
    ----------
    scores : ndarray of float64, shape (n_records,)
    is_class : ndarray of bool, shape (n_records,)
        Whether each record belongs to the class; both must occur.
    """
    order = np.argsort(-scores, kind="stable")
    falls = np.append(scores[order][1:] != scores[order][:-1], True)
    hits = np.cumsum(is_class[order])[falls]
    passed = np.flatnonzero(falls) + 1
    true = np.concatenate(([0.0], hits / hits[-1]))
    false = np.concatenate(([0.0], (passed - hits) / (passed[-1] - hits[-1])))
    area = float(((true[1:] + true[:-1]) / 2 * np.diff(false)).sum())
    if len(true) > MOST_POINTS:
        some = np.unique(np.linspace(0, len(true) - 1, MOST_POINTS).round().astype(np.int64))
        false, true = false[some], true[some]
    return RocCurve(false, true, area)
