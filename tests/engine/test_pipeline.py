"""The complete chain: the node found, the file written, verified, and put in place only then."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.errors import CancelledError, ExportError, InputError, RequirementNotMetError, VerificationError
from engine.pipeline import anonymize, export_release, search_task, summary
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project, Transformation, edits
from engine.project.compile import compile_problem
from engine.project.recipe.files import read_recipe, write_recipe
from engine.recoding import Release, make_release
from engine.records.opening import memory_of
from engine.utility.base import LATTICE_METRICS
from tests.slow_reference import optimum
from tests.strategies import Attributes, Case, cases_with_requirement, few, nodes


@pytest.fixture
def hospital(examples: Path) -> Project:
    return read_recipe(examples / "hospital" / "recipe.toml")


@pytest.fixture
def release(hospital: Project) -> Release:
    return anonymize(hospital).release


def test_levels_that_are_kept_release_the_next_table_at_the_same_node_or_name_failing_classes(
    hospital: Project, tmp_path: Path
) -> None:
    node = anonymize(hospital).release.levels
    assert node is not None
    write_recipe(edits.keep_levels(hospital, node), tmp_path / "kept.toml")
    kept = read_recipe(tmp_path / "kept.toml")
    assert edits.keep_levels(kept, node) is kept
    twice = replace(kept, table=kept.table.take(np.tile(np.arange(kept.table.n_records), 2)))
    for month in (kept, twice):
        outcome = anonymize(month)
        assert outcome.release.levels == node
        assert summary(month, outcome, verified=True)["node_declared"]
    assert "node_declared" not in summary(hospital, anonymize(hospital), verified=True)
    less = replace(kept, table=kept.table.take(np.arange(0, 13, 3)))
    with pytest.raises(RequirementNotMetError) as refused:
        anonymize(less)
    release = make_release(less, compile_problem(less), tuple(node.values()))
    failing = [number for number in range(len(release.kept)) if not release.kept[number]]
    text = refused.value.problem
    assert text.startswith(f"Declared node {list(node.values())}: ")
    assert f"{len(failing)} class" in text
    assert all(
        f"({release.class_words(number)}): {release.classes.records[number]}" in text for number in failing
    )


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Path]:
    """An existing file in the place of the release, which must be unchanged after the test."""
    path = tmp_path / "out" / "release.csv"
    path.parent.mkdir()
    path.write_text("what was there\n", encoding="utf-8")
    yield path
    assert path.read_text(encoding="utf-8") == "what was there\n"
    assert list(path.parent.iterdir()) == [path]


@few
@given(cases_with_requirement(max_qi=2, max_height=2))
def test_the_released_node_is_the_optimum_or_nothing_is_released(judged) -> None:  # type: ignore[no-untyped-def]
    case, requirement = judged
    project = case.under(requirement)
    best = optimum(case, requirement, "loss")
    k = requirement.k
    if best is None or (k is not None and k > case.n_records and requirement.suppression_limit < 1):
        with pytest.raises(RequirementNotMetError):
            anonymize(project)
        return
    outcome = anonymize(project)
    assert outcome.release.node == best
    assert (outcome.guarantee, outcome.nodes_checked) == ("optimal", outcome.nodes_total)
    assert outcome.release.satisfies


@few
@given(st.data())
def test_the_written_file_is_what_the_verifier_confirms(data: st.DataObject) -> None:
    case, requirement = data.draw(cases_with_requirement())
    transformation = Transformation(
        data.draw(st.sampled_from(["star", "remove"])), blank_suppressed=data.draw(st.booleans())
    )
    project = replace(case.under(replace(requirement, suppression_limit=1.0)), transformation=transformation)
    written = make_release(project, case.problem, data.draw(nodes(case)))
    assume(written.n_classes or transformation.suppressed_records == "star")
    with pytest.MonkeyPatch.context() as patch:
        folder = Path(str(data.draw(st.just(os.environ["ANONYMIZER_CONFIG_DIR"]))))
        patch.setenv("TMPDIR", str(folder))
        path = folder / "released.csv"
        assert export_release(project, written, path).ok
        lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 + len(written.rows())


def test_the_summary_says_of_the_release_what_the_evaluation_says(hospital: Project) -> None:
    outcome = anonymize(hospital)
    said = summary(hospital, outcome, verified=True)
    assert said["node"] == dict(zip(("age", "gender", "city"), outcome.release.node, strict=True))
    assert (said["metric"], said["value"]) == ("loss", said["metrics"]["loss"])
    assert set(said["metrics"]) == set(LATTICE_METRICS)
    assert (said["records"], said["suppressed"]) == (13, outcome.release.n_suppressed)
    assert said["k"] >= 3
    assert set(said["l"]) == set(said["t"]) == {"religion", "disease"}
    assert all(n_values >= 2 for n_values in said["l"].values())
    assert (said["satisfies"], said["guarantee"], said["verified"]) == (True, "optimal", True)
    assert said["nodes_checked"] == said["nodes_total"] == outcome.problem.lattice.n_nodes
    assert said["seconds"] >= 0


def test_what_does_not_exist_is_null_in_the_summary() -> None:
    case = Case((Attributes("q", ("a", "b"), rows=(("a",), ("b",))),), (Attributes("s", ("u", "v")),))
    project = case.under(Requirement((KAnonymity(2),), 1.0))
    said = summary(project, anonymize(project), verified=False)
    assert (said["suppressed"], said["classes"], said["k"]) == (2, 0, None)
    assert (said["l"], said["t"], said["metrics"]["c_avg"]) == ({"s": None}, {"s": None}, None)


def test_a_given_node_is_released_without_a_promise(hospital: Project) -> None:
    top = anonymize(hospital).problem.lattice.maximum
    outcome = anonymize(hospital, top)
    assert (outcome.release.node, outcome.guarantee, outcome.nodes_checked) == (top, "none", 1)


def test_a_given_node_that_does_not_satisfy_is_refused_with_the_counts(hospital: Project) -> None:
    with pytest.raises(RequirementNotMetError, match=r": 13 suppressed records; the limit allows 1\."):
        anonymize(hospital, (0, 0, 0))


def test_a_given_node_outside_the_lattice_is_refused(hospital: Project) -> None:
    with pytest.raises(InputError, match="not in the lattice"):
        anonymize(hospital, (9, 0, 0))


def test_a_k_beyond_the_table_is_refused_unless_every_record_may_go(hospital: Project) -> None:
    beyond = replace(hospital, requirement=Requirement((KAnonymity(14),), 0.99))
    with pytest.raises(RequirementNotMetError, match="A table of 13 records cannot meet k = 14"):
        anonymize(beyond)
    every = replace(hospital, requirement=Requirement((KAnonymity(14),), 1.0))
    assert anonymize(every).release.n_suppressed == 13


def test_a_requirement_that_nothing_meets_is_refused(hospital: Project) -> None:
    from engine.privacy.t_closeness import TCloseness

    strict = Requirement((TCloseness("disease", 0.0),), 0.0)
    bounded = {name: replace(e, max_level=0) for name, e in hospital.hierarchies.items()}
    project = replace(hospital, requirement=strict, hierarchies=bounded)
    with pytest.raises(RequirementNotMetError, match=r"Declared node .0, 0, 0.: 13 suppressed records"):
        anonymize(project)
    bounded["gender"] = replace(bounded["gender"], max_level=1)
    with pytest.raises(RequirementNotMetError, match="No node of the lattice satisfies"):
        anonymize(replace(project, hierarchies=bounded))


def test_a_search_stopped_by_its_limit_promises_only_the_best_so_far(hospital: Project) -> None:
    search = replace(hospital.search, steps=3)
    limited = replace(hospital, requirement=Requirement((), 1.0), search=search)
    outcome = anonymize(limited)
    assert (outcome.guarantee, outcome.nodes_checked) == ("best_known", 3)


def test_the_written_file_has_the_columns_the_order_and_the_delimiter_of_the_input(
    hospital: Project, release: Release, tmp_path: Path
) -> None:
    path = tmp_path / "release.csv"
    verdict = export_release(hospital, release, path)
    assert verdict.ok, verdict.problems
    raw = path.read_bytes()
    assert b"\r" not in raw
    lines = raw.decode("utf-8").splitlines()
    assert lines[0] == "name,age,gender,city,religion,disease"
    assert len(lines) == 14
    assert all(line.startswith("*,") for line in lines[1:])
    diseases = [line.rsplit(",", 1)[1] for line in lines[1:]]
    column = hospital.table.column("disease")
    assert diseases == [column.text(i) for i in range(13)]


def test_the_same_project_gives_the_same_bytes(hospital: Project, tmp_path: Path) -> None:
    for name in ("one.csv", "two.csv"):
        export_release(hospital, anonymize(hospital).release, tmp_path / name)
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()


def test_a_project_whose_source_is_missing_is_verified_against_the_table_that_was_read(
    hospital: Project, release: Release, tmp_path: Path
) -> None:
    without = replace(hospital, source=None)
    assert export_release(without, release, tmp_path / "a.csv").ok
    gone = replace(hospital, source=tmp_path / "no longer here.csv")
    assert export_release(gone, release, tmp_path / "b.csv").ok


def wrong_cell(release: Release) -> Release:
    """The release with the label of one record exchanged."""
    columns = list(release.columns)
    place = next(i for i, column in enumerate(columns) if column.name == "disease")
    codes = columns[place].codes.copy()
    codes[0] = (codes[0] + 1) % len(columns[place].labels)
    columns[place] = replace(columns[place], codes=codes)
    return replace(release, columns=tuple(columns))


def false_claim(release: Release) -> Release:
    """The release claiming that every class is kept."""
    return replace(release, kept=np.ones_like(release.kept))


@pytest.mark.parametrize("falsify", [wrong_cell, false_claim])
def test_a_wrong_release_is_never_put_in_place(falsify, hospital: Project, target: Path) -> None:  # type: ignore[no-untyped-def]
    project = replace(hospital, requirement=replace(hospital.requirement, suppression_limit=1.0))
    release = make_release(project, anonymize(hospital).problem, (1, 0, 0))
    assert release.n_suppressed
    with pytest.raises(VerificationError, match="claimed properties"):
        export_release(project, falsify(release), target)


def test_a_folder_is_not_a_target(hospital: Project, release: Release, target: Path) -> None:
    with pytest.raises(ExportError, match="is a folder"):
        export_release(hospital, release, target.parent)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.9])
def test_cancelled_at_any_moment_the_target_is_unchanged(
    share: float, hospital: Project, release: Release, target: Path
) -> None:
    class Stop:
        def step(self, done: int, total: int, text: str = "") -> None:
            if done >= share * total:
                raise CancelledError

    with pytest.raises(CancelledError):
        export_release(hospital, release, target, Stop())


def test_progress_of_an_export_grows_to_its_total(
    hospital: Project, release: Release, tmp_path: Path
) -> None:
    class Watch:
        def __init__(self) -> None:
            self.shares: list[float] = []

        def step(self, done: int, total: int, text: str = "") -> None:
            self.shares.append(done / total)

    watch = Watch()
    export_release(hospital, release, tmp_path / "out.csv", watch)
    assert watch.shares == sorted(watch.shares)
    assert 0 <= watch.shares[0] < 0.5 < watch.shares[-1] <= 1


def test_the_original_is_never_overwritten(hospital: Project, tmp_path: Path) -> None:
    original = tmp_path / "original.csv"
    original.write_bytes(hospital.source.read_bytes())
    (tmp_path / "link.csv").symlink_to(original)
    project = replace(hospital, source=original)
    made = anonymize(project).release
    for name in ("original.csv", "link.csv"):
        with pytest.raises(ExportError, match="is the original table"):
            export_release(project, made, tmp_path / name)
    assert original.read_bytes() == hospital.source.read_bytes()


def test_an_original_that_changed_since_it_was_opened_is_named_as_the_reason(
    hospital: Project, release: Release, target: Path, tmp_path: Path
) -> None:
    changed = tmp_path / "changed.csv"
    text = hospital.source.read_text(encoding="utf-8")
    for other in (text.replace("Female", "Male", 1), text.rsplit("\n", 2)[0] + "\n", "no table"):
        changed.write_text(other, encoding="utf-8")
        with pytest.raises(ExportError, match="changed since it was opened"):
            export_release(replace(hospital, source=changed), release, target)


def test_scores_take_no_more_memory_than_the_table_may_wherever_it_is(examples: Path) -> None:
    project = read_recipe(examples / "clinic" / "recipe.toml")
    problem = compile_problem(project)
    assert 256 << 20 < search_task(project, problem).memory == memory_of(project.options)
    little = replace(project, options=replace(project.options, memory="1 MB"))
    assert anonymize(little).release.levels == anonymize(project).release.levels
