"""A gate for CI: `python gate.py released.csv recipe.toml` fails with every promise that the file breaks."""

import sys

from engine import AnonymizerError, risk, verify

released, recipe = sys.argv[1:]
try:
    verify(released, recipe).require("k >= 3", "l(disease) >= 2", "suppressed <= 10 %")
    risk(released, ["age", "gender", "city"]).require("highest_risk <= 34 %", "sample_uniques = 0")
except AnonymizerError as error:
    sys.exit(f"Not released: {error}")
print("Every promise and condition is kept.")
