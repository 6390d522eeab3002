"""Releases for attackers who know some columns are verified, and refused if a record is put back."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.monitor import SILENT
from engine.pipeline import export_release
from engine.privacy import Requirement
from engine.privacy.any_columns import AnyColumns
from engine.privacy.known_columns import KnownColumns
from engine.project.claims import release_claim
from engine.recoding import make_local_release, make_release
from engine.recoding.base import Recoding, RecodingTask, recoding_methods, rooted
from engine.verification import verify
from tests.attackers import REFERENCE, attackers, case_of
from tests.strategies import cases, nodes, ten

BY_NAME = {entry["name"]: entry for entry in REFERENCE}


@ten
@given(data=st.data())
def test_a_release_is_verified(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    case = data.draw(cases(persons=data.draw(st.booleans()), max_sensitive=1))
    models = tuple(data.draw(attackers(case))[0] for _ in range(data.draw(st.integers(1, 2))))
    requirement = Requirement(models, 1.0, whole_persons=data.draw(st.booleans()))
    project = case.under(requirement)
    release = make_release(project, case.problem, data.draw(nodes(case)), requirement)
    assume(not release.suppressed.all())
    verdict = export_release(project, release, tmp_path_factory.mktemp("written") / "out.csv")
    assert verdict.problems == ()


@pytest.mark.parametrize(
    "model",
    [
        KnownColumns(known=("age", "sex"), k=2),
        AnyColumns(m=1, k=4),
        AnyColumns(m=2, k=2, column="s", l=2, confidence=0.6, values=("hiv",)),
    ],
    ids=["known", "any", "values"],
)
@pytest.mark.parametrize("method", ["mondrian", "cells"])
def test_levels_that_vary_by_record_are_verified_too(
    method: str, model: KnownColumns | AnyColumns, tmp_path: Path
) -> None:
    case = case_of(BY_NAME["random_23"])
    requirement = Requirement((model,), 1.0)
    project = case.under(requirement)
    made = recoding_methods.create(method)
    problem = rooted(case.problem)
    start = Recoding.of_node(problem.lattice.maximum, np.zeros(problem.n_records, dtype=np.bool_))
    recoding = made.improve(RecodingTask(problem, requirement, start=start), SILENT)
    release = make_local_release(project, problem, recoding, method)
    assert not release.suppressed.all()
    assert export_release(project, release, tmp_path / "out.csv").problems == ()


def test_a_record_that_fails_only_in_the_second_round_is_missed_in_a_file_that_keeps_it(
    tmp_path: Path,
) -> None:
    entry = BY_NAME["second_round"]
    case = case_of(entry)
    models = (KnownColumns(known=("sex",), k=2), KnownColumns(known=("zip",), k=2))
    requirement = Requirement(models, 0.5)
    project = case.under(requirement)
    release = make_release(project, case.problem, (0, 0), requirement)
    assert np.flatnonzero(release.suppressed).tolist() == [0, 1]
    original, out = tmp_path / "in.csv", tmp_path / "out.csv"
    with original.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(entry["columns"])
        writer.writerows([[row[name] for name in entry["columns"]] for row in entry["rows"]])
    project = replace(project, source=original)
    assert export_release(project, release, out).ok
    claim = release_claim(project, release, original, out)
    assert verify(claim).ok
    lines = out.read_text(encoding="utf-8").split("\n")
    lines[2] = "m,11,none"
    out.write_text("\n".join(lines), encoding="utf-8")
    assert any("classes of k = 2 by the columns zip" in problem for problem in verify(claim).problems)
