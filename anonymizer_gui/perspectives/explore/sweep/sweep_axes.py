"""Which thresholds and which suppression limits a sweep takes."""

from __future__ import annotations

from anonymizer_gui.perspectives.explore.knobs.knob_bar import KnobSpec
from anonymizer_gui.perspectives.explore.knobs.knob_specs import knob_grid

_SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 15, 20, 30, 50)
_LIMITS = (0.0, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2)
_MOST = 14  # values of a linear axis


def swept_thresholds(spec: KnobSpec) -> tuple[float, ...]:
    """Values over the range of a knob, ascending: usual sizes, or steps of one width; the present one too."""
    scale = spec.scale
    if scale.is_logarithmic:
        decades = [size * factor for factor in (1, 100, 10_000, 1_000_000) for size in _SIZES]
        values = {float(size) for size in decades if scale.minimum <= size < scale.maximum}
        values |= {scale.minimum, scale.maximum}
    else:
        grid = knob_grid(scale)
        steps = min(len(grid), _MOST) - 1
        values = {grid[round(step * (len(grid) - 1) / max(steps, 1))] for step in range(steps + 1)}
    return tuple(sorted(values | {spec.value}))


def swept_limits(present: float) -> tuple[float, ...]:
    """Usual limits and the present one, ascending."""
    return tuple(sorted({*_LIMITS, present}))
