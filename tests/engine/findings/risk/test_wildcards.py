"""Risk with wildcards: reference values, and a slow recount of random tables."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import CancelledError, InputError, ParameterError
from engine.findings.given_table import given_table
from engine.findings.model_check import check
from engine.findings.risk import wildcards as module
from engine.findings.risk.of_table import assess_risk
from engine.findings.risk.wildcard_reading import WildcardReading
from engine.findings.risk.wildcards import WildcardRisk, Wildcards, assess_wildcards, wildcards_of_given
from engine.findings.subject import Subject
from engine.kernels.wildcards import WildcardRows
from engine.project.compile import compile_problem
from engine.recoding import Recoding, make_local_release, rooted
from engine.records.counting import counted_table
from engine.records.opening.data_frames import as_table
from tests.engine.findings.risk.slow_wildcards import SlowWildcards, slow_l_and_t, slow_wildcards
from tests.engine.findings.risk.subjects import Released, letters, releases
from tests.stopping import Stopping

CASES = json.loads(
    (Path(__file__).parents[3] / "data" / "second" / "wildcards.json").read_text(encoding="utf-8")
)
by_case = pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
CLOSE = 1e-9
QI = ["a", "b", "c"]


def frame(case: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame(case["rows"], columns=case["columns"])


@by_case
def test_sizes_and_risks_are_those_of_wildcards_json(case: dict[str, Any]) -> None:
    counted = assess_wildcards(frame(case), case["columns"], count_all_star=True)
    assert counted.sizes.tolist() == case["class_size"]
    assert counted.sizes_as_values.tolist() == case["class_size_as_values"]
    assert counted.all_star == case["all_star_records"]
    found = assess_wildcards(frame(case), case["columns"])
    assert found.as_dict()["class_size"] == case["class_size_without_all_star"]
    assert found.n_records == len(case["rows"]) - case["all_star_records"]
    for expected in (case, case["arx"]):
        for name in ("average", "highest", "lowest"):
            assert getattr(found.risk, name) == pytest.approx(expected[name], rel=CLOSE)
        for threshold, share in expected["records_at_risk"].items():
            own = assess_wildcards(frame(case), case["columns"], threshold=float(threshold))
            assert own.risk.records_at_risk == pytest.approx(share, rel=CLOSE)
    if not case["all_star_records"]:
        assert counted.sizes.tolist() == case["sdcmicro_fk"]


cells = st.sampled_from("pqrs**")
Rows = list[tuple[tuple[str, ...], str, str]]
tables: st.SearchStrategy[Rows] = st.lists(
    st.tuples(st.tuples(cells, cells, cells), st.sampled_from("xyz"), st.sampled_from("abcde")),
    min_size=1,
    max_size=14,
)


def compared(found: WildcardRisk, slow: SlowWildcards, threshold: float) -> None:
    assert [None if math.isnan(size) else size for size in found.sizes.tolist()] == [
        None if size is None else pytest.approx(float(size)) for size in slow.sizes
    ]
    risks = [float(risk) for risk in slow.risks]
    assert found.risk.highest == pytest.approx(max(risks))
    assert found.risk.lowest == pytest.approx(min(risks))
    assert found.risk.average == pytest.approx(sum(risks) / len(risks))
    assert found.risk.records_at_risk == pytest.approx(slow.at_risk(threshold))


@settings(max_examples=60)
@given(tables, st.sampled_from([0, Fraction(1, 4), 1]), st.booleans(), st.booleans())
def test_a_random_table_has_the_values_of_a_slow_recount(
    table: Rows, weight: Fraction, stars: bool, has_persons: bool
) -> None:
    rows, values, people = (list(part) for part in zip(*table, strict=True))
    persons = people if has_persons else None
    slow = slow_wildcards(rows, {"*"}, Fraction(weight), persons, count_all_star=stars)
    data = pd.DataFrame(rows, columns=QI).assign(s=values, p=people)

    def ask(**options: Any) -> WildcardRisk:
        return assess_wildcards(
            data,
            QI,
            "s",
            match_weight=float(weight),
            count_all_star=stars,
            person="p" if has_persons else "",
            threshold=0.3,
            **options,
        )

    if not slow.risks:
        with pytest.raises(InputError, match="only wildcards"):
            ask()
        return
    found = ask(distances={"s": "equal"})
    compared(found, slow, 0.3)
    fewest, furthest = slow_l_and_t(slow, values, persons)
    assert [model.value for model in found.models] == [fewest, pytest.approx(furthest)]


@given(tables, st.sampled_from([0, 0.25, 1]), st.booleans(), st.booleans())
def test_counted_tuples_have_the_values_of_their_records(
    table: Rows, weight: float, stars: bool, has_persons: bool
) -> None:
    rows, values, people = (list(part) for part in zip(*table, strict=True))
    records = as_table(pd.DataFrame(rows, columns=QI).assign(s=values, p=people))
    person, wildcards = "p" if has_persons else "", Wildcards(match_weight=weight, count_all_star=stars)
    names = [*QI, "s", "p"] if has_persons else [*QI, "s"]
    by_record, by_tuple = (
        given_table(own, QI, "s", person=person) for own in (records, counted_table(records, names))
    )
    if not stars and all(row == ("*", "*", "*") for row in rows):
        return
    one = wildcards_of_given(by_record, wildcards, threshold=0.3)
    other = wildcards_of_given(by_tuple, wildcards, threshold=0.3)
    figures, of_tuples = one.as_dict(), other.as_dict()
    assert other.records_of_rows is not None
    assert "class_size" not in of_tuples
    sizes = figures.pop("class_size"), figures["as_values"].pop("class_size")
    assert figures == of_tuples
    for listed, own in zip(sizes, (other.sizes, other.sizes_as_values), strict=True):
        expanded = np.repeat(own, other.records_of_rows)
        assert np.array_equal(np.sort(np.array(listed, dtype=float)), np.sort(expanded), equal_nan=True)


@settings(max_examples=30)
@given(st.lists(st.tuples(*[st.sampled_from("pq")] * 3, st.sampled_from("xyz")), min_size=1, max_size=14))
def test_without_a_wildcard_matches_are_ordinary_classes(table: list[tuple[str, ...]]) -> None:
    data = pd.DataFrame(table, columns=[*QI, "s"])
    found, ordinary = assess_wildcards(data, QI, "s"), check(data, QI, "s")
    assert found.sizes.tolist() == found.sizes_as_values.tolist()
    assert found.risk == pytest.approx(assess_risk(data, QI).prosecutor)
    assert (found.risk, found.models) == (found.risk_as_values, found.models_as_values)
    assert (found.k, *(model.value for model in found.models)) == (
        ordinary.k,
        ordinary["distinct_l_diversity"].value,
        ordinary["t_closeness"].value,
    )
    assert (found.with_wildcard, found.all_star) == (0, 0)


@settings(max_examples=30)
@given(tables)
def test_matching_is_symmetric_and_grows_with_the_weight(
    table: Rows,
) -> None:
    rows = [row for row, _value, _person in table]
    codes = [np.array(["pqrs*".index(row[c]) for row in sorted(set(rows))]) for c in range(3)]
    wild = np.stack([own == 4 for own in codes], axis=1)
    made = WildcardRows(codes, wild)
    pairs = set()
    for pattern in range(made.n_patterns):
        for matched in made.matched(pattern, lambda: None):
            for block in matched.blocks(np.ones(len(wild), dtype=np.int64), 3):
                pairs |= set(zip(block.queried[block.places].tolist(), block.matches.tolist(), strict=True))
    assert pairs == {(b, a) for a, b in pairs}
    assert {(i, i) for i in range(len(wild))} <= pairs
    data = pd.DataFrame(rows, columns=QI)
    by_weight = [
        assess_wildcards(data, QI, match_weight=w, count_all_star=True).sizes for w in (0.0, 0.5, 1.0)
    ]
    assert (np.diff(by_weight, axis=0) >= 0).all()
    assert (by_weight[0] >= 1).all()


def test_a_table_with_very_many_patterns_is_counted_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = np.random.default_rng(3)
    table = drawn.choice(list("ab*"), (120, 7), p=[0.35, 0.35, 0.3])
    names = [f"q{i}" for i in range(7)]
    data = pd.DataFrame(table, columns=names).assign(s=drawn.choice(list("xyz"), 120))
    slow = slow_wildcards([tuple(row) for row in table.tolist()], {"*"})
    monkeypatch.setattr(module, "_PAIRS", 100)
    monkeypatch.setattr("engine.kernels.wildcards._PLACES", 200)
    found = assess_wildcards(data, names, "s", distances={"s": "equal"})
    compared(found, slow, 0.2)
    fewest, furthest = slow_l_and_t(slow, data["s"].tolist())
    assert [model.value for model in found.models] == [fewest, pytest.approx(furthest)]


@settings(max_examples=40)
@given(releases(), st.booleans())
def test_a_release_is_read_as_its_file(made: Released, stars: bool) -> None:
    subject, names = made.subject, [attribute.name for attribute in made.case.qi]
    analysis = WildcardReading(count_all_star=stars)
    kept = pd.DataFrame(made.after, columns=names)
    starred = kept == "*"
    if analysis.why_not(subject):
        every = bool(len(kept)) and bool(starred.all(axis=1).all())
        assert not any(0 < own.sum() < len(kept) for _name, own in starred.items()) or every
        with pytest.raises(InputError):
            analysis.run(subject)
        return
    found = analysis.run(subject).risk
    lost = int(subject.release.n_suppressed) if stars else 0
    written = pd.concat([kept, pd.DataFrame([["*"] * len(names)] * lost, columns=names)])
    expected = assess_wildcards(written, names, count_all_star=stars)
    assert sorted(found.sizes.tolist(), key=str) == sorted(expected.sizes.tolist(), key=str)
    assert found.risk == pytest.approx(expected.risk)
    assert found.risk_as_values == pytest.approx(expected.risk_as_values)


def test_a_release_lists_the_records_that_depend_on_wildcards() -> None:
    made = letters(k=1, q="aaabbb", r="xyxyxx")
    project = made.subject.project
    problem = rooted(compile_problem(project))
    levels = np.zeros((6, 2), dtype=np.int16)
    levels[2, 1] = levels[4] = 1
    subject = Subject(
        project, make_local_release(project, problem, Recoding(levels, np.zeros(6, dtype=bool)))
    )
    analysis = WildcardReading()
    found = analysis.run(subject)
    assert found.risk.sizes.tolist()[:4] == [2, 2, 3, 1]
    assert np.isnan(found.risk.sizes[4])
    values, *_others, records = found.tables()
    assert values.rows[0][1:3] == (1, 1)
    assert records.rows == ((3, 3, 1), (1, 2, 1), (2, 2, 1))
    assert found.statement().caption == "1 record with a wildcard; 1 all wildcards, excluded"
    assert "no column" in analysis.why_not(letters(k=1, q="aab", r="xyx").subject).lower()


def test_missing_cells_and_other_texts_are_wildcards_on_request() -> None:
    data = pd.DataFrame({"a": ["x", "x", "y", "?"], "b": ["m", None, "m", "m"]})
    assert assess_wildcards(data, ["a", "b"]).sizes.tolist() == [1, 1, 1, 1]
    assert assess_wildcards(data, ["a", "b"], missing=True).sizes.tolist() == [2, 2, 1, 1]
    assert assess_wildcards(data, ["a", "b"], values=("*", "?")).sizes.tolist() == [2, 1, 2, 3]
    both = assess_wildcards(data, ["a", "b"], values="?", missing=True)
    assert both.sizes.tolist() == [3, 3, 2, 4]
    assert both.with_wildcard == 2


def test_others_that_may_be_known_are_compared_without_wildcards() -> None:
    data = pd.DataFrame({"a": ["x", "*", "x"], "s": ["1", "2", "2"], "r": ["*", "*", "u"]})
    known = assess_wildcards(data, "a", ["s", "r"], others_as_qi=True, count_all_star=True)
    alone = assess_wildcards(data, "a", ["s", "r"], count_all_star=True)
    assert alone.models[0].value == 2
    assert known.models[0].value == 1


def test_settings_that_mean_nothing_are_refused() -> None:
    data = pd.DataFrame({"a": ["x", "*"]})
    with pytest.raises(InputError, match="No value is a wildcard"):
        assess_wildcards(data, "a", values=())
    with pytest.raises(ParameterError):
        assess_wildcards(data, "a", match_weight=1.5)
    with pytest.raises(InputError, match="threshold"):
        assess_wildcards(data, "a", threshold=2)


def test_it_can_be_cancelled() -> None:
    whole = given_table(pd.DataFrame({"a": ["x", "*"], "b": ["y", "y"]}), ["a", "b"])
    with pytest.raises(CancelledError):
        wildcards_of_given(whole, Wildcards(), monitor=Stopping())
