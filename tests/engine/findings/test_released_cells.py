"""Released cells and the values behind them, against texts read one by one."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from engine.errors import InputError
from engine.findings.cells import Runs
from engine.findings.subject import Subject
from engine.hierarchies import Hierarchy
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import AttributeHierarchy, Project, Transformation
from engine.project.compile import compile_problem
from engine.project.project import frozen
from engine.recoding import make_release
from engine.recoding.rules import column_rules
from engine.records import Column, DataType, Kind, Role, Table
from engine.records.values import make_column
from tests.engine.findings.behind import behind, is_hidden, spread, texts
from tests.engine.findings.risk.subjects import Released, letters, releases
from tests.strategies import MISSING, Attributes, Case, modest


@modest
@given(releases())
def test_every_text_has_the_values_that_reading_it_gives(released: Released) -> None:
    for name in released.subject.quasi_identifying:
        cells = released.subject.cells(name)
        runs, axis = cells.stands_for, cells.axis
        found = {
            text: {
                axis.values[value]
                for run in range(runs.starts[number], runs.starts[number + 1])
                for value in range(runs.first[run], runs.last[run] + 1)
            }
            for number, text in enumerate(cells.labels)
        }
        assert found == behind(released, name)
        assert runs.n_values.tolist() == [len(found[text]) for text in cells.labels]
        expected = texts(released, name)
        assert {i: cells.labels[cells.codes[i]] for i in released.kept} == expected
        assert (cells.codes < 0).tolist() == (~released.subject.kept).tolist()
        assert cells.counts.tolist() == [list(expected.values()).count(text) for text in cells.labels]


@modest
@given(releases())
def test_kept_records_are_spread_evenly_over_the_values_behind_their_cell(released: Released) -> None:
    for name in released.subject.quasi_identifying:
        cells = released.subject.cells(name)
        expected = spread(released, name)
        found = dict(zip(cells.axis.values, cells.spread.tolist(), strict=True))
        assert found == pytest.approx({value: float(expected.get(value, 0)) for value in found}, abs=1e-9)
        assert [value for value, amount in found.items() if amount == 0] == [
            value for value in found if value not in expected
        ]


@modest
@given(releases())
def test_numbers_behind_a_cell_have_their_mean_and_variance(released: Released) -> None:
    for name in released.subject.quasi_identifying:
        cells = released.subject.cells(name)
        if not cells.axis.is_numeric:
            continue
        for number, values in enumerate(behind(released, name)[text] for text in cells.labels):
            numbers = [float(value) for value in values if value != MISSING]
            if not numbers or is_hidden(released, name, values):
                assert np.isnan(cells.means[number])
                assert np.isnan(cells.variances[number])
                assert np.isnan(cells.low[number]) == (not numbers)
            elif np.isnan(cells.points[number]):
                assert cells.means[number] == pytest.approx(np.mean(numbers))
                assert cells.variances[number] == pytest.approx(np.var(numbers), abs=1e-9)
                assert (cells.low[number], cells.high[number]) == (min(numbers), max(numbers))
            else:
                assert cells.means[number] == cells.low[number] == cells.points[number]
                assert cells.variances[number] == 0


@modest
@given(releases())
def test_the_axis_has_numbers_in_order_and_the_missing_value_last(released: Released) -> None:
    for name in released.subject.input.names:
        axis = released.subject.cells(name).axis
        column = released.subject.input.column(name)
        assert [axis.values[code] for code in axis.codes] == [column.text(i) for i in range(axis.codes.size)]
        assert axis.counts.sum() == released.subject.n_records
        if axis.missing is not None:
            assert axis.missing == axis.n_values - 1
        if axis.is_numeric:
            numbers = [float(value) for value in axis.values if value != MISSING]
            assert numbers == sorted(numbers)
            assert axis.step == min((b - a for a, b in itertools.pairwise(numbers)), default=1)


def released_column(
    texts_: list[str], kind: DataType, rows: list[tuple[str, ...]], level: int, missing: str | None = None
) -> Subject:
    """One quasi-identifier at a level of its hierarchy."""
    distinct = sorted(set(texts_))
    codes = np.array([distinct.index(text) for text in texts_], dtype=np.int32)
    column = make_column("x", distinct, codes, kind, missing)
    project = Project(
        "one",
        None,
        replace(letters(q="a").subject.project.options),
        Table((column,)),
        frozen({"x": Role.QUASI_IDENTIFYING}),
        ("x",),
        hierarchies=frozen({"x": AttributeHierarchy(Hierarchy.from_rows(rows))}),
        requirement=Requirement((KAnonymity(1),), 1.0),
    )
    return Subject(project, make_release(project, compile_problem(project), (level,)))


def test_groups_of_texts_stand_together_on_the_axis() -> None:
    rows = [("Oslo", "north"), ("Rome", "south"), ("Bergen", "north"), ("Bari", "south")]
    axis = released_column(["Rome", "Oslo"], DataType(), rows, 1).cells("x").axis
    assert axis.values == ("Oslo", "Bergen", "Rome", "Bari")
    assert not axis.is_numeric


def test_ordered_categories_stand_in_their_order_and_days_by_time() -> None:
    rows = [(value, "*") for value in ("low", "high", "middle")]
    ordered = DataType(Kind.ORDERED, "", ("low", "middle", "high"))
    assert released_column(["high"], ordered, rows, 0).cells("x").axis.values == ("low", "middle", "high")
    days = [(day, day[-4:]) for day in ("03/01/2021", "02/02/2020", "01/02/2020")]
    cells = released_column(["02/02/2020"], DataType(Kind.DATE, "%d/%m/%Y"), days, 1).cells("x")
    assert cells.axis.values == ("01/02/2020", "02/02/2020", "03/01/2021")
    assert cells.axis.is_numeric
    assert (cells.high - cells.low).tolist() == [1]
    assert cells.axis.step == 1


def test_a_cell_that_everything_is_behind_is_hidden_but_a_column_of_one_value_is_not() -> None:
    rows = [("1", "1-2", "*"), ("2", "1-2", "*"), ("3", "3", "*"), ("", "", "*")]
    kind = DataType(Kind.INTEGER)
    assert released_column(["1", ""], kind, rows, 2, "").cells("x").is_hidden.tolist() == [True]
    assert released_column(["1", ""], kind, rows, 1, "").cells("x").is_hidden.tolist() == [False, False]
    assert released_column(["1"], kind, [("1", "*")], 1).cells("x").is_hidden.tolist() == [False]


def test_columns_that_are_passed_have_the_cells_of_kept_records() -> None:
    cells = letters(k=2, q="aab", s="xyx").subject.cells("s")
    assert cells.labels == ("x", "y")
    assert cells.counts.tolist() == [1, 1]
    assert cells.codes.tolist() == [0, 1, -1]
    assert cells.spread.tolist() == [1, 1]


def test_identifying_dropped_and_unknown_columns_are_refused_in_words() -> None:
    subject = letters(q="ab", s="xy").subject
    names = Column("name", DataType(), ("Ann", "Bob"), np.array([0, 1], np.int32), False, np.full(2, np.nan))
    project = replace(
        subject.project,
        table=Table((*subject.input.columns, names)),
        roles=frozen({**subject.project.roles, "name": Role.IDENTIFYING}),
    )
    whole = Subject(project, make_release(project, compile_problem(project), (0,)))
    assert whole.comparable == ("q", "s")
    with pytest.raises(InputError, match="'name' is identifying"):
        whole.cells("name")
    without = replace(whole.release, columns=whole.release.columns[:1])
    with pytest.raises(InputError, match="has no column 's'"):
        Subject(project, without).cells("s")
    with pytest.raises(InputError, match="no column 'nam'"):
        whole.cells("nam")


def test_what_several_sets_hold_is_shared_among_their_values() -> None:
    runs = Runs.of_pairs(np.array([0, 0, 1, 1, 1]), np.array([0, 1, 1, 3, 4]), 2)
    assert runs.first.tolist() == [0, 1, 3]
    assert runs.spread(np.array([2, 3]), 6).tolist() == pytest.approx([1, 2, 0, 1, 1, 0])
    assert runs.shares(np.array([1, 1, 0, 1, 0, 0], dtype=np.bool_)).tolist() == pytest.approx([1, 2 / 3])
    assert runs.sums(np.arange(6.0)).tolist() == [1, 8]


def test_a_release_without_kept_records_has_no_cells_and_says_why() -> None:
    subject = letters(k=5, q="ab").subject
    assert subject.cells("q").labels == ()
    assert subject.cells("q").spread.tolist() == [0, 0]
    assert "Every record of this release is suppressed" in subject.why_empty


@pytest.mark.parametrize(
    ("key", "parameters"),
    [
        ("round", {"base": 10.0}),
        ("top_code", {"limit": 60.0}),
        ("bottom_code", {"limit": 40.0, "written": "limit"}),
        ("mask", {"keep_first": 1, "keep_last": 0}),
        ("band", {"level": 1}),
    ],
)
def test_a_text_that_a_rule_writes_has_the_values_written_so(key: str, parameters: dict[str, Any]) -> None:
    pays = tuple(str(20 + 7 * i % 60) if i % 9 else MISSING for i in range(40))
    bands = tuple((str(v), f"{v // 10}0s", "*") for v in range(20, 80))
    case = Case(
        (Attributes("sex", ("m", "f") * 20, rows=(("m", "*"), ("f", "*"))),),
        (Attributes("pay", pays, Kind.INTEGER, bands),),
    )
    rule = column_rules.create(key, **parameters)
    transformation = Transformation(rules=frozen({"pay": rule}))
    project = replace(case.project, transformation=transformation, requirement=Requirement((KAnonymity(2),)))
    subject = Subject(project, make_release(project, compile_problem(project), (0,)))
    assert rule.is_true
    assert "pay" in subject.comparable
    cells, written = subject.cells("pay"), subject.released("pay")
    texts_of = [written.labels[code] for code in written.codes]
    assert [cells.labels[code] for code in cells.codes] == texts_of
    runs = cells.stands_for
    for number, text in enumerate(cells.labels):
        found = {
            cells.axis.values[value]
            for run in range(runs.starts[number], runs.starts[number + 1])
            for value in range(runs.first[run], runs.last[run] + 1)
        }
        assert found == {pay for pay, own in zip(pays, texts_of, strict=True) if own == text}
        if written.data_type.is_numeric and text != MISSING:
            assert cells.means[number] == float(text)  # read as it is written


@pytest.mark.parametrize("key", ["pseudonym", "star", "constant", "keyed_hash", "date_shift", "drop"])
def test_rules_that_replace_or_move_values_say_nothing_true_of_them(key: str) -> None:
    assert not column_rules[key].is_true
