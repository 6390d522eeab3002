"""Claims of the program about a release, in plain values, and the verdict on them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from engine.notebook import Brief, Facts, fact, listed
from engine.verification.containers import Extra
from engine.words import N_, _

STAR = "*"  # what a suppressed cell has, and the highest label of most hierarchies
Distance = Literal["equal", "ordered", "hierarchical"]
Compared = Literal["records", "multiset", "counts"]
Judge = Literal["memory", "database", "cluster"]
Order = Literal["own", "key", "none"]
_IGNORED, _STARTS = r"[\s\ufeff']*", r"[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]"  # of formulas
_RUNS = rf"(?:{_IGNORED}{_STARTS}|'*[\t\r\n])"
_GUARDED = re.compile(rf"\A'(?={_RUNS})")
_BARE = re.compile(rf"(?!'){_RUNS}")
_PLAIN_NUMBER = re.compile(r" *[+-]?\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)? *")

_HOW: Mapping[tuple[Judge, Compared], str] = {
    ("database", "records"): N_(
        "The files were compared record by record in a database of the verification."
    ),
    ("database", "multiset"): N_(
        "The files were compared in a database of the verification: every record as often as expected, "
        "whatever their order."
    ),
    ("cluster", "counts"): N_("The records were counted by the cluster, in any order."),
}


@dataclass(frozen=True)
class ModelClaim:
    """Privacy model, and whether the program claims that the kept records meet it.

    Attributes
    ----------
    key : str
        `k_anonymity` (parameter k), or of a column: `alpha_k_anonymity` (alpha, k),
        `distinct_l_diversity` (l), `entropy_l_diversity` (l, estimator), `recursive_c_l_diversity`
        (c, l), `t_closeness` (t, distance), `basic_beta_likeness`, `enhanced_beta_likeness` (beta) or
        `delta_disclosure` (delta); of class sizes `highest_risk` (threshold); of sizes or the population
        `profitability_no_attack` (gain, cost, attacker), of labels too `profitability` (benefit, loss,
        gain, cost, attacker); of all kept records together `average_risk`, `sample_uniqueness`
        (threshold), `records_at_risk` (threshold, share) or `population_uniqueness` (threshold,
        estimator); of groups by some quasi-identifiers `known_columns` (k, known) or `any_columns`
        (k, m), both also with l, confidence and values of a column; of records drawn at random
        `differential_privacy` (epsilon, delta, share, node). Any other key cannot be verified.
    parameters : mapping
        Thresholds as typed: text, integer or decimal; a float counts as its shortest decimal.
    met : bool
        A model claimed as not met does not decide which records are suppressed.
    holds : bool
        Only for `delta_presence`, which the classes meet one by one: whether the program claims that no
        person is known to be absent, if its minimum is above 0.
    """

    key: str
    parameters: Mapping[str, Any]
    met: bool = True
    holds: bool = True


@dataclass(frozen=True)
class ValueLabels:
    """Reading of values with labels from files of statistical programs.

    Attributes
    ----------
    coded : bool
        Whether cells are their codes instead of the labels.
    catalog : Path or None
        Separate file with the labels of a SAS table.
    """

    coded: bool = False
    catalog: Path | None = None


LABELS = ValueLabels()


@dataclass(frozen=True)
class TakenClaim:
    """Identification of an imported column of the original.

    Attributes
    ----------
    source : str or int
        Its heading; or its position, counted from 1, if it must have none.
    name : str
        Name in the release.
    beside : pair of str or None
        Headings that the columns before and after it must have, empty for none, None for no such column. Two
        None if they are not compared.
    occurrence : int
        Which of several columns with the heading it is, counted from 1.
    """

    source: str | int
    name: str
    beside: tuple[str | None, str | None] = (None, None)
    occurrence: int = 1


@dataclass(frozen=True)
class Reading:
    """A file with a table: how it is read, and what its cells become.

    Attributes
    ----------
    delimiter, encoding, quote, comment, skip
        Of a text: delimiter, encoding, quotation mark, mark that begins comment lines, and number of lines
        before the header.
    names : tuple of str
        Names of the columns, needed only without a header line.
    ragged : {"refuse", "fill"}
        Whether short records are filled with missing cells.
    sheet : str
        Sheet of a workbook.
    format : str
        Ending without the point, such as "xlsx"; empty to use that of the file.
    labels : ValueLabels
        Of a file of a statistical program.
    taken : tuple of TakenClaim
        Imported columns in their order; empty for all columns under their own names.
    trim : bool
        Whether white space at both ends of every cell is removed first.
    missing : tuple of str
        Tokens of the missing value, written as the first of them.
    column_missing : mapping of str to tuple of str
        Further missing tokens of single columns, or by column the text that stands for no value, if the
        format has cells without one.
    replacements : tuple of triples
        Column, old and new value, None for missing; applied in their order, after missing tokens.
    forms : mapping of str to tuple of str
        By column, what its cells become before they are replaced: zeros, to which numbers of fewer digits are
        filled, or formats of dates, of which the first is that of all.
    leave_out : tuple or None
        Records of a file that are no records, as the condition of a `SubsetClaim` on texts.
    number_mark : str
        Decimal mark of the cells of a workbook that are numbers, in columns with other cells.
    columns : mapping of str to str
        Columns by their names in the file, if its format does not allow all names; empty if they have their
        own.
    safe_cells : bool
        Whether cells that a spreadsheet would run as formulas are written with a leading apostrophe, which is
        not part of the cell.
    is_release : bool
        Whether a byte order mark or an empty line is refused, not ignored.
    is_other : bool
        Neither original nor release: columns without a heading are passed over.
    folders : int
        Folders above it that are named like region=N, each a cell of all its records.
    bare : dict of str to str
        First cell without a needed apostrophe, by column; filled while it is read.
    """

    path: Path
    delimiter: str = ","
    encoding: str = "utf-8"
    has_header: bool = True
    names: tuple[str, ...] = ()
    trim: bool = False
    missing: tuple[str, ...] = ()
    sheet: str = ""
    quote: str = '"'
    comment: str = ""
    skip: int = 0
    ragged: str = "refuse"
    labels: ValueLabels = LABELS
    taken: tuple[TakenClaim, ...] = ()
    column_missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    replacements: tuple[tuple[str, str, str | None], ...] = ()
    forms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    leave_out: tuple[Any, ...] | None = None
    number_mark: str = "."
    format: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    safe_cells: bool = False
    is_release: bool = False
    is_other: bool = False
    folders: int = 0
    bare: dict[str, str] = field(default_factory=dict)

    def cleaner(self, name: str) -> Callable[[str | None], str]:
        """Return what turns a cell of a column, None for no value, into its value.

        In this order: trimming if requested, missing tokens as the first one, forms, replacements.
        """
        tokens = (*self.missing, *self.column_missing.get(name, ()))
        first = tokens[0] if tokens else ""
        forms = self.forms.get(name, ())
        changes = [(old, new) for column, old, new in self.replacements if column == name]

        def clean(text: str | None) -> str:
            if text is None:
                value = first
            else:
                value = self.plain(text.strip() if self.trim else text, name)
                value = first if value in tokens else _in_form(value, forms)
            for old, new in changes:
                if value == old:
                    value = first if new is None else new
            return value

        return clean

    def plain(self, text: str, column: str = "") -> str:
        """Return a cell, or name, without the apostrophe that protects it from spreadsheets.

        If the apostrophe is needed and missing, the cell is recorded in `bare`.
        """
        if not self.safe_cells:
            return text
        if _BARE.match(text) and not _PLAIN_NUMBER.fullmatch(text):
            self.bare.setdefault(column, text)
        return _GUARDED.sub("", text)


def _in_form(text: str, forms: Sequence[str]) -> str:
    """Return a cell filled with zeros, or as a date in the first of some formats."""
    if len(forms) == 1:
        is_short = re.fullmatch("[0-9]+", text) and len(text) < len(forms[0])
        return forms[0][len(text) :] + text if is_short else text
    for shape in forms:
        try:
            moment = datetime.strptime(text, shape)
        except ValueError:
            continue
        return text if shape == forms[0] else moment.strftime(forms[0].replace("%Y", f"{moment.year:04}"))
    return text


@dataclass(frozen=True)
class ColumnKind:
    """Type of a column: "text", "integer", "decimal", "date", "ordered" or "boolean".

    `format` is the format of dates, or the decimal mark and the thousands separator;
    `values` are ordered categories from low to high.
    """

    kind: str = "text"
    format: str = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class SubsetClaim:
    """Selection of the released records from the original, in one of four ways.

    Attributes
    ----------
    condition : tuple or None
        `("and" | "or", part, ...)`, `("not", part)`, `("<" | "<=" | "=" | "!=" | ">=" | ">", column, value)`,
        `("in", column, values, negated)` or `("missing", column)`. Values are texts: numbers with a
        decimal point, dates in ISO 8601. A missing cell meets nothing but `missing`.
    kinds : mapping of str to ColumnKind
        Types of the columns that the condition names.
    rows : Reading or None
        Each row selects the first record equal in the columns of the rows that no other row selected.
    fraction : str
        Share of the records drawn at random, as typed; empty if `size` applies.
    size, seed : int
        Every record gets a number by SplitMix64, begun with the first number of the seed; the records
        with the lowest numbers are drawn.
    beta, key : float and str
        Each record is drawn if the first 53 bits of HMAC-SHA-256 of its number, divided by 2**53, are below
        `beta`. Records are numbered from 0, in 8 bytes, the highest first; `key` is the secret, in
        hexadecimal. 0 and empty otherwise.
    """

    condition: tuple[Any, ...] | None = None
    kinds: Mapping[str, ColumnKind] = field(default_factory=dict)
    rows: Reading | None = None
    fraction: str = ""
    size: int = 0
    seed: int = 0
    beta: float = 0.0
    key: str = field(default="", repr=False)


@dataclass(frozen=True)
class AggregateClaim:
    """Aggregate that replaces the label of a class in a quasi-identifier.

    Attributes
    ----------
    function : str
        `mean`, `geometric_mean`, `median`, `mode`, `mode_by_column`, `interval` or `set`.
    kind : ColumnKind
        Type of the original cells.
    grouping : bool
        Whether the labels of the column form classes.
    ignore_missing : bool
        Whether missing values are ignored; otherwise they make the aggregate a missing value, or count as
        a value for `mode`, `mode_by_column` and `set`.
    decimals : int
        Digits after the decimal mark of the means, rounded half to even.
    """

    function: str
    kind: ColumnKind
    grouping: bool = False
    ignore_missing: bool = True
    decimals: int = 0


@dataclass(frozen=True)
class RuleClaim:
    """The rule of one column that is not quasi-identifying.

    Attributes
    ----------
    rule : str
        `star`, `drop`, `constant` (parameter text), `pseudonym` (prefix, digits), `keyed_hash` (key_file,
        length), `mask` (keep_first, keep_last, character, length), `date_shift` (days, key_file, skip_zero),
        `round` (base, mode), `top_code`, `bottom_code` (limit, written) or `band` (level).
    parameters : mapping
        As typed. Without `key_file`, moved dates are compared with each other only.
    kind : ColumnKind
        Type of the original cells.
    hierarchy : sequence of rows
        For `band`: value, label of level 1, label of level 2, ...
    coded : int or None
        Claimed number of original cells beyond the limit; None is not compared.
    """

    rule: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    kind: ColumnKind = ColumnKind()
    hierarchy: Sequence[Sequence[str]] = ()
    coded: int | None = None


@dataclass(frozen=True)
class SingledOutClaim:
    """Numbers of written records that some columns single out.

    Attributes
    ----------
    alone : mapping of str to int
        By each unchanged column.
    together, with_quasi_identifiers : int
        By all of them, and by all of them with the released quasi-identifiers.
    """

    alone: Mapping[str, int] = field(default_factory=dict)
    together: int = 0
    with_quasi_identifiers: int = 0


@dataclass(frozen=True)
class UnchangedClaim(SingledOutClaim):
    """Numbers of written records that the unchanged columns single out.

    Unchanged columns are those of the file that are neither quasi-identifying nor identifying, those with a
    rule included. Columns
    single a record out if no other record of the file has the same values in them.

    Attributes
    ----------
    of_one_person : SingledOutClaim or None
        With a person column, the records whose values no record of another person has. None: not compared.
    determines : mapping of (str, str) to float
        By unchanged column and quasi-identifier: of the kept records whose label in the latter covers several
        original values of kept records, the share whose value in the former occurs with only one of them.
    """

    of_one_person: SingledOutClaim | None = None
    determines: Mapping[tuple[str, str], float] = field(default_factory=dict)


@dataclass(frozen=True)
class Expected:
    """Claimed values.

    Attributes
    ----------
    records : int
        Records of the original.
    classes : int
        Equivalence classes of the kept records.
    k : int or None
        Size of the smallest class, in records, or in persons with a person column; None if nothing is kept.
    l, t : mapping of str to int, float or None
        By sensitive column, over the kept records. Omitted columns are not compared.
    persons, affected_persons, lost_persons, k_records : int or None
        With a person column: persons of the original, those with a suppressed record, those without a kept
        one, and the records of the smallest class; None if nothing is kept.
    chained : mapping of str to int or None
        Fewest persons in "2", or "all", classes of a person, if records of a person can be linked.
    unchanged : UnchangedClaim or None
        None: not compared.
    group : mapping of str to value, or None
        Figures of the suppressed records as one class: `records`, `k`, `l` and `t` by sensitive column, and
        whether it meets all models, `held`. Empty if nothing is suppressed; None: not compared.
    are_claimed : bool
        Whether the numbers are compared. Otherwise `records` and `suppressed` are only estimates, and models,
        limit and cells alone are verified.
    """

    records: int
    kept: int
    suppressed: int
    classes: int
    k: int | None
    l: Mapping[str, int | None] = field(default_factory=dict)  # noqa: E741  the model's own name
    t: Mapping[str, float | None] = field(default_factory=dict)
    persons: int | None = None
    affected_persons: int | None = None
    lost_persons: int | None = None
    k_records: int | None = None
    chained: Mapping[str, int | None] = field(default_factory=dict)
    unchanged: UnchangedClaim | None = None
    group: Mapping[str, Any] | None = None
    are_claimed: bool = True


@dataclass(frozen=True)
class ReleaseClaim:
    """Written release, its settings, and the values claimed for it.

    Attributes
    ----------
    original, released : Reading
        With `originals`, the first of them. The released file is a text in UTF-8 unless it has another
        format (`.gz` is unpacked), or a folder of parts; the original may also be a workbook, an SPSS or a
        Parquet file, by its ending.
    quasi_identifying, identifying, sensitive : tuple of str
        Columns by role; the others are insensitive.
    hierarchies : mapping of str to rows
        Per quasi-identifier: value, label of level 1, label of level 2, ...; all values are covered.
        The same per sensitive column with the hierarchical distance.
    node : mapping of str to int, or None
        Level per quasi-identifier; None if levels may differ by record.
    suppression_limit : str
        Fraction as typed.
    satisfies : bool
        Whether the program claims that suppression is within the limit.
    blank_suppressed : bool
        Whether suppressed records that are not removed have `*` in all columns.
    suppressed_group : {"", "if_held", "hold", "ignore"}
        What decides this, if they need not be so: "if_held" and "hold" leave their other cells exactly if
        they meet all models as one class, "ignore" in any case. Empty if nothing has to be decided.
    order_types : mapping of str to sequence of str
        Distinct values of a sensitive column in their order, for the ordered distance.
    distances : mapping of str to {"equal", "ordered", "hierarchical"}
        Distance of `expected.t`; by default that of the column's model, else ordered if there is an
        order, else equal.
    population : Reading or None
        Population the records were sampled from, one person per row.
    subset : SubsetClaim or None
        Selection of the released records; the whole original is then the population. All values are
        those of the subset.
    others_as_qi : bool
        Whether classes for a sensitive column, its l and t included, must also agree in the other
        sensitive columns.
    people : str
        Population size as typed; empty if unknown.
    aggregates : mapping of str to AggregateClaim
        By quasi-identifier; the others have labels of their hierarchies.
    rules : mapping of str to RuleClaim
        By column, quasi-identifying ones excepted. Identifying columns without an entry have
        `identifying_rule`, the others are unchanged. Sensitive columns are measured in their released form,
        also in the distribution of the original.
    shuffled : bool
        Whether the released records are in the random order that `seed` and the original give.
    seed : int
        Seed of that order and of pseudonyms.
    person : str
        Identifying column whose original values are persons, the missing value included; classes, models
        and risks then count persons. Empty if every record is another person.
    limit_counts : {"records", "persons"}
        Unit of the suppression limit: suppressed records, or persons with a suppressed record.
    whole_persons : bool
        Whether a person with a suppressed record has no kept one; suppression is then repeated until
        nothing changes.
    are_linked : bool
        Whether order or codes of the release reveal the records of one person, so that persons in several
        classes of one are counted.
    kept_records : tuple of int or None
        Positions of the kept records in the original, counted from 0, in order. Needed if persons count or
        records have weights, records were removed and levels differ by record: the file alone does not
        identify the persons.
    weight : str
        Column of the original with the people of the population whom each record stands for; empty if models
        read no weights.
    weight_kind : ColumnKind
        Type of that column.
    originals : tuple of Path
        Files that are the original together, in their order, all read alike and with the same columns; empty
        for one file.
    order : {"own", "key", "none"}
        What the order of the original's records is: that of its files, that of a unique key, or none in
        particular. Without one, the file must have the expected records as often as expected, in any order.
    released_labels : mapping of str to tuple of str
        Labels that columns may have, by their names in the file; others are refused.
    released_codes : mapping of str to mapping
        By column, labels of the codes that are its cells, with `coded` labels of the original.
    """

    original: Reading
    released: Reading
    expected: Expected
    quasi_identifying: tuple[str, ...]
    hierarchies: Mapping[str, Sequence[Sequence[str]]]
    node: Mapping[str, int] | None
    identifying: tuple[str, ...] = ()
    identifying_rule: Literal["star", "drop"] = "star"
    sensitive: tuple[str, ...] = ()
    models: tuple[ModelClaim, ...] = ()
    suppression_limit: str = "0"
    satisfies: bool = True
    suppressed_records: Literal["star", "remove"] = "star"
    blank_suppressed: bool = False
    suppressed_group: Literal["", "if_held", "hold", "ignore"] = ""
    order_types: Mapping[str, Sequence[str]] = field(default_factory=dict)
    distances: Mapping[str, Distance] = field(default_factory=dict)
    population: Reading | None = None
    subset: SubsetClaim | None = None
    people: str = ""
    others_as_qi: bool = False
    aggregates: Mapping[str, AggregateClaim] = field(default_factory=dict)
    rules: Mapping[str, RuleClaim] = field(default_factory=dict)
    shuffled: bool = False
    seed: int = 0
    person: str = ""
    limit_counts: Literal["records", "persons"] = "records"
    whole_persons: bool = False
    are_linked: bool = False
    kept_records: tuple[int, ...] | None = None
    weight: str = ""
    weight_kind: ColumnKind = ColumnKind("decimal")
    originals: tuple[Path, ...] = ()
    order: Order = "own"
    released_labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    released_codes: Mapping[str, Mapping[float | str, str]] = field(default_factory=dict)

    @property
    def files(self) -> tuple[Path, ...]:
        """Files of the original."""
        return self.originals or (self.original.path,)

    @property
    def readings(self) -> list[Reading]:
        """Reading of each file of the original."""
        return [replace(self.original, path=path) for path in self.files]

    @property
    def forming(self) -> tuple[str, ...]:
        """Quasi-identifiers whose labels form the classes."""
        return tuple(
            name
            for name in self.quasi_identifying
            if name not in self.aggregates or self.aggregates[name].grouping
        )


@dataclass(frozen=True)
class Verdict(Brief):
    """Result of a verification: whether every claim holds, the problems, and the measured values.

    Attributes
    ----------
    problems : tuple of str
        The first ten problems as sentences, and the number of further ones.
    measured : dict
        `records`, `kept`, `suppressed`, `allowed` (suppressed records, or affected persons, the limit
        permits), `classes`, `k`, `l` and `t` by sensitive column, `group` as in `Expected`, and
        `unchanged` in the form of the summary; where persons count also `persons`, `affected_persons`,
        `lost_persons` and `k_records`.
        Empty if the files could not be compared.
    unchecked : tuple of str
        What the claims assume and no file can show, or the verification did not compare, as sentences.
    compared : {"records", "multiset", "counts"}
        How the file was compared with the original: record by record, as a multiset of records whatever
        their order, or by a cluster that counted them.
    judge : {"memory", "database", "pieces", "cluster"}
        Whether both files were in memory, in a database of their own, read piece by piece, or counted by the
        cluster that has them.
    renamed : mapping of str to str
        Columns whose name the format of the file does not allow, with their names there.
    besides : tuple of Extra
        What the file holds besides the cells of its table: payload, for which it is refused, and notes.
    revealed : tuple of str
        What the release reveals beyond its values, as sentences of the caller of the verification.
    """

    ok: bool
    problems: tuple[str, ...]
    measured: dict[str, Any]
    unchecked: tuple[str, ...] = ()
    compared: Compared = "records"
    judge: Judge = "memory"
    renamed: Mapping[str, str] = field(default_factory=dict)
    besides: tuple[Extra, ...] = ()
    revealed: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Program, dates and user that the file names, for which it is not refused."""
        return tuple(own.words for own in self.besides if not own.is_refused)

    def _facts(self) -> Facts:
        found = self.measured
        facts = [("verified", "yes" if self.ok else "no")]
        facts.append(("problems", str(len(self.problems) or "")))  # they quote cells
        if found:
            facts.append(("k", fact(found["k"])))
            facts.append(("suppressed", f"{found['suppressed']} of {found['records']} records"))
        return [*facts, ("compared", self.compared), *self.not_covered]

    @property
    def not_covered(self) -> Facts:
        """Limits of the verdict, by name: records that other columns single out, and assumptions."""
        singled_out = self.measured.get("unchanged", {}).get("singled_out", {})
        by_columns = [(name, n) for name, n in singled_out.get("alone", {}).items() if n]
        by_columns += [("together", singled_out.get("together", 0))]
        by_columns += [("with the quasi-identifying columns", singled_out.get("with_quasi_identifiers", 0))]
        told = listed([f"{name} {n}" for name, n in by_columns if n])
        facts = [("records singled out by columns released unchanged", told)]
        facts += [("in the file besides cells", str(len(self.besides) or ""))]
        return [*facts, *(("not checked", words) for words in self.unchecked)]

    @property
    def how(self) -> str:
        """Comparison of files that are not read into memory, as a sentence; empty for others."""
        how = (self.judge, self.compared)
        return _(_HOW[how]) if how in _HOW else ""


MOST_IN_MEMORY = 5_000_000


@dataclass(frozen=True)
class Limits:
    """Resources that a verification may use.

    Attributes
    ----------
    records : int
        Records of one original file that are compared in memory.
    folder : Path or None
        Private folder for what does not fit in memory; None for a new one.
    memory : int
        Bytes that the database may use.
    """

    records: int = MOST_IN_MEMORY
    folder: Path | None = None
    memory: int = 1 << 30

    def in_memory(self, n_records: int) -> bool:
        """Return whether the files of a release are compared in memory."""
        return n_records <= self.records
