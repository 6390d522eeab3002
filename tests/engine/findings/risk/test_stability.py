"""Stability against plain recounts of drawn tables."""

from __future__ import annotations

import json
import os
import random
from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.errors import InputError
from engine.findings.risk.stability import Stability, StabilityFound
from engine.findings.subject import Subject
from engine.privacy import Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.t_closeness import TCloseness
from engine.project import Project
from engine.project.compile import compile_problem
from engine.recoding import Recoding, make_local_release, make_release, rooted
from tests.strategies import Attributes, Case

N_RANDOM = int(os.environ.get("ANONYMIZER_RANDOM_PROBLEMS", "40"))
TREES = (
    tuple((f"{i}", f"{i // 2}x", f"{i // 4}xx", "*") for i in range(8)),
    (("A", "AB", "*"), ("B", "AB", "*"), ("C", "CD", "*"), ("D", "CD", "*")),
    (("m", "*"), ("f", "*")),
)


def found_at(project: Project, node: tuple[int, ...], draws: int) -> StabilityFound:
    release = make_release(project, compile_problem(project), node)
    return Stability(draws).run(Subject(project, release))


def test_the_drawn_tables_of_clinic_are_those_of_the_reference(clinic: Project, data: Path) -> None:
    wanted = json.loads((data / "third" / "stability.json").read_text(encoding="utf-8"))
    found = found_at(clinic, tuple(wanted["node"].values()), len(wanted["draws"]))
    for own, reference in zip(found.draws, wanted["draws"], strict=True):
        assert (own.seed, own.suppressed, own.satisfies) == tuple(
            reference[key] for key in ("seed", "suppressed", "satisfies")
        )
        assert own.loss == pytest.approx(reference["loss"], rel=1e-9)
    assert found.named_values()["satisfies"] == 0.86
    assert found.named_values()["interval"] == pytest.approx([0.7786, 0.9147], abs=1e-4)
    assert "86.0\u202f% of 100 tables" in found.statement().sentence


def slow_draw(
    case: Case, requirement: Requirement, seed: int
) -> dict[tuple[int, ...], tuple[Any, int, bool]]:
    """Return loss, suppressed records and verdict of every node in a drawn table, without the engine."""
    draw = np.random.Generator(np.random.PCG64(seed))
    owners: dict[str, list[int]] = defaultdict(list)
    for record in range(case.n_records):
        owners[case.persons[record] if case.persons else str(record)].append(record)
    groups = list(owners.values())
    drawn = [groups[i] for i in draw.integers(0, len(groups), len(groups))]
    records = [(person, record) for person, own in enumerate(drawn) for record in own]
    weight = {person: Fraction(1, len(own)) for person, own in enumerate(drawn)}
    sensitive, total = case.sensitive[0].texts, Fraction(len(drawn))
    shares: dict[str, Fraction] = defaultdict(Fraction)
    for person, record in records:
        shares[sensitive[record]] += weight[person] / total
    paths = [{row[0]: row for row in a.rows} for a in case.qi]
    found = {}
    for node in product(*(range(len(a.rows[0])) for a in case.qi)):
        classes: dict[tuple[str, ...], list[tuple[int, int]]] = defaultdict(list)
        for person, record in records:
            cells = (
                paths[q][a.texts[record]][level]
                for q, (a, level) in enumerate(zip(case.qi, node, strict=True))
            )
            classes[tuple(cells)].append((person, record))
        suppressed, lost = 0, [Fraction(0)] * len(case.qi)
        for labels, members in classes.items():
            if not meets(requirement, members, sensitive, weight, shares):
                suppressed += len(members)
                lost = [own + len(members) for own in lost]
                continue
            for q, (a, label, level) in enumerate(zip(case.qi, labels, node, strict=True)):
                covered = sum(row[level] == label for row in a.rows)
                lost[q] += len(members) * Fraction(covered - 1, len(a.rows) - 1)
        allowed = Fraction(str(requirement.suppression_limit)) * len(records)
        found[node] = prod(1 + own / len(records) for own in lost), suppressed, suppressed <= allowed
    return found


def meets(
    requirement: Requirement,
    members: list[tuple[int, int]],
    sensitive: tuple[str, ...],
    weight: dict[int, Fraction],
    shares: dict[str, Fraction],
) -> bool:
    own: dict[str, Fraction] = defaultdict(Fraction)
    for person, record in members:
        own[sensitive[record]] += weight[person]
    total = sum(own.values())
    for model in requirement.models:
        if isinstance(model, KAnonymity):
            fails = len({person for person, _record in members}) < model.k
        elif isinstance(model, DistinctLDiversity):
            holders = {value: {p for p, r in members if sensitive[r] == value} for value in own}
            alone = Counter(next(iter(who)) for who in holders.values() if len(who) == 1)
            fails = min(len(own), 1 + len(own) - max(alone.values(), default=0)) < model.l
        else:
            assert isinstance(model, TCloseness)
            distance = sum(abs(own[value] / total - share) for value, share in shares.items()) / 2
            fails = distance > Fraction(str(model.t))
        if fails:
            return False
    return True


def random_problem(chosen: random.Random) -> tuple[Case, Requirement, tuple[int, ...]]:
    n_records, trees = chosen.randint(1, 24), chosen.sample(TREES, chosen.randint(1, 3))
    qi = tuple(
        Attributes(f"q{i}", tuple(chosen.choice(rows)[0] for _ in range(n_records)), rows=rows)
        for i, rows in enumerate(trees)
    )
    ill = Attributes("ill", tuple(chosen.choice("xyz") for _ in range(n_records)))
    persons = ()
    if chosen.random() < 0.4:
        persons = tuple(f"p{chosen.randrange(n_records)}" for _ in range(n_records))
    models: list[Any] = [KAnonymity(chosen.randint(1, 4))]
    if chosen.random() < 0.4:
        models.append(DistinctLDiversity("ill", chosen.randint(1, 3)))
    if chosen.random() < 0.3:
        models.append(TCloseness("ill", chosen.choice([0.21, 0.37, 0.53]), "equal"))
    limit = chosen.choice([0.0, 0.1, 0.25, 0.5, 1.0])
    node = tuple(chosen.randrange(len(rows[0])) for rows in trees)
    return Case(qi, (ill,), persons=persons), Requirement(tuple(models), limit), node


@pytest.mark.parametrize("part", range(4))
def test_random_tables_have_the_draws_of_a_slow_recount(part: int) -> None:
    chosen, n_draws, n_optimal = random.Random(part), 3, 0
    for _ in range(N_RANDOM // 4):
        case, requirement, node = random_problem(chosen)
        found = found_at(case.under(requirement), node, n_draws)
        for seed, own in enumerate(found.draws):
            slow = slow_draw(case, requirement, seed)
            loss, suppressed, satisfies = slow[node]
            assert (own.suppressed, own.satisfies) == (suppressed, satisfies)
            assert own.loss == pytest.approx(float(loss) ** (1 / len(node)) - 1, abs=1e-12)
            order = sorted((*slow[h][:2], sum(h), h) for h in slow if slow[h][2])
            assert own.is_optimum == (bool(order) and order[0][-1] == node)
            n_optimal += own.is_optimum
        values = found.named_values()
        assert values["satisfies"] == sum(draw.satisfies for draw in found.draws) / n_draws
        assert values["optimum"] == sum(draw.is_optimum for draw in found.draws) / n_draws
        assert 0 <= values["interval"][0] <= values["satisfies"] <= values["interval"][1] <= 1
    assert n_optimal


def test_only_nodes_have_a_stability(hospital: Project) -> None:
    problem = rooted(compile_problem(hospital))
    n_records = problem.n_records
    recoding = Recoding.of_node(problem.lattice.maximum, np.zeros(n_records, dtype=np.bool_))
    project = replace(hospital, requirement=Requirement((KAnonymity(2),), 1.0))
    subject = Subject(project, make_local_release(project, problem, recoding))
    with pytest.raises(InputError, match="a property of one node"):
        Stability().run(subject)
