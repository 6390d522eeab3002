"""What several releases reveal together: values of the oracle, and a slow program without arrays."""

from __future__ import annotations

import csv
import gzip
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.project.ledger.attackers import ABSENT, GROUP, ClassTails, Left, aligned, insider, intersection
from engine.project.ledger.sequential import m_invariance, xy_anonymity
from tests.slow_ledger import (
    Release,
    possible_tails,
    slow_candidates,
    slow_intersection,
    slow_propagation,
    slow_sequences,
)

DATA = Path(__file__).parents[3] / "data" / "third"
ORACLE: dict[str, Any] = json.loads((DATA / "ledger.json").read_text(encoding="utf-8"))


class Arrays:
    """Releases, each {person: (class, tail)}, as the measure takes them."""

    def __init__(self, releases: Sequence[Release]) -> None:
        self.people = sorted({person for release in releases for person in release})
        self.tails = sorted({tail for release in releases for _class, tail in release.values()})
        self.classes = np.full((len(releases), len(self.people)), ABSENT, dtype=np.int64)
        self.tail_of = np.full(self.classes.shape, ABSENT, dtype=np.int64)
        for i, release in enumerate(releases):
            names = sorted({own for own, _tail in release.values()} - {"*"})
            for person, (own, tail) in release.items():
                place = self.people.index(person)
                self.classes[i, place] = GROUP if own == "*" else 1 + names.index(own)
                self.tail_of[i, place] = self.tails.index(tail)
        self.contents = [
            ClassTails.of_rows(own, tails) for own, tails in zip(self.classes, self.tail_of, strict=True)
        ]
        self.values = {
            "tail": np.arange(len(self.tails)),
            "first": np.array([ord(t[0]) for t in self.tails], dtype=np.int64),
        }

    def by_person(self, figures: Any) -> dict[str, Any]:
        return dict(zip(self.people, figures, strict=True))


@pytest.mark.parametrize("case", ORACLE["cases"], ids=lambda case: case["name"])
def test_the_attackers_find_what_the_oracle_finds(case: dict[str, Any]) -> None:
    arrays = Arrays([{p: tuple(own) for p, own in release.items()} for release in case["releases"]])
    for key, presence in (("aligned_pattern", False), ("aligned_presence", True)):
        found = aligned(arrays.classes, arrays.tail_of, presence=presence)
        assert arrays.by_person(map(list, zip(*found, strict=True))) == case[key]["by_person"]
        assert (int(found.people.min()), int((found.people == 1).sum())) == (
            case[key]["k"],
            case[key]["alone"],
        )
        assert (int(found.tails.min()), int((found.tails == 1).sum())) == (
            case[key]["l"],
            case[key]["one_value"],
        )
    invariance, expected = m_invariance(arrays.classes, arrays.contents), case["m_invariance"]
    assert list(invariance.by_release) == expected["m_unique_by_release"]
    changed = [person for person, has in arrays.by_person(invariance.changed).items() if has]
    assert changed == expected["people_with_changed_signature"]
    assert invariance.m == expected["m"]
    if case["tails_constant"]:
        for key, attacker in (("intersection", intersection), ("propagated", insider)):
            left = attacker(arrays.classes, arrays.contents, arrays.values)
            assert arrays.by_person(left.tails) == {p: len(tails) for p, tails in case[key].items()}
            assert (left.values["tail"] == left.tails).all()
            assert int((left.tails == 1).sum()) == case["certain"][key]
            assert arrays.by_person(left.tails).keys() == case[key].keys()


@pytest.mark.parametrize(
    "case", [c for c in ORACLE["cases"] if "exact_posterior" in c], ids=lambda c: c["name"]
)
def test_who_is_certain_is_certain_in_every_world_of_the_oracle(case: dict[str, Any]) -> None:
    releases = [{p: tuple(own) for p, own in release.items()} for release in case["releases"]]
    possible = {person: set(own) for person, own in case["exact_posterior"].items()}
    assert possible_tails(releases) == possible
    arrays = Arrays(releases)
    left = insider(arrays.classes, arrays.contents)
    assert left is not None
    certain = {person for person, n in arrays.by_person(left.tails).items() if n == 1}
    assert certain <= {person for person, tails in possible.items() if len(tails) == 1}
    assert sum(len(tails) == 1 for tails in possible.values()) == case["certain"]["exact"]


@pytest.mark.parametrize("case", ORACLE["xy"], ids=lambda case: case["name"])
def test_xy_anonymity_is_that_of_the_oracle(case: dict[str, Any]) -> None:
    def coded(rows: Sequence[Mapping[str, str]], names: Sequence[str]) -> Any:
        return np.array([codes.setdefault(tuple(row[n] for n in names), len(codes)) for row in rows])

    codes: dict[tuple[str, ...], int] = {}
    first, second = (coded(case[key], case["on"]) for key in ("first", "second"))
    found = xy_anonymity(first, second, coded(case["second"], case["X"]), coded(case["first"], case["Y"]))
    assert (found.rows, found.anonymity) == (case["join_rows"], case["xy_anonymity"])
    assert found.linkability == Fraction(case["xy_linkability"])


def test_the_pair_of_clinic_releases_has_the_figures_of_the_oracle() -> None:
    expected = json.loads((DATA / "ledger_clinic.json").read_text(encoding="utf-8"))["expected"]
    releases = []
    for name in ("ledger_clinic_a.csv.gz", "ledger_clinic_b.csv.gz"):
        with gzip.open(DATA / name, "rt", encoding="utf-8", newline="") as file:
            rows = [tuple(row) for row in csv.reader(file)][1:]
        label = {True: "*", False: ""}
        releases.append(
            {
                str(n): (label[set(r[:5]) == {"*"}] or "|".join(r[:5]), "|".join(r[5:]))
                for n, r in enumerate(rows)
            }
        )
    arrays = Arrays(releases)
    diagnosis = [tail.split("|")[1] for tail in arrays.tails]
    values = {"diagnosis": np.array([sorted(set(diagnosis)).index(own) for own in diagnosis])}
    people = aligned(arrays.classes, arrays.tail_of).people
    assert int(people.min()) == expected["joint_k"]
    assert int((people == 1).sum()) == expected["alone"]
    assert int((people < 5).sum()) == expected["in_groups_below_5"]
    assert round(float((1 / people).sum())) == expected["joint_classes"]
    kept = (arrays.classes != GROUP).all(axis=0)
    assert int(kept.sum()) == expected["kept_in_both"]
    assert int((people[kept] == 1).sum()) == expected["kept_alone"]
    assert int((people[kept] < 5).sum()) == expected["kept_in_groups_below_5"]
    assert round(float((1 / people[kept]).sum())) == expected["kept_joint_classes"]
    for key, attacker in (("intersection", intersection), ("propagated", insider)):
        left = attacker(arrays.classes, arrays.contents, values)
        assert isinstance(left, Left)
        assert int((left.tails == 1).sum()) == expected[f"{key}_one_tail"]
        assert int((left.values["diagnosis"] == 1).sum()) == expected[f"{key}_one_diagnosis"]
        assert int((left.values["diagnosis"] < 3).sum()) == expected[f"{key}_below_3_diagnoses"]


@st.composite
def problems(draw: st.DrawFn, *, most: int = 9) -> tuple[list[Release], list[bool]]:
    """Return releases, and whether each hides the tails of its group of stars."""
    n, n_tails = draw(st.integers(1, most)), draw(st.integers(1, 4))
    n_classes = draw(st.integers(1, 3))
    people = [f"p{i}" for i in range(n)]
    constant = draw(st.booleans())
    tails = {p: draw(st.integers(0, n_tails - 1)) for p in people}
    releases = []
    for _number in range(draw(st.integers(1, 3))):
        release = {}
        for person in people:
            own = draw(st.integers(0, n_classes + 1))  # the last one is absent
            if not constant and draw(st.integers(0, 5)) == 0:
                tails[person] = draw(st.integers(0, n_tails - 1))
            if own <= n_classes:
                release[person] = ("*" if own == 0 else f"c{own}", "aabb"[tails[person]] + str(tails[person]))
        releases.append(release)
    return releases, [draw(st.booleans()) for _release in releases]


@given(problems(), st.booleans())
def test_aligned_candidates_are_those_of_a_slow_program(
    problem: tuple[list[Release], list[bool]], presence: bool
) -> None:
    releases, _hidden = problem
    arrays = Arrays(releases)
    found = aligned(arrays.classes, arrays.tail_of, presence=presence)
    for number, person in enumerate(arrays.people):
        candidates = slow_candidates(releases, person, presence=presence)
        assert found.people[number] == len(candidates)
        assert found.tails[number] == slow_sequences(releases, person, candidates, presence=presence)


@given(problems())
def test_what_intersection_leaves_is_that_of_a_slow_program(
    problem: tuple[list[Release], list[bool]],
) -> None:
    releases, hidden = problem
    arrays = Arrays(releases)
    contents = _shown(arrays, hidden)
    found = intersection(arrays.classes, contents, arrays.values)
    expected = slow_intersection(releases, hidden)
    assert arrays.by_person(found.tails) == {p: len(expected.get(p, ())) for p in arrays.people}
    firsts = {p: len({t[0] for t in expected.get(p, ())}) for p in arrays.people}
    assert arrays.by_person(found.values["first"]) == firsts


@given(problems())
def test_what_the_bounds_of_the_insider_leave_is_that_of_a_slow_program(
    problem: tuple[list[Release], list[bool]],
) -> None:
    releases, hidden = problem
    arrays = Arrays(releases)
    found = insider(arrays.classes, _shown(arrays, hidden), arrays.values)
    expected = slow_propagation(releases, hidden)
    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert arrays.by_person(found.tails) == {p: len(expected.get(p, ())) for p in arrays.people}
        firsts = {p: len({t[0] for t in expected.get(p, ())}) for p in arrays.people}
        assert arrays.by_person(found.values["first"]) == firsts


@given(problems(most=6))
def test_bounds_exclude_no_possible_tail_and_leave_no_more_than_intersection(
    problem: tuple[list[Release], list[bool]],
) -> None:
    releases = problem[0]
    arrays = Arrays(releases)
    found = insider(arrays.classes, arrays.contents)
    possible = possible_tails(releases)
    if found is None:
        assert not any(possible.values())
        return
    common = intersection(arrays.classes, arrays.contents).tails
    for number, person in enumerate(arrays.people):
        assert len(possible[person]) <= found.tails[number] <= common[number]


@given(problems())
def test_m_invariance_is_that_of_a_slow_program(problem: tuple[list[Release], list[bool]]) -> None:
    releases, _hidden = problem
    arrays = Arrays(releases)
    found = m_invariance(arrays.classes, arrays.contents)
    signatures = []
    for number, release in enumerate(releases):
        tails = defaultdict(list)
        for own, tail in release.values():
            tails[own].append(tail)
        is_unique = all(len(set(own)) == len(own) for own in tails.values())
        smallest = min(map(len, tails.values()), default=0)
        assert found.by_release[number] == (smallest if is_unique else 0)
        signatures.append({person: set(tails[own]) for person, (own, _tail) in release.items()})
    for person, changed in arrays.by_person(found.changed).items():
        own = [release[person] for release in signatures if person in release]
        assert changed == any(one != own[0] for one in own)


def _shown(arrays: Arrays, hidden: Sequence[bool]) -> list[ClassTails]:
    return [
        rows.without_group() if is_hidden else rows
        for rows, is_hidden in zip(arrays.contents, hidden, strict=True)
    ]
