"""Logins to a real cluster that asks for a token, also over an encrypted connection."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from engine.errors import TableError
from engine.monitor import SILENT
from engine.records.clusters.opening import cluster_tables, open_cluster
from engine.records.databases.address import NOBODY, DatabaseAddress, Login, parse_address
from engine.records.options import ReadOptions
from tests.spark import SparkServer, spark_home

pytestmark = pytest.mark.cluster
SECRET = "t0ken-of-the-town"
CLINIC = Path(__file__).parents[2] / "resources" / "examples" / "clinic" / "clinic.csv"
COUNT = """
import sys
from engine.monitor import SILENT
from engine.records.clusters.opening import open_cluster
from engine.records.databases.address import login_given, parse_address
from engine.records.options import ReadOptions
address = parse_address(sys.argv[1])[0]
print(open_cluster(address, ReadOptions(), login_given(address), 1 << 30, SILENT).n_records)
"""
PROXY = """
import asyncio, ssl, sys
port, folder = sys.argv[1:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(f"{folder}/certificate.pem", f"{folder}/key.pem")
context.set_alpn_protocols(["h2"])

async def pump(reader, writer):
    while data := await reader.read(1 << 16):
        writer.write(data)
        await writer.drain()
    writer.close()

async def serve(reader, writer):
    inner, outer = await asyncio.open_connection("127.0.0.1", port)
    await asyncio.gather(pump(reader, outer), pump(inner, writer), return_exceptions=True)

async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkServer]:
    home = spark_home()
    if home is None:
        pytest.skip("needs Java, pyspark-client, and pyspark[connect] here or at SPARK_HOME")
    server = SparkServer(home, tmp_path_factory.mktemp("asking"), token=SECRET)
    try:
        server.wait()
        yield server
    finally:
        server.end()


def address_of(server: SparkServer) -> DatabaseAddress:
    return parse_address(server.address(path=str(CLINIC)))[0]


def test_a_token_logs_in_and_is_in_no_log(asking: SparkServer, capfd: pytest.CaptureFixture[str]) -> None:
    login = Login(password=SECRET)
    source = open_cluster(address_of(asking), ReadOptions(), login, 1 << 30, SILENT)
    with closing(source.session), closing(source.again(SILENT)) as second:
        assert source.n_records == 2000
        assert source.chosen.on(second.spark).count() == 2000
    assert cluster_tables(address_of(asking), login) == ()
    assert SECRET not in "".join(capfd.readouterr())


@pytest.mark.parametrize("login", [NOBODY, Login(password="wr0ng-token")], ids=["none", "wrong"])
def test_a_wrong_token_is_told_plainly(
    login: Login, asking: SparkServer, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(TableError) as caught:
        open_cluster(address_of(asking), ReadOptions(), login, 1 << 30, SILENT)
    assert caught.value.problem == "'127.0.0.1' refuses the connection."
    assert caught.value.hint == "Check the token."
    assert "wr0ng-token" not in f"{caught.value.context}{''.join(capfd.readouterr())}{asking.log}"


@contextmanager
def encrypted(port: int, folder: Path) -> Iterator[int]:
    """Yield the port of a proxy that encrypts, as in front of a cluster, with a certificate for localhost."""
    names = "-subj /CN=localhost -addext subjectAltName=DNS:localhost"
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "certificate.pem")]
    command = f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 {names}"
    subprocess.run([*command.split(), *files], check=True, capture_output=True)
    child = subprocess.Popen(
        [sys.executable, "-c", PROXY, str(port), folder], stdout=subprocess.PIPE, text=True
    )
    try:
        yield int(child.stdout.readline())
    finally:
        child.kill()
        child.communicate()


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl for a certificate")
@pytest.mark.parametrize("is_trusted", [True, False])
def test_an_encrypted_connection_needs_a_trusted_certificate(
    is_trusted: bool, asking: SparkServer, tmp_path: Path
) -> None:
    with encrypted(asking.port, tmp_path) as port:
        address = f"sc://localhost:{port}/?use_ssl=true&path={CLINIC}"
        roots = {"GRPC_DEFAULT_SSL_ROOTS_FILE_PATH": str(tmp_path / "certificate.pem")}
        trusted = roots if is_trusted else {}
        done = subprocess.run(
            [sys.executable, "-c", COUNT, address],
            env=os.environ | trusted | {"ANONYMIZER_SPARK_TOKEN": SECRET},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    if is_trusted:
        assert done.stdout == "2000\n"
    else:
        assert "'localhost' does not answer" in done.stderr
    assert SECRET not in done.stdout + done.stderr
