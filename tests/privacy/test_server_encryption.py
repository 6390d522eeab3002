"""Connections with a server on the network: encrypted with a checked certificate, or refused."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.errors import TableError
from engine.records.databases.address import UNENCRYPTED, Login, parse_address
from engine.records.opening import open_database
from engine.records.options import SERVER, ReadOptions
from tests.servers import PASSWORD, Server, running_server

HOW = "CREATE VIEW how AS SELECT ssl::text AS is_encrypted FROM pg_stat_ssl WHERE pid = pg_backend_pid()"


@pytest.fixture(scope="module")
def networked() -> Iterator[Server]:
    """Return a server that this machine reaches by its name."""
    with running_server(on_network=True) as running:
        running.run(HOW)
        yield running


def is_encrypted(url: str, accepted: str = "") -> bool:
    """Ask the server how it is asked."""
    login = Login(password=PASSWORD, accepted=accepted)
    table = open_database(parse_address(url)[0], ReadOptions(source=SERVER), login)[0]
    return table.columns[0].labels == ("true",)


@pytest.mark.thorough
def test_a_server_is_asked_over_tls_with_its_own_certificate_or_not_at_all(networked: Server) -> None:
    trusted = str(networked.authority("authority"))
    other = str(networked.authority("stranger"))
    plain = networked.by_network(table="how")
    with pytest.raises(TableError, match="would not be encrypted with a checked certificate") as refusal:
        is_encrypted(plain)
    assert "not encrypted" in refusal.value.hint
    assert not is_encrypted(plain, UNENCRYPTED)
    networked.certificate(networked.host)
    networked.run("ALTER SYSTEM SET ssl = on", "SELECT pg_reload_conf()", "SELECT pg_sleep(0.2)")
    url = networked.by_network(sslrootcert=trusted, table="how")
    assert is_encrypted(url)
    for untrusted in (plain, networked.by_network(sslrootcert=other, table="how")):
        with pytest.raises(TableError, match=r"certificate of '.*' is not trusted") as refusal:
            is_encrypted(untrusted)
        assert "sslrootcert" in refusal.value.hint
    networked.certificate("elsewhere.town")
    networked.run("SELECT pg_reload_conf()", "SELECT pg_sleep(0.2)")
    with pytest.raises(TableError, match=r"certificate of '.*' is not trusted: .*elsewhere.town"):
        is_encrypted(url)
