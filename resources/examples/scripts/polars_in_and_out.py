"""A lazy query of polars in, a frame of polars out."""

from pathlib import Path

import polars as pl

from engine import KAnonymity, anonymize, check

visits = pl.scan_csv(Path(__file__).parents[1] / "clinic" / "clinic.csv").filter(pl.col("age") >= 18)
known = ["age", "sex", "insurance"]
released = anonymize(visits.collect(), known, "diagnosis", models=KAnonymity(5), suppressed="remove")
assert isinstance(released.frame, pl.DataFrame)
print(released.frame.group_by("sex").len().sort("sex"))
print(check(released.frame, known).require("k >= 5").k)
released.frame.drop("patient id").write_parquet("released.parquet")
