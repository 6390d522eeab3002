"""Verification of a release: both files are counted, every claim is recomputed and compared."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Any, cast

import pandas as pd

from engine.numbers import as_exact_count
from engine.verification.aggregates import due_by_file
from engine.verification.cells import (
    Comparison,
    Paths,
    generalize,
    hierarchy_paths,
    is_all_star,
    kept_places,
    positions_in_original,
)
from engine.verification.claims import Reading, ReleaseClaim, RuleClaim
from engine.verification.classes import Original
from engine.verification.figures import compare_figures, compare_unchanged, measure_persons
from engine.verification.findings import Findings, UnverifiableError, refuse_many_values
from engine.verification.model_check import ModelCheck, distance_of, reference_of
from engine.verification.models.base import Known, fraction, model_of
from engine.verification.persons import Persons, Population, check_codes, weights_of
from engine.verification.readers.claimed_files import reading_of_other
from engine.verification.readers.collecting import Vocabularies
from engine.verification.readers.reading import Progress, read_codes
from engine.verification.rules import (
    PSEUDONYM,
    SHIFT,
    check_coded,
    check_columns,
    due_texts,
    own_start,
    put_back,
    rule_of,
    start_of,
    start_of_files,
)
from engine.verification.shifts import as_written, moved
from engine.verification.subsets import chosen_records
from engine.verification.suppression import GroupCount, Suppression
from engine.verification.tables.columns import (
    coded_columns,
    first_missing,
    is_order_drawn,
    keyed_moves,
    moves_of,
    persons_of,
    unchanged_columns,
)
from engine.verification.tables.compared import ComparedTables, Due
from engine.verification.tables.database import Database
from engine.verification.tables.place import ORIGINAL, RELEASE, Place
from engine.words import _

_TOTAL = 100


def why_not_counted(claim: ReleaseClaim) -> str:
    """Return why a release cannot be verified by the multiset of its records; empty if it can."""
    if claim.node is None:
        return _("Levels vary by record, which cannot be verified for records in no order.")
    if claim.aggregates:
        return _("Columns released as aggregates cannot be verified for records in no order.")
    if claim.subset is not None:
        return _("The selection of a subset cannot be verified for records in no order.")
    for name in dict.fromkeys((*claim.identifying, *claim.rules)):
        moves = moves_of(claim, name)
        if moves is not None and (name == claim.person or not (moves.has_key and claim.person)):
            return _("Moved dates, as of '{name}', cannot be verified for records in no order.").format(
                name=name
            )
    return ""


def needs_records(claim: ReleaseClaim) -> bool:
    """Return whether single records are asked for, or changed, before they are counted."""
    is_matched = claim.node is None and claim.suppressed_records == "remove"
    moves = [moves_of(claim, name) for name in claim.sensitive]
    is_known_by_file = any(own is not None and not own.has_key for own in moves)
    return bool(claim.subset is not None or is_matched or is_known_by_file or keyed_moves(claim))


class ReleaseVerifier:
    """Steps of one verification, and their shared state.

    A row here is any number of equal records.

    Parameters
    ----------
    place : Place
        Place of both tables.
    database : Database
        Where classes are counted.
    folder : Path or None
        Private folder for what does not fit in memory; None for that of the system.
    """

    def __init__(
        self,
        claim: ReleaseClaim,
        progress: Progress,
        findings: Findings,
        place: Place,
        database: Database,
        folder: Path | None = None,
    ) -> None:
        self._claim, self._findings, self._folder = claim, findings, folder
        self._reported = (0, _TOTAL, "")

        def tell(done: int, total: int, text: str) -> None:
            self._reported = (done, total, text) if done >= self._reported[0] else self._reported
            progress(*self._reported)

        self._progress: Progress = tell
        self._known: Vocabularies = {}
        self._place, self._counting = place, database
        database.progress = place.progress = self._progress
        place.read(claim, self._known)
        if place.compared != "records" and (words := why_not_counted(claim)):
            raise UnverifiableError(words)
        self._report_bare()
        check_columns(claim, place.names, place.released_names)
        self._tables = ComparedTables(claim, self._known, place)
        self._records: pd.DataFrame | None = None  # of a subset, before rules
        self._start = cache(self._first_number)
        self._everybody = self._choose_records()
        self._move_records()
        self._original, self._counts = self._tables.tuples()
        self._persons = self._count_persons()
        self._by_rule = self._apply_rules()
        self._sensitive = list(claim.sensitive)
        self._models = [
            (
                model_of(
                    model,
                    claim.sensitive,
                    list(self._original.columns),
                    claim.order_types,
                    lambda column, text: self._known[column].code(text),
                ),
                model.met,
            )
            for model in claim.models
        ]
        if self._persons is not None and any(
            "grassberger" in m.words.values() for m, _unused in self._models
        ):
            raise UnverifiableError(
                _("Grassberger's estimator requires whole counts, but persons have weights.")
            )
        models = [model for model, _unused in self._models]
        self._distances = {name: distance_of(claim, name, models) for name in self._sensitive}
        self._references = {
            name: reference_of(claim, name, self._counts_or_weights(name), self._known[name], models)
            for name in self._sensitive
        }
        self._check_coded_columns()

    @property
    def unchecked(self) -> tuple[str, ...]:
        """Steps that were not repeated, and assumptions of the models that no file can show."""
        is_named = self._claim.shuffled and not is_order_drawn(self._claim)
        shuffled = (_("The random order of the records was not repeated."),) if is_named else ()
        of_models = (words for model, _met in self._models for words in model.verifier.unchecked(model))
        return (*shuffled, *of_models)

    def verify(self) -> dict[str, Any]:
        """Compare everything; return the measured values."""
        claim, findings = self._claim, self._findings
        for model, _met in self._models:
            for words in model.verifier.unmet(model, claim, self._place.released_names):
                findings.add(words)
        self._progress(40, _TOTAL, _("Recomputing the classes of the original"))
        paths = hierarchy_paths(claim, self._original, self._known)
        self._check = self._model_check(paths)
        self._rows = Original(claim, self._counting, self._original, self._counts, self._persons)
        suppressed, aggregates = Suppression(self._known, self._check, self._rows).by_node(paths)
        self._group = GroupCount(self._known, self._check, self._rows, self._distances)
        group = None
        if suppressed is not None:
            labels = generalize(self._original, paths, claim.node or {}).assign(**aggregates)
            group = self._group.measure(labels[list(claim.quasi_identifying)], suppressed)
        n_due, is_paired = self._pair(suppressed, aggregates, paths)
        tuples = self._paired.tuples
        hidden = self._hidden(suppressed, tuples if is_paired else None)
        source = self._original.take(tuples.to_numpy()) if is_paired else self._original.iloc[:0]
        due: dict[str, pd.Series[int]] = {}
        if suppressed is None and is_paired:
            whole = (self._original, self._counts)
            due = due_by_file(claim, source, self._released, hidden, self._known, self._paired.counts, whole)
            group = self._measure_group(tuples, hidden)
        self._progress(85, _TOTAL, _("Comparing every cell"))
        if is_paired:
            marks = hidden
            if suppressed is not None and claim.suppressed_records == "star":
                marks = suppressed.loc[source.index].reset_index(drop=True)
            for name, cells in {**aggregates, **self._by_rule}.items():
                due[name] = cells.loc[source.index].reset_index(drop=True)
            compared = Comparison(
                claim,
                self._known,
                source,
                self._released,
                marks,
                due,
                self._paired.counts,
                self._paired.numbers,
            )
            wrong, n_wrong = self._paired.wrong, self._paired.n_wrong
            compared.report(paths, findings, wrong, n_wrong, self._place.released_names)
            self._check_person_codes(tuples, marks)
        elif n_due != self._paired.n_released:
            findings.add(
                _("The released file has {n} records, but {n_2} are expected.").format(
                    n=as_exact_count(self._paired.n_released), n_2=as_exact_count(n_due)
                )
            )
        self._progress(90, _TOTAL, _("Recomputing classes and models"))
        measured = self._measure(hidden, is_paired=is_paired) | {"group": group}
        self._group.report(group, findings)
        if is_paired:
            measured["unchanged"] = self._count_unchanged()
        compare_figures(claim, measured, findings)
        self._progress(_TOTAL, _TOTAL, _("Verified"))
        return measured

    # What single records decide

    @property
    def _database(self) -> Database:
        return cast(Database, self._place)  # claims that ask others for records are refused

    def _originals(self) -> pd.DataFrame:
        """Return the codes of all original records."""
        return self._database.records(ORIGINAL, self._known)

    def _released_records(self) -> pd.DataFrame:
        """Return the codes of all released records, those of a shuffled file in the order of the original."""
        released = self._database.records(RELEASE, self._known)
        return put_back(released, self._start()) if self._claim.shuffled else released

    def _choose_records(self) -> pd.DataFrame | None:
        """Reduce the original to the selected records; return the population, if there is a table of it."""
        claim = self._claim
        if claim.subset is not None:
            whole, rows = self._originals(), self._read_other(claim.subset.rows)
            places = chosen_records(claim.subset, whole, rows, self._known, claim.original.missing)
            self._database.choose(places)
            self._records = whole.take(places).reset_index(drop=True)
            return whole
        return self._read_other(claim.population)

    def _first_number(self) -> int:
        """Return the start of random drawing."""
        claim, records = self._claim, self._records
        if records is not None:
            return start_of(records, self._known, claim.seed, self._step_drawing)
        return start_of_files(claim.readings, claim.seed, self._folder, lambda part: self._step_drawing())

    def _move_records(self) -> None:
        """Move dates of a subset by their keys, and let sensitive ones without a key be those of the file."""
        claim, database = self._claim, self._database
        moves, names = keyed_moves(claim), self._place.released_names
        if self._records is not None and moves:
            missing = first_missing(claim, claim.person)
            due = moved(moves, self._known, claim.person, missing, self._records, 0)
            for name in moves:
                if name in names and name != claim.person:
                    database.replace(name, due[name], self._known[name].texts)
        for name in claim.sensitive:
            own = moves_of(claim, name)
            if own is None or own.has_key or name not in names:
                continue
            records, released = self._originals(), self._released_records()
            persons, vocabulary = self._persons_of(records), self._known[name]
            written = as_written(claim, own, records, released, persons, vocabulary, self._findings)
            database.replace(name, written, self._known[name].texts)

    def _persons_of(self, records: pd.DataFrame) -> list[str]:
        """Return the person of each record, a missing one as the empty text."""
        person = self._claim.person
        if not person:
            return [str(number) for number in range(1, len(records) + 1)]
        return persons_of(self._claim, self._known, records[person].tolist())

    def _kept_places(self, paths: Mapping[str, Paths]) -> list[int]:
        """Return the positions of the original records that a file without suppressed ones has."""
        claim = self._claim
        if claim.kept_records is not None:
            return kept_places(claim, int(self._counts.sum()))
        if claim.person or claim.weight:
            raise UnverifiableError(
                _(
                    "Records were removed and levels vary by record, but the release does not "
                    "state which records are kept. They cannot be matched with the original."
                )
            )
        records, released = self._originals(), self._released_records()
        ruled = {
            name: records[name].map(self._due_codes(name, rule, records[name].unique().tolist()))
            for name, rule in claim.rules.items()
            if name in released.columns and name not in claim.identifying and rule.rule != SHIFT
        }
        return positions_in_original(claim, records.assign(**ruled), released, paths)

    def _read_other(self, table: Reading | None) -> pd.DataFrame | None:
        if table is None:
            return None
        reading = reading_of_other(self._claim, table)
        return read_codes(
            reading, self._known, lambda part: self._progress(40, _TOTAL, _("Reading further tables"))
        )

    def _count_persons(self) -> Persons | None:
        """Return the person of each row of the original; None if persons are not counted."""
        claim = self._claim
        if not claim.person:
            if claim.limit_counts == "persons" or claim.whole_persons:
                raise UnverifiableError(_("Suppression counts persons, but no person column is given."))
            return None
        return Persons.of(self._original[claim.person], self._counts)

    def _weights(self) -> dict[int, Fraction]:
        """Return the survey weights by their codes; empty if no model reads weights."""
        name = self._claim.weight
        if not name:
            return {}
        if name not in self._original.columns:
            raise UnverifiableError(_("The original has no column '{name}'.").format(name=name))
        codes = self._original[name].unique().tolist()
        return weights_of(name, self._known[name].texts, codes, self._claim.weight_kind)

    def _report_bare(self) -> None:
        """Report cells and names of the file that a spreadsheet would run as formulas."""
        for name, text in self._place.released.bare.items():
            where = _("In the column '{name}'").format(name=name) if name else _("In the column names")
            self._findings.add(
                _("{where}: {text!r} would be run as a formula by a spreadsheet.").format(
                    where=where, text=text
                )
            )

    def _pair(
        self,
        suppressed: pd.Series[bool] | None,
        aggregates: Mapping[str, pd.Series[int]],
        paths: dict[str, Paths],
    ) -> tuple[int, bool]:
        """Compare the files; return the number of expected records, and whether each has its original one."""
        claim, counts = self._claim, self._counts
        is_removed = claim.suppressed_records == "remove"
        labels, kept = None, None
        if suppressed is not None:
            labels = self._due_labels(suppressed, aggregates, paths)
            lost, n_due = suppressed, int(counts[~suppressed if is_removed else suppressed.index].sum())
        else:
            kept = self._kept_places(paths) if is_removed else None
            lost, n_due = counts < 0, int(counts.sum()) if kept is None else len(kept)
        start = own_start(self._start(), "rows") if is_order_drawn(claim) else None
        self._paired = self._tables.pair(Due(lost, labels, self._pseudonyms(), start, kept))
        self._released = self._paired.released
        for words in self._paired.differing:
            self._findings.add(words)
        return n_due, n_due == self._paired.n_released and not self._paired.differing

    def _measure_group(self, tuples: pd.Series[int], hidden: pd.Series[bool]) -> dict[str, Any] | None:
        """Return the figures of the suppressed records as one class, if the file shows which they are."""
        names, counts = list(self._claim.quasi_identifying), self._paired.counts
        written = counts.groupby(tuples).sum().reindex(self._counts.index, fill_value=0)
        absent = (self._counts - written)[self._counts > written]  # removed from the file
        rows = pd.Index([*tuples.tolist(), *absent.index.tolist()])
        records = pd.Series([*counts.tolist(), *absent.tolist()], dtype="int64")
        is_lost = pd.Series([*hidden.tolist(), *[True] * len(absent)], dtype=bool)
        labels = self._released[names].reset_index(drop=True).reindex(range(len(rows)), fill_value=0)
        original = Original(
            self._claim,
            self._counting,
            self._original.loc[rows].reset_index(drop=True),
            records,
            None if self._persons is None else self._persons.at(rows, records),
        )
        group = GroupCount(self._known, self._check, original, self._distances)
        return group.measure(labels.where(~is_lost, 0), is_lost)

    def _check_person_codes(self, tuples: pd.Series[int], hidden: pd.Series[bool]) -> None:
        name = self._claim.person
        if self._persons is None or name not in self._released.columns:
            return
        seen = ~(hidden & self._claim.blank_suppressed)
        persons = self._persons.at(pd.Index(tuples[seen]), self._paired.counts[seen])
        rule = rule_of(self._claim, name)
        assert rule is not None, "the person column is identifying"
        check_codes(rule, name, persons, self._released[name][seen], self._findings)

    def _model_check(self, paths: dict[str, Paths]) -> ModelCheck:
        node, claim = self._claim.node, self._claim
        leaves = None
        if node is not None:
            leaves = {
                name: Counter(path[node[name]] for path in column.values()) for name, column in paths.items()
            }
        population, size = self._count_population()
        known = Known(
            int(self._counts.sum()) if self._persons is None else len(self._persons),
            size,
            math.prod(len(column) for column in paths.values()),
            self._weights(),
        )
        return ModelCheck(
            claim,
            self._findings,
            self._step,
            self._counting,
            self._models,
            self._references,
            leaves,
            population,
            known,
        )

    def _count_population(self) -> tuple[Population, Fraction | None]:
        """Return the population on the levels of the node, if there is a table of it, and its size."""
        claim, people = self._claim, self._everybody
        if people is None or claim.node is None:
            return Population(None), self._n_people
        for name in claim.quasi_identifying:
            if name not in people.columns:
                raise UnverifiableError(_("The population table has no column '{name}'.").format(name=name))
        paths = hierarchy_paths(claim, people, self._known)
        persons = people[claim.person] if claim.person in people.columns else None
        return Population(generalize(people, paths, claim.node), persons), self._n_people

    def _step(self) -> None:
        """Say again how far the verification is; may raise to stop."""
        self._progress(*self._reported)

    def _step_drawing(self) -> None:
        self._progress(80, _TOTAL, _("Repeating the random order"))

    def _apply_rules(self) -> dict[str, pd.Series[int]]:
        """Return the expected cells of identifying columns, and let the original have those of the others.

        Sensitive columns are measured in their released form, suppressed records included.
        """
        identifying: dict[str, pd.Series[int]] = {}
        others: dict[str, pd.Series[int]] = {}
        for name in self._place.released_names:
            rule = rule_of(self._claim, name)
            if rule is None or name not in self._original.columns:
                continue
            found = identifying if name in self._claim.identifying else others
            cells = self._original[name]
            if rule.rule != SHIFT:
                found[name] = cells.map(self._texts_by_rule(name, rule, self._count_values(name)))
            elif name == self._claim.person:
                found[name] = self._moved_persons(name)
            elif found is identifying:
                found[name] = cells  # moved before
        self._original = self._original.assign(**others)
        return identifying

    def _moved_persons(self, name: str) -> pd.Series[int]:
        """Return the expected cells of a person column whose dates move."""
        moves = moves_of(self._claim, name)
        assert moves is not None, "dates of this column move"
        vocabulary, cells = self._known[name], self._original[name]
        due = moves.due([vocabulary.texts[code] for code in cells.tolist()], self._persons_of(self._original))
        return pd.Series([vocabulary.code(text) for text in due], index=cells.index, dtype=cells.dtype)

    def _texts_by_rule(self, name: str, rule: RuleClaim, counts: pd.Series[int]) -> dict[int, int]:
        """Return the expected code of each value code of a column, given the records of each."""
        texts, missing = self._known[name].texts, first_missing(self._claim, name)
        due = self._due_codes(name, rule, counts.index.tolist())
        present = {texts[code]: int(counts[code]) for code in due if texts[code] != missing}
        check_coded(rule, name, present, self._findings)
        return due

    def _due_codes(self, name: str, rule: RuleClaim, codes: Sequence[int]) -> dict[int, int]:
        vocabulary, missing = self._known[name], first_missing(self._claim, name)
        values, start = {vocabulary.texts[code]: code for code in codes}, self._start
        due = due_texts(rule, list(values), missing, lambda: own_start(start(), f"column {name}"))
        return {code: vocabulary.code(due[value]) for value, code in values.items()}

    def _count_values(self, name: str) -> pd.Series[int]:
        """Count the records of the original per value code of a column."""
        return self._counts.groupby(self._original[name]).sum()

    def _counts_or_weights(self, name: str) -> pd.Series[int]:
        """Count the values of a column in the original, or weigh them by persons."""
        if self._persons is not None:
            return self._persons.weights.groupby(self._original[name]).sum()
        return self._count_values(name)

    def _check_coded_columns(self) -> None:
        claim, place = self._claim, self._place
        coded = coded_columns(claim, place.names)
        for name in place.names:
            rule = rule_of(claim, name)
            if rule is None or rule.coded is None or name in coded or name not in place.released_names:
                continue
            missing = first_missing(claim, name)
            present = {text: n for text, n in self._tables.values_of(name).items() if text != missing}
            check_coded(rule, name, present, self._findings)

    def _pseudonyms(self) -> dict[str, Mapping[str, str]]:
        """Return the pseudonym of each value, of the columns that no model reads."""
        found: dict[str, Mapping[str, str]] = {}
        coded = coded_columns(self._claim, self._place.names)
        for name in self._place.released_names:
            rule = rule_of(self._claim, name)
            if rule is not None and rule.rule == PSEUDONYM and name not in coded:
                values = list(self._tables.values_of(name))
                refuse_many_values(name, len(values))
                drawing = partial(own_start, self._start(), f"column {name}")
                found[name] = due_texts(rule, values, first_missing(self._claim, name), drawing)
        return found

    def _due_labels(
        self, suppressed: pd.Series[bool], aggregates: Mapping[str, pd.Series[int]], paths: dict[str, Paths]
    ) -> pd.DataFrame:
        """Return the expected cells of each original tuple in the released columns that models read."""
        rows, due = self._original, {**aggregates, **self._by_rule}
        names = [name for name in rows.columns if name in self._place.released_names]
        by_tuple = Comparison(self._claim, self._known, rows, rows[names], suppressed, due, self._counts)
        cells = {name: by_tuple.due(name, paths).astype("int32") for name in names}
        return pd.DataFrame(cells, index=rows.index, copy=False)

    def _hidden(self, suppressed: pd.Series[bool] | None, sources: pd.Series[int] | None) -> pd.Series[bool]:
        """Return the rows of the file that count as suppressed, those with only `*`.

        `sources` are their original rows; None if the file has another number of records.
        """
        if self._claim.suppressed_records != "star":
            return pd.Series(False, index=self._released.index)
        stars = is_all_star(self._released, self._claim.quasi_identifying, self._known)
        if suppressed is None:
            return stars & (self._claim.expected.suppressed > 0)
        # A class that the node itself makes all `*` is kept; the file alone does not show that.
        if sources is not None:
            return stars & suppressed.loc[sources].set_axis(stars.index)
        return stars & bool(suppressed.any())

    def _measure(self, hidden: pd.Series[bool], *, is_paired: bool) -> dict[str, Any]:
        """Return the values of the released file, and check every model."""
        claim = self._claim
        read = [*claim.quasi_identifying, *self._sensitive]  # the other columns were compared before
        kept = self._released[read][~hidden].reset_index(drop=True)
        counts = self._paired.counts[~hidden].reset_index(drop=True)
        n_records, n_kept = int(self._counts.sum()), int(counts.sum())
        limit = fraction(claim.suppression_limit, _("the suppression limit"))
        left = self._rows_left(hidden, is_paired=is_paired)
        classes = self._rows.classes("kept", kept[list(claim.quasi_identifying)], left, counts, kept)
        self._check.judge(classes, kept, self._known)
        l_values: dict[str, int | None] = dict.fromkeys(self._sensitive)
        t_values: dict[str, float | None] = dict.fromkeys(self._sensitive)
        if n_kept:
            for name in self._sensitive:
                self._step()
                distance, reference = self._distances[name], self._references[name]
                l_values[name], t_values[name] = classes.figures(
                    name, reference, distance, others=claim.others_as_qi
                )
        n_counted = n_records
        if self._persons is not None and claim.limit_counts == "persons":
            n_counted = len(self._persons)
        measured = {
            "records": n_records,
            "kept": n_kept,
            "suppressed": n_records - n_kept,
            "allowed": math.floor(min(limit, Fraction(1)) * n_counted),
            "classes": len(classes),
            "k": int(classes.least) if n_kept else None,
            "l": l_values,
            "t": t_values,
        }
        if self._persons is not None:
            of_tuple = counts.groupby(left.to_numpy()).sum().reindex(self._counts.index, fill_value=0)
            measured |= measure_persons(claim, self._persons, self._counts, of_tuple, classes, self._findings)
        return measured

    def _rows_left(self, hidden: pd.Series[bool], *, is_paired: bool) -> pd.Index[int]:
        """Return the original rows of the kept ones of the file.

        Raises
        ------
        UnverifiableError
            If persons or weights count, and the file does not have the expected number of records.
        """
        if self._persons is None and not self._claim.weight:
            return self._original.index[:0]
        if not is_paired:
            raise UnverifiableError(_("Persons or weights cannot be counted, because records are missing."))
        return pd.Index(self._paired.tuples[~hidden])

    def _count_unchanged(self) -> dict[str, Any]:
        """Compare the number of records that unchanged columns single out with the claim."""
        claim, expected, counted = self._claim, self._claim.expected.unchanged, self._paired
        columns = unchanged_columns(claim, self._place.released_names)
        determines = expected.determines if expected else {}
        for own, other in determines:
            if (own, other) not in counted.shares:
                raise UnverifiableError(
                    _("'{column}' cannot undo the levels of '{other}' in this release.").format(
                        column=own, other=other
                    )
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
                {"column": own, "determined": other, "share": counted.shares[own, other]}
                for own, other in determines
            ],
        }
        if expected is not None:
            compare_unchanged(expected, measured, self._findings)
        return measured

    @property
    def _n_people(self) -> Fraction | None:
        """Population size: counted in the population table, or as claimed without one."""
        if self._everybody is not None:
            known = self._claim.person in self._everybody.columns
            n_people = self._everybody[self._claim.person].nunique() if known else len(self._everybody)
            return Fraction(n_people)
        return fraction(self._claim.people, _("the population size")) if self._claim.people else None
