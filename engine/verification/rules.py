"""Expected cells of columns that are released by a rule, computed without the program's code."""

from __future__ import annotations

import hashlib
import hmac
import tempfile
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import IO, Any

import pandas as pd

from engine.numbers import as_exact_count
from engine.verification.aggregates import number_text
from engine.verification.claims import Reading, ReleaseClaim, RuleClaim
from engine.verification.findings import Findings, UnverifiableError, refuse_many_values
from engine.verification.readers.collecting import Vocabulary
from engine.verification.readers.reading import read_pieces
from engine.verification.subsets import drawn_order, value_of
from engine.words import _

DROP, STAR, SHIFT, PSEUDONYM = "drop", "star", "date_shift", "pseudonym"


def rule_of(claim: ReleaseClaim, name: str) -> RuleClaim | None:
    """Return the rule of a column; None if it is not released by one."""
    if name in claim.identifying:
        return claim.rules.get(name, RuleClaim(claim.identifying_rule))
    return claim.rules.get(name)


def dropped_columns(claim: ReleaseClaim) -> tuple[str, ...]:
    """Return the columns that the release drops."""
    named = dict.fromkeys((*claim.identifying, *claim.rules))
    rules = {name: rule_of(claim, name) for name in named}
    return tuple(name for name, rule in rules.items() if rule is not None and rule.rule == DROP)


def due_texts(
    rule: RuleClaim, values: Sequence[str], missing: str | None, start: Callable[[], int]
) -> dict[str, str]:
    """Return the expected text of each value of a column.

    Parameters
    ----------
    rule : RuleClaim
        Any but moved dates, whose texts differ by person.
    values : sequence of str
        Distinct texts of the original.
    missing : str or None
        Text of the missing value.
    start : callable
        Returns the start of random drawing.

    Raises
    ------
    UnverifiableError
        If the rule is unknown, or cannot be applied.
    """
    if rule.rule == STAR:
        return dict.fromkeys(values, "*")
    if rule.rule == "constant":
        return dict.fromkeys(values, str(rule.parameters["text"]))
    present = [value for value in values if value != missing]
    if rule.rule == PSEUDONYM:
        due = _numbered(rule.parameters, present, start())
    elif rule.rule == "keyed_hash":
        due = _digests(rule.parameters, present)
    elif rule.rule == "mask":
        due = {value: _masked(rule.parameters, value) for value in present}
    elif rule.rule == "round":
        due = {value: _rounded(rule, _number(rule, value)) for value in present}
    elif rule.rule in _SIGNS:
        due = {value: _coded(rule, value) for value in present}
    elif rule.rule == "band":
        due = _banded(rule, present)
    else:
        raise UnverifiableError(_("Unknown rule '{rule}' for columns.").format(rule=rule.rule))
    return due if missing is None else {**due, missing: missing}


def _numbered(parameters: Mapping[str, Any], values: Sequence[str], start: int) -> dict[str, str]:
    ordered = sorted(values)
    width = max(int(parameters["digits"]), len(str(len(values))))
    prefix = str(parameters["prefix"])
    return {
        ordered[place]: prefix + str(number).zfill(width)
        for number, place in enumerate(drawn_order(len(ordered), start), start=1)
    }


def _digests(parameters: Mapping[str, Any], values: Sequence[str]) -> dict[str, str]:
    key, length = key_of(parameters.get("key_file")), int(parameters["length"])
    due = {value: hmac.digest(key, value.encode("utf-8"), hashlib.sha256).hex()[:length] for value in values}
    if len(set(due.values())) < len(due):
        raise UnverifiableError(_("Two values of a column have the same code."))
    return due


def _masked(parameters: Mapping[str, Any], value: str) -> str:
    first, last = int(parameters["keep_first"]), int(parameters["keep_last"])
    character, fixed = str(parameters["character"]), int(parameters["length"])
    if len(value) <= first + last:
        return character * (fixed or len(value))
    middle = character * (fixed or len(value) - first - last)
    return "".join((*value[:first], middle, *(value[-last:] if last else "")))


def key_of(path: str | None) -> bytes:
    """Return the key in a file.

    Raises
    ------
    UnverifiableError
        If it cannot be read, or is too short.
    """
    try:
        with open(path or "", "rb") as file:
            key = file.read().rstrip(b"\r\n")
    except OSError as error:
        raise UnverifiableError(
            _("The key of a column cannot be read: {strerror}.").format(strerror=error.strerror)
        ) from None
    if len(key) < 32:
        raise UnverifiableError(_("The key of a column is shorter than 32 bytes."))
    return key


def _number(rule: RuleClaim, text: str) -> Fraction:
    number = value_of(text, rule.kind)
    if not isinstance(number, Fraction):
        raise UnverifiableError(_("'{text}' is not a number.").format(text=text))
    return number


def _typed(number: Any) -> Fraction:
    return Fraction(Decimal(repr(number)))


def _rounded(rule: RuleClaim, number: Fraction) -> str:
    """Return the nearest multiple: the neighbours below and above are compared by their distances."""
    base = _typed(rule.parameters["base"])
    below = number // base
    near, far = number - below * base, (below + 1) * base - number
    mode = rule.parameters["mode"]
    if not near:
        multiple = below
    elif mode == "down":
        multiple = below if number > 0 else below + 1
    elif near != far:
        multiple = below if near < far else below + 1
    elif mode == "half_up":
        multiple = below + 1 if number > 0 else below
    elif mode == "half_even":
        multiple = below if below % 2 == 0 else below + 1
    else:
        raise UnverifiableError(_("Unknown mode of rounding: '{mode}'.").format(mode=mode))
    return number_text(multiple * base, rule.kind)


_SIGNS = {"top_code": ">=", "bottom_code": "<="}


def _is_coded(rule: RuleClaim, text: str) -> bool:
    number, limit = _number(rule, text), _typed(rule.parameters["limit"])
    if number == limit:
        return bool(rule.parameters["written"] == "label")
    return (number > limit) == (rule.rule == "top_code")


def _coded(rule: RuleClaim, text: str) -> str:
    if not _is_coded(rule, text):
        return text
    limit = number_text(_typed(rule.parameters["limit"]), rule.kind)
    return limit if rule.parameters["written"] == "limit" else f"{_SIGNS[rule.rule]} {limit}"


def check_coded(rule: RuleClaim, name: str, counts: Mapping[str, int], findings: Findings) -> None:
    """Report a wrong number of coded cells, given the original cells per value except missing ones."""
    if rule.coded is None:
        return
    found = sum(count for text, count in counts.items() if _is_coded(rule, text))
    if found != rule.coded:
        findings.add(
            _("Column '{name}': {claimed} cells are beyond the limit by the claim, but {found} are.").format(
                name=name, claimed=as_exact_count(rule.coded), found=as_exact_count(found)
            )
        )


def _banded(rule: RuleClaim, values: Sequence[str]) -> dict[str, str]:
    level, labels = int(rule.parameters["level"]), dict[str, str]()
    for row in rule.hierarchy:
        if level >= len(row) or labels.setdefault(row[0], row[level]) != row[level]:
            raise UnverifiableError(_("The hierarchy of a column released as bands is not usable."))
    for value in values:
        if value not in labels:
            raise UnverifiableError(
                _("The hierarchy of a column released as bands lacks '{value}'.").format(value=value)
            )
    return {value: labels[value] for value in values}


def check_columns(claim: ReleaseClaim, names: list[str], found: list[str]) -> None:
    """Raise UnverifiableError unless the columns of both tables, and their roles, are as claimed."""
    for name in claim.aggregates:
        if name not in claim.quasi_identifying:
            raise UnverifiableError(
                _("'{name}' is released as an aggregate, but is not quasi-identifying.").format(name=name)
            )
    for name in claim.rules:
        if name in claim.quasi_identifying:
            raise UnverifiableError(
                _("'{name}' is released by a rule, but is quasi-identifying.").format(name=name)
            )
    roles = [*claim.quasi_identifying, *claim.identifying, *claim.sensitive]
    for name in roles:
        if name not in names:
            raise UnverifiableError(_("The original has no column '{name}'.").format(name=name))
        if roles.count(name) > 1:
            raise UnverifiableError(_("The column '{name}' has more than one role.").format(name=name))
    if claim.person and claim.person not in claim.identifying:
        raise UnverifiableError(
            _("The person column '{person}' is not identifying.").format(person=claim.person)
        )
    dropped = dropped_columns(claim)
    due = [name for name in names if name not in dropped]
    if found != due:
        raise UnverifiableError(
            _("The released file has the columns {found}, but {due} are expected.").format(
                found=_listed(found), due=_listed(due)
            )
        )


def _listed(names: list[str]) -> str:
    return ", ".join(f"'{name}'" for name in names) or _("none")


_BYTES = 1 << 22


def start_of(
    original: pd.DataFrame, known: dict[str, Vocabulary], seed: int, step: Callable[[], None]
) -> int:
    """Return the first 8 bytes of the SHA-256 of seed, number of records and all columns.

    A column contributes its name and its texts in order of first occurrence, each after its length in
    bytes, and per record the position of its text among them, in 8 bytes.
    `step` is called for each column, and may raise to stop.
    """
    digest = hashlib.sha256(f"{seed} {len(original)}".encode())
    for name in original.columns:
        step()
        places, codes = pd.factorize(original[name])
        texts = [name, *map(known[name].texts.__getitem__, codes.tolist())]
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        digest.update(b"".join(str(len(data)).encode() + b" " + data for data in encoded))
        digest.update(places.astype("<i8").tobytes())
    return int.from_bytes(digest.digest()[:8], "little")


def start_of_files(
    files: Iterable[Reading], seed: int, folder: Path | None, progress: Callable[[float], None]
) -> int:
    """Return what `start_of` does for a table in files, read piece by piece.

    The positions wait in files that no one else can open.

    Parameters
    ----------
    files : iterable of Reading
        The original.
    folder : Path or None
        Private folder; None for that of the system.
    progress : callable
        Called with the part of each file that is read; may raise to stop.
    """
    known: dict[str, Vocabulary] = {}
    place = None if folder is None else str(folder)
    n_records = 0
    with ExitStack() as closed:
        columns: dict[str, IO[bytes]] = {}
        for reading in files:
            for piece in read_pieces(reading, known, progress):
                n_records += len(piece)
                for name in piece.columns:
                    if name not in columns:
                        columns[name] = closed.enter_context(tempfile.TemporaryFile(dir=place))
                    refuse_many_values(name, len(known[name].texts))
                    columns[name].write(piece[name].to_numpy().astype("<i4").tobytes())
        digest = hashlib.sha256(f"{seed} {n_records}".encode())
        for name, file in columns.items():
            texts = [name, *known[name].texts]
            encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
            digest.update(b"".join(str(len(data)).encode() + b" " + data for data in encoded))
            file.seek(0)
            while data := file.read(_BYTES):
                progress(1.0)
                digest.update(pd.Series(array("i", data)).to_numpy().astype("<i8").tobytes())
    return int.from_bytes(digest.digest()[:8], "little")


def own_start(start: int, use: str) -> int:
    """Return the start of one use, `rows` or `column` and its name; each use draws other numbers."""
    data = start.to_bytes(8, byteorder="little") + use.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(data).digest()[:8], byteorder="little")


def put_back(released: pd.DataFrame, start: int) -> pd.DataFrame:
    """Return the records of a shuffled file in the order of the original."""
    places = pd.Series(range(len(released)), index=drawn_order(len(released), own_start(start, "rows")))
    return released.take(places.sort_index().tolist()).reset_index(drop=True)
