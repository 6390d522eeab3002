"""Make the Clinic example: invented patients of an invented hospital, the same at every run.

    python3 resources/examples/make_clinic.py [FOLDER]

Writes `clinic.csv` and the hierarchy of its visit dates. Nothing in it was measured on people:
every share and every length of stay below is made up so that the columns depend on each other as they do in
real tables.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import NamedTuple

SEED = 20250101
N_PATIENTS = 2000
FIRST_DAY = date(2025, 1, 1)
COLUMNS = (
    "patient id",
    "visit date",
    "age",
    "sex",
    "postal code",
    "insurance",
    "length of stay",
    "diagnosis",
)


class Diagnosis(NamedTuple):
    """Frequency of a diagnosis, age of its patients, and length of their stay."""

    name: str
    weight: float
    usual_age: int
    spread: int
    days: float


DIAGNOSES = (
    Diagnosis("Appendicitis", 1.2, 24, 14, 3.0),
    Diagnosis("Asthma", 1.4, 30, 22, 3.5),
    Diagnosis("Bone fracture", 1.8, 48, 28, 4.5),
    Diagnosis("Breast cancer", 0.9, 60, 13, 6.0),
    Diagnosis("Depression", 1.2, 42, 17, 14.0),
    Diagnosis("Diabetes", 1.6, 62, 15, 5.0),
    Diagnosis("Gallstones", 1.1, 55, 16, 3.5),
    Diagnosis("Heart failure", 1.7, 76, 10, 8.5),
    Diagnosis("Hepatitis", 0.6, 46, 16, 6.5),
    Diagnosis("Hypertension", 1.8, 66, 14, 2.5),
    Diagnosis("Influenza", 1.3, 40, 28, 3.0),
    Diagnosis("Pneumonia", 1.5, 64, 22, 7.5),
)
FEMALE_SHARE = {"Breast cancer": 0.99, "Gallstones": 0.64, "Depression": 0.6, "Heart failure": 0.46}
WINTER = {"Influenza", "Pneumonia", "Asthma"}
# Four towns: a postal district is the first two digits.
DISTRICTS = {"41": 0.4, "42": 0.25, "65": 0.22, "83": 0.13}
INSURANCES = ("Public family", "Public employee", "Public pensioner", "Private", "Company", "Self-paying")


def main(words: Sequence[str]) -> None:
    """Write the example into the given folder, or into its usual one."""
    folder = Path(words[0]) if words else Path(__file__).resolve().parent / "clinic"
    (folder / "hierarchies").mkdir(parents=True, exist_ok=True)
    write(folder / "clinic.csv", [COLUMNS, *patients(Random(SEED))], ",")
    write(folder / "hierarchies" / "visit-date.csv", date_levels(), ";")


def patients(random: Random) -> list[tuple[str, ...]]:
    """Invent the records in order of visit, numbered in an order that reveals nothing."""
    records = sorted(patient(random) for _ in range(N_PATIENTS))
    numbers = random.sample(range(100_000, 1_000_000), N_PATIENTS)
    return [(f"P{number}", *record) for number, record in zip(numbers, records, strict=True)]


def patient(random: Random) -> tuple[str, ...]:
    """Invent one record without its number."""
    diagnosis = random.choices(DIAGNOSES, [entry.weight for entry in DIAGNOSES])[0]
    age = drawn_age(random, diagnosis)
    sex = "female" if random.random() < FEMALE_SHARE.get(diagnosis.name, 0.51) else "male"
    return (
        drawn_day(random, diagnosis).isoformat(),
        str(age),
        sex,
        drawn_postal_code(random),
        drawn_insurance(random, age),
        str(drawn_stay(random, diagnosis, age)),
        diagnosis.name,
    )


def drawn_age(random: Random, diagnosis: Diagnosis) -> int:
    """Draw an age around the usual one, again if it falls outside a life."""
    while True:
        age = round(random.gauss(diagnosis.usual_age, diagnosis.spread))
        if 0 <= age <= 97:
            return age


def drawn_day(random: Random, diagnosis: Diagnosis) -> date:
    """Draw a day of the year; what comes with the cold mostly falls into the winter months."""
    while True:
        day = FIRST_DAY + timedelta(days=random.randrange(365))
        if diagnosis.name not in WINTER or day.month in (1, 2, 3, 11, 12) or random.random() < 0.3:
            return day


def drawn_postal_code(random: Random) -> str:
    """Draw five digits; within a district few codes hold most people."""
    district = random.choices(list(DISTRICTS), list(DISTRICTS.values()))[0]
    quarter = min(int(random.expovariate(0.7)), 5)
    street = min(int(random.expovariate(0.5)), 9)
    return f"{district}{quarter}{street}{random.choice('05')}"


def drawn_insurance(random: Random, age: int) -> str:
    """Draw an insurance that fits the age."""
    if age < 18:
        weights = (80, 0, 0, 14, 0, 6)
    elif age < 66:
        weights = (12, 52, 3, 14, 13, 6)
    else:
        weights = (3, 2, 78, 14, 1, 2)
    return random.choices(INSURANCES, weights)[0]


def drawn_stay(random: Random, diagnosis: Diagnosis, age: int) -> int:
    """Draw whole days in hospital; older people stay longer."""
    mean = diagnosis.days * (0.75 + age / 150)
    return max(1, min(60, round(random.gammavariate(2.2, mean / 2.2))))


def date_levels() -> Iterable[tuple[str, ...]]:
    """Give each day of the year its month, its quarter, and the top."""
    for offset in range(365):
        day = FIRST_DAY + timedelta(days=offset)
        quarter = f"{day.year} quarter {(day.month + 2) // 3}"
        yield day.isoformat(), f"{day.year}-{day.month:02d}", quarter, "*"


def write(path: Path, rows: Iterable[Sequence[str]], delimiter: str) -> None:
    """Write rows as CSV with line feeds on every system."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)
    print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
