"""A real Spark Connect server on this machine, as a child process that is ended by its number."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import time
from importlib.util import find_spec
from pathlib import Path

_STARTED = re.compile(r"Spark Connect server started at: \S*:(\d+)")
_PATIENCE = 180  # seconds


def spark_home() -> Path | None:
    """Return the folder of Spark: that of SPARK_HOME, or of pyspark[connect]; None without it or Java."""
    if shutil.which("java") is None or find_spec("pyspark") is None:
        return None
    named = os.environ.get("SPARK_HOME")
    spec = find_spec("pyspark")
    folders = [Path(named)] if named else [Path(place) for place in (spec.submodule_search_locations or ())]  # type: ignore[union-attr]
    return next((f for f in folders if any((f / "jars").glob("spark-connect_*.jar"))), None)


class SparkServer:
    """A server with a folder of its own for its log and its tables; with a token, it asks for that."""

    def __init__(self, home: Path, folder: Path, token: str = "") -> None:
        self.folder = folder
        self.port = random.SystemRandom().randrange(20_000, 60_000)
        settings = {
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": self.port,
            "spark.sql.shuffle.partitions": 2,
            "spark.sql.warehouse.dir": folder / "warehouse",
            "spark.ui.enabled": "false",
        }
        if token:
            settings["spark.connect.authenticate.token"] = token
        self._log = (folder / "log").open("wb")
        self._process = subprocess.Popen(
            [
                str(home / "bin" / "spark-submit"),
                *("--master", "local[2]", "--driver-memory", "1g"),
                *(word for key, value in settings.items() for word in ("--conf", f"{key}={value}")),
                *("--class", "org.apache.spark.sql.connect.service.SparkConnectServer"),
            ],
            cwd=folder,
            env={**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1"},
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )

    def wait(self) -> None:
        """Wait until it answers."""
        until = time.monotonic() + _PATIENCE
        while not _STARTED.search(self.log):
            assert self._process.poll() is None, self.log[-2_000:]
            assert time.monotonic() < until, "the server did not start"
            time.sleep(0.2)

    @property
    def log(self) -> str:
        """What the server wrote."""
        return (self.folder / "log").read_text(encoding="utf-8", errors="replace")

    def address(self, **place: str) -> str:
        """Return the address of a table or path."""
        from urllib.parse import quote, urlencode

        return f"sc://127.0.0.1:{self.port}/?{urlencode(place, quote_via=quote)}"

    def end(self) -> None:
        """End it."""
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()
