"""Compiled kernels are prepared in the background: messages, loading and shutdown."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from anonymizer_gui.session.fast_scoring import FastScoring
from engine import child
from engine.kernels.compiled import cache
from engine.scoring import acceleration
from tests.child_code import MARK_COMPLETE, running
from tests.window_driver import Driver

STAY = "import pathlib, time; pathlib.Path({0!r}).touch(); time.sleep(120)"
Asked = list[Sequence[str]]
PREPARING = "Preparing fast scoring (once)"


@pytest.fixture
def nothing_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Asked]:
    """Remove the kernels of earlier runs; the list records the requests to load some."""
    asked: Asked = []

    def warm_up(names: Sequence[str]) -> bool:
        asked.append(names)
        return True

    monkeypatch.setattr(acceleration, "warm_up", warm_up)
    monkeypatch.setattr(acceleration, "_is_warm", type(acceleration._is_warm)())
    monkeypatch.setattr(acceleration, "_loaded", {})
    monkeypatch.setattr(acceleration, "_awaited", [()])
    monkeypatch.setenv(cache.PLACE, str(tmp_path / "cache"))
    cache.folder.cache_clear()
    yield asked
    cache.folder.cache_clear()


@pytest.fixture
def compiling(nothing_compiled: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Start a slow compiler; return the file that it creates when it begins."""
    begun = tmp_path / "begun"
    monkeypatch.setattr(child, "command", running(STAY.format(str(begun))))
    return begun


@pytest.fixture
def fast_scoring(qtbot: QtBot) -> Iterator[FastScoring]:
    made = FastScoring()
    yield made
    made.shutdown()


def test_kernels_compiled_by_an_earlier_run_are_loaded_without_a_message(
    qtbot: QtBot, nothing_compiled: Asked, fast_scoring: FastScoring
) -> None:
    for name in acceleration.MODULES:
        cache.mark_complete(name)
    said: list[bool] = []
    fast_scoring.changed.connect(lambda: said.append(fast_scoring.is_compiling))
    fast_scoring.start()
    assert fast_scoring.runner.is_busy
    qtbot.waitUntil(lambda: not fast_scoring.runner.is_busy)
    assert nothing_compiled == [*acceleration.IN_ORDER]
    assert said == []


def test_a_screenshot_loads_kernels_and_never_compiles_them(
    qtbot: QtBot,
    nothing_compiled: Asked,
    fast_scoring: FastScoring,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(subprocess, "Popen", pytest.fail)
    fast_scoring.start(may_compile=False)
    qtbot.waitUntil(lambda: not fast_scoring.runner.is_busy)
    assert nothing_compiled == []


def test_kernels_compiled_in_the_background_are_loaded(
    qtbot: QtBot,
    nothing_compiled: Asked,
    fast_scoring: FastScoring,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(child, "command", running(MARK_COMPLETE))
    said: list[bool] = []
    fast_scoring.changed.connect(lambda: said.append(fast_scoring.is_compiling))
    fast_scoring.start()
    qtbot.waitUntil(lambda: not fast_scoring.runner.is_busy, timeout=30_000)
    assert nothing_compiled == [*acceleration.IN_ORDER]
    assert said == [True, False]


def test_the_window_shows_that_it_compiles_and_stays_usable(driver: Driver, compiling: Path) -> None:
    facts = driver.window.status.facts.text
    assert facts() == ""
    driver.wiring.fast_scoring.start()
    driver.wait(lambda: facts() == PREPARING)
    driver.open_example("hospital")
    assert driver.session.results.optimum is not None
    assert facts().endswith(f"exact · {PREPARING}")


def test_closing_the_window_ends_the_compiler_at_once(
    driver: Driver, compiling: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class Kept(subprocess.Popen[bytes]):
        def __init__(self, *args: object, **options: object) -> None:
            super().__init__(*args, **options)  # type: ignore[call-overload]
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", Kept)
    driver.wiring.fast_scoring.start()
    driver.wait(compiling.exists, timeout=30_000)
    begin = time.monotonic()
    driver.window.close()
    driver.wiring.shutdown()
    assert time.monotonic() - begin < 5
    assert started[0].returncode not in (None, 0)
