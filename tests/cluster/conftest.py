"""A real cluster of one machine for all tests of this folder, which run with `-m cluster` alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.spark import SparkServer, spark_home


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkServer]:
    """Return a Spark Connect server; skip without Java or pyspark[connect]."""
    home = spark_home()
    if home is None:
        pytest.skip("needs Java, pyspark-client, and pyspark[connect] here or at SPARK_HOME")
    server = SparkServer(home, tmp_path_factory.mktemp("spark"))
    try:
        server.wait()
        yield server
    finally:
        server.end()
