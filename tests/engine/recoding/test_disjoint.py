"""Disjoint cells: no two overlap, no split is left, and who knows the method excludes nothing."""

from __future__ import annotations

import os
import random
from collections import defaultdict
from dataclasses import replace
from itertools import combinations

import pytest

from engine.findings.risk.narrowing import Narrowing
from engine.findings.subject import Subject
from engine.monitor import SILENT
from engine.pipeline import anonymize
from engine.privacy import Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project
from engine.project.compile import compile_problem
from engine.recoding import RecodingTask, make_local_release, recoding_methods, rooted
from tests.strategies import Attributes, Case, Rows

N_RANDOM = int(os.environ.get("ANONYMIZER_RANDOM_PROBLEMS", "40"))
TREES: tuple[Rows, ...] = (
    tuple((f"{i}", f"{i // 2}x", f"{i // 4}xx", "*") for i in range(8)),
    (("A", "AB", "*"), ("B", "AB", "*"), ("C", "C", "*"), ("D", "CD", "*")),
    (("m", "*"), ("f", "*")),
    (("u", "lower"), ("v", "lower"), ("w", "upper")),  # no single top: two cells from the start
)


def random_case(chosen: random.Random) -> tuple[Case, int, int, float]:
    n_records, trees = chosen.randint(1, 40), chosen.choices(TREES, k=chosen.randint(1, 3))
    qi = [
        Attributes(f"q{i}", tuple(chosen.choice(rows)[0] for _ in range(n_records)), rows=rows)
        for i, rows in enumerate(trees)
    ]
    ill = Attributes("ill", tuple(chosen.choice("xyz") for _ in range(n_records)))
    return Case(tuple(qi), (ill,)), chosen.randint(1, 5), chosen.randint(1, 2), chosen.choice([0, 0.1, 0.5])


def path_of(attribute: Attributes, record: int) -> tuple[str, ...]:
    """Return the labels of a record by level, with the level of `*` that is added where none is on top."""
    row = next(row for row in attribute.rows if row[0] == attribute.texts[record])
    return row if len({row[-1] for row in attribute.rows}) == 1 else (*row, "*")


def leaves_of(attribute: Attributes, record: int, level: int) -> set[str]:
    label = path_of(attribute, record)[level]
    return {row[0] for row in attribute.rows if label == (*row, "*")[level]}


@pytest.mark.parametrize("part", range(4))
def test_cells_are_disjoint_and_no_split_is_left(part: int) -> None:
    chosen, n_cells, n_suppressed = random.Random(part), 0, 0
    method = recoding_methods["disjoint"]()
    for _ in range(N_RANDOM // 4):
        case, k, least, limit = random_case(chosen)
        requirement = Requirement((KAnonymity(k), DistinctLDiversity("ill", least)), limit)
        project = case.under(requirement)
        problem = rooted(compile_problem(project))
        recoding = method.improve(RecodingTask(problem, requirement), SILENT)
        release = make_local_release(project, problem, recoding)
        if not release.satisfies:
            continue
        n_suppressed += int(recoding.suppressed.sum())
        found = Narrowing().run(Subject(project, release))
        assert not any(any(own.named().values()) for own in found.rules)
        cells: dict[tuple[tuple[int, str], ...], list[int]] = defaultdict(list)
        for record in (~recoding.suppressed).nonzero()[0].tolist():
            levels = recoding.levels[record].tolist()
            cell = ((g, path_of(a, record)[g]) for a, g in zip(case.qi, levels, strict=True))
            cells[tuple(cell)].append(record)
        n_cells += len(cells)
        for (one, members), (other, others) in combinations(cells.items(), 2):
            assert any(
                leaves_of(a, members[0], one[q][0]).isdisjoint(leaves_of(a, others[0], other[q][0]))
                for q, a in enumerate(case.qi)
            )
        for cell, members in cells.items():
            for a, (level, _label) in zip(case.qi, cell, strict=True):
                children: dict[str, list[str]] = defaultdict(list)
                for record in members:
                    children[path_of(a, record)[level - 1]].append(case.sensitive[0].texts[record])
                assert not level or any(len(c) < k or len(set(c)) < least for c in children.values())
    assert n_cells > N_RANDOM // 2
    assert n_suppressed


def test_clinic_keeps_as_much_detail_as_the_reference(clinic: Project) -> None:
    kept = []
    for limit in (0.0, 0.05):
        requirement = replace(clinic.requirement, suppression_limit=limit)
        project = replace(clinic, requirement=requirement, recoding=recoding_methods.create("disjoint"))
        outcome = anonymize(project)
        kept.append(1 - float(outcome.evaluation.metric("loss")[0]))
        found = Narrowing().run(Subject(project, outcome.release))
        assert not any(any(own.named().values()) for own in found.rules)
    assert kept[0] > 0.777
    assert kept[1] >= max(kept[0], 0.780)
