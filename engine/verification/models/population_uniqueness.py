"""Population uniqueness: a small estimated share of the population is unique.

The models are those of the engine, computed by other methods: Zayatz with exact fractions of factorials'
logarithms, Pitman by nested bisection on the derivatives of the likelihood, the slide negative binomial by
Newton steps with slopes taken as differences.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from engine.verification.findings import UnverifiableError
from engine.verification.models.base import KeptPeople, Model, ModelVerifier
from engine.words import N_, _

Sizes = Mapping[int, int]  # classes by size

_HALVINGS = 200
_SMALLEST = 1e-9  # how near alpha comes to the ends of its range


def population_uniques(
    estimator: str, sizes: Sizes, people: float, persons: int | None = None
) -> float | None:
    """Estimate the number of population uniques; None if the model does not fit.

    Parameters
    ----------
    sizes : mapping of int to int
        Classes of the sample by size.
    people : float
        Size of the population.
    persons : int, optional
        Persons of the sample, if some are in several classes; by default each person is in one.
    """
    sampled = sum(size * count for size, count in sizes.items()) if persons is None else persons
    single = sizes.get(1, 0)
    if not single or people <= sampled:
        return float(single)
    if estimator == "zayatz":
        return _zayatz(sizes, sampled, people)
    if estimator == "pitman":
        return _pitman(sizes, people)
    if estimator == "snb":
        return _snb(sizes, sampled, people)
    if sampled / people <= 0.1:
        pitman = _pitman(sizes, people)
        return _zayatz(sizes, sampled, people) if pitman is None else pitman
    both = (_snb(sizes, sampled, people), _zayatz(sizes, sampled, people))
    return min((found for found in both if found is not None), default=None)


def _zayatz(sizes: Sizes, sampled: int, people: float) -> float | None:
    def once(size: int) -> float:
        """Return the probability that one of `size` people is drawn, relative to that for one person."""
        if people - sampled < size - 1:
            return 0.0
        logs = math.fsum(math.log(people - sampled - i) - math.log(people - 1 - i) for i in range(size - 1))
        return size * math.exp(logs)

    total = math.fsum(count * once(size) for size, count in sizes.items())
    single = sizes[1]
    return single * single / total * people / sampled if total else None


def _pitman(sizes: Sizes, people: float) -> float | None:
    """Maximize the likelihood: for each alpha the best theta, and of these the best alpha."""
    classes, records = sum(sizes.values()), sum(size * count for size, count in sizes.items())
    if classes in (1, records):
        return None

    def by_theta(theta: float, alpha: float) -> float:
        ratio = theta / alpha
        over_classes = _digammas(1 + ratio, classes - 1) / alpha
        return over_classes - _digammas(1 + theta, records - 1)

    def best_theta(alpha: float) -> float | None:
        # The derivative changes from plus to minus at the maximum; theta + alpha spans many magnitudes.
        def falling(logarithm: float) -> float:
            return by_theta(math.exp(logarithm) - alpha, alpha)

        found = _bisect(falling, math.log(1e-9), math.log(1e12))
        return None if found is None else math.exp(found) - alpha

    def by_alpha(alpha: float) -> float:
        theta = best_theta(alpha)
        if theta is None:
            return math.nan
        over_classes = math.fsum(i / (theta + i * alpha) for i in range(1, classes))
        inside = math.fsum(
            count * _digammas(1 - alpha, size - 1) for size, count in sizes.items() if size > 1
        )
        return over_classes - inside

    alpha = _bisect(by_alpha, 1e-4, 1 - _SMALLEST)
    theta = None if alpha is None else best_theta(alpha)
    if alpha is None or theta is None:
        return None
    logarithm = math.lgamma(theta + 1) - math.lgamma(theta + alpha) + alpha * math.log(people)
    return math.exp(logarithm) if logarithm <= math.log(people) else None


def _bisect(falling: Callable[[float], float], low: float, high: float) -> float | None:
    """Return the root of a decreasing function; None if it has none between the ends."""
    if not (falling(low) > 0 > falling(high)):
        return None
    for _turn in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if falling(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _snb(sizes: Sizes, records: int, people: float) -> float | None:
    """Fit alpha and beta to the classes of one and of two records, in their logarithms."""
    fraction = records / people
    single, double = sizes[1], sizes.get(2, 0)
    classes = _classes_of_all(sizes, fraction)
    if not double or classes is None:
        return None

    def surplus(alpha: float, beta: float) -> tuple[float, float]:
        w = (1 - fraction) * (1 - beta)
        common = math.log(classes * fraction) + alpha * (math.log(beta) - math.log(1 - w))
        one = common + math.log(1 + alpha * w / (1 - w))
        two = common + math.log(fraction * alpha * (1 - beta) * (2 - (1 - alpha) * w) / (2 * (1 - w) ** 2))
        return one - math.log(single), two - math.log(double)

    for alpha in (0.5, 0.1, 0.02, 1.0, 3.0):
        for beta in (0.5, 0.1, 0.01, 0.001, 1e-4):
            found = _newton(surplus, math.log(alpha), math.log(beta / (1 - beta)))
            if found is not None:
                alpha, beta = found
                uniques = classes * beta**alpha
                return uniques if uniques <= people else None
    return None


def _newton(
    surplus: Callable[[float, float], tuple[float, float]], x: float, y: float
) -> tuple[float, float] | None:
    """Solve for ln alpha and the logit of beta, with halved steps and slopes from differences."""

    def at(x: float, y: float) -> tuple[float, float]:
        if abs(x) > 20 or abs(y) > 30:
            raise ValueError
        return surplus(math.exp(x), 1 / (1 + math.exp(-y)))

    try:
        found = at(x, y)
        for _turn in range(100):
            h = 1e-6
            (a, c), (b, d) = (
                [(p - q) / (2 * h) for p, q in zip(plus, minus, strict=True)]
                for plus, minus in ((at(x + h, y), at(x - h, y)), (at(x, y + h), at(x, y - h)))
            )
            determinant = a * d - b * c
            dx = (b * found[1] - d * found[0]) / determinant
            dy = (c * found[0] - a * found[1]) / determinant
            share = 1.0
            while share > 1e-4:
                try:
                    after = at(x + share * dx, y + share * dy)
                except (ValueError, OverflowError):
                    after = None
                if after is not None and math.hypot(*after) < math.hypot(*found):
                    break
                share /= 2
            else:
                after = None
            if after is None:
                break
            x, y, found = x + share * dx, y + share * dy, after
    except (ValueError, ZeroDivisionError, OverflowError):
        return None
    if math.hypot(*found) > 1e-9:
        return None
    return math.exp(x), 1 / (1 + math.exp(-y))


def _classes_of_all(sizes: Sizes, fraction: float) -> float | None:
    """Return Shlosser's estimate of the population's classes, modified by Haas and Stokes."""
    f = fraction
    above = math.fsum(i * f * f * (1 - f * f) ** (i - 1) * s for i, s in sizes.items())
    # ((1 + f)^i - 1) (1 - f)^i without the overflowing power.
    below = math.fsum(((1 - f * f) ** i - (1 - f) ** i) * s for i, s in sizes.items())
    missed = math.fsum((1 - f) ** i * s for i, s in sizes.items())
    once = math.fsum(i * f * (1 - f) ** (i - 1) * s for i, s in sizes.items())
    if below <= 0 or once <= 0:
        return None
    return sum(sizes.values()) + sizes[1] * (above / below) * (missed / once) ** 2


def _digammas(x: float, steps: int) -> float:
    """digamma(x + steps) - digamma(x), the sum of 1 / (x + i) for i below `steps`."""
    if x > 1e5:  # the integral by midpoints, since the difference of two values would lose digits
        return math.log1p(steps / (x - 0.5))
    return _digamma(x + steps) - _digamma(x)


def _digamma(x: float) -> float:
    """Derivative of ln gamma: recurrence up to 20, then the asymptotic series."""
    result = 0.0
    while x < 20:
        result -= 1 / x
        x += 1
    square = 1 / (x * x)
    tail = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square / 132))))
    return result + math.log(x) - 0.5 / x - tail


_ROUNDING = 1e-7  # relative, of an estimate; this close to the threshold both results are accepted


def _holds(model: Model, kept: KeptPeople) -> bool | None:
    people = kept.people
    if people is None or people < kept.persons:
        raise UnverifiableError(_("Population uniqueness requires the population size."))
    uniques = population_uniques(model.words["estimator"], kept.sizes, float(people), kept.persons)
    if uniques is None:
        return False
    share, bound = uniques / float(people), float(model.threshold)
    if share and abs(share - bound) <= _ROUNDING * share:
        return None
    return share <= bound


VERIFIER = ModelVerifier(
    title=N_("at most {threshold} of the population unique ({estimator})"),
    threshold="threshold",
    words={"estimator": ("dankar", "pitman", "zayatz", "snb")},
    table_wide=_holds,
)
