"""Verification of a release: how its files are read, and what they hold besides the table."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from engine.verification.claims import Judge, Limits, ReleaseClaim, Verdict
from engine.verification.containers import Explained, Extra, inspect, refusal
from engine.verification.containers.text import inspect_manifest
from engine.verification.findings import Findings, UnverifiableError
from engine.verification.judge import ReleaseVerifier, needs_records
from engine.verification.readers.parts import MANIFEST, released_files
from engine.verification.readers.reading import Progress
from engine.verification.tables.columns import compared_of
from engine.verification.tables.database import SMALL, Database, UnsuitedError, opened
from engine.verification.tables.place import Place
from engine.verification.tables.waiting import patiently


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
    claim : ReleaseClaim
    progress : callable, optional
        Called with (done, total, text); may raise to stop.
    limits : Limits
    place : Place, optional
        A cluster that has both tables; no file is read then.

    Returns
    -------
    Verdict
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
    renamed = {own: name for name, own in claim.released_names.items() if name != own}
    found = [] if judge == "cluster" else _extras(claim)
    # A file that cannot be read as a table is told about once.
    besides = tuple(own for own in found if measured or own.kind != "uninspected")
    problems = findings.sentences()
    if words := refusal(claim.released.name, besides):
        problems = (words, *problems)
    return Verdict(not problems, problems, measured, unchecked, place.compared, judge, renamed, besides)


def _extras(claim: ReleaseClaim) -> list[Extra]:
    """Return what the released files hold besides the table."""
    codes = claim.released_codes if claim.original_labels.coded else None
    explained = Explained(claim.released_labels, codes)
    found: list[Extra] = []
    if claim.released.is_dir():
        with suppress(OSError, ValueError):  # then it is no manifest
            found += inspect_manifest(claim.released / MANIFEST)
    for path in released_files(claim.released):
        try:
            found += inspect(path, claim.released_format, explained)
        except UnverifiableError as problem:
            found.append(Extra("uninspected", path.name, str(problem)))
    return found


def _in_silence(done: int, total: int, text: str) -> None:
    """Ignore progress."""
