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
        `delta_disclosure` (delta). Any other key cannot be judged, and so is never confirmed.
    parameters : mapping
        Thresholds as typed: text, integer or decimal; a float counts as its shortest decimal.
    met : bool
        A model claimed as not met takes no part in deciding which records are suppressed.
    """

    key: str
    parameters: Mapping[str, Any]
    met: bool = True


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
    l, t : mapping of str to int, float or None
        By sensitive column, over the kept records. Columns left out are not compared.
    """

    records: int
    kept: int
    suppressed: int
    classes: int
    k: int | None
    l: Mapping[str, int | None] = field(default_factory=dict)  # noqa: E741  the model's own name
    t: Mapping[str, float | None] = field(default_factory=dict)


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
    others_as_qi : bool
        Whether each sensitive column is judged, and its l and t measured, among records that are alike
        in the other sensitive columns too.
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
    others_as_qi: bool = False


@dataclass(frozen=True)
class Verdict:
    """The answer: whether everything claimed holds, what does not, and the figures measured.

    Attributes
    ----------
    ok : bool
    problems : tuple of str
        Sentences for people, the first ten, and how many more there are.
    measured : dict
        `records`, `kept`, `suppressed`, `allowed` (suppressed records the limit permits), `classes`,
        `k`, and `l` and `t` by sensitive column; empty if the files could not be compared.
    """

    ok: bool
    problems: tuple[str, ...]
    measured: dict[str, Any]
