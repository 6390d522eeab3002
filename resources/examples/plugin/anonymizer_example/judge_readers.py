"""The reader of the verification: the same files, by code that shares nothing with the other reader."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pandas as pd


def read_fixed(path: Path) -> pd.DataFrame:
    """Return all records as texts; None for a cell of spaces only."""
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    starts = [
        place for place, mark in enumerate(header) if mark != " " and (not place or header[place - 1] == " ")
    ]
    names = header.split()
    columns = {
        name: [line[start:end].strip() or None for line in lines if line.strip()]
        for name, (start, end) in zip(names, pairwise([*starts, None]), strict=True)
    }
    return pd.DataFrame(columns, dtype=object)
