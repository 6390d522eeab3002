"""Anonymize the result of a query of DuckDB, and ask the release again."""

from pathlib import Path

import duckdb

from engine import KAnonymity, anonymize

table = Path(__file__).parents[1] / "clinic" / "clinic.csv"
connection = duckdb.connect()
query = f"""SELECT age, sex, insurance, diagnosis FROM '{table}' WHERE "visit date" >= '2025-06-01'"""
recent = connection.sql(query)
released = anonymize(recent, ["age", "sex", "insurance"], "diagnosis", models=KAnonymity(5))
people = released.frame  # a table of Arrow, which DuckDB reads by its name
print(connection.sql("SELECT age, count(*) AS records FROM people GROUP BY age ORDER BY age"))
connection.sql("COPY people TO 'released.parquet'")
