"""What a classifier still learns from a release: a column predicted from others, before and after."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.analysis.tables import Figure, FigureColumn, FigureTable
from engine.kernels.arrays import Reals


@dataclass(frozen=True)
class ModelFigures:
    """How well one classifier predicts records it was not trained on.

    Attributes
    ----------
    accuracy : float
        Share of the records that it names rightly.
    deviation : float
        Standard deviation of the accuracy over the folds, divisor n.
    brier : float
        Mean over records of the squared distance between the probabilities it gives and the truth, from 0,
        certain and right, to 2, certain and wrong.
    by_fold : tuple of float
        Accuracy of each fold.
    """

    accuracy: float
    deviation: float
    brier: float
    by_fold: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class RocCurve:
    """One class against all others: what share of each is taken for it, as the bar falls.

    Attributes
    ----------
    false_positives, true_positives : ndarray of float64, shape (n_points,)
        Shares from 0 to 1, both rising.
    area : float
        Under the curve: 1 tells the class apart, 0.5 guesses.
    """

    false_positives: Reals
    true_positives: Reals
    area: float


@dataclass(frozen=True, eq=False)
class ClassFigures:
    """One value of the target.

    Attributes
    ----------
    label : str
    n_records : int
        Among those looked at.
    original, released : RocCurve
    sensitivity_original, sensitivity_released : float
        Share of its records that are named rightly.
    specificity_original, specificity_released : float
        Share of all other records that are not taken for it.
    """

    label: str
    n_records: int
    original: RocCurve
    released: RocCurve
    sensitivity_original: float
    sensitivity_released: float
    specificity_original: float
    specificity_released: float


@dataclass(frozen=True, eq=False)
class ClassificationFound:
    """A classifier trained on the input beside one trained on the release.

    Attributes
    ----------
    target : str
    features : tuple of str
    classifier : str
        Key: "logistic_regression", "naive_bayes" or "random_forest".
    baseline : ModelFigures
        Always the most frequent class: what needs no data at all.
    original, released : ModelFigures
        Trained and tested on the records of the input, and of the release.
    classes : tuple of ClassFigures
        In the order of the target's labels.
    folds : int
    n_records : int
        Records looked at.
    n_suppressed : int
        How many of them are suppressed: never trained on, but predicted.
    is_sampled : bool
        Whether they are a sample of a larger table.
    note : str
        What else is to be known, such as that the target's values are released in groups; empty for
        nothing.
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
    is_sampled: bool
    note: str = ""

    @property
    def relative_accuracy(self) -> float | None:
        """What part of the original's gain over the baseline the release keeps; None where there is none.

        1 = as good as the original, 0 = no better than naming the most frequent class.
        """
        gain = self.original.accuracy - self.baseline.accuracy
        if gain <= 0:
            return None
        return (self.released.accuracy - self.baseline.accuracy) / gain

    def tables(self) -> tuple[FigureTable, ...]:
        """Accuracy, the classes, and the points of the curves."""
        sides = (("baseline", self.baseline), ("original", self.original), ("released", self.released))
        figures = tuple((name, m.accuracy, m.deviation, m.brier) for name, m in sides)
        classes = tuple(
            (
                c.label,
                c.n_records,
                c.original.area,
                c.released.area,
                c.sensitivity_original,
                c.sensitivity_released,
                c.specificity_original,
                c.specificity_released,
            )
            for c in self.classes
        )
        points: list[tuple[Figure, ...]] = [
            (c.label, side, false, true)
            for c in self.classes
            for side, curve in (("original", c.original), ("released", c.released))
            for false, true in np.column_stack((curve.false_positives, curve.true_positives)).tolist()
        ]
        return (
            FigureTable("classification", f"Prediction of {self.target}", _FIGURES, figures),
            FigureTable("classes", f"Values of {self.target}", _CLASSES, classes),
            FigureTable("roc", "ROC curves", _POINTS, tuple(points)),
        )


_FIGURES = (
    FigureColumn("data", "Trained on"),
    FigureColumn("accuracy", "Accuracy", "", "Share of records named rightly.", True),
    FigureColumn("deviation", "Deviation", "", "How much accuracy differs between the folds.", True),
    FigureColumn("brier", "Brier score", "", "From 0, certain and right, to 2, certain and wrong."),
)
_CLASSES = (
    FigureColumn("class", "Value"),
    FigureColumn("records", "Records", "records"),
    FigureColumn("area_original", "Area, original", "", "Under the ROC curve: 1 tells apart, 0.5 guesses."),
    FigureColumn("area_released", "Area, released", "", "Under the ROC curve: 1 tells apart, 0.5 guesses."),
    FigureColumn("sensitivity_original", "Sensitivity, original", "", "Its records named rightly.", True),
    FigureColumn("sensitivity_released", "Sensitivity, released", "", "Its records named rightly.", True),
    FigureColumn("specificity_original", "Specificity, original", "", "Others not taken for it.", True),
    FigureColumn("specificity_released", "Specificity, released", "", "Others not taken for it.", True),
)
_POINTS = (
    FigureColumn("class", "Value"),
    FigureColumn("data", "Trained on"),
    FigureColumn("false_positives", "False positives", "", "Other records taken for the class.", True),
    FigureColumn("true_positives", "True positives", "", "Records of the class named rightly.", True),
)
