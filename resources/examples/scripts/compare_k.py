"""What does a stricter k cost? One line for each."""

from pathlib import Path

import pandas as pd

from engine import KAnonymity, anonymize

visits = pd.read_csv(Path(__file__).parents[1] / "clinic" / "clinic.csv")
rows = []
for k in (2, 5, 10, 20):
    released = anonymize(
        visits, ["age", "sex", "insurance"], "diagnosis", models=KAnonymity(k), suppression_limit=0.02
    )
    rows.append({"k": k, "loss": released.scores["value"], "suppressed": released.scores["suppressed"]})
    rows[-1].update(released.node)
print(pd.DataFrame(rows).round(3).to_string(index=False))
