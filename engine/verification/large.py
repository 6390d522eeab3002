"""Verification of a release larger than memory: the same checks, on distinct records with their counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from engine.verification.cells import Comparison, Paths
from engine.verification.claimed_files import reading_of_original
from engine.verification.claims import ReleaseClaim, RuleClaim
from engine.verification.columns import check_columns
from engine.verification.counted import (
    Counter,
    Due,
    coded_columns,
    is_order_drawn,
    moves_of,
    unchanged_columns,
)
from engine.verification.findings import Findings, UnverifiableError, refuse_many_values
from engine.verification.random_order import own_start, start_of_files
from engine.verification.reading import Progress
from engine.verification.release_check import ReleaseVerifier
from engine.verification.rules import PSEUDONYM, check_coded, due_texts, rule_of
from engine.verification.shifts import Moves
from engine.verification.unchanged import Recount, compare_unchanged
from engine.words import _

MakeCounter = Callable[[ReleaseClaim, dict[str, Any], Progress], Counter]


def why_not_large(claim: ReleaseClaim) -> str:
    """Return why a release can only be verified in memory; empty if counts suffice."""
    if claim.node is None:
        return _("Levels vary by record, which can only be verified in memory.")
    if claim.aggregates:
        return _("Columns released as aggregates can only be verified in memory.")
    if claim.subset is not None:
        return _("The selection of a subset can only be verified in memory.")
    if claim.released_format in ("xlsx", "sav", "dta"):
        return _("Workbooks and files of statistical programs can only be verified in memory.")
    for name in dict.fromkeys((*claim.identifying, *claim.rules)):
        if (moves := moves_of(claim, name)) is not None and not _can_be_moved(claim, moves):
            return _("Moved dates, as of '{name}', can only be verified in memory.").format(name=name)
    return ""


def _can_be_moved(claim: ReleaseClaim, moves: Moves) -> bool:
    """Return whether a counter can compare dates that move.

    Without the key they are compared with the original ones of the same record, for which the records must be
    side by side; without persons the number of the record decides.
    """
    if moves.name == claim.person:
        return False
    if not moves.has_key and (claim.shuffled or moves.name in claim.sensitive):
        return False
    return claim.order != "none" or (moves.has_key and bool(claim.person))


class LargeVerifier(ReleaseVerifier):
    """Verification on distinct records: a row is any number of equal records."""

    _READ = 40

    def __init__(
        self,
        claim: ReleaseClaim,
        progress: Progress,
        findings: Findings,
        make: MakeCounter,
        folder: Path | None = None,
    ) -> None:
        if words := why_not_large(claim):
            raise UnverifiableError(words)
        self._make, self._folder = make, folder
        super().__init__(claim, progress, findings)
        self._check_coded_columns()

    @property
    def unchecked(self) -> tuple[str, ...]:
        """What the verification of files in memory would show in addition, and what no file can show."""
        is_named = self._claim.shuffled and not is_order_drawn(self._claim)
        shuffled = (_("The random order of the records was not repeated."),) if is_named else ()
        return (*shuffled, *super().unchecked)

    @property
    def _released_names(self) -> list[str]:
        return self._counter.released_names

    @property
    def _original_names(self) -> list[str]:
        return self._counter.names

    def _read(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        self._counter = self._make(self._claim, self._known, self._progress)
        check_columns(self._claim, self._original_names, self._released_names)  # before anything is counted
        original, self._counts = self._counter.tuples()
        return original, original.iloc[:0]

    def _check_coded_columns(self) -> None:
        claim, counter = self._claim, self._counter
        coded = coded_columns(claim, counter.names)
        for name in counter.names:
            rule = rule_of(claim, name)
            if rule is None or rule.coded is None or name in coded or name not in counter.released_names:
                continue
            missing = self._missing_of(name)
            present = {text: n for text, n in counter.values_of(name).items() if text != missing}
            check_coded(rule, name, present, self._findings)

    def _sources(
        self, suppressed: pd.Series[bool] | None, paths: dict[str, Paths]
    ) -> tuple[pd.DataFrame, int]:
        """Read the files side by side; return the original rows of those of the file, and their records."""
        assert suppressed is not None, "levels do not vary by record"
        assert self._counts is not None, "rows are counted"
        is_removed = self._claim.suppressed_records == "remove"
        n_due = int(self._counts[~suppressed if is_removed else suppressed.index].sum())
        labels, texts = self._due_labels(suppressed, paths), self._pseudonyms()
        start = own_start(self._start(), "rows") if is_order_drawn(self._claim) else None
        self._paired = self._counter.pair(Due(suppressed, labels, texts, start))
        self._released, self._released_counts = self._paired.released, self._paired.counts
        self._numbers = self._paired.numbers
        self._report_bare(self._counter.released)
        for words in self._paired.differing:
            self._findings.add(words)
        self._is_same = n_due == self._paired.n_released and not self._paired.differing
        if not self._is_same:
            return self._original.iloc[:0], n_due
        self._wrong_texts = self._paired.wrong
        return self._original.take(self._paired.tuples.to_numpy()), n_due

    def _pseudonyms(self) -> dict[str, Mapping[str, str]]:
        """Return the pseudonym of each value, of the columns that no model reads."""
        found: dict[str, Mapping[str, str]] = {}
        coded = coded_columns(self._claim, self._counter.names)
        for name in self._released_names:
            rule = rule_of(self._claim, name)
            if rule is not None and rule.rule == PSEUDONYM and name not in coded:
                values = list(self._counter.values_of(name))
                refuse_many_values(name, len(values))
                drawing = partial(own_start, self._start(), f"column {name}")
                found[name] = due_texts(rule, values, self._missing_of(name), drawing)
        return found

    def _first_number(self) -> int:
        claim = self._claim
        readings = (reading_of_original(claim, path) for path in claim.files)
        return start_of_files(readings, claim.seed, self._folder, lambda part: self._step())

    def _put_back(self) -> None:
        """The counter knows the order of a shuffled file."""

    def _moved_dates(self, name: str, rule: RuleClaim) -> pd.Series[int] | None:
        return self._original[name]  # the counter moves them

    def _are_paired(self, n_due: int, n_released: int) -> bool:
        return self._is_same

    def _due_labels(self, suppressed: pd.Series[bool], paths: dict[str, Paths]) -> pd.DataFrame:
        """Return the expected cells of each original tuple in the released columns that models read."""
        rows = self._original
        names = [name for name in rows.columns if name in self._released_names]
        by_tuple = Comparison(
            self._claim, self._known, rows, rows[names], suppressed, self._by_rule, self._counts
        )
        due = {name: by_tuple.due(name, paths).astype("int32") for name in names}
        return pd.DataFrame(due, index=rows.index, copy=False)

    def _count_unchanged(self, source: pd.DataFrame, hidden: pd.Series[bool]) -> dict[str, Any]:
        """Compare the number of records that unchanged columns single out with the claim."""
        claim, expected, counted = self._claim, self._claim.expected.unchanged, self._paired
        columns = unchanged_columns(claim, self._released_names)
        recount = Recount(
            claim, self._released, source.reset_index(drop=True), hidden, None, self._released_counts
        )

        def counts(place: int) -> dict[str, Any]:
            def found(*names: str) -> int:
                return counted.singled_out[names][place] if names else 0

            return {
                "alone": {name: found(name) for name in columns},
                "together": found(*columns),
                "with_quasi_identifiers": found(*columns, *claim.quasi_identifying),
            }

        measured = {
            "columns": columns,
            "singled_out": counts(0),
            **({"of_one_person": counts(1)} if claim.person else {}),
            "determines": [
                {
                    "column": own,
                    "determined": other,
                    "share": counted.shares[own, other]
                    if (own, other) in counted.shares
                    else recount.share(own, other),
                }
                for own, other in (expected.determines if expected else ())
            ],
        }
        if expected is not None:
            compare_unchanged(expected, measured, self._findings)
        return measured
