"""A monitor that asks a computation to stop."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.errors import CancelledError


@dataclass
class Stopping:
    """Records what is reported, and cancels at its `at`-th step that has this much done and these words.

    Every later one of these steps cancels too. 0 never cancels.
    """

    at: int = 1
    done: int = 0
    words: str = ""
    steps: list[tuple[int, int, str]] = field(default_factory=list)
    n_fitting: int = 0

    def step(self, done: int, total: int, text: str = "") -> None:
        assert 0 <= done <= max(total, 1), text
        self.steps.append((done, total, text))
        self.n_fitting += done >= self.done and self.words in text
        if self.at and self.n_fitting >= self.at and done >= self.done and self.words in text:
            raise CancelledError
