"""SPSS files and SPSS portable files as raw columns."""

from __future__ import annotations

from pathlib import Path

from engine.monitor import Monitor
from engine.table.formats import PORTABLE, SPSS
from engine.table.labelled import Dialect, read_labelled
from engine.table.options import ReadOptions
from engine.table.raw import RawTable

_SPSS = Dialect(SPSS, "read_sav", has_measure=True, has_missing=True)
_PORTABLE = Dialect(PORTABLE, "read_por", has_measure=True)


def read_spss(path: Path, options: ReadOptions, monitor: Monitor) -> RawTable:
    """Return the columns of an SPSS file; see `engine.table.labelled`."""
    return read_labelled(_SPSS, path, options, monitor)


def read_portable(path: Path, options: ReadOptions, monitor: Monitor) -> RawTable:
    """Return the columns of an SPSS portable file; see `engine.table.labelled`."""
    return read_labelled(_PORTABLE, path, options, monitor)
