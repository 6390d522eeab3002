"""How well probabilities tell a class from all others: the curve of both shares as the bar falls."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.kernels.arrays import BoolArray, Reals

MOST_POINTS = 200


@dataclass(frozen=True, eq=False)
class RocCurve:
    """One class against all others: what share of each is taken for it, as the bar falls.

    Attributes
    ----------
    false_positives, true_positives : ndarray of float64, shape (n_points,)
        Shares from 0 to 1, both rising; some 200 points of a longer curve.
    area : float
        Under the whole curve: 1 tells the class apart, 0.5 guesses.
    """

    false_positives: Reals
    true_positives: Reals
    area: float


def roc_curve(scores: Reals, is_class: BoolArray) -> RocCurve:
    """Let the bar fall over scores; records of equal score pass it together.

    Parameters
    ----------
    scores : ndarray of float64, shape (n_records,)
    is_class : ndarray of bool, shape (n_records,)
        Some are, some are not.
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
