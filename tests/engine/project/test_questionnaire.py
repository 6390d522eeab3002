"""From answers to requirements: every combination of answers, by a second program and by laws."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.advice.findings import Severity
from engine.advice.preflight import preflight
from engine.errors import ParameterError, RecipeError
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.average_risk import AverageRisk
from engine.privacy.differential_privacy import DifferentialPrivacy
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.entropy_l_diversity import EntropyLDiversity
from engine.privacy.highest_risk import HighestRisk
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.recursive_c_l_diversity import RecursiveCLDiversity
from engine.privacy.t_closeness import TCloseness
from engine.project import Project, edits
from engine.project.answers import QUESTIONS, Answers
from engine.project.questionnaire import RULES, Demand, demands, effects, set_answers, weaker
from engine.project.recipe.files import read_recipe, write_recipe
from engine.project.recipe.reuse import apply_recipe
from engine.project.reimport import reimport
from engine.project.subset import Subset
from engine.records import Role
from engine.records.opening.files import read_table
from tests.project_differences import project_differences

TABLE = "age,zip,job,illness,tested\n30,1,a,flu,yes\n40,2,b,cold,no\n50,3,a,gout,yes\n60,4,b,flu,no\n"
STRICTEST = Answers("public", "none", "records", "high", "ema")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    path = tmp_path / "people.csv"
    path.write_text(TABLE)
    table, options = read_table(path)
    found = edits.set_roles(Project("p", path, options, table), ("age", "zip"), Role.QUASI_IDENTIFYING)
    found = edits.set_roles(found, ("illness", "tested"), Role.SENSITIVE)
    found = edits.set_roles(found, ("job",), Role.INSENSITIVE)
    return replace(found, requirement=Requirement((KAnonymity(2), TCloseness("illness", 0.5)), 0.05))


def every() -> Iterator[Answers]:
    """Yield every combination of answers, also without some."""
    keys = [("", *(answer.key for answer in question.answers)) for question in QUESTIONS]
    for chosen in itertools.product(*keys):
        yield Answers(*chosen)


def by_hand(a: Answers) -> dict[str, float]:
    """The thresholds of the answers, written once more from the publications."""
    found: dict[str, float] = {}
    sizes = []
    is_open = a.recipient in ("public", "registered")
    has_no_bond = a.contract in ("none", "terms")
    if is_open:
        sizes.append(11)
    if a.recipient == "partner":
        sizes.append(5)
    if a.recipient == "internal":
        sizes.append(3)
    if a.harm and (is_open or (a.recipient and has_no_bond)):
        sizes.append({"low": 11, "medium": 15, "high": 20}[a.harm])
    if a.rules in ("ema", "health_canada", "hipaa"):
        sizes.append(11)
    if sizes:
        found["k_anonymity"] = max(sizes)
    if a.harm and a.recipient in ("partner", "internal") and a.contract == "agreement":
        found["average_risk"] = {"low": 0.1, "medium": 0.075, "high": 0.05}[a.harm]
    values = max(
        {"": 0, "low": 0, "medium": 2, "high": 3}[a.harm],
        {"": 0, "registers": 0, "acquaintance": 2, "records": 3}[a.knowledge],
    )
    if values:
        found["distinct_l_diversity:illness"] = values
        found["distinct_l_diversity:tested"] = 2  # it has no third value
    if a.knowledge == "records":
        found["others_as_qi"] = True
    return found


def limit(demand: Demand) -> float:
    return True if demand.model is None else demand.model.limit


def test_every_combination_of_answers_demands_the_strictest_published_thresholds(project: Project) -> None:
    n = 0
    for answers in every():
        found = {demand.key: limit(demand) for demand in demands(project, answers)}
        assert found == by_hand(answers), answers
        n += 1
    assert n == 5 * 4 * 4 * 4 * 5


def test_accepting_answers_meets_them_weakens_nothing_and_changes_nothing_twice(project: Project) -> None:
    strong = (KAnonymity(50), TCloseness("illness", 0.5), DistinctLDiversity("illness", 3))
    for answers in itertools.islice(every(), 0, None, 13):
        for models in (project.requirement.models, strong, ()):
            before = replace(project, requirement=Requirement(models, 0.05))
            after = set_answers(before, answers)
            assert weaker(after) == ()
            again = set_answers(after, answers)
            assert (again.requirement, again.others_as_qi) == (after.requirement, after.others_as_qi)
            assert after.requirement.suppression_limit == 0.05
            for model in models:
                same = [own for own in after.requirement.models if type(own) is type(model)]
                assert any(own.columns == model.columns and at_least(own, model) for own in same)


def at_least(own: PrivacyModel, model: PrivacyModel) -> bool:
    return own.limit >= model.limit if model.relation.value == "≥" else own.limit <= model.limit


def test_every_answer_and_every_rule_is_reached_and_names_its_source() -> None:
    used = {rule.key for answers in every() for rule in RULES if rule.applies(answers)}
    assert used | {"known_columns"} == {rule.key for rule in RULES}
    known = {(question.key, answer.key) for question in QUESTIONS for answer in question.answers}
    for rule in RULES:
        assert len(rule.source) > 30
        assert rule.source[-4:].isdigit()
        assert rule.why.endswith(".")
        assert {(q, key) for q, keys in rule.when for key in keys} <= known


def test_each_reason_names_its_answers_and_only_the_strictest_decide(project: Project) -> None:
    (size,) = (d for d in demands(project, STRICTEST) if d.key == "k_anonymity")
    assert [(r.words, r.decides) for r in size.reasons] == [
        ("k ≥ 20", True),
        ("k ≥ 11", False),
        ("k ≥ 11", False),
    ]
    assert size.reasons[0].because == "Recipient: Anyone; Harm: High: discrimination, financial loss, danger"
    assert "Commissioner of Ontario" in size.reasons[0].rule.source
    assert "European Medicines Agency" in {r.rule.key: r.rule.source for r in size.reasons}["ema"]
    assert size.current == "k ≥ 2"
    told = effects(project, STRICTEST)
    assert told["recipient"] == ("k ≥ 20", "k ≥ 11")
    assert told["contract"] == ()
    assert told["rules"] == ("k ≥ 11",)
    (tested,) = (d for d in demands(project, STRICTEST) if d.key.endswith(":tested"))
    assert tested.note == "The rules say 3, but the column has only 2 different values."


@pytest.mark.parametrize(
    ("models", "lacks"),
    [
        ((HighestRisk(0.05),), set()),
        ((HighestRisk(0.06),), {"k_anonymity"}),
        ((KAnonymity(19),), {"k_anonymity"}),
        ((KAnonymity(20),), set()),
    ],
)
def test_other_models_that_imply_a_demand_meet_it(
    project: Project, models: tuple[PrivacyModel, ...], lacks: set[str]
) -> None:
    diverse = (EntropyLDiversity("illness", 3.0), RecursiveCLDiversity("tested", 4.0, 2))
    requirement, answers = Requirement((*models, *diverse), 0.0), replace(STRICTEST, knowledge="registers")
    project = replace(project, requirement=requirement, answers=answers)
    assert {demand.key for demand in weaker(project)} == lacks
    within = replace(project, answers=Answers("internal", "agreement", "registers", "high", "none"))
    assert {demand.key for demand in weaker(within)} == ({"average_risk"} if lacks else set())
    own = edits.add_model(within, AverageRisk(0.05))
    assert weaker(own) == ()


def test_no_more_values_are_demanded_than_the_released_records_have(project: Project) -> None:
    project = edits.set_subset(project, Subset("illness != 'gout'"))
    (illness,) = (d for d in demands(project, STRICTEST) if d.key.endswith(":illness"))
    assert (illness.words, illness.note[:16]) == ("l of illness ≥ 2", "The rules say 3,")


def test_beside_differential_privacy_a_class_size_takes_the_place_of_an_average_risk(
    project: Project,
) -> None:
    project = edits.set_roles(project, ("illness", "tested", "job"), Role.IDENTIFYING)
    drawn = DifferentialPrivacy(1.0, 0.1)
    assert drawn.required_k < 14
    project = replace(project, requirement=Requirement((drawn,), 0.0))
    after = set_answers(project, Answers("internal", "agreement", "registers", "medium", "none"))
    assert after.requirement.models == (drawn, KAnonymity(14))
    assert weaker(after) == ()


def test_known_columns_become_quasi_identifying_and_known_sensitive_ones_are_assumed_known(
    project: Project,
) -> None:
    answers = Answers(known=("job", "age", "tested", "job"))
    asked = {demand.key: demand.is_met for demand in demands(project, answers)}
    assert asked == {"others_as_qi": False, "known:job": False, "known:age": True}
    after = set_answers(project, answers)
    assert after.role("job") is Role.QUASI_IDENTIFYING
    assert after.role("tested") is Role.SENSITIVE
    assert after.others_as_qi


def test_preflight_warns_of_settings_weaker_than_the_answers_and_mends_each(project: Project) -> None:
    after = replace(set_answers(project, STRICTEST), requirement=project.requirement)
    found = {f.key: f for f in preflight(after) if f.key.startswith("weaker:")}
    assert set(found) == {
        "weaker:k_anonymity",
        "weaker:distinct_l_diversity:illness",
        "weaker:distinct_l_diversity:tested",
    }
    assert found["weaker:k_anonymity"].title == "Weaker than your answers demand: k ≥ 20"
    assert found["weaker:k_anonymity"].detail.startswith("Now: k ≥ 2. Recipient: Anyone; Harm: High")
    for finding in found.values():
        assert finding.severity is Severity.LOOK_AT
        after = finding.edit(after)
    (ready,) = (f for f in preflight(after) if f.key == "questionnaire")
    assert ready.detail == "4 requirements follow from the answers and are set"
    assert not [f for f in preflight(project) if "questionnaire" in f.key or "weaker" in f.key]
    partly = {f.key: f for f in preflight(replace(project, answers=Answers(harm="low")))}
    assert partly["questionnaire_open"].detail.endswith("Recipient, Agreement, Knowledge, Published rules")


def test_recipes_keep_the_answers_and_refuse_others(project: Project, tmp_path: Path) -> None:
    answers = replace(STRICTEST, known=("age", "job"))
    path = tmp_path / "r.toml"
    write_recipe(replace(project, answers=answers), path)
    text = path.read_text(encoding="utf-8")
    assert '[questionnaire]\nrecipient = "public"\ncontract = "none"\nknowledge = "records"\n' in text
    again = read_recipe(path)
    assert again.answers == answers
    assert project_differences(again, project) == ("answers",)
    path.write_text(text.replace('"public"', '"publik"'), encoding="utf-8")
    with pytest.raises(RecipeError, match=r"cannot be .publik.") as error:
        read_recipe(path)
    assert "public" in (error.value.hint or "")
    path.write_text(text.replace('"job"]', '"work"]'), encoding="utf-8")
    with pytest.raises(RecipeError, match="no column 'work'"):
        read_recipe(path)
    with pytest.raises(ParameterError):
        Answers(harm="none")


def test_a_table_without_a_known_column_loses_it_from_the_answers(project: Project, tmp_path: Path) -> None:
    project = replace(project, answers=replace(STRICTEST, known=("age", "job")))
    other = tmp_path / "other.csv"
    other.write_text("age,zip,illness,tested\n30,1,flu,yes\n40,2,cold,no\n")
    table, options = read_table(other)
    assert reimport(project, table, options, other)[0].answers.known == ("age",)
    write_recipe(project, tmp_path / "r.toml")
    assert apply_recipe(tmp_path / "r.toml", other)[0].answers.known == ("age",)
