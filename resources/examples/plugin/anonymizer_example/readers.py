"""Fixed-width text: the names in the first line say where the columns begin."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pandas as pd

from engine.errors import TableError
from engine.monitor import Monitor
from engine.records.opening.readers import TableReader


@dataclass(frozen=True, slots=True)
class FixedWidthReader(TableReader):
    """Texts in UTF-8; a name has no spaces, and a cell of spaces only is missing."""

    title: ClassVar[str] = "Fixed-width text"
    summary: ClassVar[str] = "Reads text files whose columns begin below their names."

    def read(self, path: Path, monitor: Monitor) -> pd.DataFrame:
        """Return all records."""
        with path.open(encoding="utf-8") as file:
            names = list(re.finditer(r"\S+", file.readline()))
        if not names:
            raise TableError(
                f"'{path.name}' has no names in its first line.",
                hint="Write the name of each column above it.",
                file=path.name,
            )
        starts = [name.start() for name in names]
        places = list(zip(starts, [*starts[1:], sys.maxsize], strict=True))
        frame = pd.read_fwf(
            path, colspecs=places, header=None, skiprows=1, dtype=str, keep_default_na=False, encoding="utf-8"
        )
        frame.columns = [name.group() for name in names]
        return frame.replace("", None)
