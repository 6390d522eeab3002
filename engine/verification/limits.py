"""What a verification may use."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

MOST_IN_MEMORY = 5_000_000


@dataclass(frozen=True)
class Limits:
    """What a verification may use.

    Attributes
    ----------
    records : int
        Records of one original file that is read into memory.
    folder : Path or None
        Private folder for what does not fit in memory; None for a new one.
    memory : int
        Bytes that the database may use.
    """

    records: int = MOST_IN_MEMORY
    folder: Path | None = None
    memory: int = 1 << 30

    def in_memory(self, n_records: int) -> bool:
        """Return whether the files of a release are read into memory."""
        return n_records <= self.records
