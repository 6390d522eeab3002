"""Compiled version of `engine.kernels.distances.nearest_ratios` for one ratio."""

from __future__ import annotations

from typing import Any

from engine.kernels.compiled.jit import compiled

_EXACT = 1 << 53  # see `engine.kernels.distances`
_ROUNDABLE = 1 << 54  # integers from here on have a bit for rounding and one below it


@compiled
def nearest_ratio(part: Any, whole: Any) -> Any:
    """Return `part` / `whole`, rounded once; `part` from 0 and `whole` from 1 to below 2**62.

    Integers that no double represents are divided bit by bit until the next bit cannot change the result; the
    remainder then decides the last bit.
    """
    if part < _EXACT and whole < _EXACT:
        return part / whole
    quotient, rest, unit = part // whole, part % whole, 1.0
    while quotient < _ROUNDABLE and part:
        rest *= 2
        quotient *= 2
        unit *= 0.5
        if rest >= whole:
            rest -= whole
            quotient += 1
    if rest:
        quotient |= 1
    return quotient * unit
