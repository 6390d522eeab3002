"""SPSS files as raw columns: value labels are the values, ordered by their codes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from engine.errors import TableError
from engine.monitor import Monitor
from engine.numbers import as_exact_count
from engine.table import series
from engine.table.columns_taken import taken_columns
from engine.table.options import ReadOptions
from engine.table.raw import RawColumn, RawTable
from engine.table.sources import checked_path, need, read_by_library
from engine.table.texts import number_text
from engine.table.types import DataType, Kind
from engine.words import N_, _

_WHAT = N_("SPSS file")
_BLOCK = 50_000  # records per call; each call skips the records before, so not many are made
_MOST_BLOCKS = 40


def read_spss(path: Path, options: ReadOptions, monitor: Monitor) -> RawTable:
    """Return the columns of an SPSS file.

    Codes with a label become the label; labels that belong to several codes, or look like another value of
    the column, are followed by their code. User-missing and system-missing values are missing. Labelled
    columns are ordered by their codes if the file declares an ordinal measure, or if they are quantities with
    labels for only some values; the others are text.

    Parameters
    ----------
    path : Path
    options : ReadOptions
        An encoding is for files that declare a wrong one.
    monitor : Monitor

    Raises
    ------
    TableError
        The file is not an SPSS file, is damaged, or has no variables.
    """
    checked_path(path)
    library = need("pyreadstat", path.name)
    with read_by_library(path.name, _(_WHAT)):
        _unused, about = library.read_sav(path, metadataonly=True, encoding=options.encoding)
        frame = _frame(library, path, about.number_rows, options.encoding, monitor)
        if not all(isinstance(name, str) for name in frame.columns):
            raise ValueError("a variable has no name")
    if not len(frame.columns):
        raise TableError(
            _("'{name}' has no variables.").format(name=path.name),
            hint=_("Choose another file."),
            file=path.name,
        )
    taken = taken_columns(list(frame.columns), options.take, options.trim, path.name)
    columns = []
    for i, (place, name) in enumerate(taken):
        monitor.step(i, len(taken), _("Reading {file}, {column}").format(file=path.name, column=name))
        own = frame.columns[place]
        labels = {code: text for code, text in about.variable_value_labels.get(own, {}).items() if text}
        measure = about.variable_measure.get(own, "")
        columns.append(_column(name, frame[own], labels, measure))
    return RawTable(path.name, tuple(columns))


def _frame(
    library: Any, path: Path, n_records: int | None, encoding: str | None, monitor: Monitor
) -> pd.DataFrame:
    """Return all records, in blocks if the file gives their number, so that reading can be stopped."""
    block = max(_BLOCK, -(-(n_records or 0) // _MOST_BLOCKS))
    if not n_records or n_records <= block:
        frame: pd.DataFrame = library.read_sav(path, encoding=encoding)[0]
        return frame
    frames: list[pd.DataFrame] = []
    for start in range(0, n_records, block):
        monitor.step(
            start,
            n_records,
            _("Reading {file}, record {record}").format(file=path.name, record=as_exact_count(start)),
        )
        frames.append(library.read_sav(path, encoding=encoding, row_offset=start, row_limit=block)[0])
    whole: pd.DataFrame = pd.concat(frames, ignore_index=True)
    return whole


def _column(name: str, values: pd.Series[Any], labels: Mapping[Any, str], measure: str) -> RawColumn:
    if values.dtype == object:  # texts have no system-missing value
        values = values.where(values.notna(), None)
    codes, distinct = pd.factorize(values.array, use_na_sentinel=True)
    used = [_plain(value) for value in distinct]
    known = {_plain(code): text for code, text in labels.items()}
    if not any(value in known for value in used):
        return series.raw_column(name, values)
    every = sorted({*used, *known}, key=lambda value: (isinstance(value, str), value))
    texts = _labelled(every, known)
    place = {value: i for i, value in enumerate(every)}
    recode = np.array([*(place[value] for value in used), -1], dtype=np.int32)
    # Values without a label are the quantity itself: 98, 99 and "100 and above".
    is_ordered = measure == "ordinal" or (measure == "scale" and not all(value in known for value in used))
    data_type = DataType(Kind.ORDERED, "", tuple(texts)) if is_ordered else DataType()
    return RawColumn(name, texts, recode[codes], data_type)


def _labelled(values: list[Any], labels: Mapping[Any, str]) -> list[str]:
    """Return the texts of values in order; an ambiguous label is followed by its code."""
    plain = [value if isinstance(value, str) else number_text(value) for value in values]
    texts = [labels.get(value, text) for value, text in zip(values, plain, strict=True)]
    unclear = {text for text in texts if texts.count(text) > 1}
    return [
        f"{text} ({code})" if text in unclear and value in labels else text
        for value, text, code in zip(values, texts, plain, strict=True)
    ]


def _plain(value: Any) -> Any:
    """Return a code in one Python type, so that codes of labels and cells are equal."""
    if isinstance(value, str):
        return value.rstrip(" ")
    return float(value) if isinstance(value, int | float | np.number) and math.isfinite(value) else value
