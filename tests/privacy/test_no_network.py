"""The program opens no network connection: no module imports a means, and no code opens a socket."""

from __future__ import annotations

import os
import platform
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.privacy.sources import ROOT, importers_of
from tests.privacy.without_network import MACHINES

WITHOUT = Path(__file__).parent / "without_network.py"
CAN_CONNECT = {
    *("socket", "ssl", "http", "urllib.request", "ftplib", "smtplib", "poplib", "imaplib", "telnetlib"),
    *("asyncio", "socketserver", "xmlrpc", "webbrowser", "requests", "httpx", "aiohttp", "urllib3", "boto3"),
    *("PySide6.QtNetwork", "PySide6.QtWebSockets", "PySide6.QtWebEngineCore", "PySide6.QtWebEngineWidgets"),
    *("pyarrow.flight", "pyarrow.fs", "fsspec", "duckdb"),
}


def run_without_network(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(WITHOUT), *words],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


on_linux = pytest.mark.skipif(
    not sys.platform.startswith("linux") or platform.machine() not in MACHINES,
    reason="the kernel of Linux holds to it, on the machines whose numbers are known",
)


def test_no_module_imports_network_libraries() -> None:
    # The database that verifies is closed to all but its files: tests/engine/verification/test_database.py.
    # So are files of it: tests/engine/cli/test_databases.py.
    # Certificates are checked by drivers of databases, in the process that asks one.
    assert importers_of(CAN_CONNECT) == {
        "engine/verification/tables/database.py: duckdb",
        "engine/records/databases/sqlite.py: duckdb",
        "engine/records/databases/encryption.py: ssl",
    }


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_a_test_that_opens_an_internet_socket_fails(family: int, internet_uses: list[str]) -> None:
    with pytest.raises(PermissionError, match="no network"):
        socket.socket(family)
    assert internet_uses == ["socket.__new__"]
    internet_uses.clear()


def test_a_test_that_looks_up_a_name_fails_even_if_the_error_is_ignored(
    internet_uses: list[str],
) -> None:
    with pytest.raises(OSError, match="no network"):
        socket.create_connection(("localhost", 9))
    assert internet_uses == ["socket.getaddrinfo"]
    internet_uses.clear()


@on_linux
def test_the_kernel_ends_a_program_whose_child_opens_an_internet_socket() -> None:
    makes = "import socket; socket.socket(socket.AF_UNIX).close(); socket.socket(socket.AF_INET6)"
    inner = f"import subprocess, sys; sys.exit(-subprocess.run([sys.executable, '-c', '{makes}']).returncode)"
    assert run_without_network("-c", inner).returncode == signal.SIGSYS


@on_linux
def test_commands_open_no_internet_socket_from_file_to_verified_file(tmp_path: Path, examples: Path) -> None:
    out = tmp_path / "out.csv"
    recipe = examples / "hospital" / "recipe.toml"
    ended = run_without_network("-m", "anonymizer_gui", "anonymize", str(recipe), "--out", str(out))
    assert (ended.returncode, ended.stderr) == (0, "")
    assert out.exists()


@on_linux
def test_the_window_opens_no_internet_socket_and_loads_no_network_library(
    tmp_path: Path, examples: Path
) -> None:
    words = [
        "anonymizer",
        str(examples / "hospital" / "recipe.toml"),
        "--screenshot",
        str(tmp_path / "p.png"),
    ]
    code = (
        f"import sys; sys.argv = {words!r}; from anonymizer_gui.__main__ import main; code = main(); "
        "sys.exit(7 if any(name.startswith('PySide6.QtNetwork') for name in sys.modules) else code)"
    )
    ended = run_without_network("-c", code)
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "p.png").exists()
