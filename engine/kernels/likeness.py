"""How much an attacker learns of single sensitive values: beta-likeness and delta-disclosure."""

from __future__ import annotations

import numpy as np

from engine.kernels.arrays import Counts, Reals
from engine.kernels.distances import Pairs, Reference, nearest_ratios

TIE = 1e-12  # relative; a real within it of its bound has reached it


def basic_gains(pairs: Pairs, sizes: Counts, reference: Reference) -> Reals:
    """The largest relative gain (q - p) / p of a value in each class over the table.

    Parameters
    ----------
    pairs : Pairs
    sizes : ndarray of int64, shape (n_classes,)
        Records per class.
    reference : Reference

    Returns
    -------
    ndarray of float64, shape (n_classes,)
        At least 0; exact integers, rounded once when they are divided.

    References
    ----------
    .. [1] Cao, Karras (2012). Publishing Microdata with a Robust Privacy Guarantee. PVLDB 5(11),
       definition 2.
    """
    return np.asarray(np.maximum.reduceat(_gains(pairs, sizes, reference), pairs.starts))


def enhanced_gains(pairs: Pairs, sizes: Counts, reference: Reference) -> Reals:
    """The least beta of enhanced beta-likeness each class meets; inf if a value breaks its own cap.

    Every value must gain at most min(beta, -log p), the cap taken with the same value's share p of
    the table. Parameters and result as `basic_gains`.

    References
    ----------
    .. [1] Cao, Karras (2012). Publishing Microdata with a Robust Privacy Guarantee. PVLDB 5(11),
       definition 3.
    """
    gains = _gains(pairs, sizes, reference)
    gains[gains > reference.caps[pairs.values] * (1 + TIE)] = np.inf
    return np.asarray(np.maximum.reduceat(gains, pairs.starts))


def disclosures(pairs: Pairs, sizes: Counts, reference: Reference) -> Reals:
    """The largest |log(q / p)| of a value in each class against the table, natural logarithm.

    Parameters and result as `basic_gains`; inf where a value of the table is absent from the class.

    References
    ----------
    .. [1] Brickell, Shmatikov (2008). The Cost of Privacy. KDD, definition 3.
    """
    own = pairs.counts.astype(reference.kind) * reference.n_records
    due = reference.counts.astype(reference.kind)[pairs.values] * sizes[pairs.classes]
    # log1p of (larger - smaller) / smaller keeps the digits of shares that are nearly alike.
    excess = nearest_ratios(np.abs(own - due), np.minimum(own, due))
    values = np.log1p(np.maximum.reduceat(excess, pairs.starts))
    return np.where(pairs.lengths == reference.n_present, values, np.inf)


def _gains(pairs: Pairs, sizes: Counts, reference: Reference) -> Reals:
    """Relative gain of every pair, 0 for values that do not gain."""
    own = pairs.counts.astype(reference.kind) * reference.n_records
    due = reference.counts.astype(reference.kind)[pairs.values] * sizes[pairs.classes]
    return nearest_ratios(np.maximum(own - due, 0), due)
