"""When kernels are loaded or compiled, and by which process."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from engine import child
from engine.errors import CancelledError
from engine.kernels.compiled import cache
from engine.monitor import SILENT
from engine.scoring import LatticeProfile, acceleration, fetching_kernels, score
from engine.scoring.acceleration import (
    CHOICE,
    FULL_WALK,
    IN_ORDER,
    MODULES,
    PLAIN_WALK,
    PREPARING,
    WORTH_COMPILING,
    WORTH_LOADING,
    fetch_if_worth,
    warm_up_apart,
)
from tests.child_code import MARK_COMPLETE, running
from tests.engine.scoring.edge_tables import adult, no_decimals

FAIL = "raise SystemExit(1)"
STAY = "import os, sys, time, pathlib; pathlib.Path({0!r}).write_text(str(os.getpid())); time.sleep(120)"


class Told:
    """Records progress texts; cancels once `asked` is true."""

    def __init__(self, asked: Path | None = None) -> None:
        self.texts: list[str] = []
        self._asked = asked

    def step(self, done: int, total: int, text: str = "") -> None:
        self.texts.append(text)
        if self._asked is not None and self._asked.exists() and self._asked.read_text():
            raise CancelledError


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[str]]:
    """Requests for kernels that no thread of this process has loaded yet."""
    asked: list[Sequence[str]] = []

    def warm_up(names: Sequence[str]) -> bool:
        asked.append(names)
        return True

    monkeypatch.setattr(acceleration, "_loaded", {})
    monkeypatch.setattr(acceleration, "_awaited", [()])
    monkeypatch.setattr(acceleration, "_is_warm", type(acceleration._is_warm)())
    monkeypatch.setattr(acceleration, "warm_up", warm_up)
    return asked


@pytest.mark.parametrize(
    ("is_complete", "seconds", "expected"),
    [
        (True, WORTH_LOADING / 2, False),
        (True, WORTH_LOADING * 2, True),
        (False, WORTH_COMPILING / 2, False),
        (False, WORTH_COMPILING * 2, True),
    ],
)
def test_kernels_are_loaded_if_numpy_takes_longer_than_loading(
    is_complete: bool,
    seconds: float,
    expected: bool,
    place: Path,
    loads: list[Sequence[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(child, "command", running(MARK_COMPLETE))
    for name in PLAIN_WALK if is_complete else PLAIN_WALK[1:]:
        cache.mark_complete(name)
    assert fetch_if_worth(seconds, PLAIN_WALK) is expected
    assert loads == ([PLAIN_WALK] if expected else [])


def test_the_time_of_numpy_grows_with_nodes_tuples_and_sensitive_attributes() -> None:
    plain, one, two = (
        score.seconds_by_numpy(LatticeProfile(adult(*columns))) / adult(*columns).lattice.n_nodes
        for columns in ((), ("occupation",), ("occupation", "salary-class"))
    )
    assert 1e-4 < plain < one < two < 1e-2


def test_a_command_compiles_beside_its_work_and_only_if_that_is_long(
    place: Path, loads: list[Sequence[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = LatticeProfile(adult("occupation"))
    monkeypatch.setattr(child, "command", running(MARK_COMPLETE))
    for seconds, at_most, compiles in (
        (3.0, float("inf"), False),
        (300.0, 5.0, False),
        (300.0, float("inf"), True),
    ):
        monkeypatch.setattr(score, "seconds_by_numpy", lambda _, s=seconds: s)
        with fetching_kernels(profile, at_most):
            deadline = time.monotonic() + 60
            while compiles and not loads and time.monotonic() < deadline:
                time.sleep(0.01)
        assert loads == [profile.kernels] * compiles


def test_work_that_is_done_first_ends_the_compiler(
    place: Path, loads: list[Sequence[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = tmp_path / "started"
    monkeypatch.setattr(child, "command", running(STAY.format(str(started))))
    begin = time.monotonic()
    with acceleration.fetching(300.0, ("roots",)):
        while not started.exists() and time.monotonic() - begin < 60:
            time.sleep(0.01)
    assert time.monotonic() - begin < 60
    assert started.exists()
    assert loads == []


def test_another_process_compiles_what_this_one_loads(
    place: Path, loads: list[Sequence[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "command", running(MARK_COMPLETE))
    told = Told()
    assert warm_up_apart(told)
    assert set(told.texts) == {PREPARING, ""}
    assert all(map(cache.is_complete, MODULES))
    assert cache.folder().parent == place
    assert loads == [*IN_ORDER]
    again = Told()
    monkeypatch.setattr(subprocess, "Popen", pytest.fail)
    assert warm_up_apart(again)
    assert PREPARING not in again.texts


def test_a_walk_is_loaded_before_the_next_one_is_compiled(
    place: Path, loads: list[Sequence[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[object] = []

    def compile_apart(names: Sequence[str], *_progress: object) -> bool:
        events.append(("compiled", names))
        for name in names:
            cache.mark_complete(name)
        return True

    monkeypatch.setattr(acceleration, "_compile", compile_apart)
    monkeypatch.setattr(acceleration, "warm_up", lambda names: events.append(("loaded", names)) or True)
    for name in PLAIN_WALK:
        cache.mark_complete(name)
    assert warm_up_apart(SILENT)
    expected: list[object] = [("loaded", PLAIN_WALK)]
    for names in IN_ORDER[1:]:
        expected += [("compiled", names), ("loaded", names)]
    assert events == expected


def test_what_the_open_table_needs_is_compiled_first_also_while_something_else_is(
    place: Path, loads: list[Sequence[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = tmp_path / "begun"
    children: list[Sequence[str]] = []

    def command(_module: str, *names: str) -> list[str]:
        children.append(names)
        stays = names == PLAIN_WALK and len(children) == 1
        return running(STAY.format(str(begun)) if stays else MARK_COMPLETE)("", *names)

    class Table(Told):
        """Opened once the first child compiles."""

        def step(self, done: int, total: int, text: str = "") -> None:
            if begun.exists():
                assert not score._compiled_takes_over(profile, SILENT)

    profile = LatticeProfile(adult("occupation"))
    monkeypatch.setattr(child, "command", command)
    assert warm_up_apart(Table())
    assert children == [PLAIN_WALK, FULL_WALK, PLAIN_WALK, *IN_ORDER[2:]]
    assert sorted(loads) == sorted(IN_ORDER)
    assert loads[0] == FULL_WALK


@pytest.mark.parametrize(
    ("sensitive", "label_sums", "expected"),
    [((), True, PLAIN_WALK), (("occupation",), True, FULL_WALK), (("occupation",), False, FULL_WALK)],
)
def test_a_command_fetches_the_walk_that_scores_its_table(
    sensitive: tuple[str, ...],
    label_sums: bool,
    expected: tuple[str, ...],
    place: Path,
    loads: list[Sequence[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    profile = LatticeProfile(adult(*sensitive), label_sums=label_sums)
    for name in expected:
        cache.mark_complete(name)
    monkeypatch.setattr(score, "seconds_by_numpy", lambda _: 300.0)
    with fetching_kernels(profile):
        assert loads == [expected]


def test_weights_that_are_no_decimals_need_the_full_walk() -> None:
    problem = replace(no_decimals().problem, sensitive=())
    assert LatticeProfile(problem).kernels == FULL_WALK
    assert LatticeProfile(problem, label_sums=False).kernels == PLAIN_WALK


LOADED = "[n.rpartition('.')[2] for n in sys.modules if n.startswith('engine.kernels.compiled.')]"


def test_modules_are_loaded_when_they_are_asked_for_and_no_others() -> None:
    code = (
        "import sys; from engine.scoring.acceleration import kernels, warm_up; "
        "assert kernels('roots') is None; assert warm_up(('roots',)); "
        f"assert 'partitions' not in {LOADED}; assert kernels('roots') is not None; "
        "assert kernels('partitions') is not None; "
        f"print(*sorted({LOADED}))"
    )
    assert acceleration.warm_up()  # so that all are compiled
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["cache", "jit", "partitions", "roots"]


def test_loading_kernels_imports_no_linear_algebra() -> None:
    code = (
        "import sys; from engine.scoring.acceleration import warm_up; assert warm_up(('roots',)); "
        "assert 'scipy.linalg' not in sys.modules; "
        "from numba.np.linalg import ensure_blas; print(ensure_blas.__module__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "numba.np.linalg\n"), done.stderr


def test_a_module_that_no_run_compiled_is_not_compiled_on_request(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert acceleration.warm_up(("roots",))
    monkeypatch.setattr(acceleration, "_loaded", {"roots": acceleration.required("roots")})
    assert acceleration.kernels("partitions") is None
    cache.mark_complete("partitions")
    assert acceleration.kernels("partitions") is not None


def test_if_the_other_process_fails_numpy_continues_to_serve(
    place: Path, loads: list[Sequence[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "command", running(FAIL))
    assert not warm_up_apart(SILENT)
    assert loads == []


def test_cancelling_ends_the_other_process(
    place: Path, loads: list[Sequence[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = tmp_path / "started"
    processes: list[subprocess.Popen[bytes]] = []

    class Kept(subprocess.Popen[bytes]):
        def __init__(self, *args: object, **options: object) -> None:
            super().__init__(*args, **options)  # type: ignore[call-overload]
            processes.append(self)

    monkeypatch.setattr(subprocess, "Popen", Kept)
    monkeypatch.setattr(child, "command", running(STAY.format(str(started))))
    begin = time.monotonic()
    with pytest.raises(CancelledError):
        warm_up_apart(Told(asked=started))
    assert time.monotonic() - begin < 60
    assert processes[0].returncode not in (None, 0)
    assert loads == []


def test_with_numpy_requested_no_other_process_starts(
    place: Path, loads: list[Sequence[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CHOICE, "numpy")
    monkeypatch.setattr(subprocess, "Popen", pytest.fail)
    assert not warm_up_apart(SILENT)


def test_if_the_default_folder_cannot_be_created_one_of_this_run_serves(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way", encoding="utf-8")
    monkeypatch.setenv(cache.PLACE, str(blocked / "inside"))
    cache.folder.cache_clear()
    cache.mark_complete("roots")
    assert cache.is_complete("roots")
    assert not cache.folder().is_relative_to(tmp_path)


def test_a_small_job_of_the_command_line_never_imports_the_compiler(examples: Path, tmp_path: Path) -> None:
    recipe, out = examples / "hospital" / "recipe.toml", tmp_path / "nodes.csv"
    code = (
        "import sys; from engine.cli import main; "
        f"code = main(['lattice', {str(recipe)!r}, '--out', {str(out)!r}, '--quiet']); "
        "sys.exit(3 if 'numba' in sys.modules else code)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert out.is_file()
