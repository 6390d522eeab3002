"""Individual risk: the mean of one over the people of a class, from survey weights."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

from engine.verification.models.base import Known, Model, ModelVerifier
from engine.words import N_

_ROUNDING = 1e-12  # relative
_DIGITS, _LARGE = 30, 60


def _met(model: Model, known: Known, size: int, weights: Sequence[tuple[int, int]]) -> bool:
    people = sum((known.weight_of[code] * n for code, n in weights), Fraction(0))
    risk = _risk(size, people, model.words["exact"] == "True")
    return float(risk) * (1 - _ROUNDING) <= float(model.threshold)


@lru_cache(maxsize=65_536)
def _risk(size: int, people: Fraction, is_exact: bool) -> Fraction:
    if people <= size:
        return Fraction(1, size)
    if size >= 3 and not is_exact:
        return size / (people * (size - 1) + size)
    p = size / people
    q = 1 - p
    digits = _DIGITS
    if size < _LARGE:  # each step of the recursion multiplies errors by p / q
        ratio = p / q
        digits += size * max(len(str(ratio.numerator // ratio.denominator)), 1)
    with localcontext() as context:
        context.prec = digits
        low, high = _decimal(p), _decimal(q)
        if size < _LARGE:
            integral = -low.ln() / high
            for i in range(1, size):
                integral = (Decimal(1) / i - low * integral) / high
        else:
            term = integral = Decimal(1) / size
            for n in range(_LARGE):
                term *= high * (n + 1) / (size + 1 + n)
                integral += term
        return Fraction(low * integral)


def _decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / number.denominator


VERIFIER = ModelVerifier(
    title=N_("individual risk of at most {threshold}"),
    threshold="threshold",
    words={"exact": ("False", "True")},
    reads=lambda model: ("size", "weights"),
    met=_met,
)
