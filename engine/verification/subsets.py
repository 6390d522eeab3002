"""Selection of a subset of the original, repeated from its claim."""

from __future__ import annotations

import hashlib
import hmac
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from typing import Any

import pandas as pd

from engine.numbers import as_exact_count
from engine.verification.claims import ColumnKind, Reading, SubsetClaim
from engine.verification.findings import UnverifiableError
from engine.verification.readers.collecting import Vocabulary
from engine.words import _

_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    ">=": lambda a, b: a >= b,
    ">": lambda a, b: a > b,
}
_GAMMA = 0x9E3779B97F4A7C15


def chosen_records(
    claim: SubsetClaim,
    original: pd.DataFrame,
    rows: pd.DataFrame | None,
    known: Mapping[str, Vocabulary],
    missing: Sequence[str],
) -> list[int]:
    """Return the positions of the selected records, in order.

    Parameters
    ----------
    original : DataFrame
        Codes of the complete original.
    rows : DataFrame or None
        Codes of the rows that select records.
    missing : sequence of str
        Missing tokens; the first one represents all.

    Raises
    ------
    UnverifiableError
        If the selection cannot be repeated.
    """
    if rows is not None:
        return _matching(original, rows)
    if claim.key:
        return _drawn_by_key(len(original), claim.beta, claim.key)
    if claim.condition is not None:
        met = _meets(claim.condition, original, known, claim.kinds, missing[0] if missing else None)
        return [position for position, is_met in enumerate(met) if is_met]
    if claim.fraction:
        size = math.floor(Fraction(claim.fraction) * len(original))
    else:
        size = claim.size
    if not 1 <= size <= len(original):
        raise UnverifiableError(
            _("A sample of {size} of {n} records is not possible.").format(
                size=as_exact_count(size), n=as_exact_count(len(original))
            )
        )
    return _drawn(len(original), size, claim.seed)


def _matching(original: pd.DataFrame, rows: pd.DataFrame) -> list[int]:
    """Return the first equal record of each row that no other row selected."""
    names = list(rows.columns)
    if not set(names) <= set(original.columns):
        raise UnverifiableError(_("The subset table has a column that the original lacks."))
    by_cells: dict[tuple[int, ...], list[int]] = {}
    for position, cells in enumerate(original[names].itertuples(index=False, name=None)):
        by_cells.setdefault(cells, []).append(position)
    taken: dict[tuple[int, ...], int] = {}
    for cells in rows.itertuples(index=False, name=None):
        taken[cells] = taken.get(cells, 0) + 1
    positions: list[int] = []
    for cells, n in taken.items():
        fitting = by_cells.get(cells, [])
        if len(fitting) < n:
            raise UnverifiableError(_("A row of the subset table matches no record of the original."))
        positions += fitting[:n]
    return sorted(positions)


def _drawn(n_records: int, size: int, seed: int) -> list[int]:
    """Return the records with the lowest SplitMix64 numbers [1], started with the seed's first number.

    References
    ----------
    .. [1] Steele, Lea, Flood (2014). Fast Splittable Pseudorandom Number Generators. OOPSLA.
    """
    (start,) = drawn_numbers(0, 1, seed % (1 << 64)).tolist()
    return sorted(drawn_order(n_records, start)[:size])


def drawn_order(count: int, start: int) -> list[int]:
    """Return the positions 0 to `count` - 1, sorted by the numbers SplitMix64 draws for them."""
    order: list[int] = drawn_numbers(0, count, start).sort_values(kind="stable").index.tolist()
    return order


def drawn_numbers(first: int, count: int, start: int) -> pd.Series[int]:
    """Return the numbers of 64 bits that SplitMix64 draws for `count` positions from the first on."""
    numbers = (
        pd.Series(range(first + 1, first + count + 1), dtype="uint64") * _GAMMA + start
    )  # modulo 2 ** 64
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        numbers = (numbers ^ numbers // (1 << shift)) * factor
    return numbers


def _drawn_by_key(n_records: int, beta: float, key: str) -> list[int]:
    """Return the records whose number under a secret key is below `beta`, each independent of the others."""
    try:
        secret = bytes.fromhex(key)
    except ValueError:
        raise UnverifiableError(_("The secret of the draw is not a hexadecimal text.")) from None
    return [place for place in range(n_records) if secret_number(secret, place) < beta]


def secret_number(secret: bytes, place: int) -> float:
    """Return a number in [0, 1): the first 53 bits of HMAC-SHA-256."""
    digest = hmac.new(secret, place.to_bytes(8, byteorder="big"), hashlib.sha256).digest()
    return math.ldexp(int.from_bytes(digest[:7], "big") >> 3, -53)


def _meets(
    condition: Sequence[Any],
    original: pd.DataFrame,
    known: Mapping[str, Vocabulary],
    kinds: Mapping[str, ColumnKind],
    missing: str | None,
) -> list[bool]:
    """Return which records meet a condition; see `SubsetClaim.condition` for its form."""

    def leaf(word: str, name: str, rest: Sequence[Any]) -> list[bool]:
        if name not in original.columns or name not in kinds:
            raise UnverifiableError(
                _("The subset is selected by the unknown column '{name}'.").format(name=name)
            )
        texts, by_code = known[name].texts, {}
        for code in original[name].unique().tolist():
            by_code[code] = _meets_leaf(
                word, rest, texts[code], kinds[name], is_missing=texts[code] == missing
            )
        return [by_code[code] for code in original[name].tolist()]

    return _joined(condition, leaf)


def kept_records(reading: Reading, cells: Mapping[str, Sequence[str | None]]) -> list[bool]:
    """Return which records of a file are not left out, by their cells in each column."""

    def leaf(word: str, name: str, rest: Sequence[Any]) -> list[bool]:
        if name not in cells:
            raise UnverifiableError(
                _("Records are excluded by the unknown column '{name}'.").format(name=name)
            )
        clean = reading.cleaner(name)
        tokens = (*reading.missing, *reading.column_missing.get(name, ()))
        values = {cell: clean(cell) for cell in set(cells[name])}
        met = {
            cell: _meets_leaf(word, rest, value, ColumnKind(), is_missing=value in tokens[:1])
            for cell, value in values.items()
        }
        return [met[cell] for cell in cells[name]]

    if reading.leave_out is None:
        return [True] * len(next(iter(cells.values()), ()))
    return [not is_met for is_met in _joined(reading.leave_out, leaf)]


def _joined(condition: Sequence[Any], leaf: Callable[[str, str, Sequence[Any]], list[bool]]) -> list[bool]:
    """Return which records meet a condition, given what each of its comparisons is met by."""
    word, *parts = condition
    if word not in ("and", "or", "not"):
        return leaf(word, str(parts[0]), parts[1:])
    inner = [_joined(part, leaf) for part in parts]
    if word == "not":
        return [not is_met for is_met in inner[0]]
    return [(all if word == "and" else any)(met) for met in zip(*inner, strict=True)]


def _meets_leaf(word: str, rest: Sequence[Any], text: str, kind: ColumnKind, *, is_missing: bool) -> bool:
    if word == "missing":
        return is_missing
    if is_missing:
        return False
    if word == "in":
        value = value_of(text, kind)
        return any(value == _typed(one, kind) for one in rest[0]) != bool(rest[1])
    return _COMPARE[word](value_of(text, kind), _typed(rest[0], kind))


def value_of(text: str, kind: ColumnKind) -> Any:
    """Return the value of a cell by the type of its column."""
    try:
        if kind.kind in ("integer", "decimal"):
            mark, thousands = kind.format[:1], kind.format[1:]
            digits = text.replace(thousands, "") if thousands else text
            return Fraction(digits.replace(",", ".") if mark == "," else digits)
        if kind.kind == "date":
            return datetime.strptime(text, kind.format)
        if kind.kind == "ordered":
            return kind.values.index(text)
    except (ValueError, OverflowError):
        raise UnverifiableError(
            _("'{text}' is not a value of type '{kind}'.").format(text=text, kind=kind.kind)
        ) from None
    return text.lower() if kind.kind == "boolean" else text


def _typed(text: str, kind: ColumnKind) -> Any:
    """Return a value typed in a condition, in the form that cells are compared in."""
    try:
        if kind.kind in ("integer", "decimal"):
            return Fraction(text)
        if kind.kind == "date":
            return datetime.fromisoformat(text)
        if kind.kind == "ordered":
            return kind.values.index(text)
    except ValueError:
        raise UnverifiableError(
            _("The subset is compared with '{text}', which is not a value of its column.").format(text=text)
        ) from None
    return text.lower() if kind.kind == "boolean" else text
