"""A table of visits, several of one person, with the recipe that releases it."""

from __future__ import annotations

import random

import pandas as pd

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
    """300 people with 1 to 9 visits each; some move between two visits."""
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
