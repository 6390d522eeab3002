"""A first release: read, choose roles, anonymize, look, write the file and its recipe."""

from pathlib import Path

import pandas as pd

from engine import DistinctLDiversity, KAnonymity, anonymize, suggest_roles

patients = pd.read_csv(Path(__file__).parents[1] / "hospital" / "hospital.csv")
for suggestion in suggest_roles(patients):
    print(suggestion.column, "is probably", suggestion.role.value)
released = anonymize(
    patients,
    quasi_identifying=["age", "gender", "city"],
    sensitive=["disease"],
    models=[KAnonymity(3), DistinctLDiversity("disease", 2)],
    suppression_limit=0.1,
)
print(released)
print(released.frame.head())
assert released.export("released.csv").ok
released.recipe("recipe.toml", with_table=True)
