"""A release and a check of its file agree on every model of classes, however suppressed records leave."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.findings.model_check import CheckReport, check
from engine.pipeline.export import export_release
from engine.privacy import PrivacyModel, Relation, Requirement
from engine.privacy.alpha_k_anonymity import AlphaKAnonymity
from engine.privacy.basic_beta_likeness import BasicBetaLikeness
from engine.privacy.delta_disclosure import DeltaDisclosure
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.enhanced_beta_likeness import EnhancedBetaLikeness
from engine.privacy.entropy_l_diversity import EntropyLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.recursive_c_l_diversity import RecursiveCLDiversity
from engine.privacy.t_closeness import TCloseness
from engine.project.compile import compile_problem
from engine.project.project import Project
from engine.recoding import Release, Transformation, make_release
from tests.strategies import Attributes, Case, ten

WAYS: dict[str, dict[str, Any]] = {
    "if_held": {},
    "hold": {"suppressed_group": "hold"},
    "blank": {"blank_suppressed": True},
    "remove": {"suppressed_records": "remove"},
}
LIMITS: dict[str, tuple[type[PrivacyModel], str, dict[str, Any], list[float]]] = {
    "k": (KAnonymity, "k", {}, [1, 2, 3, 4, 5]),
    "alpha": (AlphaKAnonymity, "alpha", {"k": 1}, [0.5, 0.6, 0.75, 1.0]),
    "l": (DistinctLDiversity, "l", {}, [1, 2, 3]),
    "entropy": (EntropyLDiversity, "l", {}, [1.0, 1.5, 2.0, 2.5]),
    "recursive": (RecursiveCLDiversity, "c", {"l": 2}, [1.0, 2.0, 3.5]),
    "t": (TCloseness, "t", {"distance": "equal"}, [0.0, 0.1, 0.25, 0.5]),
    "beta": (BasicBetaLikeness, "beta", {}, [0.25, 0.5, 1.0, 3.0]),
    "enhanced": (EnhancedBetaLikeness, "beta", {}, [0.25, 0.5, 1.0, 3.0]),
    "delta": (DeltaDisclosure, "delta", {}, [0.25, 0.5, 1.0, 2.0]),
}
ROWS = tuple((town, town[0], "*") for town in ("A1", "A2", "B1", "B2", "C1"))


@pytest.mark.parametrize(
    ("kind", "way"),
    [
        pytest.param(kind, way, marks=pytest.mark.thorough if (i + j) % 2 else ())
        for i, kind in enumerate(LIMITS)
        for j, way in enumerate(WAYS)
    ],
)
@ten
@given(data=st.data())
def test_what_a_release_meets_is_what_a_check_of_its_file_measures(
    kind: str, way: str, data: st.DataObject
) -> None:
    of_model, threshold, fixed, limits = LIMITS[kind]
    n = data.draw(st.integers(6, 16))
    towns = data.draw(st.lists(st.sampled_from([row[0] for row in ROWS]), min_size=n, max_size=n))
    ills = data.draw(st.lists(st.sampled_from(["flu", "cold", "gout"]), min_size=n, max_size=n))
    case = Case((Attributes("town", tuple(towns), rows=ROWS),), (Attributes("ill", tuple(ills)),))
    own = {} if kind == "k" else {"column": "ill"}
    limit = data.draw(st.sampled_from(limits))
    model = of_model(**own, **fixed, **{threshold: limit})
    sizes = KAnonymity(data.draw(st.integers(1, 4)))
    models = (sizes, model) if data.draw(st.booleans()) else (sizes,)
    project = replace(case.under(Requirement(models, 1.0)), transformation=Transformation(**WAYS[way]))
    release = make_release(project, compile_problem(project), (data.draw(st.integers(0, 1)),))
    if not release.n_classes:
        return
    entry = figures_of_file(project, release)[model.key].as_dict()
    if kind == "recursive":  # it is measured at the distinct values that the file has
        model = replace(model, l=entry["l"])
    if entry[threshold] is None:
        return
    value = float(entry[threshold])
    by_file = {
        Relation.AT_LEAST: value >= limit,
        Relation.AT_MOST: value <= limit,
        Relation.BELOW: value < limit,
    }
    assert meets(release, model) == by_file[model.relation]


def meets(release: Release, model: PrivacyModel) -> bool:
    """Whether every class of the file meets a model, and the suppressed records if they stay."""
    kept = bool(model.fulfilled(release.classes)[release.kept].all())
    if release.group is None or release.cells != "kept":
        return kept
    return kept and bool(model.fulfilled(release.group.classes)[-1])


def figures_of_file(project: Project, release: Release) -> CheckReport:
    """Write a release and check it, against the original where this has values that the file has not."""
    with tempfile.TemporaryDirectory() as name:
        released, original = Path(name) / "released.csv", Path(name) / "original.csv"
        assert export_release(project, release, released).ok
        columns = [project.table.column(own) for own in ("town", "ill")]
        lines = [",".join(own.text(record) for own in columns) for record in range(release.n_records)]
        original.write_text("\n".join(["town,ill", *lines, ""]), encoding="utf-8")
        is_whole = release.group is None or release.cells == "kept"
        found = check(
            released, "town", "ill", distances={"ill": "equal"}, reference=None if is_whole else original
        )
    assert found.blank_rows == (release.n_suppressed if release.cells == "blank" else 0)
    return found
