"""Three attackers before and after: ARX's figures, a recount, ties, and whom the journalist searches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ParameterError
from engine.findings.base import risk_analyses
from engine.findings.risk.attacker_risk import AttackerRisk
from engine.findings.risk.attackers import Attackers
from engine.findings.risk.population_uniqueness import PopulationUniqueness
from engine.findings.risk.risk_distribution import RiskDistribution
from engine.findings.subject import Subject
from engine.findings.words import as_chance
from engine.numbers import as_percent
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.k_map import KMap
from engine.project.compile import compile_problem
from engine.project.population import Population
from engine.project.project import Project
from engine.project.subset import Subset
from engine.recoding import make_release
from engine.recoding.aggregation.functions import Mode
from engine.records import Column, DataType, Kind, Table
from engine.records.values import make_column
from tests.adult import ARX_COLUMNS, arx_project
from tests.engine.findings.risk.subjects import RELEASES, Released, close, letters, releases
from tests.strategies import few


def compare(found: AttackerRisk, expected: dict[str, Any], attacker: str) -> None:
    risks, summary = expected["sample_risks"], expected["summary_threshold_0.2"][attacker]
    assert found.highest == close(risks["highest"])
    assert found.average == close(risks["average"])
    assert found.lowest == close(risks["lowest"])
    assert found.records_at_risk == close(summary["records_at_risk"])
    assert found.n_records == expected["records_counted"]
    assert found.n_at_risk == round(summary["records_at_risk"] * expected["records_counted"])


@pytest.mark.parametrize("name", RELEASES)
def test_input_and_release_have_the_risks_of_arx(name: str, oracle: dict[str, Any]) -> None:
    k, limit = RELEASES[name]
    people = oracle[name]["risk_all9"]["population_size"]
    project = replace(
        arx_project(), requirement=Requirement((KAnonymity(k),), limit), population=Population(size=people)
    )
    node = tuple(oracle[name]["node"][column] for column in ARX_COLUMNS)
    subject = Subject(project, make_release(project, compile_problem(project), node))
    found = Attackers().run(subject)
    for attacker in (found.prosecutor, found.journalist):
        compare(attacker.before, oracle["input_all9"], attacker.key)
        assert attacker.after is not None
        compare(attacker.after, oracle[name]["risk_all9"], attacker.key)
    rate = oracle[name]["risk_all9"]["summary_threshold_0.2"]["marketer"]["success_rate"]
    assert found.marketer.after.average == close(rate)
    assert found.marketer.after.n_expected == close(subject.release.n_classes)
    assert subject.release.n_suppressed == oracle[name]["class_stats"]["suppressed_rows"]
    own = PopulationUniqueness(fractions=(0.5,)).run(subject).own
    for estimator in ("zayatz", "pitman", "dankar"):
        wanted = oracle[name]["risk_all9"]["population_uniques"][estimator]["count"]
        assert own.before[estimator].uniques == pytest.approx(
            oracle["input_all9"]["population_uniques"][estimator]["count"], rel=1e-8
        )
        # ARX estimates for the kept records as a sample of their own.
        assert own.after[estimator].uniques == pytest.approx(wanted, rel=1e-8)


@few
@given(releases(), st.sampled_from([0.0, 0.09, 0.2, 0.25, 0.3, 0.5, 1.0]))
def test_any_release_has_the_risks_of_a_recount(made: Released, threshold: float) -> None:
    found = Attackers(threshold=threshold).run(made.subject)
    spread = RiskDistribution(threshold=threshold).run(made.subject)
    recount(found.prosecutor.before, made.before, threshold)
    assert spread.n_at_risk[0] == found.prosecutor.before.n_at_risk
    assert (found.prosecutor.after is None) == (not made.after)
    if found.prosecutor.after is not None:
        recount(found.prosecutor.after, made.after, threshold)
        assert spread.n_at_risk[1] == found.prosecutor.after.n_at_risk
        is_certain = found.prosecutor.after.smallest == 1
        assert found.is_within == (not found.prosecutor.after.n_at_risk and not is_certain)


def recount(found: AttackerRisk, rows: Sequence[tuple[str, ...]], threshold: float) -> None:
    sizes = Counter(rows)
    risks = [Fraction(1, sizes[row]) for row in rows]
    assert (found.n_records, found.n_expected) == (len(rows), close(len(sizes)))
    assert found.highest == close(float(max(risks)))
    assert found.average == close(float(sum(risks) / len(rows)))
    assert found.n_at_risk == sum(risk > Fraction(repr(threshold)) for risk in risks)
    assert found.smallest == min(sizes.values())


def test_a_class_of_five_is_not_above_twenty_percent() -> None:
    made = letters(q="aaaaabbbbb", k=5)
    at, below = (Attackers(threshold=limit).run(made.subject).prosecutor.after for limit in (0.2, 0.19))
    assert (at.n_at_risk, below.n_at_risk) == (0, 10)
    assert Attackers().run(made.subject).sentence == (
        "From this column: no kept record can be matched with a certainty above 20.0\u202f%."
    )


def test_the_sentence_says_how_many_records_are_above_the_threshold() -> None:
    found = Attackers().run(letters(q="aaaaaabbbccd", r="xxxxxxxxxxxx").subject)
    assert found.sentence == (
        "From these 2 columns: 6 of 12 kept records (50.0\u202f%) can be matched with a certainty "
        "above 20.0\u202f%, some of them with certainty."
    )
    assert found.detail == "12 records kept in 4 classes, none suppressed"
    assert not found.is_within


def test_a_threshold_of_all_does_not_hide_that_records_are_found_for_certain() -> None:
    found = Attackers(threshold=1.0).run(letters(q="aab").subject)
    assert found.sentence == (
        "From this column: records can be matched with certainty, "
        "which an accepted risk of 100.0\u202f% allows."
    )
    one = Attackers().run(letters(q="aaaaaab").subject)
    assert one.sentence == (
        "From this column: 1 of 7 kept records (14.3\u202f%) can be matched with certainty, "
        "above the accepted 20.0\u202f%."
    )


def test_without_kept_records_nobody_can_be_found_and_the_input_still_has_figures() -> None:
    made = letters(q="aabbc", k=4)
    found = Attackers().run(made.subject)
    assert found.prosecutor.after is None
    assert found.prosecutor.before.n_at_risk == 5
    assert not found.is_within
    assert found.sentence == "No record is kept, so no one can be re-identified."
    rows = found.tables()[0].rows
    assert [row[4:9] for row in rows if row[1] == "release"] == [(None, None, None, None, 0)] * 3


def test_one_class_is_one_over_all_records() -> None:
    found = Attackers().run(letters(q="abcdef", k=2, node=(1,)).subject)
    assert found.prosecutor.after.highest == 1 / 6
    assert found.sentence.endswith("with a certainty above 1 in 6 (16.7\u202f%).")


def test_a_number_that_percent_round_is_said_as_a_chance() -> None:
    assert as_chance(12) == "1 in 12 (8.3\u202f%)"
    assert as_chance(8) == "12.5\u202f%"
    assert as_chance(2_000) == "0.05\u202f%"
    assert [as_percent(share) for share in (0.0, 1e-6, 0.5, 0.99999, 1.0)] == [
        "0\u202f%",
        "<\u202f0.01\u202f%",
        "50\u202f%",
        ">\u202f99.99\u202f%",
        "100\u202f%",
    ]


def with_population(made: Released, **columns: str) -> Subject:
    people = Table(tuple(text_column(name, texts) for name, texts in columns.items()))
    return again(made, replace(made.subject.project, population=Population(table=people)))


def text_column(name: str, texts: str, kind: Kind = Kind.TEXT) -> Column:
    labels = sorted(set(texts))
    codes = np.array([labels.index(text) for text in texts], dtype=np.int32)
    return make_column(name, labels, codes, DataType(kind), "")


def again(made: Released, project: Project) -> Subject:
    node = made.subject.release.node
    assert node is not None
    return Subject(project, make_release(project, compile_problem(project), node))


def test_a_journalist_searches_the_population_where_it_is_known() -> None:
    made = letters(q="aab", r="xyx", k=1, node=(0, 1))
    found = Attackers().run(with_population(made, q="aaaabbbb", r="xxxyxxxx"))
    # Before: (a, x) 3 people, (a, y) 1, (b, x) 4. After: a 4 people, b 4.
    assert found.journalist.before.highest == 1
    assert found.journalist.before.average == close((1 / 3 + 1 + 1 / 4) / 3)
    assert found.journalist.after.highest == 1 / 4
    assert found.journalist.after.average == close((2 / 4 + 1 / 4) / 3)
    assert found.prosecutor.after.highest == 1
    assert "8 people" in found.people


def test_a_released_subset_is_searched_among_all_records() -> None:
    made = letters(q="aaaab", s="xxyyy")
    project = replace(made.subject.project, subset=Subset(filter="s = 'x'"))
    found = Attackers().run(again(made, project))
    assert (found.prosecutor.after.highest, found.journalist.after.highest) == (1 / 2, 1 / 4)
    assert found.people == "All records of the table, 5 people, are searched."


def test_where_people_are_not_known_one_by_one_the_table_stands_in() -> None:
    made = letters(q="aab")
    subject = again(made, replace(made.subject.project, population=Population(size=1000)))
    found = Attackers().run(subject)
    estimate = KMap(estimator="poisson").worst(subject.release.classes)
    assert found.people.endswith(f"at least {estimate} of them match each kept record.")
    assert found.journalist.before == found.prosecutor.before
    assert "Only the size of the population of 1\u202f000 people is known" in found.people
    assert "for which this table is used" in found.journalist.knows


def test_where_cells_are_aggregates_the_table_stands_in() -> None:
    made = letters(q="aab", r="xxy", node=(0, 0))
    people = Population(table=Table((text_column("q", "aaab"), text_column("r", "xxyy"))))
    project = replace(made.subject.project, population=people, microaggregation={"r": Mode()})
    subject = Subject(project, make_release(project, compile_problem(project), (0, 1)))
    found = Attackers().run(subject)
    assert found.journalist.after == found.prosecutor.after
    assert "aggregates" in found.people


def test_a_population_that_lacks_people_of_the_table_does_not_stand_for_it() -> None:
    made = letters(q="aab")
    found = Attackers().run(with_population(made, q="abbb"))
    assert found.journalist.before == found.prosecutor.before
    assert "no matching person" in found.people


def test_people_are_counted_by_value_however_a_number_is_written() -> None:
    made = letters(q="112", node=(1,))
    number = replace(made.subject.project.table.column("q"), data_type=DataType(Kind.DECIMAL))
    number = replace(number, numbers=np.array([1.0, 2.0]))
    texts = ("1.0", "1.00", "1", "2")
    labels = np.arange(4, dtype=np.int32)
    theirs = make_column("q", list(texts), labels, DataType(Kind.DECIMAL), "")
    project = made.subject.project
    hierarchy = project.hierarchies["q"].hierarchy.extended(["1.0", "1.00"])
    project = replace(
        project,
        table=Table((number,)),
        hierarchies={"q": replace(project.hierarchies["q"], hierarchy=hierarchy)},
        population=Population(table=Table((theirs,))),
    )
    found = Attackers().run(again(made, project))
    assert found.journalist.before.highest == 1
    assert found.journalist.before.lowest == 1 / 3


def test_a_threshold_that_is_no_fraction_is_refused() -> None:
    with pytest.raises(ParameterError):
        risk_analyses.create("attackers", threshold=1.2)
