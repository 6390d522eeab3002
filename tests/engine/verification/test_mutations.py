"""A true release of any table is confirmed; the same release with anything altered never is."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.verification import ModelClaim, verify
from tests.engine.verification.plain_release import (
    Recipe,
    read_rows,
    with_expected,
    with_rows,
    write_release,
)

HIERARCHIES = {
    "zip": [[a + b, a + "*", "*"] for a in "12" for b in "123"],
    "age": [[str(age), f"{age - age % 2}+", f"{age - age % 4}+", "*"] for age in range(8)],
    "ill": [["flu", "air", "*"], ["cold", "air", "*"], ["gout", "food", "*"], ["", "", "*"], ["?", "?", "*"]],
}
NAMES = ("zip", "name", "age", "ill", "note", "pay")
ORDER = ["1", "2", "3", "10"]


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@st.composite
def recipes(draw: st.DrawFn) -> Recipe:
    row = st.tuples(
        st.sampled_from([line[0] for line in HIERARCHIES["zip"]]),
        st.sampled_from("AB"),
        st.sampled_from([line[0] for line in HIERARCHIES["age"]]),
        st.sampled_from(["flu", "cold", "gout", "", "?"]),
        st.sampled_from(["x", 'a "b", c', "two\nlines", "?", " y"]),
        st.sampled_from(ORDER),
    )
    rows = [list(cells) for cells in draw(st.lists(row, min_size=1, max_size=25))]
    t = st.sampled_from(["0.1", "0.2", "0.25", "0.5", "1"])
    l = st.sampled_from(["1", "1.5", "2", "3"])  # noqa: E741  the models' own name
    possible = [
        ModelClaim("k_anonymity", {"k": draw(st.integers(1, 4))}),
        ModelClaim("distinct_l_diversity", {"column": "ill", "l": draw(st.integers(1, 3))}),
        ModelClaim("t_closeness", {"column": "ill", "t": draw(t), "distance": "equal"}),
        ModelClaim("t_closeness", {"column": "pay", "t": draw(t), "distance": "ordered"}),
        ModelClaim("t_closeness", {"column": "ill", "t": draw(t), "distance": "hierarchical"}),
        ModelClaim("alpha_k_anonymity", {"column": "ill", "alpha": draw(t), "k": draw(st.integers(1, 4))}),
        ModelClaim("entropy_l_diversity", {"column": "ill", "l": draw(l), "estimator": "shannon"}),
        ModelClaim("entropy_l_diversity", {"column": "pay", "l": draw(l), "estimator": "grassberger"}),
        ModelClaim("recursive_c_l_diversity", {"column": "ill", "c": draw(l), "l": draw(st.integers(1, 3))}),
        ModelClaim("basic_beta_likeness", {"column": "pay", "beta": draw(l)}),
        ModelClaim("enhanced_beta_likeness", {"column": "ill", "beta": draw(l)}),
        ModelClaim("delta_disclosure", {"column": "ill", "delta": draw(l)}),
    ]
    present = {cells[5] for cells in rows}
    options: dict[str, Any] = {
        "identifying": ("name",),
        "identifying_rule": draw(st.sampled_from(["star", "drop"])),
        "suppressed_records": draw(st.sampled_from(["star", "remove"])),
        "blank_suppressed": draw(st.booleans()),
        "suppressed_group": draw(st.sampled_from(["", "", "if_held"])),
        "missing": draw(st.sampled_from([(), ("",), ("", "?"), ("?", "")])),
        "distances": {"ill": "equal", "pay": "ordered"},
        "order_types": {"pay": [value for value in ORDER if value in present]},
    }
    return Recipe(
        NAMES,
        rows,
        ("zip", "age"),
        HIERARCHIES,
        {"zip": draw(st.integers(0, 2)), "age": draw(st.integers(0, 3))},
        sensitive=("ill", "pay"),
        models=tuple(draw(st.lists(st.sampled_from(possible), unique_by=id, max_size=4))),
        options=options,
    )


@given(recipe=recipes())
def test_a_true_release_is_always_confirmed(folder: Path, recipe: Recipe) -> None:
    assert verify(write_release(recipe, folder)).problems == ()


@given(recipe=recipes(), data=st.data())
def test_an_altered_cell_is_never_confirmed(folder: Path, recipe: Recipe, data: st.DataObject) -> None:
    claim = write_release(recipe, folder)
    rows = read_rows(claim)
    row = data.draw(st.integers(0, len(rows) - 1))
    column = data.draw(st.integers(0, len(rows[0]) - 1))
    others = {"*", "", "1*", "4+", "flu", "x", "2", *(line[column] for line in rows)} - {rows[row][column]}
    rows[row][column] = data.draw(st.sampled_from(sorted(others)))
    assert not verify(with_rows(claim, rows)).ok


@given(recipe=recipes(), data=st.data())
def test_a_dropped_or_repeated_record_is_never_confirmed(
    folder: Path, recipe: Recipe, data: st.DataObject
) -> None:
    claim = write_release(recipe, folder)
    rows = read_rows(claim)
    assume(len(rows) > 1)
    row = data.draw(st.integers(1, len(rows) - 1))
    is_repeated = data.draw(st.booleans())
    assert not verify(with_rows(claim, rows[: row + is_repeated] + rows[row + 1 - is_repeated :])).ok


@given(recipe=recipes(), data=st.data())
def test_two_exchanged_records_that_differ_are_never_confirmed(
    folder: Path, recipe: Recipe, data: st.DataObject
) -> None:
    claim = write_release(recipe, folder)
    rows = read_rows(claim)
    assume(len({tuple(row) for row in rows[1:]}) > 1)
    first = data.draw(st.integers(1, len(rows) - 1))
    second = data.draw(st.sampled_from([i for i in range(1, len(rows)) if rows[i] != rows[first]]))
    rows[first], rows[second] = rows[second], rows[first]
    assert not verify(with_rows(claim, rows)).ok


@given(recipe=recipes(), data=st.data())
def test_a_figure_off_by_the_least_is_never_confirmed(
    folder: Path, recipe: Recipe, data: st.DataObject
) -> None:
    claim = write_release(recipe, folder)
    figures = ["records", "kept", "suppressed", "classes", "k", "l", "t", "group"]
    figure = data.draw(st.sampled_from(figures))
    step = data.draw(st.sampled_from([-1, 1]))
    claimed = getattr(claim.expected, figure)
    if figure in ("l", "t"):
        name = data.draw(st.sampled_from(claim.sensitive))
        least = step if figure == "l" else step * 1e-6
        wrong: Any = {**claimed, name: (claimed[name] or 0) + least}
    elif figure == "group":
        if not claimed:
            return
        part = data.draw(st.sampled_from(["records", "k", "held"]))
        wrong = {**claimed, part: not claimed[part] if part == "held" else claimed[part] + step}
    else:
        wrong = (claimed or 0) + step
    assert not verify(with_expected(claim, **{figure: wrong})).ok
