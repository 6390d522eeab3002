"""A sample of a town whose register we have: k-map changes less than k-anonymity."""

from pathlib import Path

import pandas as pd

from engine import KAnonymity, KMap, anonymize, suggest_hierarchies

register = pd.read_csv(Path(__file__).parents[1] / "clinic" / "clinic.csv")[["age", "sex", "insurance"]]
sample = register.sample(400, random_state=1)
known, hierarchies = list(register.columns), suggest_hierarchies(register)
for model in (KAnonymity(5), KMap(5)):
    released = anonymize(
        sample, known, models=model, hierarchies=hierarchies, population=register, suppression_limit=0.02
    )
    print(model.key, released.node, "loss", round(released.scores["value"], 3))
