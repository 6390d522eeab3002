"""Tables at the limits of compiled scoring, each with its reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from engine.frequency import Problem
from engine.project.compile import compile_problem
from engine.project.project import frozen
from engine.records import Kind, Role
from tests.adult import ARX_COLUMNS, TABLES, text_project
from tests.strategies import Attributes, Case, Rows

Codes = NDArray[np.int64]


def tree(n_leaves: int, fan: int, height: int) -> Rows:
    """A hierarchy of groups of which the first and the last are smaller, with one label on top."""
    width = len(str(n_leaves))
    rows = []
    for leaf in range(n_leaves):
        groups = [f"{(leaf + 1) // fan**level:0{width}} of {level}" for level in range(1, height)]
        rows.append((f"{leaf:0{width}}", *groups, "*")[: height + 1])
    return tuple(rows)


def caterpillar(fan: int, height: int) -> Rows:
    """A hierarchy in which every level adds `fan - 1` leaves: few leaves, long paths."""
    rows = []
    for level in range(height):
        for leaf in range(fan - 1):
            name = f"{level}-{leaf}"
            rows.append((name, *([name] * level), *(f"trunk {up}" for up in range(level + 1, height)), "*"))
    return tuple(rows)


def attribute(
    name: str, rows: Rows, codes: Codes, kind: Kind = Kind.TEXT, low: int = 0, high: int | None = None
) -> Attributes:
    """A quasi-identifier from the hierarchy row of each record."""
    return Attributes(name, tuple(rows[code][0] for code in codes), kind, rows, low, high)


def sensitive(name: str, codes: Codes, kind: Kind = Kind.INTEGER, rows: Rows = ()) -> Attributes:
    return Attributes(name, tuple(str(code) for code in codes), kind, rows)


def random_case(rows: Sequence[Rows], n_records: int, n_sensitive: int, seed: int = 1) -> Case:
    """Records drawn at random, with values of low numbers more frequent."""
    rng = np.random.default_rng(seed)
    qi = tuple(
        attribute(f"q{j}", tree_rows, (rng.random(n_records) ** 2 * len(tree_rows)).astype(np.int64))
        for j, tree_rows in enumerate(rows)
    )
    found = [sensitive(f"s{j}", rng.integers(0, 5, n_records) ** (j + 1)) for j in range(n_sensitive)]
    return Case(qi, tuple(found))


def one_record() -> Case:
    return random_case([tree(4, 2, 2), tree(3, 3, 1)], 1, 1)


def one_class() -> Case:
    zeros = np.zeros(50, dtype=np.int64)
    qi = tuple(attribute(f"q{j}", tree(4, 2, 2), zeros) for j in range(3))
    return Case(qi, (sensitive("s", np.arange(50) % 7),))


def all_distinct(n_sensitive: int = 1) -> Case:
    """Records that are all different until much is generalized; raising joins hardly any."""
    rng = np.random.default_rng(3)
    place = rng.permutation(16**3)[:1500]
    rows = tree(16, 2, 4)
    qi = tuple(attribute(f"q{j}", rows, place // 16**j % 16) for j in range(3))
    fixed = attribute("id", tree(1500, 40, 2), np.arange(1500))
    found = [sensitive(f"s{j}", rng.integers(0, 9, 1500)) for j in range(n_sensitive)]
    return Case((fixed, *qi), tuple(found))


def one_attribute() -> Case:
    return random_case([tree(100, 5, 3)], 400, 1)


def twenty_attributes(n_sensitive: int) -> Case:
    """Keys of 80 bits; ten attributes of height one, ten fixed at a level."""
    rng = np.random.default_rng(20)
    rows = tree(16, 16, 1)
    qi = tuple(
        attribute(f"q{j}", rows, rng.integers(0, 16, 120), high=None if j % 2 else 0) for j in range(20)
    )
    found = [sensitive(f"s{j}", rng.integers(0, 4, 120)) for j in range(n_sensitive)]
    return Case(qi, tuple(found))


def heights_of_one() -> Case:
    return random_case([tree(7, 7, 1)] * 5, 300, 1)


def heights_of_ten() -> Case:
    return random_case([tree(1024, 2, 10), tree(900, 2, 10)], 500, 1)


def sizes_around_the_counted(n_sensitive: int) -> Case:
    """Classes of 1022 to 1026 records, of 511 to 513 that join to such, and of 2047 to 2049."""
    sizes = [1022, 1023, 1024, 1025, 1026, 511, 512, 512, 513, 511, 513, 1, 1023, 2047, 2048, 2049]
    codes = np.repeat(np.arange(16), sizes)
    rng = np.random.default_rng(5)
    rows = tree(16, 2, 4)
    shuffled = rng.permutation(16)[codes]
    pairs = attribute("flag", tree(4, 2, 2), codes % 4)
    found = [sensitive(f"s{j}", rng.integers(0, 6, len(codes))) for j in range(n_sensitive)]
    return Case((attribute("q", rows, codes), pairs, attribute("r", rows, shuffled, high=2)), tuple(found))


def one_sensitive_value() -> Case:
    case = random_case([tree(8, 2, 3), tree(6, 3, 2)], 200, 0)
    zeros = np.zeros(200, dtype=np.int64)
    return Case(case.qi, (sensitive("s", zeros), sensitive("t", zeros, Kind.TEXT)))


def thousands_of_sensitive_values() -> Case:
    case = random_case([tree(8, 2, 3), tree(9, 3, 2), tree(5, 5, 1)], 6000, 0)
    rng = np.random.default_rng(6)
    return Case(case.qi, (sensitive("s", rng.integers(0, 5000, 6000)), sensitive("t", np.arange(6000))))


def numbers(values: Sequence[str], n_records: int, kind: Kind = Kind.DECIMAL) -> Case:
    """A column of numbers in groups of three, whose spans are summed, and one of text."""
    rng = np.random.default_rng(8)
    rows = tuple(
        (text, f"group {(i + 1) // 3}", f"half {(i + 1) // 6}", "*") for i, text in enumerate(values)
    )
    qi = (
        attribute("number", rows, rng.integers(0, len(rows), n_records), kind),
        attribute("text", tree(40, 4, 2), rng.integers(0, 40, n_records)),
        attribute("other", tree(6, 2, 2), rng.integers(0, 6, n_records)),
    )
    return Case(qi, (sensitive("s", rng.integers(0, 3, n_records)),))


def no_decimals() -> Case:
    return numbers([f"{np.sqrt(i):.13f}" for i in range(12)], 300)


def thousandths() -> Case:
    return numbers([f"{i * i / 8:.3f}" for i in range(12)], 300)


def huge_numbers() -> Case:
    """Spans of 53 bits, as of identifiers imported as numbers: their sums over classes exceed any word."""
    return numbers([str(i * i * 7_000_000_000_001) for i in range(36)], 4000, Kind.INTEGER)


def huge_sums() -> Case:
    """The same in few classes of many records: their sums over classes fit, those over records do not."""
    case = numbers([str(i * i * 7_000_000_000_001) for i in range(36)], 60_000, Kind.INTEGER)
    return Case((case.qi[0], case.qi[2]))


def huge_halves() -> Case:
    """Spans that are multiples of a tenth, and too many of them for a word."""
    rng = np.random.default_rng(12)
    spans = 5 * 10**14 + np.arange(400) + 0.5
    spans = spans[np.rint(spans / 0.1) * 0.1 == spans][:16]
    pairs = [(1000.0 * i, 1000.0 * i + span) for i, span in enumerate(spans.tolist())]
    rows = tuple((f"{v:.1f}", f"pair {i}", "*") for i, pair in enumerate(pairs) for v in pair)
    number = attribute("number", rows, rng.integers(0, len(rows), 6000), Kind.DECIMAL)
    text = attribute("text", tree(400, 20, 2), rng.integers(0, 400, 6000))
    return Case((number, text))


def merged(fan: int, last: Rows, n_sensitive: int) -> Case:
    """Four attributes, the last two raised within a subtree: the data decide how parts are merged.

    Two parts come from a tree of fan two, several from a wider one; the path of the last attribute
    decides whether they are added up directly or sorted.
    """
    rng = np.random.default_rng(9)
    first, third = tree(27, 3, 3), tree(fan**2, fan, 2)
    shapes = {"a": first, "b": first, "c": third, "d": last}
    base = rng.integers(0, 27, (2, 900))
    codes = {"a": base[0], "b": base[1]}
    # The third follows from the first two: raising it shrinks the table least, so it is fixed last.
    codes["c"] = (base[0] + 3 * base[1]) % len(third)
    codes["d"] = (rng.random(900) ** 3 * len(last)).astype(np.int64)
    qi = tuple(attribute(name, rows, codes[name]) for name, rows in shapes.items())
    found = [sensitive(f"s{j}", rng.integers(0, 4, 900)) for j in range(n_sensitive)]
    return Case(qi, tuple(found))


def long_paths() -> Case:
    """Paths of the tallest attribute that leave no room in a word for a number of the others."""
    rng = np.random.default_rng(10)
    rows = caterpillar(18, 11)
    codes = rng.integers(0, len(rows), 1500)
    return Case((attribute("q", tree(64, 4, 3), rng.integers(0, 64, 1500)), attribute("r", rows, codes)))


@cache
def million_keys() -> Problem:
    """A million records, all distinct."""
    codes = np.random.default_rng(11).permutation(100**3)
    rows = tree(100, 10, 2)
    return Case(
        tuple(attribute(f"q{j}", rows, codes // 100**j % 100, high=2 - j % 2) for j in range(3))
    ).problem


@cache
def adult(*sensitive_columns: str, without: tuple[str, ...] = ()) -> Problem:
    """Adult with all other columns as quasi-identifiers, or some left out; ages are numbers."""
    texts = tuple(name for name in ARX_COLUMNS if name != "age")
    folder = TABLES / "hierarchies" / "adult_arx"
    files = {name: folder / f"adult_hierarchy_{name}.csv" for name in ARX_COLUMNS}
    project = text_project("adult_arx.csv", texts, files)
    qi = tuple(name for name in ARX_COLUMNS if name not in (*sensitive_columns, *without))
    roles = dict.fromkeys(qi, Role.QUASI_IDENTIFYING) | dict.fromkeys(sensitive_columns, Role.SENSITIVE)
    return compile_problem(replace(project, roles=frozen(roles), qi_order=qi))


EDGES: dict[str, Callable[[], Case]] = {
    maker.__name__: maker
    for maker in (
        one_record,
        one_class,
        all_distinct,
        one_attribute,
        heights_of_one,
        heights_of_ten,
        one_sensitive_value,
        thousands_of_sensitive_values,
        no_decimals,
        thousandths,
        huge_numbers,
        huge_sums,
        huge_halves,
    )
}
