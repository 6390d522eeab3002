"""Columns written in one line, for the tests of builders."""

from __future__ import annotations

import numpy as np

from engine.records import Column, DataType, Kind, retype
from engine.records.values import make_column


def column_of(*texts: str, kind: Kind = Kind.TEXT, name: str = "c", missing: str | None = "") -> Column:
    """A column with these records."""
    labels = list(dict.fromkeys(texts))
    codes = np.array([labels.index(text) for text in texts], dtype=np.int32)
    return retype(make_column(name, labels, codes, DataType(), missing), DataType(kind))
