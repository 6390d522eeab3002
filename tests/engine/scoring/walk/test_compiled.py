"""Compiled scoring against the numpy reference on every node: scores, cells, all measures, label sums."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.frequency import Problem
from engine.frequency.classes import INDIVIDUAL_RISK, INFORMATION, POPULATION, WEIGHTED_PEOPLE
from engine.frequency.measures.base import MEASURES
from engine.kernels.compiled.merging import DIRECT_BITS
from engine.privacy import Requirement
from engine.privacy.alpha_k_anonymity import AlphaKAnonymity
from engine.privacy.base import privacy_models
from engine.privacy.entropy_l_diversity import EntropyLDiversity
from engine.records import Kind
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.cells.label_words import LabelWords
from engine.scoring.walk import subtrees, worker
from engine.scoring.walk.base_classes import BaseClasses
from engine.scoring.walk.compiled import CompiledScoring
from engine.scoring.walk.subtrees import KEY_BITS, Subtrees
from engine.scoring.walk.tuples import base_tuples
from engine.scoring.walk.worker import Worker
from tests.engine.scoring.alike import Expected, by_kernels, by_numpy, every_model
from tests.engine.scoring.edge_tables import (
    EDGES,
    adult,
    all_distinct,
    attribute,
    caterpillar,
    huge_halves,
    huge_sums,
    merged,
    million_keys,
    no_decimals,
    one_class,
    one_record,
    random_case,
    sizes_around_the_counted,
    thousands_of_sensitive_values,
    thousandths,
    tree,
    twenty_attributes,
)
from tests.strategies import Case, cases, modest

pytestmark = pytest.mark.usefixtures("warm")


def cut(problem: Problem) -> Subtrees:
    """The subtrees of a problem, as compiled scoring forms them."""
    base = base_tuples(problem)
    layout = base.layout
    return Subtrees(problem, BaseClasses.of(problem, base), layout.widths, layout.dropped, layout.order)


def words(problem: Problem) -> LabelWords:
    profile = LatticeProfile(problem)
    return LabelWords.of(cut(problem), profile.scorer.weights)


def test_the_models_compared_read_every_measure_and_the_others_none_of_sensitive_values() -> None:
    problem = random_case([tree(4, 2, 2)], 20, 1).problem
    models = every_model(problem).models
    others = set(privacy_models.values()) - {type(model) for model in models}
    # kernels count people of a population and weights like values, and numpy measures these, and labels
    numpy_only = {POPULATION, INDIVIDUAL_RISK, INFORMATION}
    assert {m.name for kind in others for m in kind().measures("equal")} == numpy_only
    with_tree = adult("occupation")
    measured = {m.name for model in every_model(with_tree).models for m in model.measures("equal")}
    ordered = {m.name for model in models for m in model.measures("ordered")}
    assert measured | ordered == set(MEASURES) - {INDIVIDUAL_RISK, WEIGHTED_PEOPLE}


@pytest.mark.thorough
@pytest.mark.parametrize("columns", [(), ("occupation", "salary-class")], ids=["no", "two"])
def test_all_nodes_of_adult_are_scored_as_by_numpy(columns: tuple[str, ...]) -> None:
    problem = adult(*columns)
    assert problem.lattice.n_nodes == (2160 if columns else 12960)
    Expected(problem).holds(by_kernels(problem))


def test_all_nodes_of_adult_with_occupation_are_scored_as_by_numpy() -> None:
    problem = adult("occupation", without=("native-country",))
    assert problem.lattice.n_nodes == 1440
    # the other measures of this many classes would take numpy a minute; two columns above have them all
    some = Requirement((EntropyLDiversity("occupation", 2.0), AlphaKAnonymity("occupation", 0.5, 2)))
    Expected(problem, some).holds(by_kernels(problem))


@modest
@given(st.data())
def test_random_tables_are_scored_as_by_numpy(data: st.DataObject) -> None:
    problem = data.draw(cases(max_qi=4)).problem
    Expected(problem).holds(by_kernels(problem, data.draw(st.sampled_from([1, 2]))))


@modest
@given(cases(bounded=True, min_sensitive=1))
def test_random_tables_with_bounded_levels_are_scored_as_by_numpy(case: Case) -> None:
    Expected(case.problem).holds(by_kernels(case.problem))


@pytest.mark.parametrize("is_sensitive", [False, True])
@pytest.mark.parametrize("make", EDGES.values(), ids=EDGES)
def test_edge_tables_are_scored_as_by_numpy(make: Callable[[], Case], is_sensitive: bool) -> None:
    case = make()
    problem = (case if is_sensitive else replace(case, sensitive=())).problem
    Expected(problem).holds(by_kernels(problem))


@pytest.mark.parametrize("n_sensitive", [0, 1, 2])
def test_twenty_attributes_with_keys_beyond_a_word_are_scored_as_by_numpy(n_sensitive: int) -> None:
    problem = twenty_attributes(n_sensitive).problem
    assert base_tuples(problem).layout.key_bits > KEY_BITS
    Expected(problem).holds(by_kernels(problem))


@pytest.mark.parametrize("n_sensitive", [0, 1, 2])
def test_sizes_around_the_largest_counted_one_are_scored_as_by_numpy(n_sensitive: int) -> None:
    problem = sizes_around_the_counted(n_sensitive).problem
    expected = Expected(problem)
    assert {1022, 1023, 1024, 1025, 1026} <= set(expected.profile.cells().sizes.tolist())
    expected.holds(by_kernels(problem))


@pytest.mark.parametrize("n_sensitive", [0, 1, 2])
@pytest.mark.parametrize(
    ("fan", "last", "is_wide"),
    [(2, tree(27, 3, 4), False), (5, tree(27, 3, 4), False), (5, caterpillar(17, 4), True)],
    ids=["two parts", "added up directly", "sorted parts"],
)
def test_every_way_of_merging_parts_is_scored_as_by_numpy(
    fan: int, last: tuple[tuple[str, ...], ...], is_wide: bool, n_sensitive: int
) -> None:
    problem = merged(fan, last, n_sensitive).problem
    found = cut(problem)
    # The attribute of the given fan is raised within subtrees, above the field of the tallest one.
    assert [problem.names[q] for q in found.raised] == ["c", "d"]
    assert (found.shifts[0] > DIRECT_BITS) is is_wide
    Expected(problem).holds(by_kernels(problem))


def test_a_million_distinct_keys_are_scored_as_by_numpy() -> None:
    problem = million_keys()
    found = by_kernels(problem, 2)
    assert found.n_classes[0] == 1_000_000
    Expected(problem).holds(found)


@pytest.fixture
def packed() -> Expected:
    """Contents and cells in numbers that make arrays grow, without any patch."""
    return Expected(random_case([tree(64, 2, 6), tree(27, 3, 3), tree(16, 4, 2)], 2000, 2).problem)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, int]]:
    """Count how often memory of a worker grows."""
    calls = {"arena": 0, "contents": 0, "blocks": 0}
    grown, enlarge, go_on = worker.grown, worker.enlarged, Worker.go_on

    def count_contents(*given):  # type: ignore[no-untyped-def]
        calls["contents"] += 1
        return grown(*given)

    def count_arena(*given):  # type: ignore[no-untyped-def]
        calls["arena"] += 1
        return enlarge(*given)

    def count_blocks(self):  # type: ignore[no-untyped-def]
        calls["blocks"] += 1
        return go_on(self)

    monkeypatch.setattr(worker, "grown", count_contents)
    monkeypatch.setattr(worker, "enlarged", count_arena)
    monkeypatch.setattr(Worker, "go_on", count_blocks)
    return calls


@pytest.mark.parametrize("n_sensitive", [0, 1])
def test_if_raising_joins_hardly_any_classes_the_arena_grows(
    n_sensitive: int, counted: dict[str, int]
) -> None:
    problem = all_distinct(n_sensitive).problem
    found = by_kernels(problem)
    assert counted["arena"] > 0
    Expected(problem).holds(found)


def test_contents_grow_while_nodes_are_scored(
    packed: Expected, counted: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "CONTENT_ROOM", 0)
    monkeypatch.setattr(worker, "BYTES_PER_CONTENT", 0)
    found = by_kernels(packed.problem)
    assert counted["contents"] > 2
    packed.holds(found)


def test_with_little_room_for_cells_or_nodes_more_blocks_are_handed_over(
    packed: Expected, counted: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    by_kernels(packed.problem)
    few = counted["blocks"]
    monkeypatch.setattr(worker, "CELL_ROOM", 1)
    found = by_kernels(packed.problem)
    assert counted["blocks"] > 2 * few
    packed.holds(found)
    monkeypatch.setattr(worker, "NODE_ROOM", 1)
    before = counted["blocks"]
    found = by_kernels(packed.problem)
    assert counted["blocks"] - before >= packed.problem.lattice.n_nodes
    packed.holds(found)


@pytest.mark.parametrize("n_sensitive", [0, 2])
def test_one_two_and_four_workers_give_the_same_scores_repeatedly(n_sensitive: int) -> None:
    problem = random_case([tree(32, 2, 5), tree(27, 3, 3), tree(16, 4, 2)], 800, n_sensitive).problem
    expected = Expected(problem)
    for n_workers in (1, 2, 4, 1, 4):
        scoring = CompiledScoring(problem, expected.profile.base, n_workers=n_workers)
        assert len(scoring._workers) == n_workers
        expected.holds(by_kernels(problem, n_workers))


def test_there_are_no_more_workers_than_subtrees() -> None:
    problem = random_case([tree(8, 2, 3)], 30, 1).problem
    assert len(CompiledScoring(problem, base_tuples(problem), n_workers=4)._workers) == 1


def test_without_label_sums_all_else_is_the_same() -> None:
    problem = random_case([tree(16, 2, 4), tree(9, 3, 2)], 300, 1).problem
    profile = LatticeProfile(problem, label_sums=False)
    profile.score_compiled(n_workers=1)
    assert profile.cells().label_sums.words.table.shape[1] == 0  # type: ignore[attr-defined]
    expected = Expected(problem)
    for name in ("n_classes", "k", "largest", "squares"):
        assert np.array_equal(getattr(profile, name), getattr(expected.profile, name))


def test_score_lattice_takes_the_kernels_once_they_are_loaded() -> None:
    problem = thousands_of_sensitive_values().problem
    profile = score_lattice(problem)
    assert profile._compiled is not None
    Expected(problem).holds(profile)


def test_spans_are_words_if_they_are_multiples_of_a_decimal_that_fit_and_else_reals() -> None:
    found = words(thousandths().problem)
    assert found.reals == ()
    assert found.fields["spans 0"].scale in (0.01, 0.001)
    assert found.fields["leaves 0"].scale is None
    for make in (no_decimals, huge_sums, huge_halves):
        found = words(make().problem)
        assert [summed.name for summed in found.reals] == ["spans 0"]
        assert "leaves 1" in found.fields


def test_fields_of_a_word_never_overlap_and_hold_the_weight_of_every_label() -> None:
    # In the first table labels occur that weigh 1 only; those nobody has weigh 2.
    for make in (one_class, one_record, thousandths, all_distinct):
        found = words(make().problem)
        taken = [0] * found.n_words
        for summed, field in zip(found.packed, found.fields.values(), strict=True):
            assert summed.largest <= field.mask
            assert not taken[field.word] & (field.mask << field.shift)
            taken[field.word] |= field.mask << field.shift
        assert max(taken) < 1 << 64


def test_sums_of_huge_spans_are_those_of_the_records() -> None:
    """Sums that overflow a word, and multiples of a tenth too large for one, keep their unit."""
    for make in (huge_sums, huge_halves):
        problem = make().problem
        own, other = by_kernels(problem), by_numpy(problem)
        totals = []
        for profile in (own, other):
            cells = profile.cells()
            sums = cells.label_sums.of("spans 0", np.arange(cells.n_cells))
            total = np.zeros(problem.lattice.n_nodes)
            total[cells.nodes] = np.add.reduceat(sums, cells.starts)
            totals.append(total)
        # the weights themselves give the sum of each level over all records
        weights = own.scorer.span_weights[0]
        due = np.where(weights.varying, weights.totals, 0)[problem.lattice.levels[:, 0]]
        assert due.max() > 1e17
        for total in totals:
            np.testing.assert_allclose(total, due, rtol=1e-12)


def test_a_sum_that_reals_round_below_a_power_of_two_fits_its_field() -> None:
    # Eight spans of 2**57 - 16 and 24 of 7 are 2**60 + 40; added up as reals, 2**60 - 128.
    rows = (("0", "wide", "*"), (str(2**57 - 16), "wide", "*"), ("-8", "narrow", "*"), ("-1", "narrow", "*"))
    q = attribute("q", rows, np.repeat([0, 1, 2, 3], [4, 4, 12, 12]), Kind.INTEGER)
    problem = Case((q, attribute("r", tree(32, 2, 2), np.arange(32)))).problem
    assert words(problem).fields["spans 0"].width >= (2**60 + 40).bit_length()
    Expected(problem).holds(by_kernels(problem))


@pytest.mark.parametrize("enough", [1, 9, 10_000])
def test_subtrees_hold_every_node_once_however_many_they_are(
    enough: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subtrees, "ENOUGH_SUBTREES", enough)
    case = random_case([tree(8, 2, 3), tree(9, 3, 2), tree(5, 5, 1), tree(4, 2, 2)], 300, 1)
    found = cut(case.problem)
    levels = list(found.levels())
    assert len(levels) == len(set(levels)) == found.n_subtrees
    assert found.n_subtrees >= min(enough, 9)
    assert len(found.raised) == {1: 4, 9: 2, 10_000: 1}[enough]
    assert sorted((*found.fixed, *found.raised)) == [0, 1, 2, 3]
    Expected(case.problem).holds(by_kernels(case.problem, 2))


def test_the_order_of_subtrees_begins_with_small_ones_and_continues_with_the_largest() -> None:
    found = cut(random_case([tree(16, 2, 4), tree(27, 3, 3), tree(16, 4, 2)], 500, 0).problem)
    heights = [sum(levels) for levels in found.levels()]
    n_early = len(heights) // 4
    assert heights[0] == max(heights)
    assert heights[n_early] == min(heights)
    assert heights[n_early:] == sorted(heights[n_early:])
