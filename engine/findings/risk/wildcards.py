"""Risk of a table in which stars, or missing cells, are read as "could be anything"."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from engine.cached import cached_property
from engine.errors import InputError
from engine.findings.blocks import (
    SHARE,
    Fact,
    Facts,
    FigureColumn,
    FigureTable,
    Findings,
    Shown,
    Statement,
    Tone,
)
from engine.findings.format_value import format_value
from engine.findings.given_table import STAR, GivenTable, given_table
from engine.findings.risk import declared
from engine.findings.risk.attacker_risk import AttackerRisk, check_threshold, risk_of_people
from engine.findings.settings import ACCEPTED_RISK
from engine.frequency.counted import Noun, either
from engine.frequency.measured import ClassRows, MeasuredClasses, classes_of_persons, pairs_of
from engine.frequency.persons import SINGLE, sums
from engine.hierarchies import Hierarchy
from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray
from engine.kernels.distances import Pairs
from engine.kernels.grouping import records_by_code
from engine.kernels.wildcards import Block, WildcardRows
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.numbers import as_exact_count, as_risk_limit, as_size
from engine.params import Configurable, Texts, param
from engine.privacy import privacy_models
from engine.privacy.highest_risk import HighestRisk
from engine.privacy.required import Measured
from engine.privacy.values import MeasuredModel, measured_model, worst_measured
from engine.records.opening.data_frames import AnyTable
from engine.words import N_, _, ngettext

_PAIRS = 1 << 22  # pairs of matching rows at a time
MOST_PAIRS = 5_000_000_000  # of a table in files: what is looked at one by one, about an hour
_MODELS = ("distinct_l_diversity", "t_closeness")
_NONE_LEFT = N_("Every record has only wildcards in the quasi-identifying columns.")
_NONE_LEFT_HINT = N_("Count them too, or choose fewer wildcards.")
CAUTION = N_(
    "Read so, a file looks safer than it may be: a record with a wildcard matches many others, although its "
    "other columns may single a person out. Compare with the values next to it, which treat a wildcard as an "
    "ordinary value."
)


@dataclass(frozen=True, slots=True)
class Wildcards(Configurable):
    """Cells that could be anything, and the counting of the records that they match.

    Attributes
    ----------
    values : tuple of str
        Texts of quasi-identifying cells that are wildcards.
    missing : bool
        Whether missing cells are wildcards too.
    match_weight : float
        What a record counts that matches only by a wildcard, in [0, 1].
    count_all_star : bool
        Whether records with wildcards only are counted; they match every person.

    Raises
    ------
    ParameterError
        If the weight is not in [0, 1].
    InputError
        If nothing is a wildcard.
    """

    values: tuple[str, ...] = param((STAR,), Texts(label=N_("Wildcards"), help=N_("Texts of wildcards.")))
    missing: bool = declared.missing_wildcards()
    match_weight: float = declared.match_weight()
    count_all_star: bool = declared.all_star_counted()

    def __post_init__(self) -> None:
        # A class with slots is made anew, so that `super()` without arguments would not find it.
        Configurable.__post_init__(self)
        if not self.values and not self.missing:
            raise InputError(
                _("No value is a wildcard."), hint=_("Give a text such as *, or read missing cells so.")
            )

    @property
    def words(self) -> str:
        """The wildcards as text: *, missing."""
        return ", ".join([*self.values, *([_("missing")] if self.missing else [])])

    @property
    def options(self) -> list[str]:
        """Options of a command that repeat them."""
        words = [word for value in self.values for word in ("--wildcard", value)]
        words += ["--wildcard-missing"] if self.missing else []
        words += ["--match-weight", f"{self.match_weight:g}"] if self.match_weight != 1 else []
        return words + (["--count-all-star"] if self.count_all_star else [])

    def cells(self, given: GivenTable) -> BoolArray:
        """Return which quasi-identifying cells are wildcards, shape (n_rows, n_columns)."""
        found = np.zeros((given.table.n_rows, len(given.quasi_identifying)), dtype=np.bool_)
        for place, column in enumerate(map(given.table.column, given.quasi_identifying)):
            labels = {*self.values, *([column.missing_label] if self.missing else [])}
            is_wild = np.array([label in labels for label in column.labels], dtype=np.bool_)
            if is_wild.any():
                found[:, place] = is_wild[column.codes]
        return found


class Compared(NamedTuple):
    """A value with wildcards, and the same with them as values."""

    key: str
    title: str
    read: float | int | None
    as_values: float | int | None
    meaning: str
    unit: str = ""

    @property
    def heading(self) -> str:
        """Title with a capital first letter."""
        return self.title[:1].upper() + self.title[1:]


@dataclass(frozen=True, eq=False)
class WildcardRisk(Findings, Measured):
    """Sizes and risks with wildcards, and as values: with every cell as an ordinary value.

    Attributes
    ----------
    counted : Noun
        Unit of sizes: records, or people with a person column.
    sizes : ndarray of float64, shape (n_rows,)
        Number of records that agree with those of each row in every quasi-identifying column where neither
        has a wildcard, themselves included; nan for records that are left out. Every record is a row, unless
        equal ones are counted.
    sizes_as_values : ndarray of int64, shape (n_rows,)
        Size of the class of each row.
    all_star, with_wildcard : int
        Records with wildcards only, and records with some.
    risk, risk_as_values : AttackerRisk
        Risk 1 / size of records, or of people by the smallest size of their records.
    models, models_as_values : tuple of MeasuredModel
        Distinct l and t of the sensitive columns, over the matches of each record; empty without sensitive
        column. They only describe the table.
    records_of_rows : ndarray of int64, shape (n_rows,), or None
        Equal records of each row; None if each row is a record.
    """

    command_key: ClassVar[str] = "wildcards"

    wildcards: Wildcards
    counted: Noun
    quasi_identifying: tuple[str, ...]
    sizes: FloatArray
    sizes_as_values: Counts
    all_star: int
    with_wildcard: int
    risk: AttackerRisk
    risk_as_values: AttackerRisk
    models: tuple[MeasuredModel, ...] = ()
    models_as_values: tuple[MeasuredModel, ...] = ()
    records_of_rows: Counts | None = None

    @property
    def n_records(self) -> int:
        """Number of counted records."""
        return _n_records(~np.isnan(self.sizes), self.records_of_rows)

    @cached_property
    def k(self) -> float:
        """Smallest size; a whole number unless matches by wildcard have a weight between 0 and 1."""
        return whole(float(np.nanmin(self.sizes)))

    @property
    def k_as_values(self) -> int:
        """Smallest class size."""
        return int(self.sizes_as_values.min())

    @property
    def compared(self) -> tuple[Compared, ...]:
        """Values with wildcards and with them as values, in display order."""
        risk, other = self.risk, self.risk_as_values
        found = [
            Compared("k", _("smallest size (k)"), self.k, self.k_as_values, self._meaning_of_k),
            Compared(
                "highest",
                HighestRisk.title,
                risk.highest,
                other.highest,
                _("1 / smallest size."),
                SHARE,
            ),
            Compared(
                "average",
                _("average risk"),
                risk.average,
                other.average,
                either(self.counted, _("Mean of 1 / size."), _("Mean over people of their highest risk.")),
                SHARE,
            ),
            Compared(
                "records_at_risk",
                self.counted.said(_("{records} at risk")),
                risk.records_at_risk,
                other.records_at_risk,
                _("Share with a risk above {limit}.").format(limit=as_risk_limit(risk.threshold)),
                SHARE,
            ),
        ]
        for model, as_value in zip(self.models, self.models_as_values, strict=True):
            meaning = _("Over the matches of each record. It only describes the table.")
            found.append(Compared(model.key, model.kind.title, model.value, as_value.value, meaning))
        return tuple(found)

    def facts(self) -> Iterator[Fact]:
        """Yield the counted records, and every value in both readings."""
        yield Fact("wildcards", _("Wildcards"), self.wildcards.words, explanation=_(CAUTION))
        yield from self._counts
        for value in self.compared:
            read, other = (
                format_value(one, is_share=value.unit == SHARE) for one in (value.read, value.as_values)
            )
            text = _("{read}; as values {as_values}").format(read=read, as_values=other)
            title = _("With wildcards, {title}").format(title=value.title)
            yield Fact(f"wildcards.{value.key}", title, text, explanation=value.meaning)

    @property
    def _counts(self) -> tuple[Fact, ...]:
        return (
            Fact("records", _("Counted records"), self.n_records, "records"),
            Fact("with_wildcard", _("Records with a wildcard"), self.with_wildcard, "records"),
            Fact("all_star", _("Records of wildcards only"), self.all_star, "records"),
            Fact("match_weight", _("Weight of a match by wildcard"), self.wildcards.match_weight),
        )

    def blocks(self) -> tuple[Facts | FigureTable, ...]:
        """Return the counted records, and both readings: sizes and models, and risks, which are shares."""
        return (
            Facts("wildcards", "", self._counts),
            self._table("wildcard_values", _("Sizes in both readings"), ""),
            self._table("wildcard_risks", _("Risks in both readings"), SHARE),
        )

    def _table(self, key: str, title: str, unit: str) -> FigureTable:
        anything, ordinary = _("A star could be anything."), _("A star is an ordinary value.")
        shown: Sequence[Shown[Compared]] = (
            (FigureColumn("value", _("Value")), lambda own: own.heading),
            (FigureColumn("wildcards", _("With wildcards"), unit, anything), lambda own: own.read),
            (FigureColumn("as_values", _("As values"), unit, ordinary), lambda own: own.as_values),
            (FigureColumn("meaning", _("Meaning")), lambda own: own.meaning),
        )
        values = (value for value in self.compared if value.unit == unit)
        return FigureTable.of_items(key, title, shown, values)

    @property
    def _meaning_of_k(self) -> str:
        return either(
            self.counted,
            _("Fewest records that agree with one where neither has a wildcard."),
            _("Fewest people with a record that agrees with one where neither has a wildcard."),
        )

    @property
    def counts(self) -> str:
        """Numbers of records with wildcards, as a noun phrase."""
        n = self.with_wildcard
        words = ngettext("{n} record with a wildcard", "{n} records with a wildcard", n)
        words = words.format(n=as_exact_count(n))
        if not self.all_star:
            return words
        further = _("{words}; {n} all wildcards, excluded")
        if self.wildcards.count_all_star:
            further = _("{words}; {n} all wildcards, counted")
        return further.format(words=words, n=as_exact_count(self.all_star))

    def statement(self) -> Statement:
        """Return both values of k in a sentence."""
        k = as_size(self.k)
        text = self.counted.said(
            _(
                "With wildcards every record matches at least {k} {records}, as values {as_values}; read "
                "so, a table looks safer than it may be."
            )
        ).format(k=k, as_values=as_exact_count(self.k_as_values))
        tone: Tone = "warn" if self.k > self.k_as_values else "text"
        return Statement(text, tone, self.counts)

    def as_dict(self) -> dict[str, Any]:
        """Return the values as `anonymizer check` and `risk` print them.

        `class_size` has every record, None for those left out; it is missing if equal records were counted.
        """
        settings = self.wildcards
        sizes = [None if math.isnan(size) else whole(size) for size in self.sizes.tolist()]
        is_by_record = self.records_of_rows is None
        return {
            "values": list(settings.values),
            "missing": settings.missing,
            "match_weight": settings.match_weight,
            "count_all_star": settings.count_all_star,
            "records": self.n_records,
            "records_with_wildcard": self.with_wildcard,
            "all_star_records": self.all_star,
            "threshold": self.risk.threshold,
            **_figures(self.k, self.risk, self.models),
            **({"class_size": sizes} if is_by_record else {}),
            "as_values": {
                **_figures(self.k_as_values, self.risk_as_values, self.models_as_values),
                **({"class_size": self.sizes_as_values.tolist()} if is_by_record else {}),
            },
        }


def _figures(k: float, risk: AttackerRisk, models: Sequence[MeasuredModel]) -> dict[str, Any]:
    return {
        "k": k,
        "highest": risk.highest,
        "average": risk.average,
        "lowest": risk.lowest,
        "records_at_risk": risk.records_at_risk,
        **{model.key: model.as_dict() for model in models},
    }


def whole(size: float) -> float:
    """Return a size as an int if it is a whole number."""
    return int(size) if size == int(size) else size


def assess_wildcards(
    data: AnyTable,
    quasi_identifying: str | Sequence[str],
    sensitive: str | Sequence[str] = (),
    *,
    values: str | Sequence[str] = STAR,
    missing: bool = False,
    match_weight: float = 1.0,
    count_all_star: bool = False,
    threshold: float = ACCEPTED_RISK,
    person: str = "",
    others_as_qi: bool = False,
    distances: Mapping[str, str] | None = None,
    hierarchies: Mapping[str, Hierarchy | Path | str] | None = None,
    monitor: Monitor = SILENT,
) -> WildcardRisk:
    """Assess a table in which stars, or missing cells, are read as "could be anything".

    Two records match if they agree in every quasi-identifying column where neither has a wildcard. This is
    not an equivalence, so there are no classes: every record has its own size, its number of matches.
    A table looks safer than it may be; this is not a basis for a release.

    Parameters
    ----------
    data : Table, DataFrame, Path or str
        The table or its file.
    quasi_identifying, sensitive : str or sequence of str
        Columns that an attacker could know, and columns to protect.
    values : str or sequence of str
        Texts that are wildcards.
    missing : bool
        Whether missing cells are wildcards too.
    match_weight : float
        What a record counts that matches only by a wildcard, in [0, 1].
    count_all_star : bool
        Whether records with wildcards only are counted; by default they are left out.
    threshold : float
        Accepted risk; records above it are at risk.
    person : str
        Column whose values are persons; sizes then count the distinct persons of the matching records.
    others_as_qi : bool
        Whether the other sensitive columns are known when one is measured.
    distances, hierarchies : mapping, optional
        As for `check`.

    Raises
    ------
    TableError, InputError, ParameterError
        If the table, a column or an option cannot be used, or no record remains.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"sex": ["m", "m", "m"], "school": ["complete", "incomplete", "*"]})
    >>> found = assess_wildcards(people, ["sex", "school"])
    >>> found.sizes.tolist(), found.k_as_values
    ([2.0, 2.0, 3.0], 1)
    """
    wildcards = Wildcards(
        (values,) if isinstance(values, str) else tuple(values), missing, match_weight, count_all_star
    )
    given = given_table(
        data,
        quasi_identifying,
        sensitive,
        hierarchies=hierarchies,
        person=person,
        others_as_qi=others_as_qi,
        monitor=monitor,
    )
    return wildcards_of_given(given, wildcards, threshold=threshold, distances=distances, monitor=monitor)


def wildcards_of_given(
    given: GivenTable,
    wildcards: Wildcards | None = None,
    *,
    threshold: float = ACCEPTED_RISK,
    distances: Mapping[str, str] | None = None,
    monitor: Monitor = SILENT,
) -> WildcardRisk:
    """Assess a given table with wildcards; see `assess_wildcards`."""
    check_threshold(threshold)
    wildcards = wildcards or Wildcards()
    if given.with_blank is not None and STAR in wildcards.values:  # blank rows could be anybody then
        given = given.with_blank_rows()
    given = given.read_or_counted(_("Reading with wildcards"), monitor)
    n_parts, reading = 4 + len(given.sensitive), _("Matching records with wildcards")
    monitor.step(0, n_parts, reading)
    cells = wildcards.cells(given)
    all_star, any_star = np.asarray(cells.all(axis=1)), np.asarray(cells.any(axis=1))
    counted = np.full(len(cells), wildcards.count_all_star) | ~all_star
    if not counted.any():
        raise InputError(_(_NONE_LEFT), hint=_(_NONE_LEFT_HINT))
    monitor.step(1, n_parts, reading)
    classes = given.classes.measured
    as_values = risk_of_people(classes.by_size(np.ones(len(classes.sizes), dtype=np.bool_)), threshold)
    monitor.step(2, n_parts, reading)
    own, whole = given, cells
    if not counted.all():
        own, whole = replace(given, table=given.table.take(counted)), cells[counted]
    records = _Records.of(own, own.quasi_identifying, whole)
    sizes = records.sizes(wildcards.match_weight, PartMonitor(monitor, 2, n_parts))
    parts = [PartMonitor(monitor, 3 + place, n_parts) for place in range(len(given.sensitive))]
    models = _models(own, whole, distances or {}, parts)
    monitor.step(n_parts - 1, n_parts, reading)
    of_all = np.full(len(cells), np.nan)
    of_all[counted] = sizes
    return WildcardRisk(
        wildcards,
        given.counted,
        given.quasi_identifying,
        of_all,
        classes.sizes[given.classes.labels],
        _n_records(all_star, given.table.counts),
        _n_records(any_star & ~all_star, given.table.counts),
        _risk(own, sizes, threshold),
        as_values,
        models,
        _models_as_values(given, distances or {}),
        given.table.counts,
    )


def _n_records(rows: BoolArray, counts: Counts | None) -> int:
    """Return the records of chosen rows."""
    return int(np.count_nonzero(rows) if counts is None else counts[rows].sum())


def _risk(given: GivenTable, sizes: FloatArray, threshold: float) -> AttackerRisk:
    """Return the risk of records, or of people by the smallest size of their records."""
    counts = np.ones(len(sizes), dtype=np.int64) if given.table.counts is None else given.table.counts
    persons = given.repeated
    if persons is not None:
        single = persons.codes == SINGLE
        smallest = np.full(persons.n_codes, np.inf)
        np.minimum.at(smallest, persons.codes[~single], sizes[~single])
        repeated = smallest[np.isfinite(smallest)]
        sizes = np.concatenate((sizes[single], repeated))
        counts = np.concatenate((counts[single], np.ones(len(repeated), dtype=np.int64)))
    distinct, places = np.unique(1 / sizes, return_inverse=True)
    n_records, total = sums(places, counts, len(distinct)), int(counts.sum())
    return AttackerRisk(
        highest=float(distinct[-1]),
        lowest=float(distinct[0]),
        average=math.fsum((distinct * n_records).tolist()) / total,
        n_records=total,
        n_at_risk=int(n_records[distinct > threshold].sum()),
        at_highest=int(n_records[-1]) / total,
        at_lowest=int(n_records[0]) / total,
        threshold=threshold,
    )


class _Lists(NamedTuple):
    """A list of numbers per group: those in `members` from `starts` on, `sizes` many."""

    members: IntArray
    starts: IntArray
    sizes: Counts

    def of(self, block: Block) -> tuple[IntArray, IntArray]:
        """Return the place of the queried row, and the member, of every member of a match."""
        n_members = self.sizes[block.matches]
        ends = np.cumsum(n_members)
        place = np.repeat(np.arange(len(n_members)), n_members)
        found = np.arange(len(place)) - (ends - n_members)[place] + self.starts[block.matches][place]
        return block.places[place], self.members[found]


@dataclass(frozen=True, eq=False)
class _Records:
    """Groups of equal records, and the matches among them.

    Attributes
    ----------
    labels : ndarray of int64, shape (n_rows,)
        Group of every row.
    n_records : ndarray of int64, shape (n_groups,)
    """

    given: GivenTable
    labels: IntArray
    n_records: Counts
    rows: WildcardRows

    @classmethod
    def of(cls, given: GivenTable, names: Sequence[str], cells: BoolArray) -> _Records:
        """Return the groups by some columns, the first of which have wildcards."""
        classes = given.classes_by(names)
        codes = [given.table.column(name).codes[classes.first].astype(np.int64) for name in names]
        wild = np.zeros((len(classes.first), len(names)), dtype=np.bool_)
        wild[:, : cells.shape[1]] = cells[classes.first]
        n_records = records_by_code(classes.labels, len(classes.first), given.table.counts)
        return cls(given, classes.labels, n_records, WildcardRows(codes, wild))

    def sizes(self, match_weight: float, monitor: Monitor) -> FloatArray:
        """Return the size of every row: the records, or people, that its records match."""
        persons = self.given.repeated
        n_groups = len(self.n_records)
        all_matches = np.zeros(n_groups, dtype=np.int64)
        own = self.n_records
        if persons is not None:
            # people with one record are counted like records, the others one by one
            single = persons.codes == SINGLE
            counts = self.given.table.counts
            own = records_by_code(self.labels[single], n_groups, None if counts is None else counts[single])
        parts = [PartMonitor(monitor, part, 2) for part in range(2)]
        for pattern, tick in self._patterns(monitor if persons is None else parts[0]):
            for matched in self.rows.matched(pattern, tick):
                all_matches[matched.queried] = matched.sums(own)
        if persons is not None:
            span = persons.n_codes
            pairs = np.unique(self.labels[~single] * span + persons.codes[~single])
            n_repeated = np.bincount(pairs // span, minlength=n_groups)
            lists = _Lists(pairs % span, np.cumsum(n_repeated) - n_repeated, n_repeated)
            self._refuse_too_many(np.maximum(n_repeated, 1), parts[0])
            for block in self._blocks(np.maximum(n_repeated, 1), parts[1]):
                place, person = lists.of(block)
                found = np.unique(place * span + person) // span
                all_matches[block.queried] += np.bincount(found, minlength=len(block.queried))
            own = own + n_repeated
        # With a wildcard, only a record itself is a match for sure.
        sure = np.where(self.rows.wild.any(axis=1), 1, own)
        return np.asarray((sure + match_weight * (all_matches - sure))[self.labels])

    def measured(
        self, name: str, distances: Mapping[str, str], monitor: Monitor
    ) -> tuple[MeasuredModel, ...]:
        """Return the worst values of a sensitive column over the matches of every record."""
        found: dict[str, list[MeasuredModel]] = {key: [] for key in _MODELS}
        is_of_persons = self.given.repeated is not None
        weights, make = self._classes_of_persons(name) if is_of_persons else self._classes(name)
        self._refuse_too_many(weights, PartMonitor(monitor, 0, 2))
        for block in self._blocks(weights, PartMonitor(monitor, 1, 2)):
            classes = make(block)
            for key, values in found.items():
                values.append(measured_model(privacy_models[key], classes, {name: classes}, distances))
        return tuple(worst_measured(values) for values in found.values())

    def _classes(self, name: str) -> tuple[Counts, Callable[[Block], MeasuredClasses]]:
        """Return the size of every group, and what measures the matches of a block like classes."""
        attribute = next(a for a in self.given.attributes if a.name == name)
        n_values = attribute.n_values
        pairs = pairs_of(self.labels, attribute.column.codes, self.given.table.counts, n_values)
        n_pairs = np.diff(np.append(pairs.starts, len(pairs.values)))
        lists = _Lists(np.arange(len(pairs.values)), pairs.starts, n_pairs)

        def of(block: Block) -> MeasuredClasses:
            place, pair = lists.of(block)
            found = sums(block.places, self.n_records[block.matches], len(block.queried))

            def own(_number: int) -> Pairs:
                return pairs_of(place, pairs.values[pair], pairs.counts[pair], n_values)

            return MeasuredClasses(found, [attribute], own)

        return n_pairs, of

    def _classes_of_persons(self, name: str) -> tuple[Counts, Callable[[Block], MeasuredClasses]]:
        persons = self.given.repeated
        assert persons is not None, "asked for only then"
        attribute = next(a for a in self.given.attributes if a.name == name)
        order, n_rows = np.argsort(self.labels, kind="stable"), np.bincount(self.labels)
        lists = _Lists(order, np.cumsum(n_rows) - n_rows, n_rows)

        def of(block: Block) -> MeasuredClasses:
            place, row = lists.of(block)
            counts = None if persons.records is None else persons.records[row]
            rows = ClassRows(place, lambda _number: attribute.column.codes[row], counts, persons.codes[row])
            records = records_by_code(place, len(block.queried), counts)
            return classes_of_persons(persons, [attribute], rows, records)

        return n_rows, of

    def _refuse_too_many(self, weights: Counts, monitor: Monitor) -> None:
        """Refuse to look at the matches of distinct tuples one by one if these are too many.

        Raises
        ------
        InputError
        """
        if self.given.origin is None:
            return
        n_pairs = 0
        for pattern, tick in self._patterns(monitor):
            for matched in self.rows.matched(pattern, tick):
                n_pairs += int(matched.sums(weights).sum())
        if n_pairs > MOST_PAIRS:
            raise InputError(
                _(
                    "With wildcards, the combinations of this table have {n} matches, too many to look at."
                ).format(n=as_exact_count(n_pairs)),
                hint=_(
                    "Sizes are added up without looking at each match: name no sensitive column and no "
                    "person column, or read fewer records."
                ),
            )

    def _blocks(self, weights: Counts, monitor: Monitor) -> Iterator[Block]:
        for pattern, tick in self._patterns(monitor):
            for matched in self.rows.matched(pattern, tick):
                for block in matched.blocks(weights, _PAIRS):
                    tick()
                    yield block

    def _patterns(self, monitor: Monitor) -> Iterator[tuple[int, Callable[[], None]]]:
        n_patterns = self.rows.n_patterns
        for pattern in range(n_patterns):

            def tick(done: int = pattern) -> None:
                monitor.step(done, n_patterns, _("Matching records with wildcards"))

            yield pattern, tick


def _models(
    given: GivenTable, cells: BoolArray, distances: Mapping[str, str], monitors: Sequence[Monitor]
) -> tuple[MeasuredModel, ...]:
    """Return l and t over the matches; the worst of several sensitive columns."""
    if not given.sensitive:
        return ()
    found = []
    for name, monitor in zip(given.sensitive, monitors, strict=True):
        records = _Records.of(given, given.known_beside(name), cells)
        found.append(records.measured(name, distances, monitor))
    return tuple(worst_measured(values) for values in zip(*found, strict=True))


def _models_as_values(given: GivenTable, distances: Mapping[str, str]) -> tuple[MeasuredModel, ...]:
    if not given.sensitive:
        return ()
    columns = {name: given.classes_for(name).measured for name in given.sensitive}
    kinds = [privacy_models[key] for key in _MODELS]
    return tuple(measured_model(kind, given.classes.measured, columns, distances) for kind in kinds)
