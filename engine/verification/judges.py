"""Verification of a release: how its files are read, and what they hold besides the table."""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from engine.verification.claims import Judge, Limits, ReleaseClaim, Verdict
from engine.verification.containers import Explained, Extra, inspect, refusal
from engine.verification.containers.text import inspect_manifest
from engine.verification.findings import Findings, UnverifiableError
from engine.verification.judge import ReleaseVerifier, needs_records
from engine.verification.readers.claimed_files import MANIFEST, released_files
from engine.verification.readers.reading import Progress
from engine.verification.tables.columns import compared_of
from engine.verification.tables.database import SMALL, Database, UnsuitedError, opened
from engine.verification.tables.place import Place


def verify(
    claim: ReleaseClaim,
    progress: Progress | None = None,
    limits: Limits = Limits(),
    place: Place | None = None,
) -> Verdict:
    """Verify a written release against its claim.

    Both files are read again; only the claim comes from the program. Checked are columns, records and
    their order, every cell, the equivalence classes, every model exactly, suppression against the
    limit, and every claimed value (integers exactly, t within a relative 1e-9). t compares with the
    distribution of the original, suppressed records included.

    Records whose quasi-identifiers are all `*` count as suppressed if the release has suppressed
    records, else as a class. Only if a kept class is all `*` too, the original decides, since the
    file alone is ambiguous.

    Where the records have no order (`ReleaseClaim.order`), every record must occur as often as expected, in
    any order; `Verdict.compared` says so.

    Parameters
    ----------
    progress : callable, optional
        Called with (done, total, text); may raise to stop.
    place : Place, optional
        A cluster that has both tables; no file is read then.
    """
    report = progress or _in_silence
    in_memory = len(claim.files) == 1 and limits.in_memory(claim.expected.records)
    judge: Judge = "memory" if in_memory and compared_of(claim) == "records" else "database"
    is_small = place is None and judge == "memory" and claim.expected.records <= SMALL

    def found(*, reads_files: bool) -> Verdict:
        opens: list[Database] = []

        def work(tell: Progress) -> Verdict:
            with opened(claim, limits, reads_files=reads_files) as database:
                opens.append(database)
                by = judge if place is None else "cluster"
                return _found(claim, place or database, database, limits.folder, by, tell)

        return work(report) if is_small else patiently(work, report, opens)

    if place is None and not is_small and not needs_records(claim):
        with suppress(UnsuitedError):
            return found(reads_files=True)
    return found(reads_files=False)


def _found(
    claim: ReleaseClaim,
    place: Place,
    database: Database,
    folder: Path | None,
    judge: Judge,
    progress: Progress,
) -> Verdict:
    findings = Findings()
    measured: dict[str, Any] = {}
    unchecked: tuple[str, ...] = ()
    try:
        verifier = ReleaseVerifier(claim, progress, findings, place, database, folder)
        unchecked = verifier.unchecked
        measured = verifier.verify()
    except UnverifiableError as problem:
        findings.add(str(problem))
    renamed = {own: name for name, own in claim.released.columns.items() if name != own}
    found = [] if judge == "cluster" else extras(claim)
    # A file that cannot be read as a table is told about once.
    besides = tuple(own for own in found if measured or own.kind != "uninspected")
    problems = findings.sentences()
    if words := refusal(claim.released.path.name, besides):
        problems = (words, *problems)
    return Verdict(not problems, problems, measured, unchecked, place.compared, judge, renamed, besides)


def extras(claim: ReleaseClaim) -> list[Extra]:
    """Return what the released files hold besides the table."""
    codes = claim.released_codes if claim.original.labels.coded else None
    explained = Explained(claim.released_labels, codes)
    found: list[Extra] = []
    if claim.released.path.is_dir():
        with suppress(OSError, ValueError):  # then it is no manifest
            found += inspect_manifest(claim.released.path / MANIFEST)
    for path in released_files(claim.released.path):
        try:
            found += inspect(path, claim.released.format, explained)
        except UnverifiableError as problem:
            found.append(Extra("uninspected", path.name, str(problem)))
    return found


def _in_silence(done: int, total: int, text: str) -> None:
    """Ignore progress."""


_Result = TypeVar("_Result")
_POLL = 0.1  # seconds between two reports
_PATIENCE = 0.3  # seconds for the work to end by itself once it is stopped
_AGAIN = 0.05  # seconds until a statement is interrupted again, since one that has not begun is not


class _StoppedError(BaseException):
    """Raised within the work when it is to stop."""


def patiently(work: Callable[[Progress], _Result], progress: Progress, opens: Sequence[Database]) -> _Result:
    """Return what work returns, and report its progress from this thread, which may raise to stop it.

    Statements of the databases that it opens are interrupted then. One on large arrays cannot be: if the work
    is within one, it is left alone, ends with its next report, and its result is discarded.
    """
    latest: list[tuple[int, int, str]] = []
    found: list[_Result] = []
    failed: list[BaseException] = []
    ended, stopped = threading.Event(), threading.Event()

    def report(done: int, total: int, text: str) -> None:
        if stopped.is_set():
            raise _StoppedError
        latest[:] = [(done, total, text)]

    def run() -> None:
        try:
            found.append(work(report))
        except BaseException as error:
            failed.append(error)
        finally:
            ended.set()

    own = contextvars.copy_context()  # the language of texts, for one
    thread = threading.Thread(target=own.run, args=(run,), name="verification", daemon=True)
    thread.start()
    try:
        is_over = False
        while not is_over:
            is_over = ended.wait(_POLL)
            for database in opens if latest and not is_over else ():
                database.report(database.part())
            if latest:
                progress(*latest[0])
    except BaseException:
        stopped.set()
        until = time.monotonic() + _PATIENCE
        while thread.is_alive() and time.monotonic() < until:
            for database in opens:
                database.interrupt()
            thread.join(_AGAIN)
        raise
    thread.join()
    if failed:
        raise failed[0]
    return found[0]
