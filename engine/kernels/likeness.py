"""Gain of knowledge about single sensitive values: beta-likeness and delta-disclosure."""

from __future__ import annotations

import numpy as np

from engine.kernels.arrays import Counts, FloatArray
from engine.kernels.distances import Pairs, Reference, nearest_ratios

TIE = 1e-12  # relative; a value this close to its bound has reached it


def basic_gains(pairs: Pairs, sizes: Counts, reference: Reference) -> FloatArray:
    """Return the largest relative gain (q - p) / p of a value in each class over the table.

    Parameters
    ----------
    sizes : ndarray of int64, shape (n_classes,)
        Number of records per class.

    Returns
    -------
    ndarray of float64, shape (n_classes,)
        At least 0; exact integers, rounded once by the division.

    References
    ----------
    .. [1] Cao, Karras (2012). Publishing Microdata with a Robust Privacy Guarantee. PVLDB 5(11),
       definition 2.
    """
    return np.asarray(np.maximum.reduceat(_gains(pairs, sizes, reference), pairs.starts))


def enhanced_gains(pairs: Pairs, sizes: Counts, reference: Reference) -> FloatArray:
    """Return the least beta that each class meets; inf if a value exceeds its bound -log p.

    Every value may gain at most min(beta, -log p), with p its own share of the table. Parameters and result
    as `basic_gains`.

    References
    ----------
    .. [1] Cao, Karras (2012). Publishing Microdata with a Robust Privacy Guarantee. PVLDB 5(11),
       definition 3.
    """
    gains = _gains(pairs, sizes, reference)
    gains[gains > reference.caps[pairs.values] * (1 + TIE)] = np.inf
    return np.asarray(np.maximum.reduceat(gains, pairs.starts))


def disclosures(pairs: Pairs, sizes: Counts, reference: Reference) -> FloatArray:
    """Return the largest |log(q / p)| of a value in each class against the table, natural logarithm.

    Parameters and result as `basic_gains`; inf if a value of the table is absent from the class.

    References
    ----------
    .. [1] Brickell, Shmatikov (2008). The Cost of Privacy. KDD, definition 3.
    """
    has_all = pairs.lengths == reference.n_present
    chosen = np.repeat(has_all, pairs.lengths)  # pairs of classes with all values, usually few
    own = pairs.counts[chosen].astype(reference.kind) * reference.n_records
    due = reference.counts.astype(reference.kind)[pairs.values[chosen]]
    due = due * np.repeat(sizes[has_all], reference.n_present)
    # log1p of (larger - smaller) / smaller preserves the digits of nearly equal shares
    excess = nearest_ratios(np.abs(own - due), np.minimum(own, due))
    values = np.full(len(sizes), np.inf)
    values[has_all] = np.log1p(excess.reshape(-1, reference.n_present).max(axis=1))
    return values


def _gains(pairs: Pairs, sizes: Counts, reference: Reference) -> FloatArray:
    """Return the relative gain of every pair, 0 for values that do not gain."""
    own = pairs.counts.astype(reference.kind) * reference.n_records
    due = reference.counts.astype(reference.kind)[pairs.values] * sizes[pairs.classes]
    return nearest_ratios(np.maximum(own - due, 0), due)
