"""File of a million invented people: `python -m tests.benchmarks.people PATH` writes it."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

N_RECORDS = 1_000_000
SEED = 0
NAMES = (
    *("id", "name", "sex", "born", "zip", "city", "occupation", "education"),
    *("married", "children", "income", "weight", "height", "diagnosis", "visit"),
)


def write(path: Path) -> None:
    """Write the file."""
    with path.open("w", encoding="utf-8") as file:
        file.write(",".join(NAMES) + "\n")
        for record in zip(*columns(), strict=True):
            file.write(",".join(record) + "\n")


def columns() -> list[list[str]]:
    """Return identifiers, names, categories, dates and numbers; two columns have mostly distinct values."""
    rng, n = np.random.default_rng(SEED), N_RECORDS
    days = np.arange("1930-01-01", "2012-01-01", dtype="datetime64[D]").astype(str)

    def some(values: object, size: int = n) -> list[str]:
        known = np.asarray(values).astype(str)
        drawn: list[str] = known[rng.integers(len(known), size=size)].tolist()
        return drawn

    first = [
        a + b for a in ("An", "Be", "Ca", "Do", "El", "Fa", "Gu", "Ha") for b in ("na", "rt", "ro", "la")
    ]
    return [
        [f"P{i:07d}" for i in range(n)],
        [f"{given} {family}" for given, family in zip(some(first), some(first), strict=True)],
        some(["female", "male"]),
        some(days),
        [f"{code:05d}" for code in rng.integers(1_000, 99_999, size=n)],
        some([f"City {i}" for i in range(400)]),
        some([f"occupation {i}" for i in range(60)]),
        some(["none", "school", "college", "bachelor", "master", "doctorate"]),
        some(["true", "false"]),
        some(range(9)),
        [f"{value:.2f}" for value in rng.gamma(3, 10_000, size=n)],
        [f"{value:.1f}" for value in rng.normal(75, 15, size=n)],
        some(range(140, 205)),
        some([f"{letter}{i:02d}" for letter in "ABCDEFG" for i in range(40)]),
        some(days[28_000:]),
    ]


if __name__ == "__main__":
    write(Path(sys.argv[1]))
