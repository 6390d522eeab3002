"""Models that judge the kept records as a whole, by fractions rounded once as far as there are any."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from engine.verification.findings import UnjudgeableError
from engine.verification.uniqueness import population_uniques

WHOLE = ("average_risk", "records_at_risk", "sample_uniqueness", "population_uniqueness")
_ROUNDING = 1e-7  # relative, of an estimate; nearer to the threshold either answer is accepted


def holds(
    key: str,
    bound: Fraction,
    sizes: Mapping[int, int],
    *,
    least: Mapping[int, int] | None = None,
    risk: Fraction | None = None,
    estimator: str = "",
    people: Fraction | None = None,
) -> bool | None:
    """Whether kept classes meet a model together; None where rounding leaves it open.

    Parameters
    ----------
    key : str
        One of `WHOLE`.
    bound : Fraction
        What a share may be at most.
    sizes : mapping of int to int
        Number of kept classes by size.
    least : mapping of int to int, optional
        How many persons have a class of each size as the smallest they are in; by default those of a
        class are in no other.
    risk : Fraction, optional
        The risk above which a person is at risk.
    estimator : str
        Of population uniques.
    people : Fraction, optional
        Size of the population.

    Raises
    ------
    UnjudgeableError
        Where the size of the population is needed and not told, or is less than the records.
    """
    if least is None:
        least = {size: size * count for size, count in sizes.items()}
    persons = sum(least.values())
    if not persons:
        return True
    if key == "average_risk":
        total = sum((Fraction(count, size) for size, count in least.items()), Fraction(0))
        return at_most(total / persons, bound)
    if key == "records_at_risk":
        assert risk is not None, "the model has a threshold of risk"
        at_risk = sum(count for size, count in least.items() if not at_most(Fraction(1, size), risk))
        return at_most(Fraction(at_risk, persons), bound)
    if key == "sample_uniqueness":
        return at_most(Fraction(least.get(1, 0), persons), bound)
    if people is None or people < persons:
        raise UnjudgeableError("Population uniqueness cannot be judged without the size of the population.")
    uniques = population_uniques(estimator, sizes, float(people), persons)
    if uniques is None:
        return False
    share = uniques / float(people)
    if share and abs(share - float(bound)) <= _ROUNDING * share:
        return None
    return share <= bound


def at_most(share: Fraction, bound: Fraction) -> bool:
    """Whether a share is at most a bound, both as the nearest doubles."""
    return float(share) <= float(bound)
