"""`progress=True` shows a bar for every function that takes long, and the result is the same."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

import pandas as pd
import pytest

import engine
from engine import monitor

PEOPLE = pd.DataFrame({"age": [31, 33, 31, 33], "sex": ["f", "f", "m", "m"], "ill": ["a", "b", "a", "b"]})
RELEASED = engine.anonymize(PEOPLE, ["age", "sex"], "ill", models=engine.KAnonymity(2))
RECIPE = """\
[roles]
quasi_identifying = ["age", "sex"]
sensitive = ["ill"]
[hierarchies]
age = {builder = "suppress"}
sex = {builder = "suppress"}
[[privacy]]
model = "k_anonymity"
k = 2
"""
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "anonymize": lambda **own: engine.anonymize(
        PEOPLE, ["age", "sex"], "ill", models=engine.KAnonymity(2), **own
    ),
    "apply": lambda **own: engine.apply(RECIPE, PEOPLE, **own),
    "verify": lambda **own: engine.verify(RELEASED.frame, RELEASED, **own),
    "check": lambda **own: engine.check(PEOPLE, "age", "ill", **own),
    "risk": lambda **own: engine.risk(PEOPLE, "age", subsets=1, **own),
    "utility": lambda **own: engine.utility(
        PEOPLE, PEOPLE, "age", "ill", hierarchies=engine.suggest_hierarchies(PEOPLE, "age"), **own
    ),
    "detect": lambda **own: engine.detect(PEOPLE, **own),
    "singletons": lambda **own: engine.singletons(PEOPLE, ["age", "sex"], **own),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_bar_is_moved_only_if_asked(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[tuple[int, int]] = []

    class Recorded:
        def step(self, done: int, total: int, text: str = "") -> None:
            steps.append((done, total))

    @contextmanager
    def bar() -> Any:
        yield Recorded()

    monkeypatch.setattr(monitor, "progress_bar", bar)
    silent = FUNCTIONS[name]()
    assert not steps
    shown = FUNCTIONS[name](progress=True)
    assert steps
    assert type(shown) is type(silent)
    assert repr(shown) == repr(silent)


def test_the_bar_is_drawn_and_removed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    with monitor.progress_bar() as bar:
        bar.step(1, 2, "Scoring nodes")
        bar.step(2, 2, "Scoring nodes")
    captured = capsys.readouterr()
    assert "Scoring nodes" in captured.err
    assert not captured.out
