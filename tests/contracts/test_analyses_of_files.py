"""Contract of analyses of tables in files: the values of memory, or a sample or a refusal that says so."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from anonymizer_gui.models.records_model import find_next
from anonymizer_gui.models.sides import AS_INPUT, BY_CLASS, order_of_sides, records_of_class, sides_of
from anonymizer_gui.perspectives.explore.inspector.classes_presenter import records_in_files
from anonymizer_gui.perspectives.explore.inspector.record import (
    OF_CLASS,
    ORDER,
    RANDOM,
    SUPPRESSED,
    RecordChoice,
    ShownRecord,
    shown_record,
)
from engine.advice.columns import singled_out_together
from engine.advice.preflight import preflight
from engine.errors import CancelledError, InputError, TableError
from engine.findings.base import Analysis, all_analyses, analysis_of
from engine.findings.given_table import given_table
from engine.findings.identifiers.detect import detect
from engine.findings.model_check import check_given, given_unchanged
from engine.findings.risk.linkage import link
from engine.findings.risk.survey import special_uniques_of_given, survey_of_given
from engine.findings.risk.wildcards import Wildcards, wildcards_of_given
from engine.findings.subject import Subject
from engine.findings.table_assessment import assess_table
from engine.kernels.arrays import Codes
from engine.numbers import as_exact_count
from engine.pipeline import export_release
from engine.project import Project
from engine.project.compile import compile_problem
from engine.project.edits import set_roles
from engine.qi_detection.suggest import suggest_roles
from engine.recoding import make_release
from engine.records import DataType, Kind, Role, Table, filtering
from engine.records.filtering import order_of
from engine.records.opening import open_table
from engine.records.options import DISK, MEMORY, ReadOptions
from engine.scoring import LatticeProfile
from engine.scoring.nodes.class_table import ClassTable
from tests.contracts.test_sources import from_both
from tests.stopping import Stopping
from tests.strategies import few

pytestmark = pytest.mark.usefixtures("by_numpy", "trained_here")

KEYS = [kind.key for kind in all_analyses()]
QUICK: Mapping[str, dict[str, Any]] = {
    "attack_test": {"targets": 50},
    "selection_leak": {"sweeps": 40},
    "stability": {"draws": 20},
    "classification": {"folds": 2, "classifier": "naive_bayes", "most_records": 500},
}
EXAMPLES = ("clinic", "survey", "insensitive")


@pytest.fixture(autouse=True)
def few_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deal suppressed classes less often, which is slow by numpy."""
    monkeypatch.setattr("engine.findings.sampled_worlds.MOST_FAILING", 100)
    monkeypatch.setattr("engine.findings.sampled_worlds.MOST_DEALS", 20_000)


def insensitive(project: Project) -> Project:
    """Return the project with a column that scores do not depend on."""
    return set_roles(project, ["insurance"], Role.INSENSITIVE)


@cache
def subjects(example: str) -> tuple[Subject, Subject]:
    """Return a release of an example with its records in memory, and in their file.

    "insensitive" is an example with a column that scores do not depend on.
    """
    found = []
    change = insensitive if example == "insensitive" else lambda project: project
    for project in from_both("clinic" if example == "insensitive" else example, change):
        problem = compile_problem(project)
        node = tuple(max(attribute.maximum - 1, 0) for attribute in problem.attributes)
        found.append(Subject(project, make_release(project, problem, node)))
    return found[0], found[1]


def told(analysis: Analysis, subject: Subject) -> Any:
    """Return all values of an analysis and its statement, or why it is not possible."""
    if reason := analysis.why_not(subject):
        return reason
    try:
        found = analysis.run(subject)
    except InputError as error:
        return str(error)
    rows = {table.key: [list(map(_near, row)) for row in table.rows] for table in found.tables()}
    return found.statement(), rows


def _near(cell: Any) -> Any:
    """Return a value; sums of rounded numbers depend on their order."""
    return pytest.approx(cell, rel=1e-9, abs=1e-12, nan_ok=True) if isinstance(cell, float) else cell


def values_of(report: Any) -> Any:
    """Return the values of a report but one: unnamed columns of a table in files are not counted together."""
    return _without_counted_together(report.as_dict())


def _without_counted_together(values: Any) -> Any:
    if not isinstance(values, dict):
        return values
    found = {key: _without_counted_together(value) for key, value in values.items()}
    if found.get("not_assessed"):
        del found["not_assessed"]["singled_out"]
    return found


@pytest.mark.parametrize(
    ("key", "example"),
    [
        pytest.param(key, example, marks=[pytest.mark.thorough] * (place > 0 and (number + place) % 2))
        for number, key in enumerate(KEYS)
        for place, example in enumerate(EXAMPLES)
    ],
)
def test_an_analysis_tells_the_same_of_a_table_in_files(key: str, example: str) -> None:
    analysis = analysis_of(key, **QUICK.get(key, {}))
    in_memory, in_files = subjects(example)
    assert in_files.tuples is not None
    if analysis.combines_columns and in_files.uncounted and not analysis.why_not(in_memory):
        reason = analysis.why_not(in_files)
        assert "'insurance'" in (reason or analysis.run(in_files).statement().caption)
    else:
        assert told(analysis, in_files) == told(analysis, in_memory)


@pytest.mark.parametrize("key", [kind.key for kind in all_analyses() if kind.samples_records])
def test_of_more_records_than_are_read_a_sample_is_analyzed_and_says_so(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.records.table.MOST_READ", 500)
    analysis, subject = analysis_of(key, **QUICK.get(key, {})), subjects("clinic")[1]
    found = analysis.run(replace(subject))
    assert f"25\u202f% sample of {as_exact_count(2000)} records, seed 0" in found.statement().caption
    again = analysis.run(replace(subject))
    assert [table.rows for table in again.tables()] == [table.rows for table in found.tables()]


@pytest.mark.parametrize("key", [kind.key for kind in all_analyses() if not kind.samples_records])
def test_all_else_is_the_same_of_more_records_than_are_read_or_is_refused(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.records.table.MOST_READ", 500)
    analysis, (in_memory, in_files) = analysis_of(key), subjects("clinic")
    in_files = replace(in_files)
    if analysis.needs_records and (reason := analysis.why_not_counted(in_files)):
        n_records = as_exact_count(2000)
        assert reason.startswith(f"{analysis.title} needs the records in memory; {n_records} do not fit.")
        with pytest.raises(InputError):
            analysis.run(in_files)
    else:
        assert told(analysis, in_files) == told(analysis, in_memory)


def test_columns_are_crossed_only_if_they_are_counted_together() -> None:
    subject = subjects("insensitive")[1]
    reason = analysis_of("contingency", row="age", column="insurance").why_not(subject)
    assert reason.startswith("The values of 'insurance' are not counted together with those of other columns")
    assert "[subset]" in reason
    alone = analysis_of("distribution", column="insurance", with_suppressed=True)
    in_memory, in_files = (told(alone, one) for one in subjects("insensitive"))
    assert in_files == in_memory


def _without_identifiers(record: ShownRecord) -> tuple[object, ...]:
    """Return a record without columns of which a table in files lists no values."""
    cells = dict(zip(record.columns, zip(record.before, record.after, strict=True), strict=True))
    cells.pop("patient id", None)
    return record.number, record.is_suppressed, cells


@pytest.mark.parametrize("example", EXAMPLES)
def test_advice_and_roles_are_the_same(example: str) -> None:
    in_memory, in_files = (subject.project for subject in subjects(example))
    findings = [
        [(found.key, found.severity, found.title, found.detail) for found in preflight(project)]
        for project in (in_memory, in_files)
    ]
    assert findings[0] == findings[1]
    assert suggest_roles(in_files.table) == suggest_roles(in_memory.table)
    for names in (in_memory.table.names, in_memory.table.names[2:5]):
        assert singled_out_together(in_files, names) == singled_out_together(in_memory, names)


def some_suppressed(tmp_path: Path, where: str) -> Table:
    """Return a table with suppressed records and records without a value."""
    path = tmp_path / "released.csv"
    cells = [
        ("*", "*") if i % 11 == 0 else (str(i % 5), "" if i % 7 == 0 else str(i % 2)) for i in range(300)
    ]
    rows = [f"{age},{sex},{i % 3},p{i // 2}" for i, (age, sex) in enumerate(cells)]
    path.write_text("age,sex,ill,who\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return open_table(path, ReadOptions(source=where, missing=("",))).table


@pytest.mark.parametrize(
    "options",
    [{}, {"leave_out_suppressed": True}, {"drop_missing": True}, {"person": "who"}],
    ids=lambda options: " ".join(options) or "usual",
)
def test_a_finished_table_is_assessed_alike(options: dict[str, Any], tmp_path: Path) -> None:
    assessments = []
    for where in (MEMORY, DISK):
        given = given_table(some_suppressed(tmp_path, where), ["age", "sex"], ["ill"], **options)
        assessed = assess_table(given)
        unchanged = given_unchanged(given, ["ill"]).as_dict()
        special = special_uniques_of_given(given).scores.tolist()
        exposed = assessed.exposed
        if given.n_records < 300:  # those left out are not numbered in memory
            exposed = tuple(replace(one, record=0) for one in exposed)
        assessments.append((values_of(assessed), exposed, given.n_suppressed, unchanged, special))
    assert assessments[0] == assessments[1]


NAMED = ("age", "sex", "ill", "w", "home")
ANSWERS = st.lists(
    st.tuples(
        st.sampled_from(["20", "30", "*"]),
        st.sampled_from(["f", "m", "*", ""]),
        st.sampled_from("xyz"),
        st.sampled_from(["1", "2.5", "0.1", "7.125", "1200"]),
        st.sampled_from(["h1", "h2", "h3", ""]),
    ),
    min_size=1,
    max_size=30,
)


@pytest.mark.parametrize("decimals", ["", "0000000001"], ids=["summed", "counted by value"])
def test_wildcards_and_weights_of_many_records_are_those_of_memory(
    decimals: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.records.table.MOST_READ", 0)
    path = tmp_path / "answers.csv"

    @few
    @hypothesis.given(ANSWERS, st.booleans())
    def compare(rows: list[tuple[str, ...]], has_homes: bool) -> None:
        lines = [f"{age},{sex},{ill},{w}{decimals if '.' in w else ''},{h}" for age, sex, ill, w, h in rows]
        path.write_text("age,sex,ill,w,home\n" + "\n".join(lines) + "\n", encoding="utf-8")
        types = {"age": DataType(), "home": DataType(), "w": DataType(Kind.DECIMAL)}
        found = []
        for where in (MEMORY, DISK):
            options = ReadOptions(source=where, missing=("",), types=types)
            own = given_table(
                open_table(path, options).table,
                ["age", "sex"],
                ["ill"],
                weight="w",
                household="home" if has_homes else "",
            )
            assert (own.table.home is not None) is (where == DISK)
            survey, checked = survey_of_given(own).as_dict(), values_of(check_given(own))
            read = wildcards_of_given(own, Wildcards(missing=True, count_all_star=True)).as_dict()
            by_record = [survey.pop(name, None) for name in ("individual_risk", "f", "F", "household_risk")]
            by_record += [read.pop("class_size", None), read["as_values"].pop("class_size", None)]
            assert all(listed is None for listed in by_record) is (where == DISK)
            found.append((survey, checked, read))
        assert found[0] == found[1]

    compare()


@pytest.mark.parametrize(
    "words", ["Counting distinct", "Adding up weights", "Counting households", "Matching"]
)
def test_wildcards_and_weights_of_many_records_are_cancelled(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.records.table.MOST_READ", 0)
    path = tmp_path / "answers.csv"
    path.write_text("age,sex,w,home\n20,f,2.5,h1\n*,m,3,h1\n", encoding="utf-8")
    table = open_table(path, ReadOptions(source=DISK)).table
    own = given_table(table, ["age", "sex"], weight="w", household="home")
    assess = wildcards_of_given if words == "Matching" else survey_of_given
    with pytest.raises(CancelledError):
        assess(own, monitor=Stopping(words=words))


def test_wildcards_of_files_are_refused_only_if_too_many_matches_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.records.table.MOST_READ", 100)
    monkeypatch.setattr("engine.findings.risk.wildcards.MOST_PAIRS", 5)
    table = some_suppressed(tmp_path, DISK)
    assert wildcards_of_given(given_table(table, ["age", "sex"])).n_records == 272
    for further in ({"sensitive": ["ill"]}, {"person": "who"}):
        with pytest.raises(InputError, match=r"have \d+ matches, too many to look at"):
            wildcards_of_given(given_table(table, ["age", "sex"], **further))  # type: ignore[arg-type]


def test_unchanged_columns_of_many_records_are_counted_as_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.records.table.MOST_READ", 0)
    monkeypatch.setattr("engine.recoding.written._BLOCK", 7)
    path = tmp_path / "answers.csv"

    @few
    @hypothesis.given(ANSWERS, st.booleans(), st.booleans(), st.booleans())
    def compare(rows: list[tuple[str, ...]], of_persons: bool, suppressed: bool, missing: bool) -> None:
        rows = [("30", "f", "x", "1", "h1"), *rows]
        path.write_text("\n".join(",".join(row) for row in (NAMED, *rows)) + "\n", encoding="utf-8")
        found = []
        for where in (MEMORY, DISK):
            options = ReadOptions(source=where, missing=("",), types=dict.fromkeys(NAMED, DataType()))
            own = given_table(
                open_table(path, options).table,
                ["age", "sex"],
                leave_out_suppressed=suppressed,
                drop_missing=missing,
                person="home" if of_persons else "",
            )
            found.append(given_unchanged(own, ["w", "ill"]).as_dict())
        assert found[0] == found[1]
        with pytest.raises(CancelledError):
            given_unchanged(own, ["w"], Stopping())

    compare()


def test_identifiers_are_found_alike_and_what_needs_records_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_memory, in_files = (some_suppressed(tmp_path, where) for where in (MEMORY, DISK))
    wanted: tuple[dict[str, Any], ...] = (
        {},
        {"columns": ["ill", "sex", "age"], "drop_missing": True},
        {"best_only": True},
    )
    for options in wanted:
        assert detect(in_files, **options).as_dict() == detect(in_memory, **options).as_dict()
    monkeypatch.setattr("engine.records.table.MOST_READ", 100)
    one, other = (given_table(table, ["age", "sex"], ["ill"]) for table in (in_memory, in_files))
    assert values_of(check_given(other)) == values_of(check_given(one))
    with pytest.raises(InputError, match="needs the records in memory; 300 do not fit"):
        special_uniques_of_given(other)


def test_records_are_sorted_filtered_and_found_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filtering, "_BLOCK", 64)
    in_memory, in_files = (some_suppressed(tmp_path, where) for where in (MEMORY, DISK))
    for condition in ("", "sex is missing", "ill >= 1 and who != 'p7'"):
        assert same(order_of(in_files, condition), order_of(in_memory, condition))
        for name, falls in itertools.product(in_memory.names, (False, True)):
            one, other = (order_of(table, condition, (name, falls)) for table in (in_memory, in_files))
            assert same(one, other)
            assert find_next(in_files, "P14", (3, 0), other) == find_next(in_memory, "P14", (3, 0), one)


def same(one: Codes | None, other: Codes | None) -> bool:
    return other is None if one is None else one.tolist() == np.asarray(other).tolist()


def test_shown_records_and_records_of_classes_are_those_of_the_files() -> None:
    in_memory, in_files = (subject.project for subject in subjects("clinic"))
    release = subjects("clinic")[1].release
    node, requirement = release.node, release.requirement
    assert node is not None
    shown, problems = [], [compile_problem(project) for project in (in_memory, in_files)]
    tables = [ClassTable.of(LatticeProfile(problem, requirement), node, requirement) for problem in problems]
    assert tables[0].n_classes == tables[1].n_classes
    for project, problem, table in zip((in_memory, in_files), problems, tables, strict=True):
        choices = [RecordChoice(kind, place) for kind in (ORDER, RANDOM, SUPPRESSED) for place in (0, 7)]
        choices += [RecordChoice(OF_CLASS, of_class=(table, number)) for number in (0, 1)]
        records = [shown_record(project, problem, node, requirement, choice) for choice in choices]
        shown.append([_without_identifiers(record) for record in records if record is not None])
    assert shown[0] == shown[1]
    assert len(shown[0]) == 8
    of_class = records_in_files(in_files, tables[1], 1)
    assert of_class.tolist() == tables[0].records(1).tolist()
    with pytest.raises(CancelledError):
        records_in_files(in_files, tables[1], 1, Stopping())


@pytest.mark.parametrize("example", EXAMPLES)
def test_both_sides_of_a_release_are_shown_record_by_record(
    example: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("anonymizer_gui.models.sides", "engine.records.filtering"):
        monkeypatch.setattr(f"{module}._BLOCK", 700)
    one, other = (sides_of(subject) for subject in subjects(example))
    assert other.rows is not None
    assert (other.input.names, other.roles) == (one.input.names, one.roles)
    assert (other.dropped, other.changed) == (one.dropped, one.changed)
    for a, b in zip((*one.input.columns, *one.release.columns), other.both.columns, strict=True):
        assert (b.labels, b.data_type, b.has_missing) == (a.labels, a.data_type, a.has_missing)
        assert np.array_equal(b.codes[0 : a.n_rows], a.codes)
        assert np.array_equal(b.counts, a.counts)
    for record in range(0, one.input.n_records, 97):
        assert other.is_suppressed(record) == one.is_suppressed(record)
        assert other.size_of(record) == one.size_of(record)
        assert [other.change(record, i) for i in range(3)] == [one.change(record, i) for i in range(3)]
        assert same(records_of_class(one, record), records_of_class(other, record))
    name = one.input.names[0]
    for grouping, sorted_by in itertools.product(
        (AS_INPUT, BY_CLASS), (None, ("release", name, True), ("input", one.input.names[-1], False))
    ):
        assert same(*(order_of_sides(sides, grouping, sorted_by) for sides in (one, other)))
    needle = one.release.columns[0].text(3)
    assert find_next(other.both, needle, (-1, -1)) == find_next(one.both, needle, (-1, -1))


def test_a_second_table_is_linked_with_all_records_or_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    in_memory, in_files = subjects("insensitive")
    other = in_memory.project.table.take(np.arange(0, 2000, 40))
    pairs = {name: name for name in ("age", "sex", "insurance")}
    found = [link(subject, other, pairs) for subject in (in_memory, in_files)]
    assert found[0].tables() == found[1].tables()
    assert found[1].sample is None
    monkeypatch.setattr("engine.records.table.MOST_READ", 500)
    some = link(replace(in_files), other, pairs)
    assert f"25\u202f% sample of {as_exact_count(2000)} records, seed 0" in some.detail
    assert some.statement().caption in some.detail


def test_a_file_that_changes_later_changes_no_value_and_no_release_is_written(tmp_path: Path) -> None:
    project = subjects("clinic")[0].project
    path = tmp_path / "clinic.csv"
    path.write_bytes(project.source.read_bytes())
    options = replace(project.options, source=DISK)
    project = replace(project, source=path, options=options, table=open_table(path, options).table)
    release = make_release(project, compile_problem(project), subjects("clinic")[1].release.node or ())
    path.write_text("gone", encoding="utf-8")
    for key in ("exposed_records", "statistics", "special_uniques"):
        assert told(analysis_of(key), Subject(project, release)) == told(
            analysis_of(key), subjects("clinic")[0]
        )
    with pytest.raises(TableError, match=r"changed while it was read\. Read it again"):
        export_release(project, release, tmp_path / "out.csv")
