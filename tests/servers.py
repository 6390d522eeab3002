"""A PostgreSQL server for tests, in a folder of this machine, with a password and a log of its statements."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PASSWORD = "tide&harbour of-9"
_USER, _TEXTS = "steward", ("-E", "UTF8", "--locale=C.UTF-8")


@dataclass(frozen=True)
class Server:
    """Where the server is: in a folder, since tests open no network connection."""

    home: Path
    log: Path

    def url(self, table: str = "", *, password: bool = False) -> str:
        from urllib.parse import quote

        login = f"{_USER}:{quote(PASSWORD, safe='')}" if password else _USER
        own = f"&table={quote(table, safe='')}" if table else ""
        return f"postgresql+psycopg://{login}@/postgres?host={self.home}{own}"

    def connect(self) -> Any:
        import psycopg

        return psycopg.connect(
            host=str(self.home), user=_USER, password=PASSWORD, dbname="postgres", autocommit=True
        )

    def run(self, *statements: str) -> None:
        with self.connect() as connection:
            for statement in statements:
                connection.execute(statement)

    def make(
        self, name: str, columns: Mapping[str, str], rows: Sequence[Sequence[Any]], key: str = ""
    ) -> None:
        """Make a table of the rows; names and values as they are."""
        from psycopg import sql

        with self.connect() as connection:
            table = sql.Identifier(name)
            own = [sql.SQL("{} " + kind).format(sql.Identifier(column)) for column, kind in columns.items()]
            if key:
                own.append(sql.SQL("PRIMARY KEY ({})").format(sql.Identifier(key)))
            connection.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(table))
            connection.execute(sql.SQL("CREATE TABLE {} ({})").format(table, sql.SQL(", ").join(own)))
            copy = sql.SQL("COPY {} FROM STDIN").format(table)
            with connection.cursor().copy(copy) as stream:
                for row in rows:
                    stream.write_row(row)

    def said(self, since: int = 0) -> str:
        """Return what the server logged."""
        return self.log.read_bytes()[since:].decode("utf-8", "replace")

    def mark(self) -> int:
        """Return where the log ends."""
        return self.log.stat().st_size


def program(name: str) -> str | None:
    return shutil.which(name) or next(
        (str(path) for path in sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))), None
    )


@contextmanager
def running_server() -> Iterator[Server]:
    """Start a server, which refuses to run as root; skipped where PostgreSQL is not installed."""
    pytest.importorskip("psycopg")
    start, control = program("initdb"), program("pg_ctl")
    if start is None or control is None or os.name != "posix":
        pytest.skip("PostgreSQL is not installed")
    home = Path(tempfile.mkdtemp(prefix="pg-"))
    owner: dict[str, Any] = {}
    if os.geteuid() == 0:
        import pwd  # not on all systems

        entry = pwd.getpwnam("nobody")
        os.chown(home, entry.pw_uid, entry.pw_gid)
        owner = {"user": entry.pw_uid, "group": entry.pw_gid}
    secret = home / "secret"
    secret.write_text(PASSWORD)
    secret.chmod(0o644)
    data, log = home / "data", home / "log"
    how: dict[str, Any] = {"cwd": home, "check": True, "stdout": subprocess.DEVNULL, **owner}
    try:
        subprocess.run(
            [start, *f"-D {data} -U {_USER} --pwfile={secret} -A scram-sha-256 -N".split(), *_TEXTS],
            **how,
        )
        settings = f"-c listen_addresses='' -c unix_socket_directories={home} -c fsync=off"
        settings += " -c log_statement=all -c max_connections=20"
        subprocess.run([control, "-D", data, "-l", log, "-w", "-o", settings, "start"], **how)
        try:
            yield Server(home, log)
        finally:
            subprocess.run([control, "-D", data, "-m", "immediate", "stop"], **how)
    finally:
        shutil.rmtree(home, ignore_errors=True)
