"""The risk of a weighted sample, as a gate: each record stands for many people."""

from pathlib import Path

import pandas as pd

from engine.findings import assess_special_uniques, assess_survey

people = pd.read_csv(Path(__file__).parents[1] / "clinic" / "clinic.csv").head(500)
people["weight"] = 200
known = ["age", "sex", "insurance"]
survey = assess_survey(people, known, "weight").require("global_risk <= 2 %", "highest <= 5 %")
print("expected re-identifications:", round(survey.expected_reidentifications, 2))
special = assess_special_uniques(people, known, weight="weight")
print("unique in few columns:", special.n_special, "of", special.n_records)
print(special.figures()["dis"])
