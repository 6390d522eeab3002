"""Make the Region example: invented insured people in a folder of Parquet files, as many as asked for.

    .venv/bin/python resources/examples/make_region.py FOLDER [RECORDS]

Writes `FOLDER/people/part-00001.parquet` and so on, and `FOLDER/recipe.toml`; the same at every run with as
many records, a million by default. Nothing in it was measured on people.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

SEED = 20260101
N_RECORDS = 1_000_000
RECORDS_PER_FILE = 250_000
TOWNS = 400
OCCUPATIONS = (
    "administration", "care", "construction", "crafts", "education", "farming", "none", "research", "retired",
    "sales", "services", "transport",
)  # fmt: skip
EDUCATIONS = ("none", "primary", "lower secondary", "upper secondary", "vocational", "bachelor", "master")
CONDITIONS = (
    "none", "allergy", "arthritis", "asthma", "back pain", "depression", "diabetes", "heart failure",
    "hypertension", "migraine",
)  # fmt: skip
RECIPE = """\
# Invented insured people in a folder of Parquet files, which are read in place (make_region.py makes them).
format = 1

[data]
path = "people"
source = "disk"

[data.types]
"postal code" = "text"           # five digits, not a quantity

[roles]
identifying = ["insurance number"]
quasi_identifying = ["age", "sex", "postal code", "education", "occupation"]
sensitive = ["condition"]
insensitive = ["quarter"]

[hierarchies."age"]              # 5, 10, 20 and 40 years
builder = "intervals"
width = 5
origin = 0
merge = [2, 2, 2]

[hierarchies."sex"]
builder = "suppress"

[hierarchies."postal code"]      # town, district, county: the last digits go first
builder = "masking"
direction = "right_to_left"

[hierarchies."education"]
builder = "grouping"
groups = [{"school" = ["none", "primary", "lower secondary", "upper secondary"], \
"further" = ["vocational", "bachelor", "master"]}]

[hierarchies."occupation"]
builder = "suppress"

[[privacy]]
model = "k_anonymity"
k = 10
[[privacy]]
model = "distinct_l_diversity"
column = "condition"
l = 3

[transformation]
suppression_limit = 0.05

[search]
metric = "loss"
"""


def main(words: list[str]) -> None:
    """Write all files of the example into a folder."""
    folder = Path(words[0])
    n_records = int(words[1]) if len(words) > 1 else N_RECORDS
    people = folder / "people"
    people.mkdir(parents=True, exist_ok=True)
    for number, start in enumerate(range(0, n_records, RECORDS_PER_FILE), start=1):
        path = people / f"part-{number:05}.parquet"
        parquet.write_table(insured(start, min(RECORDS_PER_FILE, n_records - start)), path)
        print(path)
    recipe = folder / "recipe.toml"
    recipe.write_text(RECIPE, encoding="utf-8")
    print(recipe)


def insured(first: int, n_records: int) -> pa.Table:
    """Invent some people; those of a file depend on its number alone."""
    random = np.random.default_rng((SEED, first))
    age = np.clip(random.normal(44, 22, n_records), 0, 99).astype(np.int64)
    place = np.minimum(random.exponential(TOWNS / 5, n_records), TOWNS - 1).astype(np.int64)
    education = np.minimum(random.binomial(6, np.clip((age - 5) / 60, 0.0, 0.6)), len(EDUCATIONS) - 1)
    occupation = random.integers(0, len(OCCUPATIONS), n_records)
    occupation[age < 16] = OCCUPATIONS.index("none")
    occupation[age > 66] = OCCUPATIONS.index("retired")
    condition = random.binomial(len(CONDITIONS) - 1, np.clip(age / 180, 0.02, 0.5))
    return pa.table(
        {
            "insurance number": pa.array(10_000_000 + first + random.permutation(n_records)),
            "age": pa.array(age),
            "sex": chosen(("female", "male"), random.integers(0, 2, n_records)),
            "postal code": pa.array([f"{10_000 + 90 * town:05}" for town in place.tolist()]),
            "education": chosen(EDUCATIONS, education),
            "occupation": chosen(OCCUPATIONS, occupation),
            "condition": chosen(CONDITIONS, condition),
            "quarter": chosen(("1", "2", "3", "4"), random.integers(0, 4, n_records)),
        }
    )


def chosen(values: tuple[str, ...], places: np.ndarray) -> pa.Array:
    """Give the values at some places."""
    return pa.array(values).take(pa.array(places))


if __name__ == "__main__":
    main(sys.argv[1:])
