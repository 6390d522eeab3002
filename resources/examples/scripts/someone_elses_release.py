"""Verify what somebody else released, by their recipe and our original."""

from pathlib import Path

import pandas as pd

from engine import apply, verify

hospital = Path(__file__).parents[1] / "hospital"
original = pd.read_csv(hospital / "hospital.csv")
theirs = apply(hospital / "recipe.toml", original).frame
print(verify(theirs, hospital / "recipe.toml", original=original))
theirs.loc[0, "disease"] = "Flu"
found = verify(theirs, hospital / "recipe.toml", original=original)
print(found.verified)
for problem in found.problems:
    print("-", problem)
