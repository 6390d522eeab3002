"""Rolled-up profiles against a recount of the records, packed into one word and beyond it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.errors import InvariantError
from engine.frequency.classes import DISTINCT
from engine.privacy import Requirement
from engine.privacy.t_closeness import TCloseness
from engine.records import Kind
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.walk import packing
from engine.scoring.walk.packing import PackedSet, WideSet
from tests.slow_reference import SlowNode, all_nodes
from tests.strategies import Attributes, Case, cases, few, modest, nodes


@pytest.fixture(params=["packed", "wide"])
def word(request: pytest.FixtureRequest) -> Iterator[type]:
    """Store tuples as one word each, or as rows of integers however small they are."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "wide":
            patch.setattr(packing, "WORD_BITS", 0)
        yield WideSet if request.param == "wide" else PackedSet


def every_distance(case: Case) -> Requirement:
    """A requirement that makes a profile measure both distances if both are meaningful."""
    return Requirement(
        tuple(TCloseness(a.name, 1.0, kind) for a in case.problem.sensitive for kind in a.distances)
    )


def scored(case: Case) -> LatticeProfile:
    return score_lattice(case.problem, profile=LatticeProfile(case.problem, every_distance(case)))


def assert_recounted(case: Case, profile: LatticeProfile, node: tuple[int, ...]) -> None:
    slow, number = SlowNode(case, node), profile.lattice.number(node)
    assert profile.n_classes[number] == len(slow.sizes)
    assert profile.k[number] == min(slow.sizes)
    assert profile.largest[number] == max(slow.sizes)
    assert profile.squares[number] == sum(size * size for size in slow.sizes)
    for measure in profile.measures:
        values = profile.worst(measure)
        if measure.name == DISTINCT:
            assert values[number] == min(slow.distinct(measure.column))
            continue
        column, kind = measure.column, measure.name
        # both are the fraction rounded once, so that ties with a threshold are decided alike
        assert values[number] == float(max(slow.distances(column, kind)))


def test_roll_up_equals_a_recount_of_the_records(word: type) -> None:
    @modest
    @given(st.data())
    def check(data: st.DataObject) -> None:
        case = data.draw(cases())
        profile = scored(case)
        assert profile.is_complete
        assert profile.scored.all()
        assert isinstance(profile.base, word) or not profile.base.layout.key_bits
        for _ in range(3):
            assert_recounted(case, profile, data.draw(nodes(case)))

    check()


@few
@given(cases(max_qi=2, max_height=2))
def test_every_node_of_a_lattice_agrees_with_a_recount(case: Case) -> None:
    profile = scored(case)
    assert [profile.lattice.node(i) for i in range(profile.lattice.n_nodes)] == all_nodes(case)
    for node in all_nodes(case):
        assert_recounted(case, profile, node)


@modest
@given(st.data())
def test_the_cells_of_a_node_contain_its_classes_with_their_measures(data: st.DataObject) -> None:
    case = data.draw(cases())
    profile = scored(case)
    cells = profile.cells()
    bounds = np.append(cells.starts, cells.n_cells)
    node = data.draw(nodes(case))
    slow, place = SlowNode(case, node), int(np.flatnonzero(cells.nodes == profile.lattice.number(node))[0])
    measured = [cells.by_cell(cells.classes.measured(measure)) for measure in profile.measures]
    found: Counter[tuple[float, ...]] = Counter()
    for i in range(bounds[place], bounds[place + 1]):
        size, records = int(cells.sizes[i]), int(cells.records[i])
        assert records % size == 0
        found[(size, *(values[i].item() for values in measured))] += records // size
    measures = [
        slow.sizes,
        *(
            slow.distinct(column) if name == DISTINCT else [float(d) for d in slow.distances(column, name)]
            for name, column, _ in profile.measures
        ),
    ]
    assert found == Counter(zip(*measures, strict=True))


@modest
@given(cases())
def test_at_every_node_the_class_sizes_sum_to_the_records(case: Case) -> None:
    cells = score_lattice(case.problem).cells()
    assert np.all(np.add.reduceat(cells.records, cells.starts) == case.n_records)


@modest
@given(st.data())
def test_a_more_general_node_never_shrinks_a_class(data: st.DataObject) -> None:
    case = data.draw(cases(bounded=False))
    node = data.draw(nodes(case))
    own = {i: len(members) for members in SlowNode(case, node).classes for i in members}
    profile = score_lattice(case.problem)
    for successor in profile.lattice.successors(node):
        above = {i: len(members) for members in SlowNode(case, successor).classes for i in members}
        assert all(above[i] >= own[i] for i in own)
        before, after = profile.lattice.number(node), profile.lattice.number(successor)
        assert profile.k[after] >= profile.k[before]
        assert profile.n_classes[after] <= profile.n_classes[before]
        for measure in profile.measures:
            values = profile.worst(measure) * (1 if measure.name == DISTINCT else -1)
            assert values[after] >= values[before]


@modest
@given(cases(bounded=False))
def test_where_every_hierarchy_ends_in_one_label_the_top_node_is_one_class_like_the_table(case: Case) -> None:
    assume(all(a.hierarchy.top_label is not None for a in case.problem.attributes))
    profile = scored(case)
    assert profile.n_classes[-1] == 1
    assert profile.k[-1] == case.n_records
    distances = [measure for measure in profile.measures if measure.name != DISTINCT]
    assert all(profile.worst(measure)[-1] == 0 for measure in distances)


def crowded_case(n_sensitive: int) -> Case:
    """Three quasi-identifiers of eight values in a binary tree, 300 records: hardly any unique class."""
    rng = np.random.default_rng(n_sensitive)
    rows = tuple((f"v{i}", f"pair {i // 2}", f"half {i // 4}", "*") for i in range(8))
    qi = tuple(
        Attributes(f"q{j}", tuple(f"v{i}" for i in rng.integers(0, 8, 300)), rows=rows) for j in range(3)
    )
    sensitive = tuple(
        Attributes(f"s{j}", tuple(str(v) for v in rng.integers(0, 6, 300)), Kind.INTEGER)
        for j in range(n_sensitive)
    )
    return Case(qi, sensitive)


@pytest.mark.parametrize("n_sensitive", [0, 1, 2])
def test_every_node_of_a_dense_table_agrees_with_a_recount(n_sensitive: int, word: type) -> None:
    case = crowded_case(n_sensitive)
    profile = scored(case)
    assert isinstance(profile.base, word)
    for node in all_nodes(case):
        assert_recounted(case, profile, node)


def deep_case(n_records: int = 60) -> Case:
    """Five quasi-identifiers of 16 bits each: 80 bits, more than a word; values far apart in the tree."""
    rng = np.random.default_rng(7)
    rows = tuple((f"{i:04x}", f"{i >> 8:02x}", f"{i >> 12:x}", "*") for i in range(0, 1 << 16, 257))
    dense = tuple((f"{i:04x}", f"{i >> 8:02x}", f"{i >> 12:x}", "*") for i in range(256))
    leaves = tuple(row[0] for row in (*rows[1:], *dense))
    known = (*rows[1:], *dense)
    drawn = rng.integers(0, len(leaves), (5, n_records))
    qi = tuple(
        Attributes(f"q{j}", tuple(leaves[i] for i in numbers), Kind.TEXT, known)
        for j, numbers in enumerate(drawn)
    )
    disease = Attributes("disease", tuple(str(v) for v in rng.integers(0, 4, n_records)), Kind.INTEGER)
    return Case(qi, (disease,))


def test_keys_of_more_bits_than_a_word_give_the_classes_of_a_recount() -> None:
    case = deep_case()
    profile = LatticeProfile(case.problem)
    assert profile.base.layout.key_bits > 62
    assert isinstance(profile.base, WideSet)
    score_lattice(case.problem, profile=profile)
    for node in all_nodes(case)[::37]:
        assert_recounted(case, profile, node)


def test_scoring_a_node_twice_or_losing_records_raises_an_error() -> None:
    case = deep_case(5)
    profile = LatticeProfile(case.problem)
    number, first = next(profile.pending())
    profile.record(number, first)
    with pytest.raises(InvariantError, match="twice"):
        profile.record(number, first)
    with pytest.raises(InvariantError, match="left out"):
        profile.check_complete()


def test_a_profile_covers_a_requirement_with_distances_it_has() -> None:
    case = deep_case(5)
    profile = LatticeProfile(case.problem)
    assert profile.covers(Requirement((TCloseness("disease", 0.1),)))
    assert profile.covers(Requirement((TCloseness("disease", 0.1, "ordered"),)))
    equal = Requirement((TCloseness("disease", 0.1, "equal"),))
    assert not profile.covers(equal)
    assert LatticeProfile(case.problem, equal).covers(equal)
