"""Make the Survey example: invented members of a panel who answer every month, the same at every run.

    python3 resources/examples/make_survey.py [FOLDER]

Writes `survey.csv`, the answers of three months, and `next-month.csv`, those of the fourth, which has one
column more and a new degree. Nothing in it was measured on people.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import NamedTuple

SEED = 20260101
N_MEMBERS = 900
MONTHS = (date(2026, 1, 1), date(2026, 2, 1), date(2026, 3, 1))
NEXT_MONTH = date(2026, 4, 1)
ANSWERS = 0.72  # share of the members who answer in a month
COLUMNS = ("panel id", "answered", "birth year", "sex", "postal code", "education", "income", "satisfaction")
EDUCATION = {"Primary school": 0.14, "Secondary school": 0.42, "Bachelor": 0.26, "Master": 0.18}
INCOME = {
    "Primary school": 1700,
    "Secondary school": 2300,
    "Bachelor": 3000,
    "Master": 3600,
    "Doctorate": 4200,
}
DISTRICTS = {"20": 0.45, "21": 0.33, "30": 0.22}
MODES = ("web", "telephone")


class Member(NamedTuple):
    """One person of the panel."""

    panel_id: str
    birth_year: int
    sex: str
    postal_code: str
    education: str
    income: int


def main(words: Sequence[str]) -> None:
    """Write the example into the given folder, or into its usual one."""
    folder = Path(words[0]) if words else Path(__file__).resolve().parent / "survey"
    folder.mkdir(parents=True, exist_ok=True)
    random = Random(SEED)
    members = [member(random, f"M{number}") for number in random.sample(range(1000, 10_000), N_MEMBERS)]
    first = sorted(
        (row for month in MONTHS for row in answers(random, members, month)), key=lambda row: row[1]
    )
    write(folder / "survey.csv", [COLUMNS, *first])
    graduates = [one._replace(education="Doctorate") if i % 40 == 0 else one for i, one in enumerate(members)]
    later = sorted(answers(random, graduates, NEXT_MONTH), key=lambda row: row[1])
    write(
        folder / "next-month.csv",
        [(*COLUMNS, "mode"), *((*row, random.choices(MODES, (0.8, 0.2))[0]) for row in later)],
    )


def member(random: Random, panel_id: str) -> Member:
    """Invent one person."""
    education = random.choices(list(EDUCATION), list(EDUCATION.values()))[0]
    district = random.choices(list(DISTRICTS), list(DISTRICTS.values()))[0]
    return Member(
        panel_id,
        random.randint(1942, 2007),
        random.choices(("female", "male"), (0.52, 0.48))[0],
        f"{district}{min(int(random.expovariate(0.6)), 5)}{random.randint(0, 4)}0",
        education,
        max(500, round(random.gauss(INCOME[education], 650) / 100) * 100),
    )


def answers(random: Random, members: Iterable[Member], month: date) -> Iterable[tuple[str, ...]]:
    """Give the answers of a month, at most one per member."""
    for one in members:
        if random.random() < ANSWERS:
            day = month + timedelta(days=random.randrange(28))
            satisfaction = min(10, max(0, round(random.gauss(6 + one.income / 4000, 1.9))))
            yield (
                *(one.panel_id, day.isoformat(), str(one.birth_year), one.sex, one.postal_code),
                *(one.education, str(one.income), str(satisfaction)),
            )


def write(path: Path, rows: Iterable[Sequence[str]]) -> None:
    """Write lines that end in a line feed on every system."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
