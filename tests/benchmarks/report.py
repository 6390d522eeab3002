"""Table of results: name, measured value, limit, met or missed; printed, or written as JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

WIDTH = 140
JSON = "ANONYMIZER_BENCHMARK_JSON"  # environment variable: file that every printed table is added to
MET, MISSED = "met", "MISSED"


@dataclass(frozen=True)
class Row:
    """One measured value.

    Attributes
    ----------
    name : str
    value : float
    unit : str
        A key of `UNITS`.
    note : str
        Text behind the value in the printed table.
    wanted : float or None
        Limit in the same unit; None without one.
    relation : str
        How the value compares with the limit: "at least", "at most" or "below".
    """

    name: str
    value: float
    unit: str
    note: str = ""
    wanted: float | None = None
    relation: str = ""

    @property
    def is_met(self) -> bool | None:
        """Return whether the limit is met; None without one."""
        if self.wanted is None:
            return None
        if self.relation == "at least":
            return self.value >= self.wanted
        return self.value < self.wanted if self.relation == "below" else self.value <= self.wanted

    def cells(self) -> tuple[str, str, str, str]:
        """Return the texts of the printed table."""
        text = UNITS[self.unit]
        limit = text if self.unit != "times" else "{:,g} x".format
        wanted = "" if self.wanted is None else f"{self.relation} {limit(self.wanted)}"
        verdict = {None: "", True: MET, False: MISSED}[self.is_met]
        return self.name, f"{text(self.value)}{self.note}", wanted, verdict

    def plain(self) -> dict[str, object]:
        """Return the row as it is written to JSON."""
        return {
            "name": self.name,
            "value": self.value,
            "unit": self.unit,
            "wanted": self.wanted,
            "met": self.is_met,
        }


class Report:
    """Rows in the order they are added; starts with a section."""

    def __init__(self) -> None:
        self._sections: list[list[Row]] = []

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows."""
        return tuple(row for rows in self._sections for row in rows)

    @property
    def is_met(self) -> bool:
        """Return whether every limit is met."""
        return all(row.is_met is not False for row in self.rows)

    def section(self) -> None:
        """Draw a line above the next rows."""
        self._sections.append([])

    def tell(self, what: str, value: float, unit: str, note: str = "") -> None:
        """Add a value without a limit."""
        self._sections[-1].append(Row(what, value, unit, note))

    def at_least(self, what: str, ratio: float, wanted: float, note: str = "") -> None:
        """Add a ratio with a lower limit."""
        self._sections[-1].append(Row(what, ratio, "times", note, wanted, "at least"))

    def at_most(self, what: str, value: float, wanted: float, note: str = "", unit: str = "times") -> None:
        """Add a ratio, or a value of another unit, with an upper limit."""
        self._sections[-1].append(Row(what, value, unit, note, wanted, "at most"))

    def within(self, what: str, share: float, wanted: float, note: str = "") -> None:
        """Add a share with an upper limit."""
        self._sections[-1].append(Row(what, share, "share", note, wanted, "at most"))

    def memory(self, what: str, megabytes: float, wanted: float, note: str = "") -> None:
        """Add an amount of memory with an upper limit."""
        self._sections[-1].append(Row(what, megabytes, "megabytes", note, wanted, "below"))

    def show(self, title: str) -> None:
        """Print the table."""
        table = Table("What", "Measured", "Wanted", "", title=title)
        table.columns[0].ratio = 1
        table.columns[1].no_wrap = True
        for rows in self._sections:
            table.add_section()
            for row in rows:
                table.add_row(*row.cells())
        Console(width=WIDTH).print(table)
        if path := os.environ.get(JSON):
            self.write(Path(path))

    def write(self, path: Path) -> None:
        """Append all rows to a JSON list, or begin one."""
        rows = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
        rows += [row.plain() for row in self.rows]
        path.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


def times(ratio: float) -> str:
    """Return a ratio as text, with decimals only where significant."""
    return f"{ratio:,.0f} x" if ratio >= 20 else f"{ratio:.2f} x"


def duration(value: float) -> str:
    """Return a time as text, in seconds, milliseconds or microseconds."""
    if value >= 1:
        return f"{value:.2f} s"
    if value < 1e-6:
        return f"{1e9 * value:.1f} ns"
    return f"{1e3 * value:.1f} ms" if value >= 1e-3 else f"{1e6 * value:.0f} µs"


def fraction(share: float) -> str:
    """Return a share as text, such as 1/5."""
    whole = 1 / share
    return f"1/{whole:.0f}" if share < 0.1 or whole == int(whole) else f"1/{whole:.1f}"


UNITS: Mapping[str, Callable[[float], str]] = {
    "times": times,
    "seconds": duration,
    "share": fraction,
    "part": "{:.1%}".format,
    "megabytes": lambda value: f"{value:,.0f} MB",
    "bytes": lambda value: f"{value:.1f} bytes",
    "granularity": lambda value: f"{value:.4f}",
    "bytes per second": lambda value: f"{value / 1e9:.1f} GB/s",
}
