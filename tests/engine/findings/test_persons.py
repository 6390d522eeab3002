"""Analyses of a release count people where one of them has several records, in the input and the release."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from engine.advice.preflight import preflight
from engine.cli import main
from engine.findings.risk.attackers import Attackers
from engine.findings.risk.linkage import LinkCounts, link
from engine.findings.risk.of_table import assess_risk
from engine.findings.risk.population_in_classes import OTHERS, population_in_classes
from engine.findings.risk.risk_distribution import RiskDistribution
from engine.findings.risk.suppressed_groups import SuppressedGroups
from engine.findings.subject import Subject
from engine.hierarchies import Hierarchy
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import AttributeHierarchy, Project
from engine.project.compile import compile_problem
from engine.project.edits import set_hierarchy, set_person, set_population, set_roles
from engine.project.population import Population
from engine.recoding import make_release
from engine.records import Role
from engine.records.opening.files import read_table

VISITS = "patient,sex,town\n" + "a,f,1\n" * 6 + "b,f,1\nc,f,2\nd,f,2\ne,m,2\ne,f,2\nf,m,1\n"


@pytest.fixture
def subject(tmp_path: Path) -> Subject:
    return subject_of(tmp_path, VISITS)


def subject_of(folder: Path, text: str, population: str = "") -> Subject:
    path = folder / "visits.csv"
    path.write_text(text)
    table, options = read_table(path)
    project = Project("visits", path, options, table)
    project = set_roles(project, ["patient"], Role.IDENTIFYING)
    project = set_roles(project, ["sex", "town"], Role.QUASI_IDENTIFYING)
    for name, values in (("sex", "fm"), ("town", "12")):
        rows = Hierarchy.from_rows([(value, "*") for value in values])
        project = set_hierarchy(project, name, AttributeHierarchy(rows))
    project = replace(set_person(project, "patient"), requirement=Requirement((KAnonymity(2),), 1.0))
    if population:
        (folder / "population.csv").write_text(population)
        project = set_population(project, Population(table=read_table(folder / "population.csv")[0]))
    problem = compile_problem(project)
    return Subject(project, make_release(project, problem, (0, 0)))


def test_attackers_look_for_people_before_and_after(subject: Subject) -> None:
    found = Attackers(threshold=0.4).run(subject)
    # Classes: (f, 1) a, b; (f, 2) c, d, e; (m, 2) e; (m, 1) f. The last two are suppressed.
    before, after = found.prosecutor.before, found.prosecutor.after
    assert (before.n_records, after.n_records) == (6, 5)
    assert before.average == pytest.approx((2 / 2 + 2 / 3 + 1 + 1) / 6)  # e by the class alone
    assert after.average == pytest.approx((2 / 2 + 3 / 3) / 5)
    assert (before.n_at_risk, after.n_at_risk) == (4, 2)
    assert "2 of 5 kept people" in found.sentence
    assert "10 records kept in 2 classes, of 5 people" in found.detail
    assert "the smallest class has 2 people, or 3 records" in found.detail
    by_table = assess_risk(subject.input, ["sex", "town"], person="patient", threshold=0.4)
    assert before == by_table.prosecutor


def test_risks_are_spread_over_people(subject: Subject) -> None:
    found = RiskDistribution(threshold=0.4).run(subject)
    assert found.before.n_records == 6
    assert dict(zip(found.after.sizes.tolist(), found.after.records.tolist(), strict=True)) == {2: 2, 3: 3}
    assert found.n_at_risk == (4, 2)


def test_whose_records_all_match_is_found_however_many_they_are(tmp_path: Path) -> None:
    subject = subject_of(tmp_path, f"{VISITS}f,m,1\n")  # (m, 1) is two records of f
    (tmp_path / "other.csv").write_text("name,sex,town\nFin,m,1\nAda,f,1\nNo,f,9\n")
    other = read_table(tmp_path / "other.csv")[0]
    found = link(subject, other, {"sex": "sex", "town": "town"})
    assert found.matches_before.tolist() == [2, 7, 0]
    assert found.before == LinkCounts(n_one_record=1, n_one_class=1, n_several=0, n_none=1)
    assert found.after == LinkCounts(n_one_record=0, n_one_class=1, n_several=0, n_none=2)
    assert "1 of 3 people match exactly one person of the input" in found.sentence
    assert found.tables()[0].columns[1].title == "Exactly one person"
    by_town = link(subject, other, {"town": "town"})  # f is one of several people there
    assert by_town.before == LinkCounts(n_one_record=0, n_one_class=0, n_several=2, n_none=1)


def test_groups_are_of_people_and_of_those_who_lose_a_record_of_them(subject: Subject) -> None:
    found = SuppressedGroups(least_records=1).run(subject)
    assert (found.n_records, found.n_suppressed, found.pairs) == (6, 2, ())
    (group,) = found.single  # e and f; e loses the record of (m, 2) and keeps that of (f, 2)
    assert (group.text, group.n_records, group.n_suppressed, group.lift) == ("sex m", 2, 2, 3.0)
    assert found.sentence.startswith("2 of 6 people lose a record (33.3")
    assert [column.title for column in found.tables()[0].columns[2:5]] == [
        "People",
        "Lose one",
        "Share",
    ]
    assert not SuppressedGroups(least_records=3).run(subject).single


def test_a_population_is_counted_by_its_people_in_input_and_release(tmp_path: Path) -> None:
    subject = subject_of(tmp_path, VISITS, VISITS + "g,f,1\n" * 3)
    found = population_in_classes(subject)
    assert found.key == OTHERS
    assert found.of_input is not None
    assert found.of_release is not None
    for counts, labels in (
        (found.of_input, subject.input_labels),
        (found.of_release, subject.release.labels),
    ):
        assert counts[labels[0]] == 3  # a, b and g, who has three rows


def test_more_than_all_people_is_a_finding(subject: Subject) -> None:
    project = replace(subject.project, requirement=Requirement((KAnonymity(7),), 0.5))
    found = next(f for f in preflight(project) if f.key == "k:0")
    assert (found.title, found.detail) == (
        "k = 7 is more than all people",
        "The table has 6, so no class can be that large",
    )


def test_a_report_tells_people_beside_records_and_a_public_one_no_count(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text(VISITS)
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        '[data]\npath = "visits.csv"\n[roles]\nidentifying = ["patient"]\nperson = "patient"\n'
        'quasi_identifying = ["sex", "town"]\n[hierarchies."sex"]\nbuilder = "suppress"\n'
        '[hierarchies."town"]\nbuilder = "suppress"\n[[privacy]]\nmodel = "k_anonymity"\nk = 2\n'
        '[transformation]\nsuppression_limit = 0.5\nidentifying = "pseudonym"\n'
    )
    said = {}
    for kind, more in (("internal", []), ("public", ["--audience", "public"])):
        report = tmp_path / f"{kind}.json"
        words = ["anonymize", str(recipe), "--node", "0,0", "--out", str(tmp_path / f"{kind}.csv"), "--quiet"]
        assert main([*words, "--report", str(report), *more]) == 0
        said[kind] = report.read_text()
    facts = {}
    for kind, text in said.items():
        assert "identifies the person of each record: classes, models and risks count people." in text
        blocks = next(s["blocks"] for s in json.loads(text)["sections"] if s["key"] == "persons")
        facts[kind] = {f["key"]: f["value"] for b in blocks if b["type"] == "facts" for f in b["facts"]}
    assert (facts["internal"]["affected"], facts["internal"]["lost"]) == (2, 1)
    assert not [value for value in facts["public"].values() if isinstance(value, int) and 0 < value < 5]
