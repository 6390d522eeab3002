"""Profitability: the optima of ARX on Adult, and small tables against a slow program."""

from __future__ import annotations

import json
import math
import random
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.errors import InputError
from engine.findings.risk.cost_benefit import CostBenefit
from engine.findings.subject import Subject
from engine.frequency import Problem
from engine.frequency.problem import narrowed
from engine.pipeline import export_release
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.profitability import Profitability
from engine.privacy.profitability_no_attack import ProfitabilityNoAttack
from engine.project import Project, edits
from engine.project.compile import check_model, compile_problem
from engine.project.population import Population
from engine.recoding.base import refuse_unjudgeable
from engine.recoding.full_domain import make_release
from engine.scoring import Evaluation, LatticeProfile, score_lattice
from engine.scoring.acceleration import warm_up
from engine.scoring.evaluate import evaluate
from engine.utility.entropy_loss import EntropyLoss
from engine.utility.objective import Objective
from engine.utility.payout import Payout
from engine.verification import ReleaseClaim, verify
from engine.verification.claims import Verdict
from engine.verification.readers.reading import Progress
from tests.adult import ARX_COLUMNS, arx_project
from tests.strategies import Attributes, Case

FOUND = Path(__file__).parents[2] / "data" / "second" / "cost_benefit.json"
ROWS: list[dict[str, Any]] = json.loads(FOUND.read_text(encoding="utf-8"))
NAMES = [row["name"] for row in ROWS]
MONEY = ("benefit", "loss", "gain", "cost")
EXAMPLES = 60
"""Random tables per run of the suite; 2,000 were run once."""


def sums_of(row: dict[str, Any]) -> dict[str, Any]:
    keys = ("publisher_benefit", "publisher_loss", "adversary_gain", "adversary_cost")
    return dict(zip(MONEY, (float(row[key]) for key in keys), strict=True))


def model_of(row: dict[str, Any]) -> PrivacyModel:
    sums, attacker = sums_of(row), row["model"].removesuffix("_no_attack")
    if row["model"].endswith("_no_attack"):
        return ProfitabilityNoAttack(gain=sums["gain"], cost=sums["cost"], attacker=attacker)
    return Profitability(**sums, attacker=attacker)


def payout_of(row: dict[str, Any]) -> Payout:
    return Payout(**sums_of(row), attacker=row["model"].removesuffix("_no_attack"))


def requirement_of(row: dict[str, Any]) -> Requirement:
    return Requirement((model_of(row),), row["suppression_limit"])


@cache
def project_of(every: int) -> Project:
    project = arx_project(ARX_COLUMNS)
    if not every:
        return project
    chosen = np.arange(0, project.table.n_records, every)
    return replace(project, table=project.table.take(chosen), population=Population(table=project.table))


@pytest.mark.parametrize("row", ROWS, ids=NAMES)
def test_the_optimum_of_arx_pays_what_arx_says(row: dict[str, Any]) -> None:
    project = project_of(row["sample_every"])
    problem = compile_problem(project)
    node = tuple(row["optimum"][name] for name in ARX_COLUMNS)
    release = make_release(project, problem, node, requirement_of(row))
    sizes = release.classes.sizes[release.kept]
    assert problem.n_records == row["released_records"]
    assert int(release.suppressed.sum()) == row["suppressed"]
    assert len(sizes) == row["classes"]
    assert (int(sizes.min(initial=10**9)) if len(sizes) else 0) == row["min_class"]
    assert int(sizes.max(initial=0)) == row["max_class"]
    evaluation = single(problem, node, requirement_of(row))
    payout = payout_of(row)
    assert payout.most(problem) == row["maximal_payout"]
    assert payout.total(evaluation)[0] == pytest.approx(row["payout"], rel=1e-9, abs=1e-6)
    lost = EntropyLoss().natural(evaluation)[0] * problem.n_records
    assert lost == pytest.approx(row["entropy_based_loss"], rel=1e-9)
    shown = {"payout": payout.natural(evaluation)[0], "loss": evaluation.metric("loss")[0], "entropy": lost}
    shown_by_arx = next(value for key, value in shown.items() if row["metric"].startswith(key))
    assert shown_by_arx == pytest.approx(row["arx_score"], rel=1e-9)


@pytest.mark.parametrize("name", ["pn_9_2", "jn_20_1_every10", "pn_default_entropy", "pn_cost0"])
def test_it_is_the_optimum_of_all_nodes(name: str) -> None:
    row = ROWS[NAMES.index(name)]
    evaluation = evaluate(scored(row["sample_every"]), requirement_of(row), Objective(None, payout_of(row)))
    best = evaluation.optimum("entropy_loss" if row["metric"] == "entropy_based" else "payout")
    assert best is not None
    assert evaluation.lattice.node(best) == tuple(row["optimum"][column] for column in ARX_COLUMNS)


def single(problem: Problem, node: tuple[int, ...], requirement: Requirement) -> Evaluation:
    """Return one node under a requirement."""
    one = narrowed(problem, node)
    return evaluate(score_lattice(one, profile=LatticeProfile(one, requirement)), requirement)


@cache
def scored(every: int) -> LatticeProfile:
    warm_up()
    return score_lattice(compile_problem(project_of(every)))


# --- small tables


@dataclass(frozen=True)
class SlowClasses:
    """The classes of a node of a small table, by texts, whole numbers and fractions."""

    case: Case
    members: tuple[tuple[str, ...], ...]  # rows of the population by value, none without one
    owners: tuple[str, ...]
    node: tuple[int, ...]

    def label(self, values: tuple[str, ...]) -> tuple[str, ...]:
        columns = zip(self.case.qi, values, self.node, strict=True)
        return tuple({row[0]: row for row in a.rows}[value][level] for a, value, level in columns)

    def classes(self) -> dict[tuple[str, ...], list[int]]:
        found: dict[tuple[str, ...], list[int]] = {}
        for record, values in enumerate(zip(*(a.texts for a in self.case.qi), strict=True)):
            found.setdefault(self.label(values), []).append(record)
        return found

    def covered(self, label: tuple[str, ...]) -> int:
        columns = zip(self.case.qi, label, self.node, strict=True)
        return math.prod(sum(row[level] == text for row in a.rows) for a, text, level in columns)

    @property
    def leaves(self) -> int:
        return math.prod(len(a.rows) for a in self.case.qi)

    def people(self, label: tuple[str, ...], attacker: str) -> int:
        if attacker == "journalist" and self.members:
            own = [row for row in range(len(self.members)) if self.label(self.members[row]) == label]
            return len({self.owners[row] for row in own}) if self.owners else len(own)
        records = self.classes()[label]
        return len({self.case.persons[i] for i in records}) if self.case.persons else len(records)


def exact(money: float) -> Fraction:
    return Fraction(Decimal(repr(money)))


def exceeds(benefit: Fraction, hidden: int, whole: int, damage: Fraction) -> bool:
    """Return whether benefit (1 - log hidden / log whole) > damage, exactly: powers of whole numbers."""
    if (hidden == whole and whole > 1) or not benefit:
        return False
    share = damage / benefit
    if whole == 1:
        return share < 1
    # log(whole / hidden) > share log(whole)
    top = share.limit_denominator(10**6)
    if share >= 1:
        return False
    left = math.log(whole / hidden) / math.log(whole)
    if abs(left - float(share)) > 1e-7:
        return left > float(share)
    return Fraction(whole, hidden) ** top.denominator > whole**top.numerator


def slow_kept(slow: SlowClasses, model: Any, label: tuple[str, ...]) -> bool:
    people = slow.people(label, model.attacker)
    if isinstance(model, ProfitabilityNoAttack):
        if not model.gain:
            return True
        return bool(model.cost) and people >= math.floor(exact(model.gain) / exact(model.cost)) + 1
    is_attacked = exact(model.gain) / people > exact(model.cost)
    damage = exact(model.loss) / people if is_attacked else Fraction(0)
    return exceeds(exact(model.benefit), slow.covered(label), slow.leaves, damage)


def slow_loss(slow: SlowClasses, label: tuple[str, ...]) -> float:
    return math.log(slow.covered(label)) / math.log(slow.leaves) if slow.leaves > 1 else 0.0


def random_money(source: random.Random) -> dict[str, float]:
    amounts = [0.0, 0.1, 0.3, 1.0, 1.5, 2.0, 3.0, 4.0, 10.0, 60.0, 120.0, 300.0, 1200.0]
    return {name: source.choice(amounts) for name in MONEY}


def random_problem(seed: int) -> tuple[Project, SlowClasses, random.Random]:
    source = random.Random(seed)
    n_records = source.randint(1, 20)
    qi = []
    for q in range(source.randint(1, 3)):
        values = [f"{q}{i}" for i in range(source.choice([1, 2, 3, 4, 4, 8]))]
        columns = [values]
        for level in range(source.randint(0, 2)):
            groups = {text: f"level {level} of {source.randrange(2)}" for text in columns[-1]}
            columns.append([groups[text] for text in columns[-1]])
        if source.random() < 0.7:
            columns.append(["*"] * len(values))
        rows = tuple(zip(*columns, strict=True))
        qi.append(Attributes(f"q{q}", tuple(source.choices(values, k=n_records)), rows=rows))
    persons: tuple[str, ...] = ()
    if source.random() < 0.3:
        persons = tuple(f"p{source.randint(1, n_records)}" for _ in range(n_records))
    case = Case(tuple(qi), persons=persons)
    project, members, owners = case.project, (), ()
    if source.random() < 0.4:
        more = source.randint(0, 2 * n_records)
        texts = [a.texts + tuple(source.choices([row[0] for row in a.rows], k=more)) for a in qi]
        if persons:
            owners = (*persons, *(f"p{source.randint(1, 3 * n_records)}" for _ in range(more)))
        table = Case(
            tuple(replace(a, texts=own) for a, own in zip(qi, texts, strict=True)), persons=owners
        ).project.table
        project = replace(project, population=Population(table=table))
        members = tuple(zip(*texts, strict=True))
    return project, SlowClasses(case, members, owners, ()), source


def compare_with_slow(seed: int) -> None:
    """Compare kept classes, suppression and both metrics of every node of a random table."""
    project, slow, source = random_problem(seed)
    money = random_money(source)
    attacker = source.choice(["prosecutor", "journalist"] if slow.members else ["prosecutor"])
    model: PrivacyModel = Profitability(**money, attacker=attacker)
    if source.random() < 0.4:
        model = ProfitabilityNoAttack(gain=money["gain"], cost=money["cost"], attacker=attacker)
    payout = Payout(**random_money(source), attacker=source.choice(["prosecutor", "journalist"]))
    requirement = Requirement((model,), source.choice([0.0, 0.3, 1.0]))
    problem = compile_problem(project)
    profile = score_lattice(problem, profile=LatticeProfile(problem, requirement))
    evaluation = evaluate(profile, requirement, Objective(None, payout))
    totals, losses = payout.total(evaluation), EntropyLoss().natural(evaluation)
    shares = payout.normalized(evaluation)
    for node in product(*(range(a.height + 1) for a in slow.case.qi)):
        number, here = problem.lattice.number(node), replace(slow, node=node)
        classes = here.classes()
        kept = {label: records for label, records in classes.items() if slow_kept(here, model, label)}
        n_kept = sum(map(len, kept.values()))
        assert evaluation.suppressed[number] == problem.n_records - n_kept
        assert evaluation.kept_classes[number] == len(kept)
        release = make_release(project, problem, node, requirement)
        gone = {i for label, records in classes.items() if label not in kept for i in records}
        assert set(np.flatnonzero(release.suppressed).tolist()) == gone
        lost = problem.n_records - n_kept
        total = 0.0
        for label, records in kept.items():
            lost += len(records) * slow_loss(here, label)
            people = here.people(label, payout.attacker)
            damage = payout.loss / people if exact(payout.gain) / people > exact(payout.cost) else 0.0
            total += len(records) * (payout.benefit * (1 - slow_loss(here, label)) - damage)
        scale = (payout.benefit + payout.loss) * problem.n_records
        assert losses[number] * problem.n_records == pytest.approx(lost, rel=1e-9, abs=1e-9)
        assert totals[number] == pytest.approx(total, rel=1e-9, abs=1e-9 * scale + 1e-12)
        if payout.benefit:
            missed = 1 - total / (payout.benefit * problem.n_records)
            assert shares[number] == pytest.approx(min(missed, 1.0), abs=1e-9 * (1 + scale))


def test_a_slow_program_keeps_the_same_classes_and_pays_the_same() -> None:
    for seed in range(EXAMPLES):
        compare_with_slow(seed)


def test_written_files_are_verified_and_stricter_claims_of_them_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = []

    def judge(claim: ReleaseClaim, progress: Progress | None = None, *_limits: object) -> Verdict:
        (model,) = claim.models
        free = replace(model, parameters={**model.parameters, "cost": 0.0, "gain": 1.0})
        worthless = replace(free, parameters={**free.parameters, "benefit": 0.0})
        if claim.expected.kept:
            refused.append(not verify(replace(claim, models=(worthless,))).ok)
        return verify(claim, progress)

    monkeypatch.setattr("engine.pipeline.judging.verify", judge)
    for seed in range(20):
        project, slow, source = random_problem(seed)
        attacker = source.choice(["prosecutor", "journalist"] if slow.members else ["prosecutor"])
        money = random_money(source)
        model: PrivacyModel = Profitability(**money, attacker=attacker)
        if source.random() < 0.4:
            model = ProfitabilityNoAttack(gain=money["gain"], cost=money["cost"], attacker=attacker)
        problem = compile_problem(project)
        node = tuple(source.randint(0, a.height) for a in slow.case.qi)
        release = make_release(project, problem, node, Requirement((model,), 1.0))
        assert export_release(project, release, tmp_path / f"{seed}.csv").ok
    assert len(refused) > 5
    assert all(refused)


def test_methods_that_vary_levels_by_record_refuse_it() -> None:
    project, _slow, _source = random_problem(1)
    with pytest.raises(InputError, match="weighs the information of labels"):
        refuse_unjudgeable(Requirement((Profitability(),)))
    aggregated = replace(compile_problem(project).attributes[0], released_as="mean")
    problem = replace(compile_problem(project), attributes=(aggregated,))
    with pytest.raises(InputError, match="weighs the information of released labels"):
        check_model(problem, Profitability())
    check_model(problem, ProfitabilityNoAttack())


def test_the_analysis_weighs_a_release_against_the_table_as_it_is() -> None:
    """Sums are recounted from the classes of Adult: 19,502 of the input are worth an attack of 300."""
    row = ROWS[NAMES.index("p_default")]
    problem, requirement = compile_problem(project_of(0)), requirement_of(row)
    project = replace(project_of(0), requirement=requirement)
    node = tuple(row["optimum"][name] for name in ARX_COLUMNS)
    found = CostBenefit().run(Subject(project, make_release(project, problem, node)))
    report = found.report
    assert report.total == pytest.approx(row["payout"], rel=1e-12)
    assert report.unchanged == pytest.approx(row["payout"], rel=1e-12)
    assert (report.n_attacked, report.damage) == (19502, pytest.approx(19502 * 300))
    assert "no protection" in found.statement().sentence
    assert report.warning(report.total) == (
        "Publishing unchanged pays best under these sums. That gives no protection."
    )
    protected = replace(project, requirement=Requirement((KAnonymity(76),), 1.0))
    node = tuple(ROWS[NAMES.index("pn_default")]["optimum"][name] for name in ARX_COLUMNS)
    release = make_release(protected, problem, node)
    with pytest.raises(InputError, match="No sums of money"):
        CostBenefit().run(Subject(protected, release))
    paid = edits.set_metric(protected, "payout", {"loss": 30000.0})
    found = CostBenefit().run(Subject(paid, release))
    assert found.report.n_attacked == 0
    assert found.report.total == pytest.approx(ROWS[NAMES.index("pn_default")]["payout"], rel=1e-9)
    assert found.report.gained > 0
    assert "no protection" not in found.statement().sentence
