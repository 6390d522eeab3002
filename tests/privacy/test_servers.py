"""A table that stays in a server: its log has no value of the data, and nothing has the password."""

from __future__ import annotations

import gc
import re
from pathlib import Path

import pytest

from engine.cli import main as run_command
from engine.errors import TableError
from engine.monitor import Monitor
from engine.records.databases.address import PASSWORD as VARIABLE
from engine.records.databases.address import DatabaseAddress, Login
from engine.records.opening import open_database
from engine.records.options import SERVER, ReadOptions
from tests.servers import PASSWORD, Server

RECIPE = """
[data]
path = "{url}"
source = "server"

[roles]
quasi_identifying = ["town", "age"]
sensitive = ["illness"]
identifying = ["name"]

[hierarchies.town]
builder = "suppress"

[hierarchies.age]
builder = "suppress"

[[privacy]]
model = "k_anonymity"
k = 2

[transformation]
suppression_limit = 0.5
"""
TOWNS, ILLS = ("Quillfeather", "Marrowby", "Thistledown"), ("plumbago", "wherrypox")
ENDLESS = "SELECT i AS id, 'x' AS name FROM generate_series(1, 20000000000) AS i"


def test_the_log_of_a_release_has_no_value_and_no_file_or_message_the_password(
    server: Server,
    tmp_path: Path,
    config_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    rows = [(i, f"Zebulon-{i}", TOWNS[i % 3], str(1730173010 + i % 2), ILLS[i % 5 % 2]) for i in range(1, 61)]
    columns = {"id": "integer", "name": "text", "town": "text", "age": "integer", "illness": "text"}
    server.make("logged", columns, rows, "id")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    recipe = tmp_path / "recipe.toml"
    text = RECIPE.format(url=server.url("logged")).replace('"name"]', '"name", "id"]')
    recipe.write_text(text, encoding="utf-8")
    monkeypatch.setenv(VARIABLE, PASSWORD)
    since = server.mark()
    words = ["anonymize", str(recipe), "--out", str(tmp_path / "out.csv"), "--scratch", str(scratch)]
    assert run_command([*words, "--summary", str(tmp_path / "out.json")]) == 0
    said = server.said(since)
    for value in ("Zebulon", *TOWNS, *ILLS, "173017301"):  # no process has it as its number
        assert value not in said
    statements = said.replace("\n\t", " ").replace("\n", ";")
    grouped = re.findall(r'FROM "logged" GROUP BY ([^;]*)', statements)
    assert len(grouped) == 6  # five columns, and the combinations of the scored ones
    assert max(grouped, key=len).count(",") == 2
    assert "READ ONLY" in said
    assert not re.findall(r"(?m)^\S+.*\b(INSERT|UPDATE|DELETE|CREATE|DROP)\b", said)
    found = "".join(capfd.readouterr())
    for form in (PASSWORD, "tide%26harbour"):
        assert form not in found + said
        for path in (p for folder in (tmp_path, config_dir) for p in folder.rglob("*") if p.is_file()):
            assert form.encode() not in path.read_bytes()
    gc.collect()
    assert [path for path in scratch.rglob("*") if path.is_file()] == []
    assert '"source": "server"' in (tmp_path / "out.json").read_text()


class Watching:
    """A monitor that does something once the server is asked."""

    def __init__(self, server: Server, act: str) -> None:
        self.server, self.act = server, act
        self.has_seen = False

    def step(self, done: int, total: int, text: str = "") -> None:
        from engine.errors import CancelledError

        if self.has_seen or not text.startswith("Waiting for"):
            return
        with self.server.connect() as connection:
            found = connection.execute(WORKING).fetchall()
            if not found:
                return
            self.has_seen = True
            if self.act == "cancel":
                raise CancelledError
            connection.execute("SELECT pg_terminate_backend(%s)", found[0])


WORKING = (
    "SELECT pid FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() "
    "AND query LIKE '%endless%'"
)


def ask(server: Server, monitor: Monitor) -> None:
    server.run(f"CREATE OR REPLACE VIEW endless AS {ENDLESS}")
    address = DatabaseAddress(server.url(), "endless")
    open_database(address, ReadOptions(source=SERVER), Login(password=PASSWORD), monitor)


def test_cancel_ends_the_statement_in_the_server_too(server: Server) -> None:
    from engine.errors import CancelledError

    with pytest.raises(CancelledError):
        ask(server, watch := Watching(server, "cancel"))
    assert watch.has_seen
    with server.connect() as connection:
        while connection.execute(WORKING).fetchall():
            connection.execute("SELECT pg_sleep(0.05)")


def test_a_server_that_goes_away_is_told_in_a_sentence(server: Server) -> None:
    with pytest.raises(TableError, match="'/postgres' cannot be read: ") as refusal:
        ask(server, Watching(server, "end"))
    assert PASSWORD not in str(refusal.value)


def test_a_wrong_password_is_refused_without_repeating_it(server: Server) -> None:
    server.run("CREATE OR REPLACE VIEW one AS SELECT 1 AS a")
    address = DatabaseAddress(server.url(), "one")
    with pytest.raises(TableError, match="password authentication failed") as refusal:
        open_database(address, ReadOptions(source=SERVER), Login(password="mistyped-tide"))
    assert "mistyped-tide" not in str(refusal.value)
