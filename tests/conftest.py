"""Environment of every test: no display, no user preferences, and the paths of test data."""

from __future__ import annotations

import gc
import importlib
import itertools
import os
import random
import shutil
import socket
import sys
import tempfile

os.environ["QT_QPA_PLATFORM"] = "offscreen"  # before anything creates a QApplication

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, core, settings

from tests.servers import Server, running_server

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from engine.project import Project

# The same examples on every machine: neither its speed nor hypothesis's CI profile matters. They are few, so
# that the suite stays short; `--all` and `--examples` draw others.
settings.register_profile(
    "suite",
    settings.get_profile("default"),
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=15,
    print_blob=True,
    # Random tables are often outside the conditions of a law; one that matches none fails anyway.
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("suite")
EXAMPLES_OF_ALL = 100

# Disks take milliseconds to remove a folder, of which tests and the program make thousands.
MEMORY = Path("/dev/shm")
if "TMPDIR" not in os.environ and MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > 4 << 30:
    os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "data"
TABLES = DATA / "tables"
EXAMPLES = ROOT / "resources" / "examples"
BEST_OF_CLINIC = (2, 4, 0, 5, 0)  # the node that a search of this example finds among 864
NAMED_ONLY = (ROOT / "tests" / "benchmarks", ROOT / "tests" / "lint")  # run only where they are named


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all",
        action="store_true",
        help=f"run the thorough tests too, and hold laws to {EXAMPLES_OF_ALL} examples drawn anew each time",
    )
    parser.addoption(
        "--examples", type=int, metavar="N", help="hold laws to N random examples, drawn anew each time"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Load the requested random examples, by a seed that is printed and can be repeated."""
    if n_examples := _n_random_examples(config):
        settings.register_profile(
            "random", settings.get_profile("suite"), derandomize=False, max_examples=n_examples
        )
        settings.load_profile("random")
        if config.getoption("--hypothesis-seed") is None:
            config.option.hypothesis_seed = str(random.SystemRandom().randrange(2**32))
        core.global_force_seed = int(config.option.hypothesis_seed)


def _n_random_examples(config: pytest.Config) -> int:
    """Return how many random examples are drawn per law; 0 without `--all` and `--examples`."""
    return config.getoption("--examples") or (EXAMPLES_OF_ALL if config.getoption("--all") else 0)


def pytest_report_header(config: pytest.Config) -> str:
    """Print at the start how to repeat the random examples."""
    return _drawn_by(config)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print it at the end too, because a quiet run prints only this."""
    if said := _drawn_by(config):
        terminalreporter.write_line(said)


def _drawn_by(config: pytest.Config) -> str:
    if not (n_examples := _n_random_examples(config)):
        return ""
    return f"random examples: --examples={n_examples} --hypothesis-seed={config.option.hypothesis_seed}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect thorough tests without `--all`: they have more cases of other tests."""
    if config.getoption("--all"):
        return
    thorough = [item for item in items if item.get_closest_marker("thorough")]
    if thorough:
        config.hook.pytest_deselected(items=thorough)
        items[:] = [item for item in items if not item.get_closest_marker("thorough")]


@pytest.fixture(scope="session")
def qapp_cls() -> type[QApplication]:
    """Return the class of the application of all tests, as in the program."""
    from anonymizer_gui.application import Application

    return Application


@pytest.fixture(scope="session")
def qapp(qapp: QApplication) -> QApplication:
    """Return the application of all tests, with painted widgets accessible as in the program."""
    from anonymizer_gui.widgets import accessible

    accessible.install()
    return qapp


@pytest.fixture(scope="session")
def is_thorough(request: pytest.FixtureRequest) -> bool:
    """Return whether a test with many similar cases runs all of them: with `--all`."""
    return bool(request.config.getoption("--all"))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Ignore benchmarks and lint unless the command line names them."""
    named = [Path(word.split("::")[0]).resolve() for word in config.invocation_params.args]
    if collection_path in NAMED_ONLY and not any(path.is_relative_to(collection_path) for path in named):
        return True
    return None


def pytest_sessionstart() -> None:
    """Turn automatic garbage collection off, see `pytest_runtest_teardown`."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Exclude the tests and all their imports from collections."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_teardown() -> Iterator[None]:
    """Delete Qt objects scheduled for deletion, then collect garbage, both in this thread.

    The garbage contains complete windows, which no worker thread may delete; and wrappers must not be freed
    before their widgets, which Qt would keep until the next test waits.
    """
    yield
    assert not gc.isenabled(), "a later test would collect windows in another thread"
    if (core := sys.modules.get("PySide6.QtCore")) is not None and core.QCoreApplication.instance():
        core.QCoreApplication.sendPostedEvents(None, core.QEvent.Type.DeferredDelete)
    counts, thresholds = gc.get_count(), gc.get_threshold()
    due = [generation for generation in (2, 1, 0) if counts[generation] > thresholds[generation]]
    if due:
        gc.collect(due[0])


_LOOK_UPS = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo")
_internet_uses: list[str] = []


def _refuse_internet(event: str, args: tuple[Any, ...]) -> None:
    """Refuse sockets to other computers; an audit hook also sees calls of libraries."""
    if event in _LOOK_UPS or (event == "socket.__new__" and args[1] != getattr(socket, "AF_UNIX", None)):
        _internet_uses.append(event)
        raise PermissionError(f"{event}: the program opens no network connection")


sys.addaudithook(_refuse_internet)


@pytest.fixture(autouse=True)
def internet_uses() -> Iterator[list[str]]:
    """Fail a test that uses the network, even if the refusal was ignored."""
    _internet_uses.clear()
    yield _internet_uses
    assert _internet_uses == [], "the program opens no network connection"


@pytest.fixture(autouse=True, scope="session")
def _no_display_settings() -> Iterator[None]:
    """Remove settings that would make two machines draw or write differently."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("QT_SCALE_FACTOR", "QT_STYLE_OVERRIDE", "SOURCE_DATE_EPOCH"):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture(scope="session")
def _config_dirs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Number paths of folders, which are made for those who ask or by the program."""
    return map(tmp_path_factory.mktemp("config").joinpath, map(str, itertools.count()))


@pytest.fixture(autouse=True)
def _config_dir(_config_dirs: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give each test a folder of its own for preferences and recovered projects."""
    folder = next(_config_dirs)
    monkeypatch.setenv("ANONYMIZER_CONFIG_DIR", str(folder))
    return folder


@pytest.fixture
def config_dir(_config_dir: Path) -> Path:
    """Return this folder, empty."""
    _config_dir.mkdir(exist_ok=True)
    return _config_dir


@pytest.fixture
def work_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do in this process what the program leaves to others, which take most of a second to start."""
    from engine import subprocess_job

    def run(module: str, message: dict[str, Any], folder: Path, monitor: Any, *_bounds: object) -> None:
        importlib.import_module(module).work(message["request"], folder, monitor)

    monkeypatch.setattr(subprocess_job, "_run", run)


@pytest.fixture(scope="session")
def data() -> Path:
    """Return the folder of reference results and tables kept with the tests."""
    return DATA


@pytest.fixture(scope="session")
def tables() -> Path:
    """Return the folder of tables and hierarchies the reference results were computed on."""
    return TABLES


@pytest.fixture(scope="session")
def examples() -> Path:
    """Return the folder of the three examples that come with the program."""
    return EXAMPLES


@pytest.fixture(scope="session")
def hospital(examples: Path) -> Project:
    """Return 13 patients with three quasi-identifying columns: 5 * 2 * 3 = 30 nodes."""
    return _example(examples, "hospital")


@pytest.fixture(scope="session")
def clinic(examples: Path) -> Project:
    """Return 2,000 patients with five quasi-identifying and two sensitive columns."""
    return _example(examples, "clinic")


def _example(examples: Path, name: str) -> Project:
    from engine.project.recipe.files import read_recipe

    return read_recipe(examples / name / "recipe.toml")


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """Return a PostgreSQL server; skip where it is not installed."""
    with running_server() as running:
        yield running


@pytest.fixture
def reference_data() -> Path:
    """Return the folder of tables that may not be copied; skip if it does not exist.

    With ANONYMIZER_REQUIRE_REFERENCE=1 a missing folder is a failure, so that no such test is skipped
    unnoticed.
    """
    folder = ROOT / os.environ.get("ANONYMIZER_REFERENCE_DATA", "../shared/data")
    if folder.is_dir():
        return folder
    reason = f"the reference data is not at {folder} (ANONYMIZER_REFERENCE_DATA names its folder)"
    if os.environ.get("ANONYMIZER_REQUIRE_REFERENCE") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture
def table_path(request: pytest.FixtureRequest) -> Callable[[str], Path]:
    """Return a function from a name in the reference results ("adult.csv") to its file."""

    def find(name: str) -> Path:
        kept = TABLES / name
        if kept.exists():
            return kept
        elsewhere: Path = request.getfixturevalue("reference_data") / name
        return elsewhere

    return find
