"""Tables of visits with several per person: one with a recipe that releases it, one as a project."""

from __future__ import annotations

import random

import numpy as np
import pandas as pd

from engine.project import Project
from engine.records import Kind
from tests.strategies import Attributes, Case

QI = ["sex", "birth year", "town"]
K = 5
RECIPE = """\
[data]
path = "visits.csv"
[roles]
identifying = ["patient"]
quasi_identifying = ["sex", "birth year", "town"]
sensitive = ["illness"]
{person}
[hierarchies."sex"]
builder = "suppress"
[hierarchies."birth year"]
builder = "intervals"
width = 10
merge = [2]
[hierarchies."town"]
builder = "masking"
[[privacy]]
model = "k_anonymity"
k = 5
[[privacy]]
model = "distinct_l_diversity"
column = "illness"
l = 2
[transformation]
identifying = "pseudonym"
suppression_limit = 0.1
{more}
"""


def visits(seed: int = 17) -> pd.DataFrame:
    """Return 1 to 9 visits each of 300 people; some move between two visits."""
    source = random.Random(seed)
    rows = []
    for number in range(300):
        sex, year = source.choice("fm"), source.randint(1930, 2009)
        town = f"{source.choice('123')}{source.randint(0, 9)}"
        for _ in range(source.randint(1, 9)):
            if source.random() < 0.05:
                town = f"{source.choice('123')}{source.randint(0, 9)}"
            illness = source.choice(["flu", "cold", "asthma", "gout", "migraine"])
            rows.append((f"P{number:03d}", sex, year, town, illness))
    source.shuffle(rows)
    return pd.DataFrame(rows, columns=["patient", *QI, "illness"])


TABLE = visits()


def project_of_visits(n_persons: int = 40) -> Project:
    """Return a project with one to nine visits per person; a few people have most of them."""
    random = np.random.default_rng(7)
    n_visits = random.integers(1, 10, size=n_persons)
    who = np.repeat(np.arange(n_persons), n_visits)
    ages = (20 + random.integers(0, 30, size=n_persons))[who] + random.integers(0, 2, size=len(who))
    zips = random.integers(0, 8, size=n_persons)[who]
    age_rows = tuple((str(a), f"{a // 5 * 5}+", f"{a // 20 * 20}+", "*") for a in range(20, 52))
    zip_rows = tuple((f"z{i}", f"y{i // 4}", "*") for i in range(8))
    qi = (
        Attributes("age", tuple(map(str, ages)), Kind.INTEGER, age_rows),
        Attributes("zip", tuple(f"z{i}" for i in zips), rows=zip_rows),
    )
    illness = tuple("abcd"[i] for i in random.integers(0, 4, size=len(who)))
    return Case(qi, (Attributes("illness", illness),), persons=tuple(f"p{i}" for i in who)).project


def panel(n_people: int = 200, years: int = 6, seed: int = 5) -> pd.DataFrame:
    """Return a record per person and year, those of a person side by side; pay changes over the years.

    `chip` is a second number of the person, `blood` a value that they share with many others.
    """
    source = random.Random(seed)
    chips = source.sample(range(10_000, 100_000), n_people)
    rows = []
    for number in range(n_people):
        pay, blood = source.randint(1, 4), source.choice(["A", "B", "0"])
        for year in range(1980, 1980 + years):
            pay = min(max(pay + source.choice((-1, 0, 0, 1)), 1), 4)
            health = source.choice(["good", "fair", "bad"])
            rows.append((f"N{number:03d}", chips[number], blood, year, pay, health))
    return pd.DataFrame(rows, columns=["person", "chip", "blood", "year", "pay", "health"])


PANEL_QI = ["year", "pay"]
PANEL_RECIPE = """\
[data]
path = "panel.csv"
[roles]
identifying = ["person"{identifying}]
quasi_identifying = ["year", "pay"]
sensitive = ["health"]
insensitive = [{insensitive}]
person = "person"
[hierarchies."year"]
builder = "suppress"
[hierarchies."pay"]
builder = "suppress"
[[privacy]]
model = "k_anonymity"
k = 5
[transformation]
identifying = "{rule}"
{more}
"""
