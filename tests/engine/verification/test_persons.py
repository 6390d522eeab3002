"""Verification by persons: worked cases, and files that were tampered with."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.frequency import Persons as EnginePersons
from engine.privacy import PrivacyModel, Requirement, privacy_models
from engine.privacy.k_anonymity import KAnonymity
from engine.project.claims import release_claim
from engine.recoding import make_release
from engine.records import DataType, Kind
from engine.records.text.writing import write_csv as write_table
from engine.records.values import make_column
from engine.verification import Expected, Limits, ModelClaim, ReleaseClaim, verify
from engine.verification.claims import Judge, Reading, RuleClaim
from engine.verification.persons import Persons, unit_of
from engine.verification.rules import due_texts
from tests.engine.verification.plain_release import read_rows, with_expected, with_rows, write_csv
from tests.person_cases import BY_NAME, CASES, NAMES, cells, figure, labels
from tests.strategies import Attributes, Case


def cases(*options: str) -> Any:
    """Parametrize by case, of which every second one is more of the same, and by one of the options each."""
    return pytest.mark.parametrize(
        ("case", "option") if options else "case",
        [
            pytest.param(
                *(case, *(options and [options[number // 2 % len(options)]])),
                id=name,
                marks=[pytest.mark.thorough] * (number % 2),
            )
            for number, (name, case) in enumerate(zip(NAMES, CASES, strict=True))
        ],
    )


def losses(case: Mapping[str, Any], *, whole: bool, k: int) -> set[int]:
    """The records that are suppressed for k different persons in every class."""
    people = [row[case["person"]] for row in case["rows"]]
    keys = [tuple(label.values()) for label in labels(case)]
    gone: set[int] = set()
    while True:
        members: dict[tuple[str, ...], set[str]] = {}
        for i in range(len(keys)):
            if i not in gone:
                members.setdefault(keys[i], set()).add(people[i])
        now = gone | {i for i in range(len(keys)) if i not in gone and len(members[keys[i]]) < k}
        if not whole:
            return now
        affected = {people[i] for i in now}
        now |= {i for i in range(len(keys)) if people[i] in affected}
        if now == gone:
            return gone
        gone = now


def written(
    case: Mapping[str, Any], folder: Path, *, k: int | None = None, whole: bool = False, **options: Any
) -> ReleaseClaim:
    """Write a case and its release, suppressed for k (none by default); the claim that is true of them."""
    wanted = k or 1
    gone = losses(case, whole=whole, k=wanted)
    removes = options.get("suppressed_records") == "remove"
    person, qis, columns = case["person"], list(case["qi"]), list(case["columns"])
    people = [row[person] for row in case["rows"]]
    generalized = labels(case)
    rows, members, values = [], {}, {}  # type: ignore[var-annotated]
    for i, row in enumerate(case["rows"]):
        if i in gone and removes:
            continue
        own = {**row, **generalized[i], **(dict.fromkeys(qis, "*") if i in gone else {}), person: "*"}
        rows.append(cells(own, columns))
        if i not in gone:
            key = tuple(generalized[i].values())
            members.setdefault(key, []).append(i)
            values.setdefault(key, set()).add(row[case["sensitive"]])
    counts = options.get("limit_counts", "records")
    affected = {people[i] for i in gone}
    kept = {people[i] for i in range(len(people)) if i not in gone}
    lost = len(affected) if counts == "persons" else len(gone)
    total = len(set(people)) if counts == "persons" else len(people)
    sizes = [len({people[i] for i in numbers}) for numbers in members.values()]
    before = [cells(row, columns) for row in case["rows"]]
    return ReleaseClaim(
        original=Reading(write_csv(folder / "original.csv", columns, before), missing=("",)),
        released=Reading(write_csv(folder / "released.csv", columns, rows), format="csv"),
        expected=Expected(
            records=len(people),
            kept=len(people) - len(gone),
            suppressed=len(gone),
            classes=len(members),
            k=min(sizes, default=None),
            persons=len(set(people)),
            affected_persons=len(affected),
            lost_persons=len(affected - kept),
            k_records=min(map(len, members.values()), default=None),
        ),
        quasi_identifying=tuple(qis),
        hierarchies=case["hierarchies"],
        node=dict(zip(qis, case["node"], strict=True)),
        identifying=(person,),
        sensitive=(case["sensitive"],),
        models=(ModelClaim("k_anonymity", {"k": wanted}),),
        order_types={case["sensitive"]: sorted({str(row[case["sensitive"]]) for row in case["rows"]})},
        suppression_limit=case["suppression_limit"] if k else "1",
        satisfies=lost <= math.floor(Fraction(case["suppression_limit"] if k else "1") * total),
        person=person,
        whole_persons=whole,
        **options,
    )


@cases("records", "persons")
def test_a_release_of_persons_is_confirmed_with_the_figures_of_the_case(
    case: dict[str, Any], option: str, tmp_path: Path
) -> None:
    expected = case["expected"]["under_requirement"]
    claim = written(case, tmp_path, k=case["k"], limit_counts=option)
    assert claim.satisfies == expected[f"satisfies_counting_{option}"]
    verdict = verify(claim)
    assert verdict.problems == ()
    found = verdict.measured
    assert found["suppressed"] == expected["suppressed_records"]
    assert found["affected_persons"] == expected["affected_persons"]
    assert found["lost_persons"] == expected["lost_persons"]
    assert (found["classes"], found["k"]) == (expected["kept_classes"], expected["kept_k"])
    assert found["persons"] == case["expected"]["persons"]


@cases("star", "remove")
def test_whole_persons_are_suppressed_until_nothing_changes(
    case: dict[str, Any], option: str, tmp_path: Path
) -> None:
    expected = case["expected"]["under_requirement"]["whole_persons"]
    verdict = verify(written(case, tmp_path, k=case["k"], whole=True, suppressed_records=option))
    assert verdict.problems == ()
    assert verdict.measured["suppressed"] == expected["suppressed_records"]
    assert verdict.measured["affected_persons"] == expected["suppressed_persons"]
    assert verdict.measured["lost_persons"] == expected["suppressed_persons"]


@cases("equal", "ordered")
def test_figures_over_all_classes_are_those_of_the_case(
    case: dict[str, Any], option: str, tmp_path: Path
) -> None:
    expected, name = case["expected"], case["sensitive"]
    verdict = verify(_with_figures(written(case, tmp_path, distances={name: option}), case, option))
    assert verdict.problems == ()
    found = verdict.measured
    assert (found["k"], found["k_records"]) == (expected["k"], expected["k_records"])
    assert found["l"][name] == expected["distinct_l"]
    assert found["t"][name] == pytest.approx(expected[f"t_{option}"], rel=1e-12, abs=1e-15)


def _with_figures(claim: ReleaseClaim, case: Mapping[str, Any], distance: str) -> ReleaseClaim:
    found, name = case["expected"], case["sensitive"]
    return with_expected(claim, l={name: found["distinct_l"]}, t={name: found[f"t_{distance}"]})


def thresholds(case: Mapping[str, Any]) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Every model with the threshold that the case just meets, and with one that it just misses."""
    found, column = case["expected"], case["sensitive"]
    value = {key: figure(found[key]) for key in found if isinstance(found[key], float | int | str)}

    def at_most(key: str, name: str, figure: float | None, **more: Any) -> Any:
        less = None if not figure or math.isinf(figure) else figure * (1 - 1e-7)
        return (
            key,
            None if figure is None or math.isinf(figure) else more | {name: figure},
            (None if less is None else more | {name: less}),
        )

    def at_least(key: str, name: str, figure: float, step: float, **more: Any) -> Any:
        return key, more | {name: figure}, more | {name: figure + step}

    of = {"column": column}
    c = value["recursive_c_for_l2"]
    wanted = [
        at_least("k_anonymity", "k", found["k"], 1),
        at_least("distinct_l_diversity", "l", found["distinct_l"], 1, **of),
        at_least("entropy_l_diversity", "l", found["entropy_l"], 1e-6, **of, estimator="shannon"),
        at_most("alpha_k_anonymity", "alpha", value["alpha"], **of, k=1),
        at_most("t_closeness", "t", value["t_equal"], **of, distance="equal"),
        at_most("t_closeness", "t", value["t_ordered"], **of, distance="ordered"),
        at_most("basic_beta_likeness", "beta", value["basic_beta"], **of),
        at_most("enhanced_beta_likeness", "beta", value["enhanced_beta"], **of),
        at_most("delta_disclosure", "delta", value["delta"], **of),
        at_most("highest_risk", "threshold", value["highest_risk"]),
        at_most("average_risk", "threshold", value["average_risk"]),
        at_most("records_at_risk", "share", value["share_at_risk"], threshold=case["risk_threshold"]),
        at_most("sample_uniqueness", "threshold", value["share_unique"]),
    ]
    if c is not None and not math.isinf(c):
        more = of | {"l": 2}
        wanted.append(("recursive_c_l_diversity", more | {"c": c * (1 + 1e-9)}, more | {"c": c}))
    if "population" in case:
        share = found["delta_presence"]
        wanted.append(at_least("k_map", "k", found["k_map"], 1, estimator="table", significance=0.05))
        wanted.append(at_most("delta_presence", "maximum", share["maximum"], minimum=0))
        if share["minimum"]:
            wanted.append(("delta_presence", {"minimum": share["minimum"], "maximum": 1}, None))
    return wanted


@cases()
def test_every_model_is_met_at_its_figure_and_missed_beyond_it(case: dict[str, Any], tmp_path: Path) -> None:
    claim = written(case, tmp_path)
    if "population" in case:
        columns = list(case["columns"])
        people = write_csv(
            tmp_path / "people.csv", columns, [cells(row, columns) for row in case["population"]]
        )
        claim = dataclasses.replace(claim, population=Reading(people))
    wanted = thresholds(case)
    models = [ModelClaim(key, just_met) for key, just_met, _ in wanted if just_met]
    models += [ModelClaim(key, beyond, met=False) for key, _, beyond in wanted if beyond]
    assert len(models) > 12
    assert verify(dataclasses.replace(claim, models=tuple(models))).problems == ()


@cases()
def test_a_class_of_too_few_persons_is_refused_however_many_records_it_has(
    case: dict[str, Any], tmp_path: Path
) -> None:
    claim = written(case, tmp_path, k=case["k"])
    gone = losses(case, whole=False, k=case["k"])
    if not gone:
        more = ModelClaim("k_anonymity", {"k": case["expected"]["k"] + 1})
        assert not verify(dataclasses.replace(claim, models=(more,))).ok
        return
    rows = read_rows(claim)
    for record in gone:  # what should be stars is left in the file
        for name, label in labels(case)[record].items():
            rows[record + 1][rows[0].index(name)] = label
    verdict = verify(with_rows(claim, rows))
    assert not verdict.ok
    assert verdict.measured["k"] < case["k"]


VISITS: dict[str, Any] = BY_NAME["crowd_of_one"]


def test_a_crowd_of_one_is_not_taken_for_a_class_of_fifteen(tmp_path: Path) -> None:
    claim = written(VISITS, tmp_path)
    assert verify(claim).measured | {"k": 1, "k_records": 15} == verify(claim).measured
    lying = with_expected(dataclasses.replace(claim, models=(ModelClaim("k_anonymity", {"k": 15}),)), k=15)
    assert verify(lying).measured["k"] == 1
    alone = dataclasses.replace(lying, node=None)  # whose classes are those of the file alone
    assert any("1 of 1 classes does not meet" in problem for problem in verify(alone).problems)
    by_records = with_expected(dataclasses.replace(lying, person=""), k=15)
    assert verify(by_records).ok  # which is what it would be without persons


@pytest.mark.parametrize("key", ["persons", "affected_persons", "lost_persons", "k_records"])
def test_every_figure_of_persons_is_compared(tmp_path: Path, key: str) -> None:
    claim = with_expected(written(CASES[3], tmp_path, k=2), **{key: 77})
    says = key.replace("_", " ")
    assert any(f"The claim is {says} = 77" in problem for problem in verify(claim).problems)


def test_persons_are_taken_from_the_original_and_never_from_the_release(tmp_path: Path) -> None:
    claim = written(VISITS, tmp_path)
    rows = read_rows(claim)
    for number, row in enumerate(rows[1:]):  # a release that pretends to be of fifteen people
        row[rows[0].index("pid")] = f"p{number}"
    verdict = verify(with_rows(claim, rows))
    assert verdict.measured["k"] == 1
    assert any("the column is identifying" in problem for problem in verdict.problems)


def test_a_person_column_that_leaves_as_it_is_or_forms_classes_is_refused(tmp_path: Path) -> None:
    claim = dataclasses.replace(written(VISITS, tmp_path), identifying=())
    assert verify(claim).problems == ("The person column 'pid' is not identifying.",)
    unknown = dataclasses.replace(written(VISITS, tmp_path), person="patient")
    assert verify(unknown).problems == ("The person column 'patient' is not identifying.",)


def coded(claim: ReleaseClaim, rule: RuleClaim) -> ReleaseClaim:
    """The same release with codes for persons."""
    rows = read_rows(claim)
    place = rows[0].index("pid")
    texts = [row.split(",")[place] for row in claim.original.path.read_text().splitlines()[1:]]
    due = due_texts(rule, sorted(set(texts)), "", lambda: 0)
    for row, text in zip(rows[1:], texts, strict=True):
        row[place] = due[text]
    return with_rows(dataclasses.replace(claim, rules={"pid": rule}), rows)


def test_codes_have_to_be_one_for_each_person(tmp_path: Path) -> None:
    key = tmp_path / "key.txt"
    key.write_text("k" * 32)
    rule = RuleClaim("keyed_hash", {"key_file": str(key), "length": 16})
    claim = coded(written(CASES[6], tmp_path), rule)
    assert verify(claim).problems == ()
    rows = read_rows(claim)
    rows[1][0] = rows[-1][0]
    problems = " ".join(verify(with_rows(claim, rows)).problems)
    assert "persons have more than one code" in problems
    assert "codes in the file belong to more than one person" in problems


def test_records_removed_with_levels_of_their_own_need_their_numbers(tmp_path: Path) -> None:
    moving = BY_NAME["moving_person"]
    claim = dataclasses.replace(written(moving, tmp_path, k=2, suppressed_records="remove"), node=None)
    assert "does not state which records are kept" in verify(claim).problems[0]
    left = tuple(i for i in range(4) if i not in losses(moving, whole=False, k=2))
    assert verify(dataclasses.replace(claim, kept_records=left)).problems == ()
    for wrong in (left[::-1], (0, 1, 9), (0, 0, 1)):
        told = verify(dataclasses.replace(claim, kept_records=wrong))
        assert "not valid or not in order" in told.problems[0]
    others = tuple(i for i in range(4) if i != left[0])
    assert not verify(dataclasses.replace(claim, kept_records=others)).ok


def test_a_partly_kept_person_is_reported_if_persons_are_suppressed_completely(tmp_path: Path) -> None:
    cascade = BY_NAME["cascade"]
    claim = dataclasses.replace(written(cascade, tmp_path, k=2), whole_persons=True, node=None)
    assert any("have both suppressed and kept records" in problem for problem in verify(claim).problems)


def test_grassberger_and_limits_in_persons_are_refused_if_meaningless(tmp_path: Path) -> None:
    claim = written(VISITS, tmp_path)
    model = ModelClaim("entropy_l_diversity", {"column": "s", "l": 1, "estimator": "grassberger"})
    assert "whole counts" in verify(dataclasses.replace(claim, models=(model,))).problems[0]
    nobody = dataclasses.replace(claim, person="", limit_counts="persons")
    assert "no person column is given" in verify(nobody).problems[0]


def test_persons_weigh_the_same_if_record_counts_have_no_small_common_multiple() -> None:
    primes = [101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157]
    people = pd.Series([p for p in primes for _ in range(p)])
    persons = Persons.of(people, pd.Series(1, index=people.index))
    assert math.lcm(*primes) * len(primes) > 2**63
    of_person = persons.weights.groupby(people).sum().tolist()
    assert of_person == pytest.approx([unit_of(primes)] * len(primes), rel=1e-12)
    assert of_person[:8] == [unit_of(primes)] * 8  # as many numbers as fit are exact


@given(st.lists(st.integers(1, 300), min_size=1, max_size=60))
def test_the_unit_of_weights_is_that_of_the_release(n_records: list[int]) -> None:
    codes = np.repeat(np.arange(len(n_records), dtype=np.int32), n_records)
    column = make_column("p", [str(i) for i in range(len(n_records))], codes, DataType(Kind.TEXT), "")
    released, judged = EnginePersons.of(column), Persons.of(pd.Series(codes), pd.Series([1] * len(codes)))
    assert unit_of(n_records) == released.unit
    assert judged.weights.tolist() == released.weight_of_rows.tolist()
    counted = Persons.of(pd.Series(range(len(n_records))), pd.Series(n_records))
    assert counted.weights.tolist() == judged.weights.groupby(codes).sum().tolist()


# Models that weigh records, and whether they are compared exactly, without a tolerance for logarithms.
WEIGHTED: tuple[tuple[str, dict[str, Any], bool], ...] = (
    ("t_closeness", {"distance": "ordered"}, True),
    ("t_closeness", {"distance": "equal"}, True),
    ("basic_beta_likeness", {}, True),
    ("enhanced_beta_likeness", {}, True),
    ("delta_disclosure", {}, False),
)


def table_of_many_counts() -> Case:
    """Return records of people who have 1 to 48 of them each, more kinds than any unit of 63 bits divides."""
    random = np.random.default_rng(0)
    who = np.repeat(np.arange(60), 1 + np.arange(60) % 48)
    groups = [f"g{number}" for number in random.integers(0, 2, size=len(who))]
    values = [str(number) for number in random.integers(0, 9, size=len(who))]
    lines = (("g0", "*"), ("g1", "*"))
    return Case(
        (Attributes("group", tuple(groups), rows=lines),),
        (Attributes("value", tuple(values), Kind.INTEGER),),
        persons=tuple(f"p{number}" for number in who),
    )


@pytest.mark.parametrize("judge", ["memory", "database"])
def test_many_different_numbers_of_records_are_judged_by_the_weights_of_the_release(
    tmp_path: Path, judge: Judge
) -> None:
    limits = Limits() if judge == "memory" else Limits(records=0)
    case = table_of_many_counts()
    table = case.project.table
    original, written = tmp_path / "original.csv", tmp_path / "released.csv"
    write_table(original, table.names, [(c.labels, c.codes) for c in table.columns])
    free = make_release(case.project, case.problem, (0,), Requirement((KAnonymity(2),), 0.0))
    exact: dict[PrivacyModel, PrivacyModel] = {}
    for key, options, is_exact in WEIGHTED:
        model = privacy_models.create(key, column="value", **options)
        worst = float(model.measure(free.classes).max())
        attained = privacy_models.create(key, column="value", **options, **{model.threshold_name: worst})
        below = float(np.nextafter(worst, 0)) if is_exact else worst * (1 - 1e-9)
        exact[attained] = privacy_models.create(
            key, column="value", **options, **{model.threshold_name: below}
        )
    models = (KAnonymity(2), *exact)
    release = make_release(case.project, case.problem, (0,), Requirement(models, 0.0))
    assert release.satisfies
    write_table(written, table.names, [(c.labels, c.codes) for c in release.columns])
    claim = release_claim(case.project, release, original, written, is_copy=True)
    found = verify(claim, limits=limits)
    assert (found.problems, found.judge) == ((), judge)
    for below in exact.values():
        false = dataclasses.replace(release, requirement=Requirement((below,), 0.0))
        broken = release_claim(case.project, false, original, written, is_copy=True)
        assert not verify(broken, limits=limits).ok, below
