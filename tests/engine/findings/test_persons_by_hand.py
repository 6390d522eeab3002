"""Figures of risk and utility on random tables of people with several records, beside a plain recount."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from statistics import mean, median
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.findings.base import risk_analyses, utility_analyses
from engine.findings.blocks import FigureTable
from engine.findings.subject import Subject
from engine.kernels.population.estimate import ESTIMATORS
from engine.privacy import Attack, Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.requirement import LIMITED
from engine.project.compile import compile_problem
from engine.recoding import make_release
from engine.verification.models.population_uniqueness import population_uniques
from tests.strategies import Attributes, Case, cases, few, nodes

CLOSE = {"rel": 1e-9, "abs": 1e-12}
Cells = tuple[Hashable, ...]


class Side:
    """Records of one table as (cells, person), counted with sets and fractions."""

    def __init__(self, records: Iterable[tuple[Cells, str]]) -> None:
        self.records = list(records)

    def people(self, *columns: int) -> dict[Cells, set[str]]:
        found: dict[Cells, set[str]] = {}
        for cells, person in self.records:
            key = tuple(cells[c] for c in columns) if columns else cells
            found.setdefault(key, set()).add(person)
        return found

    def least(self, *columns: int) -> dict[str, int]:
        """Of every person the fewest people among whom one of their records hides."""
        found: dict[str, int] = {}
        for owners in self.people(*columns).values():
            for person in owners:
                found[person] = min(found.get(person, len(owners)), len(owners))
        return found

    @property
    def sizes(self) -> list[int]:
        return [len(owners) for owners in self.people().values()]

    @property
    def sizes_in_records(self) -> list[int]:
        return list(Counter(cells for cells, _ in self.records).values())


@st.composite
def visits(draw: st.DrawFn) -> tuple[Case, Subject, Side, Side]:
    """A table in which somebody has several records, a release of it, and both sides as they are read."""
    case = draw(cases(persons=True, min_sensitive=1, max_sensitive=1))
    assume(len(set(case.persons)) < case.n_records)
    models = (KAnonymity(draw(st.integers(1, 3))),)
    limit, counted = draw(st.sampled_from([0.0, 0.3, 1.0])), draw(st.sampled_from(LIMITED))
    project = replace(case.project, requirement=Requirement(models, limit, counted, draw(st.booleans())))
    release = make_release(project, compile_problem(project), draw(nodes(case)))
    kept = [i for i in range(case.n_records) if not release.suppressed[i]]
    before = zip(*(attribute.texts for attribute in case.qi), strict=True)
    columns = [release.column(attribute.name) for attribute in case.qi]
    after = [(tuple(c.text(i) for c in columns if c), case.persons[i]) for i in kept]
    return case, Subject(project, release), Side(zip(before, case.persons, strict=True)), Side(after)


def rows(tables: Sequence[FigureTable], key: str) -> list[dict[str, Any]]:
    """A declared table of figures as one mapping per row."""
    table = next(table for table in tables if table.key == key)
    return [dict(zip((c.key for c in table.columns), row, strict=True)) for row in table.rows]


def unit(tables: Sequence[FigureTable], key: str, column: str) -> str:
    table = next(table for table in tables if table.key == key)
    return next(c.unit for c in table.columns if c.key == column)


def average(least: dict[str, int]) -> Fraction:
    return sum((Fraction(1, size) for size in least.values()), Fraction(0)) / len(least)


@few
@given(visits(), st.sampled_from(["0", "0.09", "0.2", "0.25", "0.5", "1"]))
def test_attackers_and_their_distribution_are_of_people(
    made: tuple[Case, Subject, Side, Side], typed: str
) -> None:
    _, subject, *sides = made
    threshold = Fraction(typed)
    attackers = risk_analyses.create("attackers", threshold=float(typed)).run(subject).tables()
    spread = risk_analyses.create("risk_distribution", threshold=float(typed)).run(subject)
    steps, ranges = rows(spread.tables(), "risk_steps"), rows(spread.tables(), "risk_ranges")
    assert unit(attackers, "attackers", "n_at_risk") == "people"
    assert unit(spread.tables(), "risk_steps", "n_records") == "people"
    for name, side in zip(("input", "release"), sides, strict=True):
        own = [step for step in steps if step["side"] == name]
        least = side.least()
        for row in (r for r in rows(attackers, "attackers") if r["side"] == name):
            assert row["n_records"] == len(least)
            if not least:
                assert row["average"] is None
                continue
            assert row["average"] == float(average(least))
            assert row["n_expected"] == pytest.approx(float(average(least) * len(least)), **CLOSE)
            if row["attacker"] == "marketer":
                continue
            at_risk = sum(Fraction(1, size) > threshold for size in least.values())
            assert row["highest"] == 1 / min(least.values())
            assert (row["n_at_risk"], row["records_at_risk"]) == (at_risk, at_risk / len(least))
        assert {step["class_size"]: step["n_records"] for step in own} == Counter(least.values())
        for a_range in ranges:
            risks = [1 / size for size in least.values()]
            wanted = sum(a_range["above"] < risk <= a_range["up_to"] for risk in risks)
            assert a_range[f"n_{name}"] == wanted


@few
@given(visits())
def test_uniqueness_is_estimated_from_the_people_of_classes(made: tuple[Case, Subject, Side, Side]) -> None:
    _, subject, before, after = made
    found = risk_analyses.create("population_uniqueness", fractions=(0.1, 0.5)).run(subject)
    uniques = [sum(size == 1 for size in side.least().values()) for side in (before, after)]
    assert [int(number) for number in re.findall(r"\d+", found.sentence)[:2]] == uniques
    for row, fraction in zip(found.tables()[0].rows, (0.1, 0.5), strict=True):
        told = dict(zip((c.key for c in found.tables()[0].columns), row, strict=True))
        people = len(before.least()) / fraction
        assert told["population"] == pytest.approx(people)
        for name, side in (("input", before), ("release", after)):
            if not side.records:
                assert all(told[f"{key}_{name}"] is None for key in ESTIMATORS)
                continue
            for key in ("zayatz", "pitman"):
                wanted = population_uniques(key, Counter(side.sizes), people, len(side.least()))
                share = told[f"{key}_{name}"]
                if wanted is None or share is None:
                    assert wanted is share is None
                else:
                    assert share == pytest.approx(wanted / people, rel=1e-6)


@few
@given(visits())
def test_few_known_columns_find_people(made: tuple[Case, Subject, Side, Side]) -> None:
    case, subject, before, after = made
    sets = rows(risk_analyses.create("column_subsets").run(subject).tables(), "column_sets")
    known = rows(risk_analyses.create("column_subsets").run(subject).tables(), "known_columns")
    names = [attribute.name for attribute in case.qi]
    for row in sets:
        columns = [names.index(name) for name in row["columns"].split(", ")]
        for name, side in (("input", before), ("release", after)):
            least = side.least(*columns)
            if not least:
                assert row[f"uniques_{name}"] is None
                continue
            assert row[f"uniques_{name}"] == sum(size == 1 for size in least.values())
            assert row[f"highest_{name}"] == 1 / min(least.values())
            combos = len(side.people(*columns))
            assert row[f"distinction_{name}"] == pytest.approx(combos / len(side.records))
    for row in known:
        chosen = list(combinations(range(len(names)), row["n_columns"]))
        averages = [float(average(before.least(*columns))) for columns in chosen]
        assert row["mean_risk_input"] == pytest.approx(mean(averages), **CLOSE)


@few
@given(visits())
def test_the_list_of_records_tells_people_who_look_alike(made: tuple[Case, Subject, Side, Side]) -> None:
    _, subject, before, after = made
    analysis = risk_analyses.create("exposed_records")
    assert bool(analysis.why_not(subject)) == (not after.records)
    if not after.records:
        return
    found = analysis.run(subject)
    listed = rows(found.tables(), "exposed_records")
    assert len(listed) == len(after.records)
    kept = [record for record in range(subject.n_records) if subject.kept[record]]
    released = dict(zip(kept, after.records, strict=True))
    for row in listed:
        record = row["record"] - 1
        assert row["class_size"] == len(after.people()[released[record][0]])
        assert row["size_before"] == len(before.people()[before.records[record][0]])
        told = found.explain(record)
        others = row["class_size"] - 1
        assert ("No other person's record is equal" in told.sentence) == (not others)
        assert (told.size_before == 1) == ("no other person has an equal record" in told.sentence)
    if listed:
        least = min(row["class_size"] for row in listed)
        assert found.n_at_highest == sum(row["class_size"] == least for row in listed)


@few
@given(visits())
def test_what_a_class_reveals_weighs_everybody_alike(made: tuple[Case, Subject, Side, Side]) -> None:
    case, subject, _, after = made
    analysis = risk_analyses.create("attribute_disclosure")
    assert bool(analysis.why_not(subject)) == (not after.records)
    if not after.records:
        return
    found = analysis.run(subject)
    n_records = Counter(case.persons)
    values = case.sensitive[0].texts
    kept = [i for i in range(case.n_records) if subject.kept[i]]
    told = rows(found.tables(), "disclosure_by_class")
    assert sorted(row["n_records"] for row in told) == sorted(after.sizes)
    alone: set[str] = set()
    for row in told:
        cells = tuple(text for _, text in found.cells(row["class"]))
        own = [i for i, (texts, _) in zip(kept, after.records, strict=True) if texts == cells]
        compared = found.compare(row["class"])
        assert compared.n_people == len({case.persons[i] for i in own}) == row["n_records"]
        weights: dict[str, Fraction] = {}
        for i in own:
            weights[values[i]] = weights.get(values[i], Fraction(0)) + Fraction(1, n_records[case.persons[i]])
        for a_bin, count, share in zip(
            compared.bins, compared.class_counts, compared.class_shares, strict=True
        ):
            wanted = weights.get(a_bin.label, Fraction(0))
            assert count == pytest.approx(float(wanted), **CLOSE)
            assert share == pytest.approx(float(wanted / sum(weights.values())), **CLOSE)
        assert sum(compared.table_counts) == pytest.approx(len(n_records), **CLOSE)
        if len(weights) == 1 or compared.n_people == 1:
            alone |= {case.persons[i] for i in own}
    assert found.n_single == len(alone)


@few
@given(visits())
def test_sizes_of_classes_are_told_in_records_and_in_people(made: tuple[Case, Subject, Side, Side]) -> None:
    _, subject, before, after = made
    assume(after.records)
    found = utility_analyses.create("class_sizes").run(subject).tables()
    told = {row["side"]: row for row in rows(found, "class_sizes")}
    for title, name, side in (("input", "before", before), ("release", "after", after)):
        for key, sizes in ((title, side.sizes_in_records), (f"{title}, people", side.sizes)):
            row = told[key]
            assert (row["classes"], row["smallest"], row["largest"]) == (len(sizes), min(sizes), max(sizes))
            assert row["mean"] == pytest.approx(mean(sizes))
            assert row["median"] == pytest.approx(median(sizes))
        bins = rows(found, "histogram")
        assert sum(row[f"records_{name}"] for row in bins) == len(side.records)
        for row in bins:
            inside = [n for n in side.sizes_in_records if row["from"] <= n <= row["to"]]
            assert (row[f"classes_{name}"], row[f"records_{name}"]) == (len(inside), sum(inside))


@few
@given(visits())
def test_reasons_of_attacks_count_people(made: tuple[Case, Subject, Side, Side]) -> None:
    _, subject, before, after = made
    told = rows(risk_analyses.create("attacks").run(subject).tables(), "attacks")
    linkage = next(row for row in told if row["attack"] == Attack.LINKAGE.title)
    if after.records:
        assert linkage["value"] == f"k = {min(after.sizes)}"
    assert linkage["value_before"] == f"k = {min(before.sizes)}"
    if after.records and min(after.sizes) == 1:
        alone = sum(size == 1 for size in after.least().values())
        assert f"a single candidate for {alone} of the people" in linkage["reason"]


def test_queries_count_records_of_whoever_they_are() -> None:
    cells = tuple("aaabbbbccd")
    hidden = tuple((value, "*") for value in sorted(set(cells)))
    case = Case((Attributes("q", cells, rows=hidden),), persons=tuple("ppqpqqrrrs"))
    project = replace(case.project, requirement=Requirement((), 0.0))
    subject = Subject(project, make_release(project, compile_problem(project), (0,)))
    found = utility_analyses.create("local_queries", n_queries=20).run(subject)
    assert found.exact.tolist() == found.estimated.tolist()
    assert found.exact.max() > 1
