"""Columns of both tables: which of them models read, and how the others are released."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path

from engine.numbers import as_exact_count
from engine.verification.claims import STAR, Compared, ReleaseClaim
from engine.verification.findings import UnverifiableError
from engine.verification.readers.collecting import Vocabularies
from engine.verification.readers.formats import has_keys
from engine.verification.rules import DROP, SHIFT, due_texts, rule_of
from engine.verification.shifts import Moves
from engine.words import _, ngettext

_CONSTANT = ("star", "constant")


def compared_of(claim: ReleaseClaim) -> Compared:
    """Return how the records of files are compared: one by one only where their order is promised."""
    return "multiset" if claim.order == "none" else "records"


def is_order_drawn(claim: ReleaseClaim) -> bool:
    """Return whether the records of a file are promised in an order drawn at random."""
    return claim.shuffled and claim.order != "none"


def unmatched(n_extra: int, n_lacking: int) -> tuple[str, ...]:
    """Return sentences on records of the file that are not expected, and on expected ones that it lacks."""
    found = []
    if n_extra:
        found.append(
            ngettext(
                "{n} record of the file is not expected.",
                "{n} records of the file are not expected.",
                n_extra,
            ).format(n=as_exact_count(n_extra))
        )
    if n_lacking:
        found.append(
            ngettext(
                "{n} expected record is missing in the file.",
                "{n} expected records are missing in the file.",
                n_lacking,
            ).format(n=as_exact_count(n_lacking))
        )
    return tuple(found)


def moves_of(claim: ReleaseClaim, name: str) -> Moves | None:
    """Return how the dates of a column move; None if they do not."""
    rule = rule_of(claim, name)
    is_moved = rule is not None and rule.rule == SHIFT
    return Moves(name, rule, first_missing(claim, name)) if rule is not None and is_moved else None


def keyed_moves(claim: ReleaseClaim) -> dict[str, Moves]:
    """Return how dates move by keys, by column; those of persons are not moved by their number."""
    found = {name: moves_of(claim, name) for name in (*claim.identifying, *claim.rules)}
    return {name: own for name, own in found.items() if own is not None and own.has_key}


def first_missing(claim: ReleaseClaim, name: str) -> str | None:
    """Return the text of the missing value of a column; None if it has none."""
    return next(iter((*claim.original.missing, *claim.original.column_missing.get(name, ()))), None)


def persons_of(claim: ReleaseClaim, known: Vocabularies, codes: Iterable[int]) -> list[str]:
    """Return the text of each person by which dates move, given codes of the person column."""
    texts, missing = known[claim.person].texts, first_missing(claim, claim.person)
    return ["" if texts[code] == missing else texts[code] for code in codes]


def refuse_other_columns(first: Path, names: Sequence[str], path: Path, found: Sequence[str]) -> None:
    """Raise UnverifiableError if a further file of the original has other columns than the first."""
    if list(found) != list(names):
        raise UnverifiableError(
            _("The files '{name}' and '{name_2}' do not have the same columns.").format(
                name=first.name, name_2=path.name
            )
        )


def coded_columns(claim: ReleaseClaim, names: Sequence[str]) -> list[str]:
    """Return the columns that classes, models or persons are read from, in their order."""
    read = {*claim.quasi_identifying, *claim.sensitive, claim.person, claim.weight}
    return [name for name in names if name in read]


def needed_columns(claim: ReleaseClaim, names: Sequence[str]) -> set[str]:
    """Return the columns of the original that decide what is expected of the release."""
    rules = {name: rule_of(claim, name) for name in names}
    lost = {name for name, rule in rules.items() if rule is not None and rule.rule in (*_CONSTANT, DROP)}
    return {*names} - lost | {*coded_columns(claim, names)}


def is_numbered(claim: ReleaseClaim) -> Callable[[str], bool]:
    """Return whether the database has codes of a column instead of texts.

    JSON may have texts that are not Unicode, which no database holds, so that it has codes of all columns.
    """
    is_json = claim.released.format == "jsonl" or any(has_keys(path) for path in claim.files)
    read = {*claim.quasi_identifying, *claim.sensitive, claim.person, claim.weight}
    return lambda name: is_json or name in read


def unchanged_columns(claim: ReleaseClaim, released_names: Collection[str]) -> list[str]:
    """Return the unchanged columns of the file, as `Recount.columns`."""
    others = {*claim.quasi_identifying, *claim.identifying}
    return [name for name in released_names if name not in others]


def unchanged_sets(claim: ReleaseClaim, released_names: Collection[str]) -> list[tuple[str, ...]]:
    """Return the sets of columns whose singled out records are counted."""
    columns = unchanged_columns(claim, released_names)
    both = (*columns, *claim.quasi_identifying)
    return list(
        dict.fromkeys(found for found in (*((name,) for name in columns), tuple(columns), both) if found)
    )


class ReleasedColumn:
    """Column of the file that no model reads: its cells are compared one by one."""

    def __init__(self, claim: ReleaseClaim, name: str) -> None:
        moves = moves_of(claim, name)
        self.moves = None if moves is None or moves.has_key else moves  # by a key they were moved before
        self.rule = rule_of(claim, name) if moves is None else None
        self._missing = first_missing(claim, name)
        self.blank = STAR if claim.blank_suppressed else None

    @property
    def is_constant(self) -> bool:
        """Return whether every cell has the same text, however the original reads."""
        return self.rule is not None and self.rule.rule in _CONSTANT

    def due(self, values: Sequence[str], fixed: Mapping[str, str] | None) -> Mapping[str, str]:
        """Return the expected text per original text of kept records, or those given as fixed."""
        assert self.rule is not None, "asked of columns with a rule"
        return due_texts(self.rule, values, self._missing, _undrawn) if fixed is None else fixed


def _undrawn() -> int:
    raise UnverifiableError(_("Random numbers cannot be drawn again for a table of this size."))
