"""Two tables like those of registers, from a seed, with non-quasi-identifying columns that identify."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pandas as pd

END = date(2009, 12, 31)
BLOOD_QI = ("age", "sex", "sample.yr", "mgus")
BLOOD_UNCHANGED = ("kappa", "lambda", "creatinine", "futime")


def blood_tests(n_records: int = 1_000, seed: int = 0) -> pd.DataFrame:
    """Return blood tests: age, sex, year and a finding, and four measurements with many values each."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(50, 100, n_records),
            "sex": rng.choice(["F", "M"], n_records),
            "sample.yr": rng.integers(1995, 2004, n_records),
            "kappa": rng.lognormal(0.2, 0.5, n_records).round(3),
            "lambda": rng.lognormal(0.4, 0.5, n_records).round(3),
            "creatinine": rng.normal(1.1, 0.4, n_records).clip(0.4).round(1),
            "mgus": rng.choice([0, 1], n_records, p=[0.98, 0.02]),
            "futime": rng.integers(0, 5_166, n_records),
        }
    ).astype(str)


def diabetes_register(n_records: int = 1_000, seed: int = 0) -> pd.DataFrame:
    """Return a diabetes register: dates of birth, diagnosis, death and `dox`, the end of follow-up.

    For a deceased person `dox` is the day of death. Others were followed up until the end of the register, or
    until the day on which one in twenty of them moved away.
    """
    rng = np.random.default_rng(seed)
    birth = [date(1910, 1, 1) + timedelta(int(d)) for d in rng.integers(0, 25_000, n_records)]
    diagnosis = [date(1995, 1, 1) + timedelta(int(d)) for d in rng.integers(0, 4_000, n_records)]
    last = [
        day + timedelta(int(part * ((END - day).days - 1)))
        for day, part in zip(diagnosis, rng.random(n_records), strict=True)
    ]
    died = rng.random(n_records) < 0.25
    moved = ~died & (rng.random(n_records) < 0.05)
    return pd.DataFrame(
        {
            "sex": rng.choice(["F", "M"], n_records),
            "dobth": [_written(day) for day in birth],
            "dodm": [_written(day) for day in diagnosis],
            "dodth": [_written(day) if dead else "NA" for day, dead in zip(last, died, strict=True)],
            "dox": [_written(day if gone else END) for day, gone in zip(last, died | moved, strict=True)],
        }
    )


def _written(day: date) -> str:
    return day.strftime("%d-%m-%Y")
