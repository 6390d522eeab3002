"""Risks of weighted samples: values of sdcMicro, printed values, and a slow recount of random tables."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.findings.risk.survey import SpecialUniques, assess_special_uniques, assess_survey
from engine.kernels.survey import individual_risks
from tests.engine.findings.risk.slow_survey import (
    slow_households,
    slow_minimal_uniques,
    slow_risk,
    slow_risks,
    slow_score,
)

CASES = json.loads(
    (Path(__file__).parents[3] / "data" / "second" / "survey.json").read_text(encoding="utf-8")
)
by_case = pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
CLOSE = 1e-9


def frame(case: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame(case["rows"])


@by_case
def test_risks_are_those_of_survey_json(case: dict[str, Any]) -> None:
    found = assess_survey(frame(case), case["columns"], case["weight"], case["household"])
    assert found.sizes.tolist() == case["f"]
    assert found.people.tolist() == pytest.approx(case["F"], rel=CLOSE)
    assert found.risks.tolist() == pytest.approx(case["individual_risk"], rel=CLOSE)
    assert found.household_risks.tolist() == pytest.approx(case["household_risk"], rel=CLOSE)
    for own in ("expected_reidentifications", "global_risk", "household_expected", "household_global"):
        assert getattr(found, own) == pytest.approx(case[own], rel=CLOSE)
    exact = assess_survey(frame(case), case["columns"], case["weight"], exact=True)
    assert exact.risks.tolist() == pytest.approx(case["individual_risk_exact"], rel=CLOSE)
    assert exact.household_risks is None
    by_sdcmicro = case["sdcmicro"]
    assert found.risks.tolist() == pytest.approx(by_sdcmicro["risk"], rel=CLOSE)
    assert found.global_risk == pytest.approx(by_sdcmicro["global_risk"], rel=CLOSE)


@by_case
def test_special_uniques_are_those_of_survey_json(case: dict[str, Any]) -> None:
    found = assess_special_uniques(frame(case), case["columns"])
    assert found.scores.tolist() == case["suda"]
    assert [{*map(frozenset, found.sets_of(r))} for r in range(found.n_records)] == [
        {*map(frozenset, sets)} for sets in case["msu"]
    ]
    shares = {name: 100 * share for name, share in found.contributions.items()}
    assert shares == pytest.approx(case["attribute_contribution_percent"], rel=CLOSE)
    for fraction, success in case["dis"].items():
        assert found.dis_at(float(fraction)) == pytest.approx(success, rel=CLOSE)
        assert found.dis_suda_at(float(fraction)).tolist() == pytest.approx(
            case["dis_suda"][fraction], rel=CLOSE
        )
    assert found.scores.tolist() == case["sdcmicro"]["suda"]


def test_the_printed_values_of_the_practice_guide_are_reproduced() -> None:
    case = next(case for case in CASES if case["name"] == "practice_guide")
    risks = assess_survey(frame(case), case["columns"], case["weight"]).risks
    printed = [0.025096439, 0.012563425, 0.028247279, 0.012563425, 0.029010932, 0.025096439]
    assert risks.round(9).tolist() == [0.00542452, 0.00542452, *printed, 0.007403834, 0.007403834]


def test_the_printed_values_of_francdat_are_reproduced() -> None:
    case = next(case for case in CASES if case["name"] == "francdat")
    risks = assess_survey(frame(case), case["columns"], case["weight"]).risks
    first = [0.0171442616, 0.0220423262, 0.0220423262, 0.1770758340]
    assert risks.round(10).tolist() == [*first, 0.0116544801, 0.2970630774, 0.4023594781, 0.0171442616]


@given(st.integers(1, 200), st.floats(1.0, 1e6), st.booleans())
@example(2, 1 + 1e-9, True)
@example(2, 1 + 1e-9, False)
@example(1, 1 + 1e-12, False)
@example(3, 1.0099, True)
@example(49, 1e6, True)
@example(50, 1e6, True)
@example(2, 2.0, True)
def test_risks_agree_with_an_integral(records: int, ratio: float, exact: bool) -> None:
    risk = individual_risks(np.array([records]), np.array([records * ratio]), exact=exact)[0]
    assert risk == pytest.approx(slow_risk(records, records * ratio, exact=exact), rel=1e-8)
    assert 0 < risk <= 1 / records


tables = st.integers(2, 5).flatmap(
    lambda width: st.lists(
        st.tuples(
            st.tuples(*[st.sampled_from("abc")] * width),
            st.sampled_from([1.0, 0.5, 2.5, 17.0, 180.0]),
            st.sampled_from("xyz"),
            st.sampled_from("pqrst"),
        ),
        min_size=1,
        max_size=12,
    )
)


@given(tables, st.booleans())
def test_a_random_table_has_the_risks_of_a_slow_recount(
    table: list[tuple[tuple[str, ...], float, str, str]], exact: bool
) -> None:
    rows, weights, households, _unused = zip(*table, strict=True)
    names = [f"q{i}" for i in range(len(rows[0]))]
    data = pd.DataFrame(list(rows), columns=names).assign(w=weights, h=households)
    found = assess_survey(data, names, "w", "h", exact=exact)
    wanted = slow_risks(rows, weights, exact=exact)
    assert found.risks.tolist() == pytest.approx(wanted, rel=1e-8)
    assert found.household_risks.tolist() == pytest.approx(slow_households(wanted, households), rel=1e-7)
    assert found.n_households == len({*households})


@given(tables, st.integers(1, 5), st.booleans())
def test_a_random_table_has_the_special_uniques_of_a_slow_recount(
    table: list[tuple[tuple[str, ...], float, str, str]], largest: int, has_persons: bool
) -> None:
    rows, _unused, _unused, persons = zip(*table, strict=True)
    names = [f"q{i}" for i in range(len(rows[0]))]
    data = pd.DataFrame(list(rows), columns=names).assign(p=persons)
    found = assess_special_uniques(data, names, largest=largest, person="p" if has_persons else "")
    most = min(largest, len(names))
    wanted = slow_minimal_uniques(rows, most, persons if has_persons else None)
    assert found.scores.tolist() == [slow_score(sets, len(names), most) for sets in wanted]
    own = [[tuple(map(names.index, subset)) for subset in found.sets_of(r)] for r in range(len(rows))]
    assert own == wanted
    assert sum(found.found.counts.values()) == sum(map(len, wanted))
    alone = replace(found.found, sets=None)  # as in tables with many sets
    assert [[*alone.sets_of(record)] for record in range(len(rows))] == wanted


def special(**columns: str) -> SpecialUniques:
    return assess_special_uniques(
        pd.DataFrame({name: list(texts) for name, texts in columns.items()}), [*columns]
    )


def test_a_table_without_uniques_has_no_scores_and_no_success() -> None:
    found = special(a="xxyy", b="uuvv")
    assert not found.scores.any()
    assert found.dis_at(0.1) == 0
    assert not found.dis_suda_at(0.1).any()
    assert all(np.isnan(share) for share in found.contributions.values())


def test_suppressed_records_count_for_neither_risk_nor_uniques() -> None:
    data = pd.DataFrame({"a": ["x", "x", "*"], "b": ["u", "u", "*"], "w": [10, 20, 30]})
    assert assess_survey(data, ["a", "b"], "w").people.tolist() == [30, 30]
    assert assess_special_uniques(data, ["a", "b"]).scores.tolist() == [0, 0]


def test_a_record_without_a_household_is_a_household() -> None:
    data = pd.DataFrame({"a": list("xyzz"), "w": [2.0, 4.0, 8.0, 8.0], "h": ["1", "1", None, None]})
    found = assess_survey(data, "a", "w", "h")
    first, second, third, fourth = found.risks.tolist()
    joint = 1 - (1 - first) * (1 - second)
    assert found.household_risks.tolist() == pytest.approx([joint, joint, third, fourth])
    assert found.n_households == 3


@pytest.mark.parametrize(
    ("weights", "problem"),
    [
        ([1.0, None], "'w' has no weight for 1 record."),
        ([0, -1], "'w' has a weight of 0 or less for 2 records."),
        (["x", "y"], "The weight column 'w' is not numeric."),
    ],
)
def test_unusable_weights_are_refused(weights: list[Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        assess_survey(pd.DataFrame({"a": ["x", "y"], "w": weights}), "a", "w")


def test_persons_with_several_records_have_no_individual_risk() -> None:
    from engine.findings.given_table import given_table
    from engine.findings.risk.survey import survey_of_given

    data = pd.DataFrame({"a": ["x", "y"], "w": [2, 3], "p": ["1", "1"]})
    with pytest.raises(InputError, match="one record per person"):
        survey_of_given(given_table(data, "a", person="p", weight="w"))


def test_too_many_sets_of_columns_are_refused_and_fewer_are_searched() -> None:
    data = pd.DataFrame({f"q{i}": ["x", "y"] for i in range(20)})
    with pytest.raises(InputError, match="too many to search"):
        assess_special_uniques(data, [*data.columns])
    assert assess_special_uniques(data, [*data.columns], largest=2).scores.all()
    assert assess_special_uniques(data, "q0").scores.tolist() == [1, 1]
    with pytest.raises(InputError, match="sampling fraction"):
        assess_special_uniques(data, ["q0", "q1"], sampling_fraction=0)
