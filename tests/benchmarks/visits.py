"""File of ten million invented visits: `python -m tests.benchmarks.visits PATH [RECORDS]` writes it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

N_RECORDS = 10_000_000
SEED = 7
QUASI_IDENTIFYING = ("age", "sex", "postal code")
SENSITIVE = "diagnosis"


def write(path: Path, n_records: int = N_RECORDS) -> None:
    """Write the file: three quasi-identifying columns, a sensitive one and six others."""
    rng = np.random.default_rng(SEED)

    def some(values: Sequence[str]) -> pa.Array:
        codes = pa.array(rng.integers(len(values), size=n_records).astype("int32"))
        return pa.DictionaryArray.from_arrays(codes, pa.array(values)).cast(pa.string())

    days = np.arange("2019-01-01", "2024-01-01", dtype="datetime64[D]").astype(str).tolist()
    table = pa.table(
        {
            "age": pa.array(np.clip(rng.normal(48, 19, n_records), 0, 101).astype(int)),
            "sex": some(["female", "male"]),
            "postal code": some([f"{code:05d}" for code in range(1000, 99_000, 97)]),
            "marital status": some(["single", "married", "divorced", "widowed", "separated"]),
            "occupation": some(["sales", "craft", "technician", "clerk", "farmer", "driver", "other"]),
            "hours": pa.array(rng.integers(1, 99, n_records)),
            "visit": some(days),
            "diagnosis": some(["J45", "I10", "E11", "M54", "F32", "K21", "N39", "C50", "G43", "L40"]),
            "cost": pa.array(np.round(rng.gamma(2, 150, n_records), 2)),
            "ward": some(["A1", "A2", "B1", "B2", "C1", "C2"]),
        }
    )
    csv.write_csv(table, path, csv.WriteOptions(quoting_style="none"))


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else N_RECORDS)
