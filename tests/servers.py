"""A PostgreSQL server for tests, in a folder of this machine, with a password and a log of its statements.

By request it is also on the network of this machine, under a name, with certificates made for it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
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
    """Where the server is: in a folder, since tests open no network connection; children may use its host."""

    home: Path
    log: Path
    host: str = ""
    port: int = 5432

    def by_network(self, **parameters: str) -> str:
        """Return the URL by its host."""
        own = "&".join(f"{key}={value}" for key, value in parameters.items())
        return f"postgresql+psycopg://{_USER}@{self.host}:{self.port}/postgres?{own}"

    def certificate(self, name: str, issuer: str = "authority") -> None:
        """Make a certificate for a host, which the server shows from now on."""
        request = f"req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN={name}"
        self._openssl(f"{request} -keyout host.key -out host.csr -addext subjectAltName=DNS:{name}")
        made = f"-CA {issuer}.pem -CAkey {issuer}.key -days 2 -copy_extensions copy"
        self._openssl(f"x509 -req -in host.csr {made} -out host.pem")
        for name in ("host.pem", "host.key"):
            data = self.home / "data" / name
            shutil.copy(self.home / name, data)
            data.chmod(0o600)
            shutil.chown(data, *_owner_of(self.home / "data"))

    def authority(self, name: str) -> Path:
        """Make an authority that issues certificates; return the file of its own one."""
        new = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
        self._openssl(f"{new} -subj /CN={name} -keyout {name}.key -out {name}.pem")
        return self.home / f"{name}.pem"

    def _openssl(self, words: str) -> None:
        subprocess.run(["openssl", *words.split()], cwd=self.home, check=True, capture_output=True)

    def url(self, table: str = "", *, password: bool = False) -> str:
        from urllib.parse import quote

        login = f"{_USER}:{quote(PASSWORD, safe='')}" if password else _USER
        own = f"&table={quote(table, safe='')}" if table else ""
        return f"postgresql+psycopg://{login}@/postgres?host={self.home}{own}"

    def connect(self) -> Any:
        import psycopg

        return psycopg.connect(
            host=str(self.home),
            port=self.port,
            user=_USER,
            password=PASSWORD,
            dbname="postgres",
            autocommit=True,
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


def _owner_of(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_uid, found.st_gid


_PLACE = """
import socket
place = socket.gethostbyname(socket.gethostname())
with socket.create_server((place, 0)) as taken:
    print(socket.gethostname().lower(), place, taken.getsockname()[1])
"""


def _own_place() -> tuple[str, str, int]:
    """Return the name of this machine, its address and a free port; asked in a child, as tests may not."""
    found = subprocess.run([sys.executable, "-c", _PLACE], check=False, capture_output=True, text=True)
    name, place, port = found.stdout.split() or ("localhost", "", "0")
    if name == "localhost" or shutil.which("openssl") is None:
        pytest.skip("This machine has no name in its own network, or openssl is not installed")
    return name, place, int(port)


@contextmanager
def running_server(*, on_network: bool = False) -> Iterator[Server]:
    """Start a server, which refuses to run as root; skipped where PostgreSQL is not installed.

    `on_network` lets it listen at the name of this machine too; it encrypts once it has a certificate.
    """
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
        made, place = Server(home, log), ""
        if on_network:
            name, place, port = _own_place()
            made = Server(home, log, name, port)
            with (data / "pg_hba.conf").open("a") as file:
                file.write("host all all samehost scram-sha-256\n")
        settings = f"-c listen_addresses='{place}' -c port={made.port} -c unix_socket_directories={home}"
        settings += " -c fsync=off -c log_statement=all -c max_connections=20"
        settings += " -c ssl_cert_file=host.pem -c ssl_key_file=host.key"
        subprocess.run([control, "-D", data, "-l", log, "-w", "-o", settings, "start"], **how)
        try:
            yield made
        finally:
            subprocess.run([control, "-D", data, "-m", "immediate", "stop"], **how)
    finally:
        shutil.rmtree(home, ignore_errors=True)
