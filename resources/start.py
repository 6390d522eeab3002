"""Make the environment if it is missing, then run Anonymizer or its tests. Standard library only.

python3 resources/start.py [words for anonymizer ...]
python3 resources/start.py add PART ... (stats, cluster, package, docs: what few people need)
python3 resources/start.py test [words for pytest ...]
python3 resources/start.py tool NAME [words for ruff, mypy, lint-imports ...]
"""

from __future__ import annotations

import ast
import ctypes
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
STAMP = VENV / "anonymizer.stamp"
OLDEST = (3, 11)
CANNOT_START = 2
MOST_TEST_PROCESSES = 4
TEST_MEMORY = 3 << 30  # bytes for each; it takes some 2 GB
MEMORY_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")  # of a container
STANDARD_ERROR = 2  # the file descriptor

# Settings of pip that say where packages come from, and the variables by which uv is told the same.
PIP_SETTINGS = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "no-index": "UV_NO_INDEX",
    "constraint": "UV_CONSTRAINT",
    "cert": "SSL_CERT_FILE",
}

WINDOWLESS_OPTIONS = frozenset({"--help", "--version", "--show-completion", "--install-completion"})

# What PySide6's own wheels expect the system to have, and the Debian package of each.
QT_LIBRARIES = {
    "libglib-2.0.so.0": "libglib2.0-0",
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",  # brings a font along
}
X11_LIBRARIES = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}


MISSING = "Qt needs system libraries that are missing: "
INSTALL = ("apt-get", "install", "-y", "--no-install-recommends")


class CannotStartError(Exception):
    """Something outside the project is missing; the text says what helps."""


def main(words: Sequence[str]) -> int:
    """Prepare what `words` need, run them, and return their exit code."""
    try:
        if sys.version_info < OLDEST:
            raise CannotStartError(
                f"Anonymizer needs Python {OLDEST[0]}.{OLDEST[1]} or later, and this is "
                f"{sys.version.split()[0]}.\nInstall a later one and start this file with it."
            )
        purpose = purpose_of(words)
        environment = prepared_environment(purpose, os.environ, sys.platform)
        provide_libraries(needed_libraries(purpose, environment, sys.platform))
        python = provide_environment(wanted_extras(words, declared_extras()))
        if purpose == "add":
            say("Installed: " + ", ".join(read_stamp()[1:]))
            return 0
        if purpose == "test":  # anything else compiles what it needs, the window in the background
            begin_kernels(python)
        command, folder = command_line(python, purpose, words)
        return hand_over(command, folder, environment)
    except CannotStartError as error:
        say(str(error))
        return CANNOT_START
    except KeyboardInterrupt:
        return 130


def commands() -> frozenset[str]:
    """Return the words that name a command of the program, read from where the program declares them."""
    source = (ROOT / "engine" / "cli" / "names.py").read_text(encoding="utf-8")
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "COMMANDS":
            return frozenset(ast.literal_eval(statement.value))
    raise LookupError("engine/cli/names.py declares no COMMANDS")


def purpose_of(words: Sequence[str]) -> str:
    """Return the purpose of the words: "add", "test", "tool", "command", "picture" or "window"."""
    if words and words[0] in {"add", "test", "tool"}:
        return words[0]
    # Commands need neither a display nor Qt's libraries.
    if words and (words[0] in commands() or WINDOWLESS_OPTIONS.intersection(words)):
        return "command"
    if any(word == "--screenshot" or word.startswith("--screenshot=") for word in words):
        return "picture"
    return "window"


def prepared_environment(purpose: str, environment: Mapping[str, str], platform: str) -> dict[str, str]:
    """Choose Qt's offscreen platform if there is no display, except for the window: refuse that."""
    prepared = dict(environment)
    has_display = environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    if platform.startswith("linux") and not has_display and not environment.get("QT_QPA_PLATFORM"):
        if purpose == "window":
            raise CannotStartError(
                "There is no display to open the window on: neither DISPLAY nor WAYLAND_DISPLAY is set.\n"
                "Start it from a desktop session. Commands work without one:\n"
                "  python3 resources/start.py --help"
            )
        prepared["QT_QPA_PLATFORM"] = "offscreen"
    return prepared


def needed_libraries(purpose: str, environment: Mapping[str, str], platform: str) -> dict[str, str]:
    """Return the system libraries Qt will load, with their Debian packages."""
    if not platform.startswith("linux") or purpose in {"add", "command", "tool"}:
        return {}
    # Tests never touch the display, even where there is one.
    draws_on_x11 = purpose != "test" and environment.get("DISPLAY") and not environment.get("QT_QPA_PLATFORM")
    return QT_LIBRARIES | X11_LIBRARIES if draws_on_x11 else dict(QT_LIBRARIES)


def provide_libraries(needed: Mapping[str, str]) -> None:
    """Install the system libraries that do not load, or say which line does."""
    missing = [name for name in needed if not loads(name)]
    if not missing:
        return
    packages = [needed[name] for name in missing]
    say(MISSING + ", ".join(missing))
    install_packages(packages)
    still = [name for name in missing if not loads(name)]
    if still:
        raise CannotStartError("These libraries are still missing: " + ", ".join(still))


def loads(name: str) -> bool:
    """Return whether the dynamic linker finds a library."""
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def missing_libraries(environment: Mapping[str, str], platform: str) -> str:
    """Say which libraries the window lacks and what installs them; empty if it lacks none."""
    needed = needed_libraries("window", environment, platform)
    missing = [name for name in needed if not loads(name)]
    if not missing:
        return ""
    return f"{MISSING}{', '.join(missing)}\n{way_to([needed[name] for name in missing])}"


def way_to(packages: Sequence[str]) -> str:
    """Say how a person installs Debian packages on this system."""
    if shutil.which("apt-get") is None:
        return (
            "Install them with the package manager of this system; on Debian and Ubuntu they are\n"
            f"  {' '.join(packages)}"
        )
    return "This line installs what is missing:\n  sudo " + " ".join([*INSTALL, *packages])


def install_packages(packages: Sequence[str]) -> None:
    """Install Debian packages as root; for other users raise with the line to type."""
    line = [*INSTALL, *packages]
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        raise CannotStartError(way_to(packages))
    say("Installing them: " + " ".join(line))
    quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    run(
        ["apt-get", "update"], environment=quiet
    )  # a fresh container has no package lists; a stale list may do
    if run(line, environment=quiet) != 0:
        raise CannotStartError("The packages could not be installed; the lines above say why.")


def declared_extras() -> list[str]:
    """Return the names of the optional dependencies in pyproject.toml."""
    import tomllib  # only here: an older Python must get as far as its message

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return sorted(project.get("optional-dependencies", {}))


def wanted_extras(words: Sequence[str], declared: Sequence[str]) -> list[str]:
    """Choose all parts for tests and checks, else what is asked for: the program runs without any."""
    purpose, asked = purpose_of(words), list(words[1:])
    if purpose in {"test", "tool"}:
        return list(declared)
    if purpose != "add":
        return []
    if not asked or set(asked) - set(declared):
        raise CannotStartError(
            f"Type one or more of these parts: {', '.join(declared)}\n  python3 resources/start.py add PART"
        )
    return asked


def provide_environment(extras: Sequence[str]) -> Path:
    """Return the Python of `.venv` with the project and the extras installed, those of earlier runs too."""
    python = venv_python(VENV)
    fingerprint, stamp = fingerprint_of(ROOT), read_stamp()
    if python.exists() and is_current(stamp, fingerprint, extras):
        return python
    extras = sorted({*extras, *stamp[1:]} & set(declared_extras()))
    say("Preparing .venv, which takes up to a minute the first time.")
    if not is_usable(python):
        make_venv(python)
    STAMP.unlink(missing_ok=True)  # an interrupted installation must not look complete
    target = f"{ROOT}[{','.join(extras)}]" if extras else str(ROOT)
    if not install(python, target):
        raise CannotStartError(
            "The project could not be installed; the lines above say why.\n"
            "The first start needs a connection to the package index."
        )
    STAMP.write_text("\n".join([fingerprint, *extras]) + "\n", encoding="utf-8")
    return python


def install(python: Path, target: str) -> bool:
    """Install the project in editable mode: by uv, in a fraction of the time, or by pip without it."""
    by_pip = [str(python), "-m", "pip", "install", "--no-input"]
    uv = shutil.which("uv")
    if uv is None and run([*by_pip, "--quiet", "uv"]) == 0:
        uv = str(python.with_name("uv"))
    if uv is not None:
        by_uv = [uv, "pip", "install", "--python", str(python), "--editable", target]
        if run(by_uv, environment=dict(os.environ) | settings_of_pip(python)) == 0:
            return True
        say("uv could not install the project; trying pip.")
    return run([*by_pip, "--editable", target]) == 0


def settings_of_pip(python: Path) -> dict[str, str]:
    """Return environment variables for uv, so that packages come from nowhere but where pip takes them."""
    listed = subprocess.run(
        [str(python), "-m", "pip", "config", "list"], stdout=subprocess.PIPE, text=True, check=False
    ).stdout
    variables = {"UV_INDEX_STRATEGY": "unsafe-best-match"}  # of several indexes the best version, as pip
    for section in ("global", "install", ":env:"):  # a later one overrides
        for line in listed.splitlines():
            setting, _equals, value = line.partition("=")
            place, _dot, name = setting.rpartition(".")
            if place == section and name in PIP_SETTINGS:
                variables[PIP_SETTINGS[name]] = str(ast.literal_eval(value))
    return {name: value for name, value in variables.items() if name not in os.environ}


def begin_kernels(python: Path) -> None:
    """Compile the scoring beside the tests if no earlier run did; those that need it wait for it."""
    if os.environ.get("ANONYMIZER_KERNELS") != "numpy":
        command = [str(python), "-P", "-m", "engine.cli.set_up"]
        if shutil.which("nice"):  # the first tests are collected meanwhile
            command = ["nice", *command]
        quiet = subprocess.DEVNULL
        subprocess.Popen(command, cwd=ROOT, stdin=quiet, stdout=quiet, stderr=quiet)


def venv_python(venv: Path) -> Path:
    """Return where a virtual environment keeps its Python on this system."""
    return venv / "Scripts" / "python.exe" if os.name == "nt" else venv / "bin" / "python"


def fingerprint_of(root: Path) -> str:
    """Hash what the installation depends on: the declared dependencies, and the place of the clone."""
    digest = hashlib.sha256((root / "pyproject.toml").read_bytes())
    digest.update(os.fsencode(root))  # an editable installation points at this folder
    return digest.hexdigest()


def read_stamp() -> list[str]:
    """Return the lines the last complete installation left: its fingerprint, then its extras."""
    try:
        return STAMP.read_text(encoding="utf-8").split()
    except OSError:
        return []


def is_current(stamp: Sequence[str], fingerprint: str, extras: Sequence[str]) -> bool:
    """Return whether an installation with this stamp suffices; more extras than needed do no harm."""
    return bool(stamp) and stamp[0] == fingerprint and set(extras) <= set(stamp[1:])


def is_usable(python: Path) -> bool:
    """Return whether an environment runs a recent enough Python and has pip."""
    if not python.exists():
        return False
    question = f"import sys; sys.exit(sys.version_info < {OLDEST!r})"
    if run([str(python), "-c", question]) != 0:
        return False
    # Environments made by other tools may lack pip, and can be given it.
    has_pip = (
        run([str(python), "-c", "import importlib.util as u, sys; sys.exit(not u.find_spec('pip'))"]) == 0
    )
    return has_pip or run([str(python), "-m", "ensurepip"]) == 0


def make_venv(python: Path) -> None:
    """Make `.venv` from scratch; Debian keeps the module for it in a package of its own."""
    if importlib.util.find_spec("ensurepip") is None or importlib.util.find_spec("venv") is None:
        say("This Python cannot make virtual environments: its venv module is missing.")
        install_packages([f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"])
    if run([sys.executable, "-m", "venv", "--clear", str(VENV)]) != 0 or not python.exists():
        raise CannotStartError(f"No virtual environment could be made at {VENV}; the lines above say why.")


def command_line(python: Path, purpose: str, words: Sequence[str]) -> tuple[list[str], Path]:
    """Return what to run and in which folder: tests in the clone, the program where the person is."""
    if purpose == "test":
        whole = [] if set(words[1:]) - {"--all"} else several_processes(os.cpu_count() or 1, free_memory())
        return [str(python), "-m", "pytest", *words[1:], *whole], ROOT
    if purpose == "tool":
        return [str(python.parent / words[1]), *words[2:]], ROOT
    # -P: a folder named "engine" where the person happens to be must not shadow ours.
    return [str(python), "-P", "-m", "anonymizer_gui", *words], Path.cwd()


def several_processes(n_cores: int, memory: int) -> list[str]:
    """Return the words that let the whole suite use several cores; what is named runs in one process.

    Tests of the window wait for timers, and one process more than cores uses that time, given the memory.
    """
    has_room = n_cores > 1 and memory >= (n_cores + 1) * TEST_MEMORY
    n_processes = min(n_cores + has_room, MOST_TEST_PROCESSES)
    return ["--numprocesses", str(n_processes), "--dist", "worksteal"] if n_processes > 1 else []


def free_memory() -> int:
    """Return the bytes that further processes may take, 0 if the system does not report it."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        free = [int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:")]
        limits = [
            Path(name).read_text(encoding="ascii").strip() for name in MEMORY_LIMITS if Path(name).exists()
        ]
        return min([*free, *(int(limit) for limit in limits if limit.isdecimal())], default=0)
    except (OSError, ValueError):
        return 0


def hand_over(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> int:
    """Become the command where the system can, so that signals and exit codes are its own."""
    if os.name == "posix":
        os.chdir(folder)
        os.execve(command[0], list(command), dict(environment))
    return subprocess.call(list(command), cwd=folder, env=dict(environment))


def run(command: Sequence[str], environment: Mapping[str, str] | None = None) -> int:
    """Run a step of the preparation; its output goes to standard error, apart from results."""
    try:
        return subprocess.call(
            list(command), cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=STANDARD_ERROR
        )
    except OSError as error:  # such as an interpreter of another architecture
        say(str(error))
        return 127


def say(text: str) -> None:
    """Speak to the person without touching standard output."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
