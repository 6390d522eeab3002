"""Files of a release, and reading of the files of a claim."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.numbers import as_exact_count
from engine.verification.claims import Reading, ReleaseClaim
from engine.verification.findings import UnverifiableError
from engine.verification.rules import dropped_columns
from engine.words import _

MANIFEST = "_manifest.json"
_BYTES = 1 << 22


def released_files(released: Path) -> tuple[Path, ...]:
    """Return the files of a release: itself, or all parts in a folder, by name by code point."""
    if not released.is_dir():
        return (released,)
    inside = [path for path in released.rglob("*") if path.name != MANIFEST and not path.is_dir()]
    return tuple(sorted(inside, key=lambda path: path.relative_to(released).as_posix()))


def check_manifest(released: Path, step: Callable[[], None]) -> None:
    """Compare the parts of a folder with its manifest: their names, and the SHA-256 of each.

    `step` is called often, and may raise to stop.

    Raises
    ------
    UnverifiableError
        They differ, or there is no manifest.
    """
    if not released.is_dir():
        return
    listed = _listed(released)
    files = released_files(released)
    if [part["name"] for part in listed] != [path.relative_to(released).as_posix() for path in files]:
        raise UnverifiableError(
            _("'{folder}' has other files than its manifest lists.").format(folder=released.name)
        )
    for part, path in zip(listed, files, strict=True):
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while block := file.read(_BYTES):
                step()
                digest.update(block)
        if digest.hexdigest() != part["sha256"]:
            raise UnverifiableError(
                _("'{name}' has another SHA-256 than the manifest says.").format(name=path.name)
            )


def check_counts(released: Path, counts: Sequence[int]) -> None:
    """Compare the records of each part with those that the manifest says.

    Raises
    ------
    UnverifiableError
        They differ.
    """
    if not released.is_dir():
        return
    for part, count in zip(_listed(released), counts, strict=True):
        if part["records"] != count:
            raise UnverifiableError(
                _("'{name}' has {n} records, but the manifest says {n_2}.").format(
                    name=part["name"], n=as_exact_count(count), n_2=as_exact_count(part["records"])
                )
            )


def _listed(released: Path) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    n_records = 0
    try:
        whole = json.loads((released / MANIFEST).read_text(encoding="utf-8"))
        n_records = int(whole["records"])
        for part in whole["parts"]:
            kinds = {"name": str, "records": int, "sha256": str}
            parts.append({key: kind(part[key]) for key, kind in kinds.items()})
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        parts = []
    if not parts or sum(part["records"] for part in parts) != n_records:
        raise UnverifiableError(_("'{folder}' has no valid manifest.").format(folder=released.name))
    return parts


def readings_of_release(claim: ReleaseClaim, names: Sequence[str]) -> list[Reading]:
    """Return how the released file, or each part of it, is read, given the columns of the original."""
    dropped = dropped_columns(claim)
    left = tuple(name for name in names if name not in dropped)
    reading = replace(claim.released, names=left, is_release=True, bare={})  # one list of all parts
    depth = len(reading.path.parts) + 1
    return [
        replace(reading, path=path, folders=len(path.parts) - depth if reading.path.is_dir() else 0)
        for path in released_files(reading.path)
    ]


def reading_of_other(claim: ReleaseClaim, table: Reading) -> Reading:
    """Return how a table in addition to the original is read, whose tokens and trimming it has."""
    return replace(table, trim=claim.original.trim, missing=claim.original.missing, is_other=True)
