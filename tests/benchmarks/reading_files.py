"""Reading of a text file of a million records and of a workbook, compared with the libraries below."""

from __future__ import annotations

import datetime
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pyarrow as pa
from pyarrow import csv

from engine.monitor import SILENT
from engine.records.opening.files import read_csv
from engine.records.options import ReadOptions
from engine.records.programs.workbooks import read_excel
from engine.records.text.reader import get_ready, read_text
from tests.benchmarks import people
from tests.benchmarks.measuring import Figures, Rounds, has_proc, resident, seconds

ROUNDS = 5
WORKBOOK_ROWS, FIRST_DAY = 50_000, datetime.date(1930, 1, 1)


def text_figures() -> Figures:
    """Read the file of a million people: peak memory, and times relative to Arrow's own dictionaries."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.csv"
        people.write(path)
        get_ready()
        before = resident("VmRSS") if has_proc() else 0.0
        _reset_peak()
        read_csv(path)
        peak = resident("VmHWM") - before if has_proc() else 0.0
        coded = dict.fromkeys(people.NAMES, pa.dictionary(pa.int32(), pa.string()))

        def by_arrow() -> None:
            csv.read_csv(path, convert_options=csv.ConvertOptions(column_types=coded))

        by_arrow()
        figures = Rounds(
            [
                {
                    "arrow": seconds(by_arrow),
                    "coded": seconds(lambda: read_text(path, ReadOptions(), SILENT)),
                    "typed": seconds(lambda: read_csv(path)),
                }
                for _ in range(ROUNDS)
            ]
        )
        size = path.stat().st_size / (1 << 20)
    ratios = {key: figures.ratio(key, "arrow") for key in ("coded", "typed")}
    return {**ratios, "arrow": figures.median("arrow"), "peak": peak, "size": size}


def workbook_figures() -> Figures:
    """Read a workbook of ten columns: time relative to openpyxl's rows of plain values."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.xlsx"
        _write_workbook(path)

        def by_openpyxl() -> None:
            book = openpyxl.load_workbook(path, read_only=True, data_only=True)
            for _row in book.worksheets[0].iter_rows(values_only=True):
                pass
            book.close()

        def by_us() -> None:
            read_excel(path, ReadOptions(), SILENT)

        by_us()
        figures = Rounds([{"openpyxl": seconds(by_openpyxl), "ours": seconds(by_us)} for _ in range(ROUNDS)])
    return {
        "ratio": figures.ratio("ours", "openpyxl"),
        "openpyxl": figures.median("openpyxl"),
        "ours": figures.median("ours"),
    }


def _write_workbook(path: Path) -> None:
    rng, n = np.random.default_rng(people.SEED), WORKBOOK_ROWS
    days = rng.integers(29_000, size=n).tolist()
    columns: list[list[Any]] = [
        list(range(n)),
        [f"name {i}" for i in rng.integers(1_000, size=n)],
        [("female", "male")[i] for i in rng.integers(2, size=n)],
        [FIRST_DAY + datetime.timedelta(day) for day in days],
        [f"{code:05d}" for code in rng.integers(1_000, 99_999, size=n)],
        [f"City {i}" for i in rng.integers(400, size=n)],
        [round(value, 2) for value in rng.gamma(3, 10_000, size=n).tolist()],
        [round(value, 1) for value in rng.normal(75, 15, size=n).tolist()],
        [bool(value) for value in rng.integers(2, size=n)],
        [f"A{i:02d}" for i in rng.integers(40, size=n)],
    ]
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("people")
    sheet.append(["id", "name", "sex", "born", "zip", "city", "income", "weight", "married", "diagnosis"])
    for row in zip(*columns, strict=True):
        sheet.append(row)
    book.save(path)


def _reset_peak() -> None:
    """Forget the peak of memory that writing the file took."""
    if has_proc():
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
