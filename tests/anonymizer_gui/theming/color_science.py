"""Contrast, OKLab and simulated colour blindness, implemented from their published definitions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

# Machado, Oliveira, Fernandes (2009), severity 1.0, applied to linear RGB.
SIMULATIONS: dict[str, Vector] = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
# Ottosson (2020), linear sRGB to OKLab.
_TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def linear(color: str | tuple[int, int, int]) -> Vector:
    """Return linear RGB, 0 to 1, of a colour given as #RRGGBB or as 8-bit triple."""
    rgb = [int(color[i : i + 2], 16) for i in (1, 3, 5)] if isinstance(color, str) else list(color)
    channels = np.array(rgb, dtype=np.float64) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def luminance(color: str) -> float:
    """Return the relative luminance of WCAG 2."""
    return float(linear(color) @ np.array([0.2126, 0.7152, 0.0722]))


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of WCAG 2, 1 to 21."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def oklab(color: str | tuple[int, int, int], view: str = "normal") -> Vector:
    """Return OKLab times 100 of a colour for a kind of colour vision."""
    seen = np.clip(SIMULATIONS[view] @ linear(color), 0, 1)
    return np.asarray(100 * (_TO_LAB @ np.cbrt(_TO_LMS @ seen)))


def distance(
    one: str | tuple[int, int, int], other: str | tuple[int, int, int], view: str = "normal"
) -> float:
    """Return the distance in OKLab times 100; about 2 is one visible step."""
    return float(np.linalg.norm(oklab(one, view) - oklab(other, view)))


def grey_lightness(color: str | tuple[int, int, int]) -> float:
    """Return CIE L* (0 to 100) of a colour in a black and white print."""
    y = float(linear(color) @ np.array([0.2126, 0.7152, 0.0722]))
    return 116 * float(np.cbrt(y)) - 16 if y > 216 / 24389 else y * 24389 / 27
