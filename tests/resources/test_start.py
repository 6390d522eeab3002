"""Start script: preparation by arguments, and messages about missing components."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from engine.cli import COMMANDS

SCRIPT = Path(__file__).resolve().parents[2] / "resources" / "start.py"


@pytest.fixture(scope="module")
def start() -> ModuleType:
    spec = importlib.util.spec_from_file_location("start", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("words", "purpose"),
    [
        ([], "window"),
        (["data.csv"], "window"),
        (["--demo", "--theme", "dark"], "window"),
        (["--demo", "--screenshot", "demo.png"], "picture"),
        (["--screenshot=demo.png"], "picture"),
        (["lattice", "recipe.toml", "--out", "nodes.csv"], "command"),
        (["--help"], "command"),
        (["test"], "test"),
        (["test", "--help"], "test"),
        (["tool", "ruff", "check", "."], "tool"),
        (["add", "stats"], "add"),
    ],
)
def test_the_arguments_decide_whether_a_window_opens(start, words, purpose):
    assert start.purpose_of(words) == purpose


def test_every_command_of_the_program_runs_without_a_display(start):
    assert start.commands() == set(COMMANDS)
    assert {start.purpose_of([name]) for name in COMMANDS} == {"command"}


@pytest.mark.parametrize("purpose", ["test", "command", "picture"])
def test_without_a_display_everything_but_the_window_runs_offscreen(start, purpose):
    assert start.prepared_environment(purpose, {}, "linux")["QT_QPA_PLATFORM"] == "offscreen"


def test_opening_the_window_without_a_display_is_refused_with_a_hint(start):
    with pytest.raises(start.CannotStartError, match="DISPLAY") as refusal:
        start.prepared_environment("window", {}, "linux")
    assert "--help" in str(refusal.value)


@pytest.mark.parametrize(
    ("environment", "platform"),
    [
        ({"DISPLAY": ":0"}, "linux"),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux"),
        ({"QT_QPA_PLATFORM": "vnc"}, "linux"),
        ({}, "darwin"),
        ({}, "win32"),
    ],
)
def test_with_a_display_qt_chooses_the_platform(start, environment, platform):
    assert start.prepared_environment("window", environment, platform) == environment


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux can lack a display")
def test_the_script_ends_with_2_where_the_window_cannot_open():
    ended = subprocess.run(
        [sys.executable, SCRIPT], env={"PATH": ""}, capture_output=True, text=True, check=False, timeout=60
    )
    assert ended.returncode == 2
    assert "no display" in ended.stderr
    assert ended.stdout == ""


def test_x11_libraries_are_requested_only_if_the_window_uses_x11(start):
    x11 = set(start.X11_LIBRARIES)
    assert x11 <= set(start.needed_libraries("window", {"DISPLAY": ":0"}, "linux"))
    assert not x11 & set(start.needed_libraries("window", {"WAYLAND_DISPLAY": "w"}, "linux"))
    assert not x11 & set(start.needed_libraries("test", {"DISPLAY": ":0"}, "linux"))


def test_commands_need_no_system_library_of_qt(start):
    assert start.needed_libraries("command", {"DISPLAY": ":0"}, "linux") == {}


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_system_libraries_are_checked_on_linux_only(start, platform):
    assert start.needed_libraries("window", {}, platform) == {}


def test_a_library_that_does_not_exist_is_not_loaded(start):
    assert not start.loads("libnobody-has-this.so.99")


def test_a_user_without_root_gets_the_command_that_installs(start, monkeypatch):
    monkeypatch.setattr(start.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(start.os, "geteuid", lambda: 1000, raising=False)
    with pytest.raises(start.CannotStartError) as refusal:
        start.install_packages(["libgl1", "libegl1"])
    lines = str(refusal.value).splitlines()
    assert "  sudo apt-get install -y --no-install-recommends libgl1 libegl1" in lines


def test_root_on_debian_gets_the_packages_installed_after_an_update_of_the_lists(start, monkeypatch, capsys):
    commands = []
    monkeypatch.setattr(start.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(start.os, "geteuid", lambda: 0, raising=False)
    monkeypatch.setattr(start, "run", lambda command, environment=None: commands.append(command) or 0)
    start.install_packages(["libgl1"])
    assert [command[:2] for command in commands] == [["apt-get", "update"], ["apt-get", "install"]]
    assert "libgl1" in capsys.readouterr().err


def test_a_system_without_apt_gets_the_names(start, monkeypatch):
    monkeypatch.setattr(start.shutil, "which", lambda name: None)
    with pytest.raises(start.CannotStartError, match="libgl1"):
        start.install_packages(["libgl1"])


def test_parts_are_installed_for_tests_or_when_asked_for(start):
    declared = start.declared_extras()
    assert {"cluster", "docs", "package", "stats", "test"} <= {*declared}
    for words in ([], ["--demo"], ["check", "a.csv"]):
        assert start.wanted_extras(words, declared) == []
    assert (
        start.wanted_extras(["test"], declared) == start.wanted_extras(["tool", "ruff"], declared) == declared
    )
    assert start.wanted_extras(["add", "stats", "cluster"], declared) == ["stats", "cluster"]
    for words in (["add"], ["add", "statistics"]):
        with pytest.raises(start.CannotStartError, match=r"cluster.*stats.*\n.*start\.py add PART"):
            start.wanted_extras(words, declared)


@pytest.mark.parametrize(
    ("stamp", "extras", "current"),
    [
        ([], [], False),
        (["abc"], [], True),
        (["abc"], ["test"], False),
        (["abc", "formats", "test"], ["formats"], True),
        (["old", "test"], ["test"], False),
    ],
)
def test_an_installation_is_used_while_its_dependencies_match_the_declared_ones(
    start, stamp, extras, current
):
    assert start.is_current(stamp, "abc", extras) is current


def test_the_fingerprint_changes_with_the_dependencies_and_the_folder(start, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
        (folder / "pyproject.toml").write_text("[project]\n")
    before = start.fingerprint_of(first)
    assert before == start.fingerprint_of(first)
    assert before != start.fingerprint_of(second)
    (first / "pyproject.toml").write_text('[project]\nname = "other"\n')
    assert before != start.fingerprint_of(first)


def test_a_complete_environment_is_used_unchanged(start, monkeypatch, tmp_path):
    python = start.venv_python(tmp_path)
    python.parent.mkdir()
    python.touch()
    monkeypatch.setattr(start, "VENV", tmp_path)
    monkeypatch.setattr(start, "STAMP", tmp_path / "stamp")
    start.STAMP.write_text(f"{start.fingerprint_of(start.ROOT)}\ntest\n")
    monkeypatch.setattr(start, "run", lambda *_, **__: pytest.fail("nothing needs to run"))
    assert start.provide_environment(["test"]) == python


def test_a_part_that_was_added_stays_when_the_project_changes(start, commands, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(start, "VENV", tmp_path)
    monkeypatch.setattr(start, "STAMP", tmp_path / "stamp")
    monkeypatch.setattr(start, "is_usable", lambda python: True)
    start.STAMP.write_text("old\nstats\nno-longer-declared\n")
    assert start.main(["add", "cluster"]) == 0
    assert commands.ran[-1][0][-1].endswith("[cluster,stats]")
    assert start.read_stamp()[1:] == ["cluster", "stats"]
    assert "Installed: cluster, stats" in capsys.readouterr().err


def test_an_installation_that_fails_leaves_no_stamp(start, monkeypatch, tmp_path, capsys):
    python = start.venv_python(tmp_path)
    python.parent.mkdir()
    python.touch()
    monkeypatch.setattr(start, "VENV", tmp_path)
    monkeypatch.setattr(start, "STAMP", tmp_path / "stamp")
    start.STAMP.write_text("old\ntest\n")
    monkeypatch.setattr(start, "run", lambda command, environment=None: int("install" in command))
    with pytest.raises(start.CannotStartError, match="could not be installed"):
        start.provide_environment(["test"])
    assert start.read_stamp() == []


@pytest.fixture
def commands(start, monkeypatch):
    """The commands that ran, with their environment; each succeeds unless it has a word of `failing`."""
    ran, failing = [], []

    def run(command, environment=None):
        ran.append((command, environment))
        return int(any(word in command for word in failing))

    monkeypatch.setattr(start, "run", run)
    monkeypatch.setattr(start, "settings_of_pip", lambda python: {"UV_INDEX": "file:///packages"})
    return SimpleNamespace(ran=ran, failing=failing)


PIP = ["/venv/bin/python", "-m", "pip", "install", "--no-input"]
PROJECT = ["--editable", "/clone[formats]"]


def test_uv_on_the_path_installs_the_project_from_where_pip_would(start, commands, monkeypatch):
    monkeypatch.setattr(start.shutil, "which", lambda name: f"/usr/bin/{name}")
    assert start.install(Path("/venv/bin/python"), "/clone[formats]")
    ((command, environment),) = commands.ran
    assert command == ["/usr/bin/uv", "pip", "install", "--python", "/venv/bin/python", *PROJECT]
    assert environment["UV_INDEX"] == "file:///packages"


def test_uv_is_brought_into_the_environment_where_it_is_missing(start, commands, monkeypatch):
    monkeypatch.setattr(start.shutil, "which", lambda name: None)
    assert start.install(Path("/venv/bin/python"), "/clone[formats]")
    assert [command for command, _ in commands.ran] == [
        [*PIP, "--quiet", "uv"],
        ["/venv/bin/uv", "pip", "install", "--python", "/venv/bin/python", *PROJECT],
    ]


@pytest.mark.parametrize("failing", ["uv", "/venv/bin/uv"])
def test_pip_installs_the_project_where_uv_cannot(start, commands, monkeypatch, failing):
    monkeypatch.setattr(start.shutil, "which", lambda name: None)
    commands.failing.append(failing)
    assert start.install(Path("/venv/bin/python"), "/clone[formats]")
    assert commands.ran[-1][0] == [*PIP, *PROJECT]
    commands.failing.append("pip")
    assert not start.install(Path("/venv/bin/python"), "/clone[formats]")


def test_the_settings_of_pip_are_those_of_uv(start, monkeypatch):
    listed = (
        ":env:.find-links='/wheels'\nglobal.find-links='/other'\nglobal.index-url='https://mirror/simple'\n"
        "install.index-url='https://inner/simple'\nglobal.timeout='5'\nglobal.cert='/ca.pem'\n"
    )
    done = subprocess.CompletedProcess([], 0, stdout=listed)
    monkeypatch.setattr(start.subprocess, "run", lambda *_, **__: done)
    monkeypatch.setenv("SSL_CERT_FILE", "/own.pem")
    for name in ("UV_DEFAULT_INDEX", "UV_FIND_LINKS", "UV_INDEX_STRATEGY"):
        monkeypatch.delenv(name, raising=False)
    assert start.settings_of_pip(Path("python")) == {
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_DEFAULT_INDEX": "https://inner/simple",
        "UV_FIND_LINKS": "/wheels",
    }


def test_kernels_are_compiled_beside_tests_only(start, monkeypatch):
    begun = []
    monkeypatch.setattr(start, "provide_environment", lambda extras: Path("python"))
    monkeypatch.setattr(start, "provide_libraries", lambda needed: None)
    monkeypatch.setattr(start, "hand_over", lambda *_: 0)
    monkeypatch.setattr(start.subprocess, "Popen", lambda command, **_: begun.append(command))
    monkeypatch.delenv("ANONYMIZER_KERNELS", raising=False)
    for words in (["--demo", "--screenshot", "a.png"], ["check", "a.csv"], ["tool", "ruff"]):
        assert start.main(words) == 0
    assert begun == []
    assert start.main(["test"]) == 0
    assert [command[-4:] for command in begun] == [["python", "-P", "-m", "engine.cli.set_up"]]
    monkeypatch.setenv("ANONYMIZER_KERNELS", "numpy")
    assert start.main(["test"]) == 0
    assert len(begun) == 1


def test_tests_run_in_the_clone_and_the_program_in_the_current_folder(start, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    python = Path("python")
    assert start.command_line(python, "test", ["test", "-k", "node"]) == (
        ["python", "-m", "pytest", "-k", "node"],
        start.ROOT,
    )
    monkeypatch.setattr(start, "free_memory", lambda: 0)
    monkeypatch.setattr(start.os, "cpu_count", lambda: 2)
    whole, _ = start.command_line(python, "test", ["test"])
    assert whole == ["python", "-m", "pytest", "--numprocesses", "2", "--dist", "worksteal"]
    monkeypatch.setattr(start.os, "cpu_count", lambda: 1)
    assert start.command_line(python, "test", ["test"]) == (["python", "-m", "pytest"], start.ROOT)
    lint = start.command_line(Path("bin", "python"), "tool", ["tool", "ruff", "check", "."])
    assert lint == ([str(Path("bin", "ruff")), "check", "."], start.ROOT)
    command, folder = start.command_line(python, "command", ["check", "data.csv"])
    assert command[-2:] == ["check", "data.csv"]
    assert folder.samefile(tmp_path)


@pytest.mark.parametrize(
    ("n_cores", "gigabytes", "n_processes"),
    [(1, 64, None), (2, 8, 2), (2, 9, 3), (3, 64, 4), (4, 64, 4), (16, 64, 4), (8, 1, 4)],
)
def test_one_process_more_than_cores_tests_if_there_is_memory(start, n_cores, gigabytes, n_processes):
    words = start.several_processes(n_cores, gigabytes << 30)
    assert words[1:2] == ([] if n_processes is None else [str(n_processes)])


def test_free_memory_is_what_the_container_may_take(start, monkeypatch, tmp_path):
    limit, none = tmp_path / "limit", tmp_path / "none"
    limit.write_text("1024\n")
    none.write_text("max\n")
    monkeypatch.setattr(start, "MEMORY_LIMITS", (str(none), str(tmp_path / "missing")))
    anything = start.free_memory()
    assert (anything > 0) is Path("/proc/meminfo").exists()
    monkeypatch.setattr(start, "MEMORY_LIMITS", (str(limit), str(none)))
    assert start.free_memory() == min(anything, 1024)


def test_missing_libraries_of_the_window_are_reported_with_the_command_that_installs_them(start, monkeypatch):
    monkeypatch.setattr(start, "loads", lambda name: name != "libxcb-cursor.so.0")
    monkeypatch.setattr(start.shutil, "which", lambda name: "/usr/bin/apt-get")
    told = start.missing_libraries({"DISPLAY": ":0"}, "linux")
    assert "libxcb-cursor.so.0" in told
    assert told.endswith("sudo apt-get install -y --no-install-recommends libxcb-cursor0")
    assert start.missing_libraries({"DISPLAY": ":0", "QT_QPA_PLATFORM": "offscreen"}, "linux") == ""
    assert start.missing_libraries({"DISPLAY": ":0"}, "darwin") == ""
