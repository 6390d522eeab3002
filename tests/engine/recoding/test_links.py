"""What order and codes of a release reveal, against a slow count of the written records."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.recoding import Release, make_release, persons
from engine.recoding.links import LinkCounter
from tests import persons_by_hand as by_hand
from tests.strategies import PERSON, Attributes, Case, cases, few, modest, nodes


def reordered(case: Case, order: list[int]) -> Case:
    def turned(attribute: Attributes) -> Attributes:
        return replace(attribute, texts=tuple(attribute.texts[record] for record in order))

    return Case(
        tuple(map(turned, case.qi)),
        tuple(map(turned, case.sensitive)),
        persons=tuple(case.persons[record] for record in order) if case.persons else (),
    )


def texts_of(release: Release, name: str, rows: list[int]) -> list[str]:
    column = release.column(name)
    return [column.text(record) for record in rows]


@st.composite
def sorted_cases(draw: st.DrawFn, *, persons: bool) -> Case:
    """Draw a table in any order, or sorted by its persons or by a column."""
    case = draw(cases(persons=persons, min_sensitive=1, max_records=24))
    keys = [tuple(range(case.n_records)), *(own.texts for own in case.qi)]
    keys += [case.persons] if persons else []
    key: Any = draw(st.sampled_from(keys))
    return reordered(case, sorted(range(case.n_records), key=lambda record: key[record]))


def assert_as_by_hand(release: Release) -> None:
    links, rows = release.links, release.rows().tolist()
    keeps_order, kept = not release.transformation.shuffle, ~release.suppressed
    left = [record for record in rows if kept[record]]
    starred = [record for record in rows if not kept[record]]
    neighbours = {}
    for name in release.problem.names:
        labels = dict(zip(left, texts_of(release, name, left), strict=True))
        n = by_hand.between([labels.get(record) for record in rows])
        if keeps_order and n and by_hand.are_side_by_side(list(labels.values())):
            neighbours[name] = n
    persons = release.problem.persons
    if persons is None and not neighbours:
        assert not links.neighbours
        assert not links.tell_persons_apart
        return
    assert (dict(links.neighbours), links.starred) == (neighbours, len(starred))
    if persons is None:
        return
    whose = [str(number) for number in persons.numbers.tolist()]
    in_file = [whose[record] for record in rows]
    assert links.are_together == (keeps_order and by_hand.are_side_by_side(in_file))
    holders = [whose[record] for record in left]
    visible: list[dict[str, str]] = []
    columns = {}
    for column in release.columns:
        if column.name in release.problem.names:
            continue
        values = texts_of(release, column.name, left)
        own = by_hand.values_of_own(holders, values)
        if own is None and column.name == PERSON and len(set(values)) > 1:
            of_person = {p: {v for q, v in zip(holders, values, strict=True) if q == p} for p in holders}
            own = {p for p in of_person if sum(bool(of_person[p] & held) for held in of_person.values()) == 1}
        if own is not None:
            columns[column.name] = len(own)
            visible.append(dict(zip(holders, values, strict=True)))
    assert dict(links.columns) == columns
    linked = list(links.columns)
    readable = 0
    for record in starred:
        cells = [texts_of(release, name, [record])[0] for name in linked]
        is_seen = any(own.get(whose[record]) == cell for own, cell in zip(visible, cells, strict=True))
        readable += whose[record] in holders and (is_seen or links.are_together)
    assert links.readable == readable


@modest
@given(data=st.data())
def test_order_and_codes_are_counted_as_by_hand(data: st.DataObject) -> None:
    case = data.draw(sorted_cases(persons=data.draw(st.booleans())))
    node, k = data.draw(nodes(case)), data.draw(st.integers(1, 4))
    transformation = replace(
        case.project.transformation,
        shuffle=data.draw(st.sampled_from([False, False, True])),
        identifying=data.draw(st.sampled_from(["star", "pseudonym", "mask"])),
        suppressed_records=data.draw(st.sampled_from(["star", "remove"])),
    )
    project = replace(case.project, transformation=transformation)
    release = make_release(project, case.problem, node, Requirement((KAnonymity(k),), 1.0))
    assert_as_by_hand(release)
    persons = release.persons
    if persons is not None and release.n_classes:
        kept = [record for record in range(release.n_records) if not release.suppressed[record]]
        whole = [(release.labels[r], case.persons[r], "") for r in kept]
        assert persons.matched_by_nobody == by_hand.alone(whole)
        is_linked = release.links.tell_persons_apart
        fewest = by_hand.chained(whole, None)
        assert fewest is not None
        assert release.k is not None
        assert release.fewest_linked == (fewest if is_linked and fewest < release.k else None)


@few
@given(data=st.data())
def test_blocks_of_any_size_give_the_same(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 30))

    def some(most: int) -> np.ndarray[Any, np.dtype[np.int64]]:
        return np.array(data.draw(st.lists(st.integers(0, most), min_size=n, max_size=n)), dtype=np.int64)

    kept, label, cell, text, person = some(1) > 0, some(2), some(3), some(3), np.sort(some(5))
    found = []
    for bounds in ([0, n], sorted({0, n, *data.draw(st.lists(st.integers(0, n), max_size=5))})):
        counter = LinkCounter({"a": 3}, {"code": 4, "text": None}, 6, "code", keeps_order=True)
        for start, stop in pairwise(bounds):
            own = slice(start, stop)
            counter.add(kept[own], [label[own]], [cell[own], text[own]], person[own])
        found.append(counter.found())
    assert found[0] == found[1]


@pytest.mark.parametrize("shift", [0, 1])
def test_a_few_records_out_of_place_do_not_hide_an_order(shift: int) -> None:
    persons = np.repeat(np.arange(50), 4)
    persons[[3, 60]] = persons[[60, 3]]
    mixed = np.random.default_rng(shift).permutation(persons)
    for order, are_together in ((persons, True), (mixed, False)):
        counter = LinkCounter({}, {}, 50, "", keeps_order=True)
        counter.add(np.ones(200, dtype=np.bool_), [], [], order)
        assert counter.found().are_together is are_together


@few
@given(data=st.data())
def test_very_many_people_are_compared_until_one_matches_nobody(data: st.DataObject) -> None:
    case = data.draw(cases(persons=True))
    release = make_release(case.project, case.problem, data.draw(nodes(case)), Requirement((), 1.0))
    whole = [(label, case.persons[place], "") for place, label in enumerate(release.labels.tolist())]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(persons, "_MOST_CANDIDATES", 2)
        patched.setattr(persons, "_MOST_COMPARED", 2)
        own = replace(release).persons
        assert [own.chained(2), own.chained()] == [by_hand.chained(whole, 2), by_hand.chained(whole, None)]
        assert own.matched_by_nobody in (None, by_hand.alone(whole))
