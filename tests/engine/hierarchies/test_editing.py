"""Changes by hand: each verb does what its slow model does, and any sequence of them keeps a tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from engine.errors import HierarchyError
from engine.hierarchies import Hierarchy, editing
from engine.hierarchies.follow import followed
from engine.records import Kind
from tests.engine.hierarchies import columns
from tests.strategies import hierarchy_rows, modest

Rows = list[tuple[str, ...]]
Draw = Callable[[st.SearchStrategy[Any]], Any]

AGES = Hierarchy.from_rows(
    [
        ("17", "15-19", "0-19", "*"),
        ("18", "15-19", "0-19", "*"),
        ("20", "20-24", "20-39", "*"),
        ("25", "25-29", "20-39", "*"),
        ("26", "25-29", "20-39", "*"),
        ("", "", "", "*"),
    ]
)
COLUMN = columns.column_of(*AGES.values, kind=Kind.INTEGER)
FLAT = Hierarchy.identity(["a", "b"])


def column_of(hierarchy: Hierarchy, level: int) -> list[str]:
    return [row[level] for row in hierarchy.rows()]


def test_values_moved_to_a_group_leave_the_rest_of_their_groups_as_they_were() -> None:
    moved = editing.move(AGES, 0, ["18"], 1, "20-24")
    assert moved.rows()[1] == ("18", "20-24", "20-39", "*")
    assert moved.rows()[0] == AGES.rows()[0]


def test_what_moves_over_several_levels_keeps_whole_groups_and_parts_others() -> None:
    moved = editing.move(AGES, 0, ["18", "20"], 2, "0-19")
    assert column_of(moved, 1) == ["15-19", "15-19", "20-24", "25-29", "25-29", ""]
    assert column_of(moved, 2) == ["0-19", "0-19", "0-19", "20-39", "20-39", ""]
    moved = editing.move(AGES, 0, ["25", "20"], 2, "0-19")
    assert column_of(moved, 1) == ["15-19", "15-19", "20-24", "25", "25-29", ""]


def test_moving_to_where_something_is_changes_nothing() -> None:
    assert editing.move(AGES, 0, ["17", "18"], 2, "0-19") is AGES
    assert editing.move(AGES, 1, ["15-19"], 3, "*") is AGES


def test_a_new_group_stays_under_the_group_that_most_of_it_had() -> None:
    made = editing.new_group(AGES, 0, ["18", "25", "26"], 1)
    assert made.rows()[1] == ("18", "18, 25, 26", "20-39", "*")
    assert made.rows()[4] == ("26", "18, 25, 26", "20-39", "*")


def test_pairs_of_ranges_are_joined_to_a_range() -> None:
    before = editing.add_level(AGES, 1)
    made = followed(before, editing.new_group(before, 1, ["20-24", "25-29"], 2), COLUMN)
    assert column_of(made, 2) == ["15-19", "15-19", "20-29", "20-29", "20-29", ""]


def test_merged_groups_stand_where_the_first_of_them_stood() -> None:
    merged = editing.merge(AGES, 1, ["20-24", "15-19"])
    assert column_of(merged, 1) == [*["20-24, 15-19"] * 3, "25-29", "25-29", ""]
    assert column_of(merged, 2) == ["20-39", "20-39", "20-39", "20-39", "20-39", ""]
    assert column_of(editing.merge(AGES, 1, ["15-19", "20-24"], "young"), 1)[:3] == ["young"] * 3


def test_missing_values_join_a_group_that_has_a_name_but_nothing_joins_their_nameless_one() -> None:
    merged = editing.merge(AGES, 1, ["", "25-29"], "other")
    assert merged.rows()[-1] == ("", "other", "20-39", "*")
    assert editing.move(AGES, 0, [""], 1, "15-19").rows()[-1] == ("", "15-19", "0-19", "*")
    with pytest.raises(HierarchyError, match="no label on level 1"):
        editing.move(AGES, 0, ["17"], 1, "")
    with pytest.raises(HierarchyError, match="no label on level 1"):
        editing.place(AGES, ["99"], 1, "")
    named = editing.rename(editing.rename(AGES, 1, "", "unknown"), 2, "", "unknown")
    assert editing.move(named, 0, ["17"], 1, "unknown").label("17", 2) == "unknown"


def test_a_group_is_split_into_its_members_or_into_parts() -> None:
    assert column_of(editing.split(AGES, 2, "20-39"), 2)[2:5] == ["20-24", "25-29", "25-29"]
    assert column_of(editing.split(AGES, 1, "25-29"), 1)[3:5] == ["25", "26"]
    wide = editing.merge(AGES, 1, ["15-19", "20-24", "25-29"], "15-29")
    parts = editing.split(wide, 1, "15-29", [["17", "18"], ["20", "25", "26"]])
    assert column_of(parts, 1)[:5] == ["17, 18", "17, 18", "20, 25, 26", "20, 25, 26", "20, 25, 26"]


def test_levels_are_added_removed_and_exchanged() -> None:
    added = editing.add_level(AGES, 1)
    assert column_of(added, 2) == column_of(AGES, 1)
    renamed = editing.rename(added, 2, "20-24", "early twenties")
    swapped = editing.swap_levels(renamed, 1)
    assert (swapped.label("20", 1), swapped.label("20", 2)) == ("early twenties", "20-24")
    assert editing.remove_level(added, 2).rows() == AGES.rows()
    assert editing.add_level(FLAT, 0).rows() == [("a", "*"), ("b", "*")]
    assert editing.add_level(Hierarchy.identity(["only"]), 0).rows() == [("only", "*")]


def test_new_values_are_placed_in_a_group_or_where_another_hierarchy_has_them() -> None:
    placed = editing.place(AGES, ["22", "23", "20"], 2, "20-39")
    assert placed.rows()[-2:] == [("22", "22", "20-39", "*"), ("23", "23", "20-39", "*")]
    example = Hierarchy.from_rows([("27", "25-29", "*"), ("90", "90-99", "*"), ("20-24", "20-39", "*")])
    again = editing.place_as(AGES, ["27", "90", "5", "20-24"], example)
    assert again.rows()[6:] == [
        ("27", "25-29", "20-39", "*"),
        ("90", "90", "90", "*"),
        ("5", "5", "5", "*"),
        ("20-24", "20-24", "20-39", "*"),  # called as a group, so it is in that group
    ]


def test_no_value_is_placed_in_a_group_that_has_no_name_above() -> None:
    hierarchy = Hierarchy.from_rows([("a", "A", "A", "*"), ("", "unknown", "", "*")])
    example = Hierarchy.from_rows([("b", "unknown", "*")])
    again = editing.place_as(hierarchy, ["b"], example)
    assert again.rows()[2] == ("b", "b", "b", "*")


def test_a_value_called_as_a_group_further_down_is_not_placed_elsewhere() -> None:
    with pytest.raises(HierarchyError, match="'15-19' is also a group of level 1"):
        editing.place(AGES, ["15-19"], 2, "20-39")


def test_values_are_taken_away_but_never_all() -> None:
    assert editing.without(AGES, ["17", "18", "unheard of"]).values == ("20", "25", "26", "")
    with pytest.raises(HierarchyError, match="No value would remain"):
        editing.without(FLAT, ["a", "b"])


REFUSED: list[Callable[[], object]] = [
    lambda: editing.move(AGES, 0, [], 1, "15-19"),
    lambda: editing.move(AGES, 0, ["99"], 1, "15-19"),
    lambda: editing.move(AGES, 0, ["17"], 1, "none"),
    lambda: editing.move(AGES, 1, ["15-19"], 1, "20-24"),
    lambda: editing.move(AGES, 0, ["17"], 9, "*"),
    lambda: editing.move(AGES, -1, ["*"], 1, "15-19"),
    lambda: editing.move_leaves(FLAT, np.array([0]), 1, "*"),
    lambda: editing.new_group(AGES, 0, [], 1),
    lambda: editing.new_group(FLAT, 0, ["a"], 1),
    lambda: editing.new_group(AGES, 0, ["17"], 1, "15-19"),
    lambda: editing.new_group(AGES, 0, ["17"], 1, " "),
    lambda: editing.merge(AGES, 0, ["17", "18"]),
    lambda: editing.merge(AGES, 1, ["15-19", "15-19"]),
    lambda: editing.merge(AGES, 1, ["15-19", "none"]),
    lambda: editing.merge(AGES, 1, ["15-19", "20-24"], "25-29"),
    lambda: editing.merge(AGES, 7, ["15-19", "20-24"]),
    lambda: editing.split(AGES, 0, "17"),
    lambda: editing.split(AGES, 1, "20-24"),
    lambda: editing.split(AGES, 9, "*"),
    lambda: editing.split(AGES, -1, "*"),
    lambda: editing.split(AGES, 1, "15-19", [["17"]]),
    lambda: editing.split(AGES, 1, "15-19", [["17"], ["18", "25"]]),
    lambda: editing.rename(AGES, 0, "17", "seventeen"),
    lambda: editing.rename(AGES, -1, "*", "all"),
    lambda: editing.rename(AGES, 1, "none", "x"),
    lambda: editing.rename(AGES, 1, "15-19", "20-24"),
    lambda: editing.rename(AGES, 1, "15-19", ""),
    lambda: editing.add_level(AGES, 3),
    lambda: editing.add_level(AGES, 4),
    lambda: editing.remove_level(AGES, 0),
    lambda: editing.remove_level(AGES, 4),
    lambda: editing.swap_levels(AGES, 1),
    lambda: editing.swap_levels(AGES, 3),
    lambda: editing.swap_levels(FLAT, 0),
    lambda: editing.place(AGES, ["99"], 0, "17"),
    lambda: editing.place(AGES, ["99"], 8, "17"),
    lambda: editing.children(AGES, 5, ["*"]),
    lambda: editing.groups_of(AGES, 0, ["17"], -1),
    lambda: editing.values_under(AGES, 1, ["none"]),
]


@pytest.mark.parametrize("call", REFUSED)
def test_what_cannot_be_done_is_refused_with_a_reason_and_a_next_step(call: Callable[[], object]) -> None:
    with pytest.raises(HierarchyError) as caught:
        call()
    assert caught.value.problem.endswith(".")
    assert caught.value.hint.endswith(".")


# Models: slow, by lines and labels alone -----------------------------------------------------------


def partition(labels: list[str]) -> list[int]:
    return [labels.index(label) for label in labels]


def moved_by_model(
    rows: Rows, source: int, labels: list[str], level: int, path: tuple[str, ...], *, stay_if_there: bool
) -> list[list[object]]:
    """Lines after a move under `path`; the names of parts are made of level and former group."""
    moving = [row[source] in labels and not (stay_if_there and row[level] == path[0]) for row in rows]
    found: list[list[object]] = []
    for row, moves in zip(rows, moving, strict=True):
        line: list[object] = list(row[: source + 1])
        for between in range(source + 1, level):
            peers = [m for other, m in zip(rows, moving, strict=True) if other[between] == row[between]]
            line.append(("part", row[between]) if moves and not all(peers) else row[between])
        line += path if moves else row[level:]
        found.append(line)
    return found


def assert_like_model(made: Hierarchy, model: list[list[object]], source: int, level: int) -> None:
    rows = made.rows()
    for number in range(made.height + 1):
        texts, expected = [row[number] for row in rows], [line[number] for line in model]
        if source < number < level:
            assert partition(texts) == [expected.index(label) for label in expected]
            whole = [
                (text, label) for text, label in zip(texts, expected, strict=True) if isinstance(label, str)
            ]
            assert all(text == label for text, label in whole)
        else:
            assert texts == expected


@st.composite
def hierarchies(draw: st.DrawFn, *, min_height: int = 0) -> Hierarchy:
    n = draw(st.integers(1, 8))
    values = draw(st.sampled_from([[str(3 * i) for i in range(n)], [f"v{i}" for i in range(n)]]))
    values = [*values, ""] if draw(st.booleans()) else values
    rows = draw(hierarchy_rows(values, 4).filter(lambda rows: len(rows[0]) > min_height))
    return Hierarchy.from_rows(rows)


def some_labels(draw: Draw, hierarchy: Hierarchy, level: int, min_size: int = 1) -> list[str]:
    labels = hierarchy.levels[level].labels
    size = min(min_size, len(labels))
    found: list[str] = draw(st.lists(st.sampled_from(labels), min_size=size, unique=True))
    return found


@modest
@given(hierarchies(min_height=1), st.data())
def test_moving_is_what_its_model_does(hierarchy: Hierarchy, data: st.DataObject) -> None:
    source = data.draw(st.integers(0, hierarchy.height - 1))
    level = data.draw(st.integers(source + 1, hierarchy.height))
    labels = some_labels(data.draw, hierarchy, source)
    target = data.draw(st.sampled_from(hierarchy.levels[level].labels))
    rows = hierarchy.rows()
    path = next(row[level:] for row in rows if row[level] == target)
    model = moved_by_model(rows, source, labels, level, path, stay_if_there=True)
    if any(line[0] and not all(line) for line in model):
        with pytest.raises(HierarchyError, match="has no label"):
            editing.move(hierarchy, source, labels, level, target)
        return
    assert_like_model(editing.move(hierarchy, source, labels, level, target), model, source, level)


@modest
@given(hierarchies(min_height=1), st.data())
def test_a_new_group_is_what_its_model_makes(hierarchy: Hierarchy, data: st.DataObject) -> None:
    source = data.draw(st.integers(0, hierarchy.height - 1))
    level = data.draw(st.integers(source + 1, hierarchy.height))
    labels = some_labels(data.draw, hierarchy, source)
    rows = hierarchy.rows()
    path: tuple[str, ...] = ("brand new",)
    if level < hierarchy.height:
        above = Counter(row[level + 1] for row in rows if row[source] in labels)
        if set(above) != {""}:
            above.pop("", None)
        order = hierarchy.levels[level + 1].labels
        most = max(above, key=lambda label: (above[label], -order.index(label)))
        path += next(row[level + 1 :] for row in rows if row[level + 1] == most)
    model = moved_by_model(rows, source, labels, level, path, stay_if_there=False)
    assume(all(all(line) for line in model if line[0]))
    assert_like_model(editing.new_group(hierarchy, source, labels, level, "brand new"), model, source, level)


@modest
@given(hierarchies(min_height=1), st.data())
def test_merging_and_splitting_are_what_their_models_do(hierarchy: Hierarchy, data: st.DataObject) -> None:
    level = data.draw(st.integers(1, hierarchy.height))
    rows = hierarchy.rows()
    labels = some_labels(data.draw, hierarchy, level, 2)
    if len(labels) > 1:
        first = next(label for label in labels if label)
        path = next(row[level + 1 :] for row in rows if row[level] == first)
        model = [(*row[:level], "joined", *path) if row[level] in labels else row for row in rows]
        if not any(line[0] and not all(line) for line in model):
            assert editing.merge(hierarchy, level, labels, "joined").rows() == model
    below = editing.children(hierarchy, level, labels[:1])
    assert below == list(dict.fromkeys(row[level - 1] for row in rows if row[level] == labels[0]))
    if len(below) > 1:
        parted = editing.split(hierarchy, level, labels[0]).rows()
        for row, now in zip(rows, parted, strict=True):
            assert (*row[:level], *row[level + 1 :]) == (*now[:level], *now[level + 1 :])
            assert row[level] == now[level] or row[level] == labels[0]
        inside = [
            (row[level - 1], now[level])
            for row, now in zip(rows, parted, strict=True)
            if row[level] == labels[0]
        ]
        assert len(set(inside)) == len({child for child, _ in inside}) == len({part for _, part in inside})
        others = {now[level] for row, now in zip(rows, parted, strict=True) if row[level] != labels[0]}
        assert others.isdisjoint(part for _, part in inside)


# Laws -----------------------------------------------------------------------------------------------


def any_change(draw: Draw, hierarchy: Hierarchy) -> Hierarchy:
    """One verb with arguments that are mostly sensible."""
    levels = st.integers(-1, hierarchy.height + 1)
    level, source = draw(levels), draw(levels)
    known = [label for entry in hierarchy.levels for label in entry.labels]

    def at(number: int) -> st.SearchStrategy[str]:
        inside = hierarchy.levels[number].labels if 0 <= number <= hierarchy.height else known
        return st.sampled_from(list(inside))

    labels = draw(st.lists(at(source), max_size=4))
    name = draw(st.none() | st.sampled_from([*known, "new", "", " "]))
    match draw(
        st.sampled_from(
            ["move", "group", "merge", "split", "rename", "add", "remove", "swap", "place", "without"]
        )
    ):
        case "move":
            return editing.move(hierarchy, source, labels, level, draw(at(level)))
        case "group":
            return editing.new_group(hierarchy, source, labels, level, name)
        case "merge":
            return editing.merge(hierarchy, source, labels, name)
        case "split":
            return editing.split(hierarchy, level, draw(at(level)))
        case "rename":
            return editing.rename(hierarchy, level, draw(at(level)), name or "new")
        case "add":
            return editing.add_level(hierarchy, level) if hierarchy.height < 5 else hierarchy
        case "remove":
            return editing.remove_level(hierarchy, level)
        case "swap":
            return editing.swap_levels(hierarchy, level)
        case "place":
            return editing.place(hierarchy, [f"w{hierarchy.n_leaves}", "5", ""], level, draw(at(level)))
        case _:
            return editing.without(hierarchy, labels)


def assert_is_sound(hierarchy: Hierarchy) -> None:
    again = Hierarchy.from_rows(hierarchy.rows())
    for mine, checked in zip(hierarchy.levels, again.levels, strict=True):
        assert mine.labels == checked.labels
        assert np.array_equal(mine.codes, checked.codes)
        assert mine.codes.dtype == np.int32


@modest
@given(hierarchies(), st.data())
def test_any_sequence_of_changes_keeps_a_tree_over_the_same_values(
    hierarchy: Hierarchy, data: st.DataObject
) -> None:
    for _ in range(data.draw(st.integers(1, 12))):
        try:
            after = any_change(data.draw, hierarchy)
        except HierarchyError:
            continue
        assert_is_sound(after)
        assert after.values[: len(hierarchy.values)] == hierarchy.values or set(after.values) < set(
            hierarchy.values
        )
        hierarchy = after


@modest
@given(hierarchies(min_height=1), st.data())
def test_what_is_not_moved_keeps_its_groups(hierarchy: Hierarchy, data: st.DataObject) -> None:
    source = data.draw(st.integers(0, hierarchy.height - 1))
    level = data.draw(st.integers(source + 1, hierarchy.height))
    labels = some_labels(data.draw, hierarchy, source)
    target = data.draw(st.sampled_from(hierarchy.levels[level].labels))
    try:
        after = editing.move(hierarchy, source, labels, level, target)
    except HierarchyError:
        reject()
    moved = set(editing.values_under(hierarchy, source, labels))
    for before, now in zip(hierarchy.rows(), after.rows(), strict=True):
        assert before[: source + 1] == now[: source + 1]
        assert before[0] in moved or before == now
        assert before[0] not in moved or now[level] == target


# Names of levels -------------------------------------------------------------------------------

ROWS = (
    ("a", "ab", "letters", "*"),
    ("b", "ab", "letters", "*"),
    ("c", "cd", "letters", "*"),
    ("1", "12", "digits", "*"),
)


def _named() -> Hierarchy:
    return Hierarchy.from_rows([list(row) for row in ROWS]).with_level_names(["pairs", "kinds"])


def test_a_level_is_named_and_loses_its_name_again() -> None:
    named = editing.name_level(_named(), 1, "  pairs   of letters ")
    assert named.level_names == ("pairs of letters", "kinds", "")
    assert editing.name_level(named, 1, "").level_names == ("", "kinds", "")


@pytest.mark.parametrize(
    ("level", "name", "problem"),
    [
        (0, "values", "Level 0 cannot be named."),
        (3, "all", "Level 3 cannot be named."),
        (1, "kinds", "Another level is called 'kinds' already."),
        (1, "x" * 61, "The name of a level may have 60 characters."),
    ],
)
def test_a_name_that_would_mislead_is_refused(level: int, name: str, problem: str) -> None:
    with pytest.raises(HierarchyError) as raised:
        editing.name_level(_named(), level, name)
    assert raised.value.problem == problem


def test_names_of_levels_stay_through_every_edit_of_groups() -> None:
    named = _named()
    edits = [
        editing.rename(named, 1, "ab", "a or b"),
        editing.merge(named, 1, ["ab", "12"]),
        editing.split(named, 2, "letters"),
        editing.replace_leaves(named, {"a": "e"}),
        editing.without(named, ["1"]),
        named.extended(["2"]),
    ]
    assert [edited.level_names for edited in edits] == [("pairs", "kinds", "")] * len(edits)
    assert editing.remove_level(named, 1).level_names == ("kinds", "")
    assert editing.add_level(named, 1).level_names == ("pairs", "", "kinds", "")
