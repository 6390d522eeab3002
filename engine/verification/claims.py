"""What the program says of a release, in plain values, and what the judge answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Distance = Literal["equal", "ordered", "hierarchical"]


@dataclass(frozen=True)
class ModelClaim:
    """One privacy model and whether the kept records are said to meet it.

    Attributes
    ----------
    key : str
        `k_anonymity` (parameter k), or of a column: `alpha_k_anonymity` (alpha, k),
        `distinct_l_diversity` (l), `entropy_l_diversity` (l, estimator), `recursive_c_l_diversity`
        (c, l), `t_closeness` (t, distance), `basic_beta_likeness`, `enhanced_beta_likeness` (beta) or
        `delta_disclosure` (delta); of class sizes `highest_risk` (threshold); of all kept records together
        `average_risk`, `sample_uniqueness` (threshold), `records_at_risk` (threshold, share) or
        `population_uniqueness` (threshold, estimator). Any other key cannot be judged, and so is never
        confirmed.
    parameters : mapping
        Thresholds as typed: text, integer or decimal; a float counts as its shortest decimal.
    met : bool
        A model claimed as not met takes no part in deciding which records are suppressed.
    holds : bool
        Of `delta_presence`, which the classes meet one by one: whether nobody is said to be known to be
        absent, where its minimum is above 0.
    """

    key: str
    parameters: Mapping[str, Any]
    met: bool = True
    holds: bool = True


@dataclass(frozen=True)
class OtherTable:
    """A table beside the original: of the population, or the rows a subset was chosen by.

    Attributes
    ----------
    path : Path
    delimiter, encoding, has_header, names, sheet
        How it is read; missing tokens and trimming are those of the original.
    """

    path: Path
    delimiter: str = ","
    encoding: str = "utf-8"
    has_header: bool = True
    names: tuple[str, ...] = ()
    sheet: str = ""


@dataclass(frozen=True)
class ColumnKind:
    """What the cells of a column mean: "text", "integer", "decimal", "date", "ordered" or "boolean".

    `format` is the format of dates, or the decimal mark and what stands between thousands;
    `values` are ordered categories from low to high.
    """

    kind: str = "text"
    format: str = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class SubsetClaim:
    """How the released records were chosen among those of the original, in one of three ways.

    Attributes
    ----------
    condition : tuple or None
        `("and" | "or", part, ...)`, `("not", part)`, `("<" | "<=" | "=" | "!=" | ">=" | ">", column, value)`,
        `("in", column, values, negated)` or `("missing", column)`. Values are texts: numbers with a
        decimal point, dates in ISO 8601. A missing cell meets nothing but `missing`.
    kinds : mapping of str to ColumnKind
        Of the columns that the condition names.
    rows : OtherTable or None
        Each row takes the first record like it, in the columns the rows have, that no other row took.
    fraction : str
        Share of the records that is drawn at random, as typed; empty where `size` counts.
    size, seed : int
        Every record gets a number by SplitMix64, begun with the first number of the seed; the records
        with the lowest numbers are drawn.
    """

    condition: tuple[Any, ...] | None = None
    kinds: Mapping[str, ColumnKind] = field(default_factory=dict)
    rows: OtherTable | None = None
    fraction: str = ""
    size: int = 0
    seed: int = 0


@dataclass(frozen=True)
class AggregateClaim:
    """What is released of the records of a class in a quasi-identifier, instead of a label.

    Attributes
    ----------
    function : str
        `mean`, `geometric_mean`, `median`, `mode`, `interval` or `set`.
    kind : ColumnKind
        What the cells of the original mean.
    grouping : bool
        Whether the labels of the column take part in forming the classes.
    ignore_missing : bool
        Whether missing values take no part; otherwise they make the aggregate a missing value, or are a
        value of their own for `mode` and `set`.
    decimals : int
        Digits after the decimal mark of the means, rounded half to even.
    """

    function: str
    kind: ColumnKind
    grouping: bool = False
    ignore_missing: bool = True
    decimals: int = 0


@dataclass(frozen=True)
class IdentifierClaim:
    """The rule of one identifying column.

    Attributes
    ----------
    rule : str
        `star`, `drop`, `constant` (parameter text), `pseudonym` (prefix, digits), `keyed_hash` (key_file,
        length) or `mask` (keep_first, keep_last, character, length).
    parameters : mapping
        As typed.
    """

    rule: str
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SingledOutClaim:
    """How many written records some columns single out.

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
    """How many written records the columns that leave unchanged single out.

    Unchanged are all columns of the file that are neither quasi-identifying nor identifying. Columns single
    a record out if no other record of the file has the same values in them.

    Attributes
    ----------
    of_one_person : SingledOutClaim or None
        With a person column, the records whose values no record of another person has. Not compared where
        there is none.
    determines : mapping of (str, str) to float
        Unchanged column and quasi-identifier: of the kept records whose label of the latter covers several
        original values of kept records, the share whose value of the former goes with one of them.
    """

    of_one_person: SingledOutClaim | None = None
    determines: Mapping[tuple[str, str], float] = field(default_factory=dict)


@dataclass(frozen=True)
class Expected:
    """The figures claimed.

    Attributes
    ----------
    records : int
        Records of the original.
    kept, suppressed : int
    classes : int
        Equivalence classes of the kept records.
    k : int or None
        Smallest of them; None if nothing is kept.
        Records, or persons where a person column is claimed.
    l, t : mapping of str to int, float or None
        By sensitive column, over the kept records. Columns left out are not compared.
    persons, affected_persons, lost_persons, k_records : int or None
        Where a person column is claimed: persons of the original, those with a suppressed record, those
        without a kept one, and the records of the smallest class; None where nothing is kept.
    unchanged : UnchangedClaim or None
        Not compared where there is none.
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
    unchanged: UnchangedClaim | None = None


@dataclass(frozen=True)
class ReleaseClaim:
    """A written release, how it came about, and the figures claimed for it.

    Attributes
    ----------
    original, released : Path
        The released file is UTF-8 text (`.gz` is unpacked); the original may also be a workbook, an
        SPSS or a Parquet file, by its ending.
    original_sheet : str
        The sheet of a workbook.
    original_delimiter, original_encoding, missing, trim, has_header
        How the original is read. `missing` are the tokens that become one missing value,
        written as the first of them; `trim` takes white space off both ends of every cell first.
    names : tuple of str
        The names of the original's columns, needed only without a header line.
    quasi_identifying, identifying, sensitive : tuple of str
        Columns by role; the others are insensitive.
    identifying_rule : {"star", "drop"}
    hierarchies : mapping of str to rows
        Per quasi-identifier: value, label of level 1, label of level 2, ...; every value covered.
        Likewise per sensitive column that is compared by the hierarchical distance.
    node : mapping of str to int, or None
        The level per quasi-identifier; None where levels may differ by record.
    models : tuple of ModelClaim
    suppression_limit : str
        The fraction as typed.
    satisfies : bool
        Whether the suppressed records are said to stay within the limit.
    suppressed_records : {"star", "remove"}
    blank_suppressed : bool
        Whether suppressed records lose their sensitive and insensitive cells too.
    blank : str
        What such a cell then holds.
    order_types : mapping of str to sequence of str
        The distinct values of a sensitive column in their order, for the ordered distance.
    distances : mapping of str to {"equal", "ordered", "hierarchical"}
        The distance behind `expected.t`; by default that of the column's model, else ordered
        where there is an order, else equal.
    released_has_header : bool
    population : OtherTable or None
        Who the records were drawn from, everybody in one row.
    subset : SubsetClaim or None
        Which records of the original are released; the whole original is the population then. All
        figures are those of the subset.
    others_as_qi : bool
        Whether each sensitive column is judged, and its l and t measured, among records that are alike
        in the other sensitive columns too.
    people : str
        The size of the population as typed; empty where it is not known.
    aggregates : mapping of str to AggregateClaim
        By quasi-identifier; the others have labels of their hierarchies.
    identifiers : mapping of str to IdentifierClaim
        By identifying column, over the rule for all.
    original_quote, original_comment, original_skip
        The quotation mark of the original, what its comment lines begin with, and the lines before its
        header.
    original_ragged : {"refuse", "fill"}
        Whether short records of the original are filled with missing cells.
    taken : tuple of pairs
        The columns taken of the original in their order: name in the file, or place counted from 1, and
        name in the release; empty for all as they come.
    column_missing : mapping of str to tuple of str
        Further missing tokens of single columns.
    replacements : tuple of triples
        Column, old and new value, None for missing; applied in their order, after missing tokens.
    released_format : {"csv", "xlsx", "parquet"}
    released_encoding : str
    shuffled : bool
        Whether the released records are in the order that `seed` and the original give.
    seed : int
        Of that order, and of pseudonyms.
    safe_cells : bool
        Whether cells that a spreadsheet would run are written with an apostrophe before them.
    person : str
        The identifying column whose values in the original are persons, missing being one of them: classes,
        models and risks count persons then. Empty where every record is a person of its own.
    limit_counts : {"records", "persons"}
        What the suppression limit is a share of: records, or persons, of whom those with a suppressed
        record count.
    whole_persons : bool
        Whether a person with a suppressed record has no kept one, for which suppression is repeated
        until nothing changes.
    kept_records : tuple of int or None
        Which records of the original are left, counted from 0, in order. Needed where persons count,
        records were removed and levels differ by record: the file alone could not tell whose they are.
    """

    original: Path
    released: Path
    expected: Expected
    quasi_identifying: tuple[str, ...]
    hierarchies: Mapping[str, Sequence[Sequence[str]]]
    node: Mapping[str, int] | None
    original_delimiter: str = ","
    original_encoding: str = "utf-8"
    original_sheet: str = ""
    released_delimiter: str = ","
    missing: tuple[str, ...] = ("",)
    trim: bool = False
    has_header: bool = True
    names: tuple[str, ...] = ()
    identifying: tuple[str, ...] = ()
    identifying_rule: Literal["star", "drop"] = "star"
    sensitive: tuple[str, ...] = ()
    models: tuple[ModelClaim, ...] = ()
    suppression_limit: str = "0"
    satisfies: bool = True
    suppressed_records: Literal["star", "remove"] = "star"
    blank_suppressed: bool = False
    blank: str = ""
    order_types: Mapping[str, Sequence[str]] = field(default_factory=dict)
    distances: Mapping[str, Distance] = field(default_factory=dict)
    released_has_header: bool = True
    population: OtherTable | None = None
    subset: SubsetClaim | None = None
    people: str = ""
    others_as_qi: bool = False
    aggregates: Mapping[str, AggregateClaim] = field(default_factory=dict)
    identifiers: Mapping[str, IdentifierClaim] = field(default_factory=dict)
    original_quote: str = '"'
    original_comment: str = ""
    original_skip: int = 0
    original_ragged: Literal["refuse", "fill"] = "refuse"
    taken: tuple[tuple[str | int, str], ...] = ()
    column_missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    replacements: tuple[tuple[str, str, str | None], ...] = ()
    released_format: Literal["csv", "xlsx", "parquet"] = "csv"
    released_encoding: str = "utf-8"
    shuffled: bool = False
    seed: int = 0
    safe_cells: bool = False
    person: str = ""
    limit_counts: Literal["records", "persons"] = "records"
    whole_persons: bool = False
    kept_records: tuple[int, ...] | None = None

    @property
    def forming(self) -> tuple[str, ...]:
        """The quasi-identifiers whose labels form the classes."""
        return tuple(
            name
            for name in self.quasi_identifying
            if name not in self.aggregates or self.aggregates[name].grouping
        )


@dataclass(frozen=True)
class Verdict:
    """The answer: whether everything claimed holds, what does not, and the figures measured.

    Attributes
    ----------
    ok : bool
    problems : tuple of str
        Sentences for people, the first ten, and how many more there are.
    measured : dict
        `records`, `kept`, `suppressed`, `allowed` (suppressed records, or affected persons, the limit
        permits), `classes`, `k`, `l` and `t` by sensitive column, and `unchanged` in the form of the
        summary; where persons count also `persons`, `affected_persons`, `lost_persons` and `k_records`.
        Empty if the files could not be compared.
    """

    ok: bool
    problems: tuple[str, ...]
    measured: dict[str, Any]
