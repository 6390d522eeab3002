"""Disjoint cells: no two overlap, no split is left, and who knows the method excludes nothing."""

from __future__ import annotations

import os
import random
from collections import defaultdict
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from engine.findings.risk.narrowing import Narrowing, narrowing_of_file
from engine.findings.subject import Subject
from engine.findings.utility.of_table import measure_utility
from engine.hierarchies import Hierarchy
from engine.hierarchies.remainders import covered_leaves, with_remainders
from engine.monitor import SILENT
from engine.pipeline import anonymize, export_release, verify_promises
from engine.privacy import Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project
from engine.project.compile import compile_problem
from engine.recoding import RecodingTask, make_local_release, recoding_methods, rooted
from engine.records.opening import read
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


def leaves_of(attribute: Attributes, label: str) -> set[str]:
    """Return the values that a written label stands for."""
    group, _without, parts = label.partition(" without ")
    found = {row[0] for row in attribute.rows if group in (*row, "*")}
    for part in parts.split(", ") if parts else ():
        below = leaves_of(attribute, part)
        assert 0 < len(below) < len(found)
        assert below < found
        found -= below
    return found


@pytest.mark.parametrize("remainders", [False, True])
@pytest.mark.parametrize("part", range(4))
def test_cells_are_disjoint_and_no_split_is_left(part: int, remainders: bool) -> None:
    chosen, n_cells, n_suppressed, n_rests = random.Random(part), 0, 0, 0
    method = recoding_methods.create("disjoint", remainders=remainders)
    for _ in range(N_RANDOM // 4):
        case, k, least, limit = random_case(chosen)
        requirement = Requirement((KAnonymity(k), DistinctLDiversity("ill", least)), limit)
        project, ill = case.under(requirement), case.sensitive[0].texts
        problem = rooted(compile_problem(project))
        recoding = method.improve(RecodingTask(problem, requirement), SILENT)
        release = make_local_release(project, problem, recoding)
        if not release.satisfies:
            continue
        n_suppressed += int(recoding.suppressed.sum())
        found = Narrowing().run(Subject(project, release))
        assert not any(any(own.named().values()) for own in found.rules)
        columns = [release.column(a.name) for a in case.qi]
        cells: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for record in (~release.suppressed).nonzero()[0].tolist():
            cells[tuple(column.text(record) for column in columns if column)].append(record)
        covered = {c: [leaves_of(a, label) for a, label in zip(case.qi, c, strict=True)] for c in cells}
        for one, other in combinations(covered.values(), 2):
            assert any(own.isdisjoint(others) for own, others in zip(one, other, strict=True))

        def is_met(members: list[int], k: int = k, least: int = least, ill: tuple[str, ...] = ill) -> bool:
            return len(members) >= k and len({ill[i] for i in members}) >= least

        for cell, members in cells.items():
            assert is_met(members)
            for q, a in enumerate(case.qi):
                assert all(a.texts[record] in covered[cell][q] for record in members)
                level = int(recoding.levels[members[0], q])
                if " without " in cell[q] or not level:
                    n_rests += level > 0
                    continue
                children: dict[str, list[int]] = defaultdict(list)
                for record in members:
                    children[path_of(a, record)[level - 1]].append(record)
                met = [own for own in children.values() if is_met(own)]
                assert len(met) < len(children)
                if remainders:
                    assert not any(is_met([i for i in members if i not in own]) for own in met)
        n_cells += len(cells)
    assert n_cells > N_RANDOM // 2
    assert n_suppressed
    assert bool(n_rests) is remainders


@pytest.mark.parametrize(
    ("remainders", "limit", "reference"), [(False, 0.0, 0.777), (False, 0.05, 0.780), (True, 0.0, 0.815)]
)
def test_clinic_keeps_as_much_detail_as_the_reference(
    clinic: Project, remainders: bool, limit: float, reference: float
) -> None:
    requirement = replace(clinic.requirement, suppression_limit=limit)
    method = recoding_methods.create("disjoint", remainders=remainders)
    project = replace(clinic, requirement=requirement, recoding=method)
    outcome = anonymize(project)
    assert 1 - float(outcome.evaluation.metric("loss")[0]) > reference
    found = Narrowing().run(Subject(project, outcome.release))
    assert not any(any(own.named().values()) for own in found.rules)


def test_files_with_remainders_are_read_by_every_command(clinic: Project, tmp_path: Path) -> None:
    project = replace(clinic, recoding=recoding_methods.create("disjoint", remainders=True))
    outcome = anonymize(project)
    path = tmp_path / "released.csv"
    assert export_release(project, outcome.release, path).ok
    written, original = read(path).table, compile_problem(project)
    assert not narrowing_of_file(original, written).by_order.records_narrowed
    hierarchies = {a.name: a.hierarchy for a in original.attributes}
    measured = measure_utility(project.table, written, original.names, (), hierarchies=hierarchies).as_dict()
    for key in ("loss", "precision", "non_uniform_entropy", "kl_divergence"):
        assert measured[key] == pytest.approx(float(outcome.evaluation.metric(key)[0]), rel=1e-9)
    lines = path.read_text().splitlines()
    rests = [i for i, line in enumerate(lines) if "other without Private" in line]
    assert rests
    wrong = [line.replace("other without Private", "other without Public employee") for line in lines]
    path.write_text("\n".join(wrong) + "\n")
    promised = verify_promises(project, path)
    assert not promised.ok


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("all without a, b", {"c", "d", "e"}),
        ("all without a, b, c", {"d", "e"}),  # "a, b" is a label, too
        ("a, b without a", {"b"}),
        ("all without all", None),
        ("all without z", None),
        ("a, b without c", None),
        ("all without ", None),
        ("a, b", None),
    ],
)
def test_labels_of_remainders_are_read(text: str, left: set[str] | None) -> None:
    rows = [
        ("a", "a, b", "all"),
        ("b", "a, b", "all"),
        ("c", "cd", "all"),
        ("d", "cd", "all"),
        ("e", "e", "all"),
    ]
    hierarchy = Hierarchy.from_rows(rows)
    found = covered_leaves(hierarchy, text)
    assert (found is None) == (left is None)
    if found is not None:
        assert {value for value, own in zip(hierarchy.values, found[1].tolist(), strict=True) if own} == left
    whole = with_remainders(hierarchy, [text])
    assert whole.height == hierarchy.height
    assert whole.steps.rows() == hierarchy.rows()
    assert len(whole.beside) == (left is not None)
