"""A session with a cluster by Spark Connect: encryption, token, work that can be stopped, errors.

Nothing that the cluster or its library says is passed on unchanged, since it may repeat values of the data.
"""

from __future__ import annotations

import logging
import threading
import uuid
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

from engine.errors import AnonymizerError, CancelledError, TableError
from engine.monitor import Monitor
from engine.records.databases.address import ACCEPTED, UNENCRYPTED, DatabaseAddress, Login
from engine.records.databases.encryption import is_on_this_machine
from engine.shipped import install_words
from engine.words import N_, _

_PORT = 15002
PATIENCE = 0.05  # seconds between two looks at the monitor
_STOPPING = 0.3  # seconds in which stopped work usually ends
_RETRIES = 2  # after a lost connection; without a limit the library tries for minutes
_LIBRARY = r"pyspark\b"
_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",  # times as in a Parquet file
    "spark.sql.caseSensitive": "true",  # names of columns are exact
    "spark.sql.csv.parser.columnPruning.enabled": "false",  # so that short records are noticed
}
_Found = TypeVar("_Found")

_NO_TABLE = N_("'{name}': the table '{table}' does not exist.")
_TOLD = {  # problems by what Spark calls them
    "TABLE_OR_VIEW_NOT_FOUND": (
        _NO_TABLE,
        N_("Check the name of the table; the cluster may require its schema."),
    ),
    "PATH_NOT_FOUND": (N_("'{name}' finds no files at the path of the table."), N_("Check the path.")),
    "UNABLE_TO_INFER_SCHEMA": (N_("'{name}' finds no table at the path."), N_("Check the path.")),
    "PARSE_SYNTAX_ERROR": (
        N_("'{name}': the name of the table cannot be read."),
        N_("Put a part of the name with special characters between backticks."),
    ),
    "FAILED_READ_FILE": (
        N_("'{name}' cannot read a file of the table."),
        N_("Its records may not all have as many fields as the header, or it may be damaged."),
    ),
}
_UNREACHED = (
    N_("'{name}' does not answer."),
    N_("Check host and port, and whether the cluster runs Spark Connect."),
)
_REFUSED = (N_("'{name}' refuses the connection."), N_("Check the token."))
_BY_STATUS = {"UNAVAILABLE": _UNREACHED, "UNAUTHENTICATED": _REFUSED, "PERMISSION_DENIED": _REFUSED}


def is_encrypted(address: DatabaseAddress) -> bool:
    """Return whether the connection is encrypted: yes, unless the address refuses it or is this machine."""
    parameters = dict(parse_qsl(urlsplit(address.url).query))
    return parameters.get("use_ssl", "false" if is_on_this_machine(address) else "true") == "true"


def needs_acceptance(address: DatabaseAddress) -> bool:
    """Return whether the user must accept a connection with another machine that is not encrypted."""
    return not is_encrypted(address) and not is_on_this_machine(address)


def refuse_unencrypted(address: DatabaseAddress, login: Login) -> None:
    """Refuse a connection with another machine that is not encrypted, unless the user accepted that.

    Raises
    ------
    TableError
    """
    if not needs_acceptance(address):
        return
    if login.password:
        raise TableError(
            _("A token is only sent over an encrypted connection."),
            hint=_("Remove use_ssl=false from the address of the cluster."),
            file=address.name,
        )
    if login.accepted != UNENCRYPTED:
        raise TableError(
            _(
                "The connection with '{name}' would not be encrypted: "
                "others on the network could read the data."
            ).format(name=address.name),
            hint=_(
                'Remove use_ssl=false from the address, or accept it with the words "{words}", in the '
                "window or in the environment variable {variable}."
            ).format(words=UNENCRYPTED, variable=ACCEPTED),
            file=address.name,
        )


def channel_of(address: DatabaseAddress) -> str:
    """Return the address as the library reads it, without table and token."""
    parts = urlsplit(address.url)
    host = "localhost" if is_on_this_machine(address) else parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    secure = "true" if is_encrypted(address) else "false"
    return f"sc://{host}:{parts.port or _PORT}/;use_ssl={secure}"


class ClusterSession:
    """A connection to a cluster.

    Parameters
    ----------
    login : Login
        Its token is sent with every request over an encrypted connection, or on this machine; never stored
        or shown.
    make : callable, optional
        Makes the session of the library; for tests.

    Raises
    ------
    TableError
        The library is missing, the connection would not be encrypted and that was not accepted, or the
        cluster does not answer.
    """

    def __init__(
        self,
        address: DatabaseAddress,
        login: Login,
        monitor: Monitor,
        make: Callable[[DatabaseAddress, str | None], Any] | None = None,
    ) -> None:
        refuse_unencrypted(address, login)
        self.name = address.name
        self._address, self._table = address, address.table or address.files
        self._working = threading.local()
        self.spark: Any = None  # the session of the library
        self.spark = self.run(
            lambda: (make or _session)(address, login.password), monitor, _("Opening {name}")
        )
        self._finalizer = weakref.finalize(self, _closed, self.spark)
        self.spark.registerProgressHandler(_Progress(self._working))
        for key, value in _SETTINGS.items():
            self.run(lambda key=key, value=value: self.spark.conf.set(key, value), monitor)  # type: ignore[misc]

    def close(self) -> None:
        """End the session."""
        self._finalizer()

    def run(self, work: Callable[[], _Found], monitor: Monitor, text: str = "") -> _Found:
        """Do work with the cluster on a thread of its own, and stop it there if the monitor asks to.

        Parameters
        ----------
        monitor : Monitor
            Receives the finished tasks of those that are known.
        text : str
            What is done; may name the cluster as {name}.

        Raises
        ------
        TableError
            In words of the program; what the cluster said may have values of the data and is dropped.
        CancelledError
            The work is stopped on the cluster too.
        """
        job = _Job(self.spark, self._working, work)
        thread = threading.Thread(target=job.do, daemon=True, name="cluster")
        words = text.format(name=self.name) if text else _("Waiting for {name}").format(name=self.name)
        thread.start()
        try:
            while not job.is_done.wait(PATIENCE):
                monitor.step(job.done, max(job.total, 1), words)
        except BaseException:
            job.stop()
            raise
        if job.error is not None:
            raise self._told(job.error) from None
        return job.found  # type: ignore[no-any-return]

    def _told(self, error: BaseException) -> BaseException:
        if isinstance(error, (AnonymizerError, CancelledError, MemoryError)):
            return error
        kind = _condition(error)
        problem, hint = (
            _TOLD.get(kind.partition(".")[0])
            or _BY_STATUS.get(_status(error))
            or (N_("'{name}' cannot do this: {kind}."), N_("The log of the cluster says more."))
        )
        kind = kind or _status(error) or type(error).__name__
        return TableError(
            _(problem).format(name=self.name, kind=kind, table=self._table),
            hint=_(hint),
            file=self.name,
            kind=kind.partition(".")[0],
        )


class _Job:
    """Work on a thread, found again on the cluster by its tag."""

    def __init__(self, spark: Any, working: threading.local, work: Callable[[], Any]) -> None:
        self._spark, self._working, self._work = spark, working, work
        self._tag = f"anonymizer-{uuid.uuid4().hex}"
        self.is_done = threading.Event()
        self.found: Any = None
        self.error: BaseException | None = None
        self.done = self.total = 0

    def do(self) -> None:
        try:
            self._working.job = self
            warnings.filterwarnings("ignore", module=_LIBRARY)  # they may repeat what the cluster said
            if self._spark is not None:
                self._spark.addTag(self._tag)  # of this thread
            self.found = self._work()
        except BaseException as error:  # raised by the thread that waits
            self.error = error
        finally:
            self.is_done.set()

    def stop(self) -> None:
        if self._spark is not None:
            threading.Thread(target=self._interrupt, daemon=True, name="cluster").start()
        self.is_done.wait(_STOPPING)

    def _interrupt(self) -> None:
        for _attempt in range(20):  # it may just be about to begin
            with suppress(Exception):
                self._spark.interruptTag(self._tag)
            if self.is_done.wait(_STOPPING):
                return


class _Progress:
    """Tasks of the operation that the current thread waits for, as the library reports them."""

    def __init__(self, working: threading.local) -> None:
        self._working = working

    def __call__(self, stages: Any, inflight_tasks: int, operation_id: str | None, done: bool) -> None:
        job: _Job | None = getattr(self._working, "job", None)
        if job is not None and stages:
            job.total = sum(stage.num_tasks for stage in stages)
            job.done = min(sum(stage.num_completed_tasks for stage in stages), job.total)


def _session(address: DatabaseAddress, token: str | None) -> Any:
    """Return a session of the library, with its loggers silenced."""
    with _quietly():
        try:
            from pyspark.sql.connect.client.core import DefaultChannelBuilder
            from pyspark.sql.connect.client.retries import DefaultPolicy
            from pyspark.sql.connect.session import SparkSession
        except ImportError:
            raise TableError(
                _("'{name}' requires pyspark-client, which is not installed.").format(name=address.name),
                hint=_("Install it with: {command}").format(command=install_words("cluster")),
                file=address.name,
            ) from None
        for name in [name for name in logging.root.manager.loggerDict if name.startswith("pyspark")]:
            logging.getLogger(name).disabled = True
        channel = DefaultChannelBuilder(channel_of(address))
        if token:
            channel.set(DefaultChannelBuilder.PARAM_TOKEN, token)
        spark = SparkSession(channel)
        spark.client.set_retry_policies([DefaultPolicy(max_retries=_RETRIES, max_backoff=500)])
        return spark


@contextmanager
def _quietly() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of versions that the library was not tried with
        yield


def _closed(spark: Any) -> None:
    """End a session of the library; dropping the last table of it does not wait for a cluster long."""

    def end() -> None:
        warnings.filterwarnings("ignore", module=_LIBRARY)
        with suppress(Exception):
            spark.stop()

    thread = threading.Thread(target=end, daemon=True, name="end of cluster")
    thread.start()
    thread.join(_STOPPING)


def _condition(error: BaseException) -> str:
    """Return the name that Spark gives to an error; names have no values."""
    for ask in ("getCondition", "getErrorClass"):
        with suppress(Exception):
            found = getattr(error, ask)()
            if isinstance(found, str) and found.replace("_", "").replace(".", "").isalnum():
                return found
    return ""


def _status(error: BaseException) -> str:
    """Return the status of a failed call, such as UNAVAILABLE."""
    cause: BaseException | None = error
    while cause is not None:
        for ask in ("code", "getGrpcStatusCode"):
            with suppress(Exception):
                return str(getattr(cause, ask)().name)
        cause = cause.__cause__ or cause.__context__
    return ""
