"""Table of results: name, measured value, limit, met or missed."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

WIDTH = 140
MET, MISSED = "met", "MISSED"


class Report:
    """Rows in the order they are added; starts with a section."""

    def __init__(self) -> None:
        self._sections: list[list[tuple[str, str, str, str]]] = []

    @property
    def is_met(self) -> bool:
        """Return whether every limit is met."""
        return all(verdict != MISSED for rows in self._sections for *_, verdict in rows)

    def section(self) -> None:
        """Draw a line above the next rows."""
        self._sections.append([])

    def tell(self, what: str, measured: str) -> None:
        """Add a value without a limit."""
        self._sections[-1].append((what, measured, "", ""))

    def at_least(self, what: str, ratio: float, wanted: float, note: str = "") -> None:
        """Add a ratio with a lower limit."""
        self._judge(what, f"{times(ratio)}{note}", f"at least {wanted:,g} x", is_met=ratio >= wanted)

    def at_most(self, what: str, ratio: float, wanted: float, note: str = "") -> None:
        """Add a ratio with an upper limit."""
        self._judge(what, f"{times(ratio)}{note}", f"at most {wanted:,g} x", is_met=ratio <= wanted)

    def within(self, what: str, share: float, wanted: float, note: str = "") -> None:
        """Add a share with an upper limit."""
        measured = f"1/{1 / share:.0f}" if share < 0.1 else f"1/{1 / share:.1f}"
        self._judge(what, f"{measured}{note}", f"within 1/{1 / wanted:.0f}", is_met=share <= wanted)

    def memory(self, what: str, megabytes: float, wanted: float, note: str = "") -> None:
        """Add an amount of memory with an upper limit."""
        self._judge(what, f"{megabytes:,.0f} MB{note}", f"below {wanted:,.0f} MB", is_met=megabytes < wanted)

    def show(self, title: str) -> None:
        """Print the table."""
        table = Table("What", "Measured", "Wanted", "", title=title)
        table.columns[0].ratio = 1
        table.columns[1].no_wrap = True
        for rows in self._sections:
            table.add_section()
            for row in rows:
                table.add_row(*row)
        Console(width=WIDTH).print(table)

    def _judge(self, what: str, measured: str, wanted: str, *, is_met: bool) -> None:
        self._sections[-1].append((what, measured, wanted, MET if is_met else MISSED))


def times(ratio: float) -> str:
    """Return a ratio as text, with decimals only where significant."""
    return f"{ratio:,.0f} x" if ratio >= 20 else f"{ratio:.2f} x"


def duration(value: float) -> str:
    """Return a time as text, in seconds, milliseconds or microseconds."""
    if value >= 1:
        return f"{value:.2f} s"
    return f"{1e3 * value:.1f} ms" if value >= 1e-3 else f"{1e6 * value:.0f} µs"
