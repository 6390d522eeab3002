"""OLA: how it halves sub-lattices."""

from __future__ import annotations

from engine.lattice import Node
from engine.monitor import SILENT
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.search import SearchTask, search_algorithms
from tests.strategies import Attributes, Case

CHAIN = tuple((str(i), str(i // 2), str(i // 4), str(i // 8), "*") for i in range(16))
OLA = search_algorithms.create("ola")


def told(case: Case, k: int) -> list[tuple[Node, bool | None, str]]:
    result = OLA.run(SearchTask(case.problem, Requirement((KAnonymity(k),), 0.0)), SILENT)
    return [(step.node, step.satisfies, step.rule.key) for step in result.trace]


def two_values(name: str, texts: str) -> Attributes:
    return Attributes(name, tuple(texts), rows=(("0", "*"), ("1", "*")))


def test_a_chain_is_halved() -> None:
    case = Case((Attributes("p", tuple(row[0] for row in CHAIN), rows=CHAIN),))
    assert told(case, 5) == [
        ((2,), False, "middle"),
        ((0,), False, "below"),
        ((1,), False, "below"),
        ((3,), True, "middle"),
        ((4,), True, "above"),
    ]


def test_the_middle_level_is_checked_from_its_last_node_and_each_failing_one_halved_at_once() -> None:
    case = Case((two_values("p", "0001"), two_values("q", "0010")))
    # By itself, each column makes a record unique; (1, 0) is the last of the middle level.
    assert told(case, 2) == [
        ((1, 0), False, "middle"),
        ((0, 0), False, "below"),
        ((1, 1), True, "end"),
        ((0, 1), False, "middle"),
    ]


def test_the_lower_end_is_checked_if_no_node_is_between() -> None:
    case = Case((two_values("p", "0101"), two_values("q", "0011")))  # all four combinations occur once
    assert told(case, 1)[:2] == [((1, 0), True, "middle"), ((1, 1), True, "above")]
    assert told(case, 1)[2:] == [((0, 0), True, "end"), ((0, 1), True, "above")]


def test_one_node_is_a_lattice_too() -> None:
    fixed = Attributes("p", ("0", "1"), rows=(("0", "*"), ("1", "*")), min_level=1)
    assert told(Case((fixed,)), 2) == [((1,), True, "end")]
