"""Steps of a verification: both files are read again, every claim is recomputed and compared."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache, partial
from typing import Any, ClassVar

import pandas as pd

from engine.numbers import as_exact_count
from engine.verification.aggregated import due_by_file
from engine.verification.cells import (
    Comparison,
    Paths,
    Vocabularies,
    WrongTexts,
    generalize,
    hierarchy_paths,
    is_all_star,
)
from engine.verification.claimed_files import reading_of_original, reading_of_other, readings_of_release
from engine.verification.claims import OtherTable, ReleaseClaim, RuleClaim
from engine.verification.classes import Classes
from engine.verification.columns import check_columns
from engine.verification.counted import refuse_other_columns
from engine.verification.figures import compare_figures, measure_persons
from engine.verification.findings import Findings, UnverifiableError
from engine.verification.information import LabelLeaves
from engine.verification.kept_records import kept_originals
from engine.verification.model_check import ModelCheck
from engine.verification.models.base import fraction, model_of
from engine.verification.parts import check_counts, check_manifest
from engine.verification.persons import Persons, check_codes
from engine.verification.population import PopulationClasses
from engine.verification.random_order import own_start, put_back, start_of
from engine.verification.reading import Progress, Reading, read_codes
from engine.verification.references import distance_of, reference_of
from engine.verification.rules import SHIFT, check_coded, due_texts, rule_of
from engine.verification.shifts import MovedColumn, Moves, as_written
from engine.verification.subsets import chosen_records
from engine.verification.suppressed_group import GroupCount
from engine.verification.suppression import Suppression
from engine.verification.unchanged import Recount, compare_unchanged
from engine.verification.weights import Weights
from engine.words import _

_TOTAL = 100


class ReleaseVerifier:
    """Steps of one verification, and their shared state."""

    _READ: ClassVar[int] = 80  # percent done when the original was read

    def __init__(self, claim: ReleaseClaim, progress: Progress, findings: Findings) -> None:
        self._claim, self._findings = claim, findings
        self._told = (0, _TOTAL, "")

        def tell(done: int, total: int, text: str) -> None:
            self._told = (done, total, text)
            progress(done, total, text)

        self._progress: Progress = tell
        self._known: Vocabularies = {}
        self._counts: pd.Series[int] | None = None  # records per row of the original, if not one
        self._released_counts: pd.Series[int] | None = None
        self._numbers: pd.Series[int] | None = (
            None  # number of a record of each row of the file, if not its own
        )
        self._wrong_texts: WrongTexts | None = None  # cells that are compared as texts
        self._original, self._released = self._read()
        check_columns(claim, self._original_names, self._released_names)
        self._everybody = self._choose_records()
        self._records = self._original  # before rules
        self._start = cache(self._first_number)
        self._put_back()
        self._persons = self._count_persons()
        self._weights = self._weigh_records()
        self._unknown: list[MovedColumn] = []  # dates that were moved by a key that is not given
        self._by_rule = self._apply_rules()
        self._sensitive = list(claim.sensitive)
        self._models = [
            (
                model_of(
                    model,
                    claim.sensitive,
                    self._original,
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

    @property
    def unchecked(self) -> tuple[str, ...]:
        """Assumptions of the models that no file can show."""
        return tuple(words for model, _met in self._models for words in model.verifier.unchecked(model))

    def verify(self) -> dict[str, Any]:
        """Compare everything; return the measured values."""
        claim, findings = self._claim, self._findings
        for model, _met in self._models:
            for words in model.verifier.unmet(model, claim, self._released_names):
                findings.add(words)
        self._progress(self._READ, _TOTAL, _("Recomputing the classes of the original"))
        paths = hierarchy_paths(claim, self._original, self._known)
        self._check = self._model_check(paths)
        of_original = (self._persons, self._weights, self._counts)
        suppression = Suppression(claim, self._known, self._models, self._check, *of_original, self._step)
        suppressed, aggregates = suppression.by_node(self._original, paths)
        self._group = GroupCount(
            claim, self._known, self._check, self._original, *of_original, self._distances
        )
        group = None
        if suppressed is not None:
            labels = generalize(self._original, paths, claim.node or {}).assign(**aggregates)
            group = self._group.measure(labels[list(claim.quasi_identifying)], suppressed)
        source, n_due = self._sources(suppressed, paths)
        n_released = self._n_records(self._released, self._released_counts)
        is_paired = self._are_paired(n_due, n_released)
        hidden = self._hidden(suppressed, source.index if is_paired else None)
        if suppressed is None and is_paired:
            aggregates = due_by_file(claim, source, self._released, hidden, self._known, self._original)
            group = self._group.measure(*self._as_written(source, hidden))
        self._progress(85, _TOTAL, _("Comparing every cell"))
        if is_paired:
            marks = hidden
            if suppressed is not None and claim.suppressed_records == "star":
                marks = suppressed.loc[source.index].reset_index(drop=True)
            due = {name: cells.loc[source.index].reset_index(drop=True) for name, cells in aggregates.items()}
            due |= {
                name: cells.loc[source.index].reset_index(drop=True) for name, cells in self._by_rule.items()
            }
            source = self._with_moved(source, marks, due)
            compared = Comparison(
                claim,
                self._known,
                source,
                self._released,
                marks,
                due,
                self._released_counts,
                self._numbers,
            )
            compared.report(paths, findings, self._wrong_texts)
            self._check_person_codes(source, marks)
        elif n_due != n_released:
            findings.add(
                _("The released file has {n} records, but {n_2} are expected.").format(
                    n=as_exact_count(n_released), n_2=as_exact_count(n_due)
                )
            )
        self._progress(90, _TOTAL, _("Recomputing classes and models"))
        measured = self._measure(hidden, source if is_paired else None) | {"group": group}
        self._group.report(group, findings)
        if is_paired:
            measured["unchanged"] = self._count_unchanged(source, hidden)
        compare_figures(claim, measured, findings)
        self._progress(_TOTAL, _TOTAL, _("Verified"))
        return measured

    def _first_number(self) -> int:
        """Return the start of random drawing."""
        return start_of(self._records, self._known, self._claim.seed, self._step_drawing)

    def _put_back(self) -> None:
        """Undo the random order of the file."""
        if self._claim.shuffled:
            self._released = put_back(self._released, self._start())

    def _are_paired(self, n_due: int, n_released: int) -> bool:
        """Return whether it is known which original record each of the file comes from."""
        return n_due == n_released

    def _read(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        claim = self._claim
        before = read_codes(
            reading_of_original(claim, claim.original),
            self._known,
            lambda part: self._progress(int(40 * part), _TOTAL, _("Reading the original")),
        )
        check_manifest(claim.released, self._step)
        readings = readings_of_release(claim, list(before.columns))
        parts = [
            read_codes(reading, self._known, partial(self._report_read, done, len(readings)))
            for done, reading in enumerate(readings)
        ]
        for reading, part in zip(readings, parts, strict=True):
            refuse_other_columns(readings[0].path, list(parts[0].columns), reading.path, list(part.columns))
        check_counts(claim.released, [len(part) for part in parts])
        after = parts[0] if len(parts) == 1 else pd.concat(parts, ignore_index=True)
        self._report_bare(readings[0])
        return before, after

    def _report_read(self, done: int, n_parts: int, part: float) -> None:
        percent = 40 + int(40 * (done + part) / n_parts)
        self._progress(percent, _TOTAL, _("Reading the released file"))

    def _report_bare(self, released: Reading) -> None:
        """Report cells and names of the file that a spreadsheet would run as formulas."""
        for name, text in released.bare.items():
            where = _("In the column '{name}'").format(name=name) if name else _("In the column names")
            self._findings.add(
                _("{where}: {text!r} would be run as a formula by a spreadsheet.").format(
                    where=where, text=text
                )
            )

    def _choose_records(self) -> pd.DataFrame | None:
        """Reduce the original to the selected records; return the population, if there is a table of it."""
        claim, whole = self._claim, self._original
        if claim.subset is not None:
            rows = self._read_other(claim.subset.rows)
            positions = chosen_records(claim.subset, whole, rows, self._known, claim.missing)
            self._original = whole.take(positions).reset_index(drop=True)
            return whole
        return self._read_other(claim.population)

    def _read_other(self, table: OtherTable | None) -> pd.DataFrame | None:
        if table is None:
            return None
        reading = reading_of_other(self._claim, table)
        return read_codes(
            reading, self._known, lambda part: self._progress(self._READ, _TOTAL, _("Reading further tables"))
        )

    def _count_persons(self) -> Persons | None:
        """Return the person of each original record; None if persons are not counted."""
        claim = self._claim
        if not claim.person:
            if claim.limit_counts == "persons" or claim.whole_persons:
                raise UnverifiableError(_("Suppression counts persons, but no person column is given."))
            return None
        return Persons.of(self._original[claim.person], self._counts)

    def _weigh_records(self) -> Weights | None:
        """Return the weight of each original record; None if no model reads weights."""
        name = self._claim.weight
        if not name:
            return None
        if name not in self._original.columns:
            raise UnverifiableError(_("The original has no column '{name}'.").format(name=name))
        texts = self._known[name].texts
        cells = self._original[name].map(lambda code: texts[code])
        return Weights.of(name, cells, self._claim.weight_kind, self._counts)

    def _as_written(
        self, source: pd.DataFrame, hidden: pd.Series[bool]
    ) -> tuple[pd.DataFrame, pd.Series[bool]]:
        """Return the written quasi-identifiers of every original row, and which are suppressed."""
        names, is_kept = list(self._claim.quasi_identifying), (~hidden).set_axis(source.index)
        own = self._released[names].set_axis(source.index)[is_kept]
        labels = own.reindex(self._original.index, fill_value=0)
        return labels, pd.Series(~labels.index.isin(own.index), index=labels.index)

    def _check_person_codes(self, source: pd.DataFrame, hidden: pd.Series[bool]) -> None:
        name = self._claim.person
        if self._persons is None or name not in self._released.columns:
            return
        seen = (~(hidden & self._claim.blank_suppressed)).tolist()
        persons = self._persons.at(source.index[seen])
        rule = rule_of(self._claim, name)
        assert rule is not None, "the person column is identifying"
        check_codes(rule, name, persons, self._released[name][seen], self._findings)

    def _n_records(self, rows: pd.DataFrame, counts: pd.Series[int] | None) -> int:
        return len(rows) if counts is None else int(counts.sum())

    @property
    def _released_names(self) -> list[str]:
        """Columns of the file, in its order."""
        return list(self._released.columns)

    @property
    def _original_names(self) -> list[str]:
        return list(self._original.columns)

    def _model_check(self, paths: dict[str, Paths]) -> ModelCheck:
        n_records = self._n_records(self._original, self._counts)
        return ModelCheck(
            self._claim,
            self._known,
            self._findings,
            self._step,
            self._models,
            self._references,
            LabelLeaves(paths, self._claim.node),
            self._count_population(),
            self._n_people,
            n_records if self._persons is None else len(self._persons),
        )

    def _count_population(self) -> PopulationClasses:
        """Return the population on the levels of the node, from its table or its size."""
        claim, people = self._claim, self._everybody
        size = fraction(claim.people, _("the population size")) if claim.people else None
        if people is None or claim.node is None:
            return PopulationClasses(None, size)
        for name in claim.quasi_identifying:
            if name not in people.columns:
                raise UnverifiableError(_("The population table has no column '{name}'.").format(name=name))
        paths = hierarchy_paths(claim, people, self._known)
        persons = people[claim.person] if claim.person in people.columns else None
        return PopulationClasses(generalize(people, paths, claim.node), self._n_people, persons)

    def _step(self) -> None:
        """Say again how far the verification is; may raise to stop."""
        self._progress(*self._told)

    def _step_drawing(self) -> None:
        self._progress(80, _TOTAL, _("Repeating the random order"))

    def _apply_rules(self) -> dict[str, pd.Series[int]]:
        """Return the expected cells of identifying columns, and let the original have those of the others.

        Sensitive columns are measured as they are released, suppressed records included.
        """
        identifying: dict[str, pd.Series[int]] = {}
        others: dict[str, pd.Series[int]] = {}
        for name in self._released_names:
            rule = rule_of(self._claim, name)
            if rule is None or name not in self._original.columns:
                continue
            found = identifying if name in self._claim.identifying else others
            if rule.rule != SHIFT:
                found[name] = self._original[name].map(self._texts_by_rule(name, rule))
                continue
            moved = self._moved_dates(name, rule)
            if moved is not None:
                found[name] = moved
        self._original = self._original.assign(**others)
        return identifying

    def _texts_by_rule(self, name: str, rule: RuleClaim) -> dict[int, int]:
        """Return the expected code of each value code of a column."""
        vocabulary, missing = self._known[name], self._missing_of(name)
        counts = self._count_values(name)
        values = {vocabulary.texts[code]: code for code in counts.index.tolist()}
        start = self._start
        due = due_texts(rule, list(values), missing, lambda: own_start(start(), f"column {name}"))
        present = {text: int(counts[code]) for text, code in values.items() if text != missing}
        check_coded(rule, name, present, self._findings)
        return {code: vocabulary.code(due[value]) for value, code in values.items()}

    def _count_values(self, name: str) -> pd.Series[int]:
        """Count the records of the original per value code of a column."""
        if self._counts is None:
            return self._original[name].value_counts(sort=False)
        return self._counts.groupby(self._original[name]).sum()

    def _counts_or_weights(self, name: str) -> pd.Series[int]:
        """Count the values of a column in the original, or weigh them by persons."""
        if self._persons is not None:
            return self._persons.weights.groupby(self._original[name]).sum()
        return self._count_values(name)

    def _missing_of(self, name: str) -> str | None:
        missing = (*self._claim.missing, *self._claim.column_missing.get(name, ()))
        return missing[0] if missing else None

    def _moved_dates(self, name: str, rule: RuleClaim) -> pd.Series[int] | None:
        """Return the moved dates of the original; None if the file alone shows how they move."""
        person, records = self._claim.person, self._original
        if person:
            texts, missing = self._known[person].texts, self._missing_of(person)
            persons = ["" if texts[code] == missing else texts[code] for code in records[person].tolist()]
        else:
            persons = [str(number) for number in range(1, len(records) + 1)]
        moves = Moves(name, rule, self._missing_of(name))
        moved = MovedColumn(moves, records[name], persons, self._known[name])
        if moves.has_key:
            return moved.due()
        if name in self._claim.sensitive:
            return as_written(self._claim, moved, self._released, self._findings)
        self._unknown.append(moved)
        return None

    def _with_moved(
        self, source: pd.DataFrame, marks: pd.Series[bool], due: dict[str, pd.Series[int]]
    ) -> pd.DataFrame:
        """Check dates that were moved by an unknown key; return the original with those of the file."""
        for moved in self._unknown:
            name = moved.moves.name
            written = self._released[name].set_axis(source.index)
            is_blank = marks.set_axis(source.index) & self._claim.blank_suppressed
            if name in self._claim.identifying:
                due[name] = written.reset_index(drop=True)
            moved.among(source.index).check(written, ~is_blank, self._findings)
            source = source.assign(**{name: written})
        return source

    def _sources(
        self, suppressed: pd.Series[bool] | None, paths: dict[str, Paths]
    ) -> tuple[pd.DataFrame, int]:
        """Return the original rows that those of the file are due to come from, and their records."""
        kept = self._claim.suppressed_records == "star"
        if kept:
            return self._original, len(self._original)
        source = kept_originals(self._claim, self._original, self._released, suppressed, paths)
        return source, len(source)

    def _hidden(self, suppressed: pd.Series[bool] | None, sources: pd.Index[int] | None) -> pd.Series[bool]:
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

    def _measure(self, hidden: pd.Series[bool], source: pd.DataFrame | None) -> dict[str, Any]:
        """Return the values of the released file, and check every model.

        `source` are the original rows of those of the file; None if records are missing.
        """
        claim = self._claim
        read = [*claim.quasi_identifying, *self._sensitive]  # the other columns were compared before
        kept = self._released[read][~hidden].reset_index(drop=True)
        counts = None if self._released_counts is None else self._released_counts[~hidden]
        n_records, n_kept = self._n_records(self._original, self._counts), self._n_records(kept, counts)
        limit = fraction(claim.suppression_limit, _("the suppression limit"))
        left = self._rows_left(hidden, source)
        persons = None if self._persons is None else self._persons.at(left)
        classes = Classes(kept[list(claim.quasi_identifying)], persons, counts)
        weights = None if self._weights is None else self._weights.at(left)
        self._check.judge(classes, kept, weights)
        l_values: dict[str, int | None] = dict.fromkeys(self._sensitive)
        t_values: dict[str, float | None] = dict.fromkeys(self._sensitive)
        if n_kept:
            for name in self._sensitive:
                self._step()
                parts = classes
                if claim.others_as_qi:
                    parts = classes.split_by(kept[[other for other in self._sensitive if other != name]])
                l_values[name] = int(parts.diversity(kept[name]).min())
                distance, reference = self._distances[name], self._references[name]
                t_values[name] = float(parts.distances(kept[name], reference, distance).rounded.max())
        n_counted = n_records
        if self._persons is not None and claim.limit_counts == "persons":
            n_counted = len(self._persons)
        measured = {
            "records": n_records,
            "kept": n_kept,
            "suppressed": n_records - n_kept,
            "allowed": math.floor(min(limit, Fraction(1)) * n_counted),
            "classes": len(classes),
            "k": int(classes.sizes.min()) if n_kept else None,
            "l": l_values,
            "t": t_values,
        }
        if self._persons is not None:
            suppressed = pd.Series(~self._original.index.isin(left), index=self._original.index)
            measured |= measure_persons(claim, self._persons, suppressed, classes, self._findings)
        return measured

    def _rows_left(self, hidden: pd.Series[bool], source: pd.DataFrame | None) -> pd.Index[int]:
        """Return the original rows of the kept ones of the file.

        Raises
        ------
        UnverifiableError
            If persons or weights count, and the file does not have the expected number of records.
        """
        if self._persons is None and self._weights is None:
            return self._original.index[:0]
        if source is None:
            raise UnverifiableError(_("Persons or weights cannot be counted, because records are missing."))
        return source.index[(~hidden).tolist()]

    def _count_unchanged(self, source: pd.DataFrame, hidden: pd.Series[bool]) -> dict[str, Any]:
        """Compare the number of records that unchanged columns single out with the claim."""
        claim, expected = self._claim, self._claim.expected.unchanged
        persons = source[claim.person].reset_index(drop=True) if claim.person else None
        released, source = self._released.reset_index(drop=True), source.reset_index(drop=True)
        recount = Recount(
            claim, released, source, hidden.reset_index(drop=True), persons, self._released_counts
        )
        found = recount.figures(expected.determines if expected else ())
        if expected is not None:
            compare_unchanged(expected, found, self._findings)
        return found

    @property
    def _n_people(self) -> Fraction | None:
        """Population size: counted in the population table, or as claimed without one."""
        if self._everybody is not None:
            known = self._claim.person in self._everybody.columns
            n_people = self._everybody[self._claim.person].nunique() if known else len(self._everybody)
            return Fraction(n_people)
        return fraction(self._claim.people, _("the population size")) if self._claim.people else None
