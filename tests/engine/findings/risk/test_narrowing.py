"""Narrowing by an insider, against the reference files and against all points of all cells."""

from __future__ import annotations

import csv
import gzip
import json
import os
import random
from collections import defaultdict
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.errors import InputError
from engine.findings.risk.narrowing import Narrowing, NarrowingFound, narrowing_of_file
from engine.findings.subject import Subject
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project
from engine.project.compile import compile_problem
from engine.recoding import Recoding, make_local_release, make_release, rooted
from engine.records import Table
from tests.engine.cli.running import Command
from tests.strategies import Attributes, Case, Rows, column_of

N_RANDOM = int(os.environ.get("ANONYMIZER_RANDOM_PROBLEMS", "200"))
FOLDER = Path(__file__).parents[3] / "data" / "third"
KNOWN = json.loads((FOLDER / "downcoding.json").read_text(encoding="utf-8"))
RULES = ("R1", "R1b", "R2")
TREES: tuple[Rows, ...] = (
    tuple((f"{i}", f"{i // 2}x", f"{i // 4}xx", "*") for i in range(8)),
    (("A", "AB", "*"), ("B", "AB", "*"), ("C", "C", "*"), ("D", "D", "*")),
    (("A", "X", "*"), ("B", "X", "*"), ("X", "Y", "*")),  # X is a value and a label of others
    (("m", "any"), ("f", "any")),
)


def written(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    columns = zip(names, zip(*rows, strict=True), strict=True)
    return Table(tuple(column_of(Attributes(name, tuple(texts))) for name, texts in columns))


def of_texts(case: Case, rows: Sequence[Sequence[str]]) -> NarrowingFound:
    names = [attribute.name for attribute in case.qi]
    return narrowing_of_file(compile_problem(case.project), written(names, rows))


@pytest.mark.parametrize("known", KNOWN["cases"], ids=lambda known: known["name"])
def test_tiny_tables_have_the_figures_of_the_reference(known: dict[str, Any]) -> None:
    texts = zip(*known["raw"], strict=True)
    trees = (tuple(map(tuple, known["hierarchies"][name])) for name in known["columns"])
    columns = zip(known["columns"], texts, trees, strict=True)
    case = Case(tuple(Attributes(name, own, rows=rows) for name, own, rows in columns))
    found, expected = of_texts(case, known["released"]), known["expected"]
    assert found.named_values() == {rule: expected[rule] for rule in RULES}
    assert (found.n_kept, found.n_classes) == (expected["kept"], expected["classes"])


@pytest.fixture(scope="module")
def releases() -> dict[str, list[list[str]]]:
    found: dict[str, list[list[str]]] = defaultdict(list)
    with gzip.open(FOLDER / "downcoding_clinic.csv.gz", "rt", encoding="utf-8", newline="") as file:
        for method, *cells in list(csv.reader(file))[1:]:
            found[method].append(cells)
    return found


@pytest.mark.parametrize("known", KNOWN["clinic"], ids=lambda known: known["name"])
def test_releases_of_clinic_have_the_figures_of_the_reference(
    known: dict[str, Any], clinic: Project, releases: dict[str, list[list[str]]]
) -> None:
    table = written(KNOWN["clinic_columns"], releases[known["name"]])
    found, expected = narrowing_of_file(compile_problem(clinic), table), known["expected"]
    assert found.named_values() == {rule: expected[rule] for rule in RULES}
    assert found.by_order.misleads == (known["name"] == "cluster")
    assert ("misleads: 32.7" in found.statement().caption) == (known["name"] == "cluster")
    assert (found.statement().tone == "ok") == (known["name"] == "one_node")


def leaves_of(text: str, rows: Rows) -> frozenset[str]:
    found = frozenset(row[0] for row in rows if text in row)
    return found or frozenset(row[0] for row in rows)  # only * is in no line


def slow(case: Case, rows: Sequence[tuple[str, ...]]) -> dict[str, dict[str, int]]:
    """Return the counts of every rule by all points of all cells, without the engine."""
    trees, truths = [a.rows for a in case.qi], list(zip(*(a.texts for a in case.qi), strict=True))
    members: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for record, row in enumerate(rows):
        if set(row) != {"*"}:
            members[row].append(record)
    sets = {c: [leaves_of(t, tree) for t, tree in zip(c, trees, strict=True)] for c in members}
    points = {own: set(product(*cell)) for own, cell in sets.items()}
    counts = {rule: dict.fromkeys(COUNTS, 0) for rule in RULES}
    for own, cell in sets.items():
        before = [other for other in sets if len(points[other]) < len(points[own])]
        union = set().union(*(points[other] for other in before))
        for rule, count in counts.items():
            gone = [set[str]() for _ in cell]
            for q, leaves in enumerate(cell):
                if rule == "R2":
                    gone[q] = {v for v in leaves if all(p in union for p in points[own] if p[q] == v)}
                    continue
                for other in before if rule == "R1b" else sets:
                    theirs = sets[other]
                    rest = [(a, b) for i, (a, b) in enumerate(zip(theirs, cell, strict=True)) if i != q]
                    if rule == "R1" and theirs[q] < leaves and all(a == b for a, b in rest):
                        gone[q] |= theirs[q]
                    if rule == "R1b" and all(a >= b for a, b in rest):
                        gone[q] |= theirs[q] & leaves
            tally(count, cell, gone, [truths[record] for record in members[own]])
    return counts


COUNTS = (
    "records_narrowed",
    "to_half_or_less",
    "to_one_value",
    "cells_right",
    "cells_wrong",
    "contradicted",
)


def tally(
    count: dict[str, int],
    cell: Sequence[frozenset[str]],
    gone: Sequence[set[str]],
    truths: Sequence[tuple[str, ...]],
) -> None:
    narrowed = [(q, leaves, gone[q]) for q, leaves in enumerate(cell) if gone[q]]
    if any(leaves == own for _q, leaves, own in narrowed):
        count["contradicted"] += len(truths)
    elif narrowed:
        count["records_narrowed"] += len(truths)
        left = [(len(leaves - own), len(leaves)) for _q, leaves, own in narrowed]
        count["to_half_or_less"] += len(truths) * any(n <= was / 2 for n, was in left)
        count["to_one_value"] += len(truths) * any(n == 1 for n, _was in left)
        for q, _leaves, own in narrowed:
            for truth in truths:
                count["cells_wrong" if truth[q] in own else "cells_right"] += 1


@pytest.mark.parametrize("part", range(4))
def test_random_releases_have_the_figures_of_all_points(part: int) -> None:
    chosen = random.Random(part)
    reached: dict[str, int] = defaultdict(int)
    for _ in range(N_RANDOM // 4):
        n_records = chosen.randint(1, 30)
        trees = [chosen.choice(TREES) for _ in range(chosen.randint(1, 3))]
        qi = [
            Attributes(f"q{q}", tuple(chosen.choice(tree)[0] for _ in range(n_records)), rows=tree)
            for q, tree in enumerate(trees)
        ]
        case = Case(tuple(qi))
        paths = [{row[0]: row for row in tree} for tree in trees]
        coarse = chosen.random()
        rows = []
        for record in range(n_records):
            labels = [path[a.texts[record]] for a, path in zip(qi, paths, strict=True)]
            levels = [chosen.choice(row) if chosen.random() < coarse else row[0] for row in labels]
            is_gone = chosen.random() < 0.1
            rows.append(tuple("*" if is_gone or chosen.random() < 0.05 else text for text in levels))
        expected = slow(case, rows)
        assert of_texts(case, rows).named_values() == expected
        for rule, count in expected.items():
            for name, number in count.items():
                reached[f"{rule} {name}"] += number
    assert len([name for name, number in reached.items() if number]) == len(RULES) * len(COUNTS)


def test_a_release_in_memory_has_the_figures_of_its_file(hospital: Project) -> None:
    chosen = np.random.default_rng(5)
    problem = rooted(compile_problem(hospital))
    heights = [attribute.hierarchy.height + 1 for attribute in problem.attributes]
    levels = chosen.integers(0, heights, (problem.n_records, len(heights))).astype(np.int16)
    recoding = Recoding(levels, chosen.random(problem.n_records) < 0.2)
    release = make_local_release(hospital, problem, recoding, requirement=Requirement((KAnonymity(1),), 1.0))
    found = Narrowing().run(Subject(hospital, release))
    columns = [release.column(name) for name in problem.names]
    rows = [[own.text(i) for own in columns if own] for i in range(problem.n_records)]
    assert found.named_values() == narrowing_of_file(problem, written(problem.names, rows)).named_values()
    assert found.by_order.records_narrowed
    node = make_release(hospital, compile_problem(hospital), (2, 0, 2))
    assert not any(own.records_narrowed for own in Narrowing().run(Subject(hospital, node)).rules)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([["1x"]], "The release has 1 records, the table of the recipe 2."),
        ([["1x"], ["9x"]], "'9x' is no label of the hierarchy of 'q'."),
        (
            [["3"], ["2"]],
            "Row 1 of the release is not of this record: '3' does not contain its value of 'q'.",
        ),
    ],
)
def test_a_file_of_another_table_is_refused(rows: list[list[str]], message: str) -> None:
    case = Case((Attributes("q", ("2", "3"), rows=TREES[0]),))
    with pytest.raises(InputError, match=message):
        of_texts(case, rows)


def test_the_command_reads_a_file_that_fails_the_recipe(
    examples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], releases: dict[str, list[list[str]]]
) -> None:
    analyze = Command("analyze", capsys)
    recipe, path = examples / "clinic" / "recipe.toml", tmp_path / "iterated.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [[*KNOWN["clinic_columns"], "note"], *([*r, "x"] for r in releases["iterated"])]
        )
    found = analyze.json(recipe, "narrowing", "--release", path)
    expected = next(known["expected"] for known in KNOWN["clinic"] if known["name"] == "iterated")
    assert found["values"] == {rule: expected[rule] for rule in RULES}
    assert [row["rule"] for row in found["tables"]["narrowing"]] == list(RULES)
    analyze.refuses("Omit --release", recipe, "stability", "--release", path)
    analyze.refuses("Omit --node", recipe, "narrowing", "--node", "0,0,0,0,0", "--release", path)
    analyze.refuses("Omit --draws", recipe, "narrowing", "--draws", "3")
    stable = analyze.json(examples / "hospital" / "recipe.toml", "stability", "--draws", "4")
    assert stable["values"]["draws"] == len(stable["tables"]["draws"]) == 4
