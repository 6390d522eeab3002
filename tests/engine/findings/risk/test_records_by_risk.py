"""Records by risk and the most exposed ones, against a recount of what is written."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given

from engine.errors import InputError
from engine.findings.risk.exposed_records import ExposedRecords, explained
from engine.findings.risk.risk_distribution import RiskDistribution
from engine.findings.subject import Subject
from engine.project.compile import compile_problem
from engine.recoding import Transformation, make_release
from tests.engine.findings.risk.subjects import Released, letters, releases
from tests.strategies import few


@few
@given(releases())
def test_every_step_is_the_share_of_records_with_at_least_its_risk(made: Released) -> None:
    found = RiskDistribution().run(made.subject)
    for side, rows in ((found.before, made.before), (found.after, made.after)):
        assert (side is None) == (not rows)
        if side is None:
            continue
        sizes = Counter(rows)
        for size, share in zip(side.sizes.tolist(), side.cumulative_shares.tolist(), strict=True):
            assert share == pytest.approx(sum(sizes[row] <= size for row in rows) / len(rows), rel=1e-12)
    assert sum(row[2] for row in found.ranges()) == len(made.before)
    assert sum(row[4] for row in found.ranges()) == len(made.after)
    steps = found.tables()[1]
    assert sum(row[3] for row in steps.rows if row[0] == "release") == len(made.after)


def test_a_class_at_the_bound_of_a_range_belongs_to_the_range_below() -> None:
    found = RiskDistribution().run(letters(q="aaaaabbbc").subject)
    ranges = {(above, up_to): n for above, up_to, n, *_others in found.ranges() if n}
    assert ranges == {(0.1, 0.2): 5, (0.2, 1 / 3): 3, (0.5, 1.0): 1}


@few
@given(releases())
def test_the_most_exposed_records_are_those_of_the_smallest_classes(made: Released) -> None:
    if not made.after:
        assert ExposedRecords().why_not(made.subject).startswith("Every record is suppressed")
        return
    found = ExposedRecords(most=5).run(made.subject)
    sizes, before = Counter(made.after), Counter(made.before)
    wanted = sorted(zip(made.kept, made.after, strict=True), key=lambda pair: (sizes[pair[1]], pair[0]))[:5]
    assert found.records.tolist() == [record for record, _ in wanted]
    assert found.class_sizes.tolist() == [sizes[row] for _, row in wanted]
    assert found.sizes_before.tolist() == [before[made.before[record]] for record, _ in wanted]
    assert [found.cells(record) for record, _ in wanted] == [row for _, row in wanted]
    assert found.n_kept == len(made.after)
    least = min(sizes.values())
    assert found.highest == 1 / least
    assert found.n_at_highest == sum(sizes[row] == least for row in made.after)


@few
@given(releases())
def test_any_record_can_be_explained(made: Released) -> None:
    sizes, before = Counter(made.after), Counter(made.before)
    texts = [attribute.texts for attribute in made.case.sensitive]
    for record in range(made.case.n_records):
        told = explained(made.subject, record)
        assert told.size_before == before[made.before[record]]
        assert told.is_suppressed == (record not in made.kept)
        if told.is_suppressed:
            assert {text for _, text in told.cells} == {"*"}
            assert told.sentence.startswith("This record is suppressed")
            continue
        row = made.after[made.kept.index(record)]
        assert tuple(text for _, text in told.cells) == row
        assert told.class_size == sizes[row]
        inside = [other for other, cells in zip(made.kept, made.after, strict=True) if cells == row]
        assert told.n_values == tuple(
            (attribute.name, len({values[other] for other in inside}))
            for attribute, values in zip(made.case.sensitive, texts, strict=True)
        )


def test_the_explanation_is_a_sentence_with_the_numbers() -> None:
    made = letters(q="aaaabc", r="xxyzxx", s="uuuuvw", node=(0, 1))
    found = ExposedRecords().run(made.subject)
    assert found.explain(2).sentence == (
        "3 other records are equal, so a guess is right with 25.0\u202f%; in the input it "
        "is unique. All of them have the same 's', which an attacker learns without "
        "identifying the record."
    )
    assert found.explain(0).sentence.startswith(
        "3 other records are equal, so a guess is right with 25.0\u202f%; in the input one other is"
    )
    assert found.explain(5).sentence.startswith("No other record is equal")


def test_the_rows_count_records_from_one_and_only_the_holder_of_the_input_may_read_them() -> None:
    table = ExposedRecords(most=2).run(letters(q="aab").subject).tables()[0]
    assert table.is_by_record
    assert list(table.rows) == [(3, 1, 1.0, 1, 1.0, "b"), (1, 2, 0.5, 2, 0.5, "a")]


def test_a_record_that_is_not_there_is_refused() -> None:
    found = ExposedRecords().run(letters(q="aab").subject)
    with pytest.raises(InputError, match="Record 4"):
        found.explain(3)


@pytest.mark.parametrize(
    ("transformation", "fate"),
    [
        (Transformation(suppressed_group="ignore"), "its other cells are released unchanged"),
        (Transformation(), "all its cells are *"),
        (Transformation(blank_suppressed=True), "all its cells are *"),
        (Transformation(suppressed_records="remove"), "it is not in the released file"),
    ],
)
def test_what_is_still_told_of_a_suppressed_record_is_said(transformation: Transformation, fate: str) -> None:
    project = replace(letters(k=2, q="aab", s="fgh").subject.project, transformation=transformation)
    subject = Subject(project, make_release(project, compile_problem(project), (0,)))
    assert fate in ExposedRecords().run(subject).explain(2).sentence
