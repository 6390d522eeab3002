"""Attack test of releases: plain loops find the same, and what follows by construction."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine.errors import InputError
from engine.findings.attack import split as splitting
from engine.findings.attack.cover import cover_columns
from engine.findings.attack.split import release_of_records, split_records
from engine.findings.risk import attack_test
from engine.findings.risk.attack_test import FAILED, IMPOSSIBLE, MEASURED, AttackFound, AttackTest
from engine.findings.subject import Subject
from engine.frequency.persons import Persons
from engine.monitor import SILENT
from engine.pipeline import anonymize
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project, Transformation
from engine.project.compile import compile_problem
from engine.project.project import frozen
from engine.recoding import Recoding, make_local_release, make_release, recoding_methods, rooted
from engine.recoding.aggregation import aggregate_functions
from engine.recoding.ruled import released_column
from engine.recoding.rules import column_rules
from engine.records import Kind, Role
from tests.engine.findings.risk.slow_attacks import SlowTest
from tests.strategies import MISSING, PERSON, Attributes, Case, column_of

N_RANDOM = 60


def random_test(seed: int) -> tuple[Subject, dict[str, Any]]:
    """Return a release of a random table, at a node or with levels by record, and settings."""
    source = random.Random(seed)
    n = source.randint(10, 40)

    def drawn(values: str, *, missing: bool = False) -> tuple[str, ...]:
        return tuple(
            MISSING if missing and source.random() < 0.1 else source.choice(values) for _ in range(n)
        )

    letters = tuple((v, "ab" if v in "ab" else v, "*") for v in "abcd")
    digits = (*((str(v), f"{v // 3 * 3}+") for v in range(9)), (MISSING, "none"))
    qi = [
        Attributes("q", drawn("abcd"), rows=letters),
        Attributes("r", drawn("012345678", missing=True), rows=digits),
        Attributes("s", drawn("xyz"), rows=tuple((v, "*") for v in "xyz")),
    ][: source.randint(1, 3)]
    sensitive = (Attributes("ill", drawn("uvw", missing=source.random() < 0.5)),)
    wage = Attributes(
        "wage",
        tuple(MISSING if source.random() < 0.1 else str(source.randint(20, 44)) for _ in range(n)),
        Kind.INTEGER,
    )
    persons = tuple(source.choices("ABCDEFGHIJKLMNOPQRST", k=n)) if source.random() < 0.3 else ()
    case = Case(tuple(qi), (*sensitive, wage), persons=persons)
    roles = dict(case.project.roles)
    if source.random() < 0.5:
        roles["wage"] = Role.INSENSITIVE
    written = Transformation(
        suppressed_records=source.choice(["star", "remove"]), blank_suppressed=source.random() < 0.3
    )
    project = replace(
        case.project,
        roles=frozen(roles),
        requirement=Requirement((KAnonymity(source.randint(1, 4)),), 1.0),
        transformation=written,
    )
    node = tuple(source.choice(list(attribute.levels)) for attribute in qi)
    names = [*(a.name for a in qi), "ill", "wage"]
    some = tuple(source.sample(names, source.randint(1, len(names)))) if source.random() < 0.5 else ()
    settings = {
        "share": source.choice([0.1, 0.3, 0.5]),
        "targets": source.randint(1, 30),
        "seed": source.randint(0, 99),
        "columns": some,
        "width": source.randint(1, 4),
        "first": tuple(source.sample(names, 2)) if source.random() < 0.3 else (),
        "nearest": source.choice([1, 1, 2, 5]),
        "leave_out_suppressed": source.random() < 0.5,
    }
    problem = compile_problem(project)
    if source.random() < 0.6:
        return Subject(project, make_release(project, problem, node)), settings
    levels = [[source.choice(list(attribute.levels)) for attribute in qi] for _ in range(n)]
    gone = np.array([source.random() < 0.1 for _ in range(n)])
    recoding = Recoding(np.array(levels, dtype=np.int16), gone)
    return Subject(project, make_local_release(project, rooted(problem), recoding)), settings


def slow_counts(subject: Subject, settings: AttackTest, known: tuple[str, ...]) -> list[tuple[int, ...]]:
    """Return the counts of all attacks by plain loops."""
    project, table = subject.project, subject.input
    split = split_records(subject.n_records, subject.release.problem.repeated, settings.share, settings.seed)
    test = release_of_records(project, table, subject.release, split.training, SILENT)
    levels: dict[str, list[dict[str, str]]] = {}
    values = {name: table.column(name).labels for name in known}
    for attribute in test.problem.attributes:
        values[attribute.name] = attribute.hierarchy.values
        levels[attribute.name] = []
        for entry in attribute.hierarchy.levels:
            pairs = zip(attribute.hierarchy.values, entry.codes.tolist(), strict=True)
            levels[attribute.name].append({value: entry.labels[code] for value, code in pairs})
    chosen = [test.node] * len(split.training) if test.recoding is None else test.recoding.levels.tolist()
    level_of = [dict(zip(test.problem.names, levels_of or (), strict=True)) for levels_of in chosen]
    rows = [{name: table.column(name).text(i) for name in table.names} for i in range(subject.n_records)]
    slow = SlowTest(
        rows,
        split.training.tolist(),
        split.control.tolist(),
        test.suppressed.tolist(),
        levels,
        level_of,
        known,
        values,
        MISSING,
        settings.seed,
        settings.targets,
        test.cells == "blank",
        test.cells != "kept",  # for an inference blank records tell no more than removed ones
    )
    first = [name for name in known if name in settings.first] if settings.first else list(known[::2])
    second = [name for name in known if name not in first]
    counts = [slow.singling_out(settings.width), slow.linkability(first, second, settings.nearest)]
    for number, name in enumerate(subject.sensitive):
        leaves_out = settings.leave_out_suppressed
        counts.append(slow.inference(name, number, is_numeric=name == "wage", leaves_out=leaves_out))
    return counts


def counts_of(found: AttackFound) -> tuple[int, ...]:
    c = found.counts
    return (
        c.attacks,
        c.successes,
        c.control_attacks,
        c.control_successes,
        c.naive_attacks,
        c.naive_successes,
    )


@pytest.fixture
def small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let groups be so small that plain loops are quick."""
    for module in (splitting, attack_test):
        monkeypatch.setattr(module, "LEAST", 3)


@pytest.mark.usefixtures("small_groups")
def test_plain_loops_find_the_same() -> None:
    n_compared, states = 0, set()
    for seed in range(N_RANDOM):
        subject, settings = random_test(seed)
        analysis = AttackTest(**settings)
        if analysis.why_not(subject):
            continue
        try:
            found = analysis.run(subject)
        except InputError:  # every record of the test release is suppressed
            continue
        assert [counts_of(each) for each in found.attacks] == slow_counts(subject, analysis, found.columns), (
            seed
        )
        n_compared += 1
        states |= {(each.attack, each.state) for each in found.attacks}
    assert n_compared > N_RANDOM // 2
    assert len(states) == 9  # each attack was measured, failed, and was impossible


def many(k: int = 3, n: int = 400, limit: float = 1.0, **changes: Any) -> Project:
    """Return a table with a sensitive and two insensitive columns, one of them unique by record."""
    source = random.Random(5)
    ages = tuple(str(source.randint(20, 59)) for _ in range(n))
    case = Case(
        (
            Attributes(
                "age", ages, Kind.INTEGER, tuple((str(v), f"{v // 10}0s", "*") for v in range(20, 60))
            ),
            Attributes("sex", tuple(source.choices("mf", k=n)), rows=(("m", "*"), ("f", "*"))),
        ),
        (
            Attributes("ill", tuple(source.choices(("flu", "cough", "none"), k=n))),
            Attributes("code", tuple(f"c{i}" for i in range(n))),
        ),
    )
    roles = {**case.project.roles, "code": Role.INSENSITIVE}
    requirement = Requirement((KAnonymity(k),), limit)
    return replace(case.project, roles=frozen(roles), requirement=requirement, **changes)


def subject_of(project: Project, node: tuple[int, ...] = (1, 0)) -> Subject:
    return Subject(project, make_release(project, compile_problem(project), node))


@pytest.mark.parametrize("node", [(0, 0), (1, 0), (1, 1), (2, 1)])
def test_no_record_of_a_k_anonymous_release_is_singled_out_by_quasi_identifiers(
    node: tuple[int, ...],
) -> None:
    subject = subject_of(many(k=2), node)
    for width in (1, 2):
        found = AttackTest(columns=("age", "sex"), width=width).run(subject).attacks[0]
        assert (found.state, found.counts.successes, found.statistics.risk) == (IMPOSSIBLE, 0, 0.0)
        assert f"{width} known column" in found.sentence


def test_a_column_unique_by_record_singles_out_links_and_tells() -> None:
    subject = subject_of(many())
    singled, linked, inferred = AttackTest(targets=300).run(subject).attacks
    assert singled.statistics.risk_low > 0  # guesses cover the code of a record, which no other person has
    # Both parts lead to the class or the record; a code alone finds the record, and its illness.
    assert (inferred.state, inferred.counts.successes) == (MEASURED, inferred.counts.attacks)
    assert inferred.statistics.risk_low > 0.9
    assert linked.counts.control_successes <= linked.counts.successes
    known = AttackTest(targets=300, columns=("age", "sex")).run(subject).attacks[2]
    assert known.statistics.risk < 0.5


def test_an_attack_no_better_than_naive_guesses_says_nothing() -> None:
    found = AttackTest(columns=("age", "sex")).run(subject_of(many(), (2, 1))).attacks[1]
    assert (found.state, found.interval) == (FAILED, None)
    assert "says nothing" in found.sentence


def test_the_same_seed_gives_the_same_result_and_another_one_another() -> None:
    subject = subject_of(many())
    again = AttackTest(seed=7).run(Subject(subject.project, subject.release))
    assert AttackTest(seed=7).run(subject).tables() == again.tables()
    assert AttackTest(seed=8).run(subject).tables()[2] != again.tables()[2]


@pytest.mark.parametrize(("n", "share", "size"), [(250, 0.1, 100), (2000, 0.1, 200), (1001, 0.25, 250)])
def test_the_control_group_has_its_share_and_at_least_100_records(n: int, share: float, size: int) -> None:
    split = split_records(n, None, share, 3)
    assert len(split.control) == size
    assert sorted([*split.training.tolist(), *split.control.tolist()]) == list(range(n))


def test_persons_are_in_one_group_with_all_their_records() -> None:
    source = random.Random(2)
    names = tuple(f"p{source.randint(0, 150)}" for _ in range(700))
    split = split_records(700, Persons.of(column_of(Attributes(PERSON, names))), 0.2, 1)
    training, control = ({names[i] for i in group.tolist()} for group in (split.training, split.control))
    assert not training & control
    most = max(names.count(name) for name in control)
    assert 140 <= len(split.control) < 140 + most


def test_the_test_release_is_made_of_the_other_records_at_the_same_levels() -> None:
    project = many(k=6)
    subject = subject_of(project)
    chosen = split_records(400, None, 0.25, 0).training
    test = release_of_records(project, project.table, subject.release, chosen, SILENT)
    alone = replace(project, table=project.table.take(chosen))
    whole = make_release(alone, compile_problem(alone), (1, 0))
    for name in ("age", "sex", "ill", "code"):
        one, other = test.column(name), whole.column(name)
        assert [one.text(i) for i in range(300)] == [other.text(i) for i in range(300)]


def test_levels_are_searched_without_the_control_group_on_request() -> None:
    project = many(k=6, limit=0.05)
    subject = subject_of(project, (2, 1))
    assert AttackTest(targets=5).run(subject).node == (2, 1)
    split = split_records(400, None, 0.1, 0)
    alone = replace(project, table=project.table.take(split.training))
    found = AttackTest(targets=5, choose_again=True).run(subject)
    assert found.node == anonymize(alone).release.node != (2, 1)
    assert "differ from those of the release" in found.basis
    hopeless = subject_of(many(k=395, limit=0.0), (2, 1))
    assert AttackTest(targets=5, choose_again=True).why_not(hopeless) == ""
    with pytest.raises(InputError, match="without the control group"):
        AttackTest(targets=5, choose_again=True).run(hopeless)


@pytest.mark.parametrize("method", ["cells", "mondrian"])
def test_a_recoding_is_made_anew_and_its_cells_cover_what_they_were_made_of(method: str) -> None:
    project = many(recoding=recoding_methods[method]())
    whole = rooted(compile_problem(project))
    levels = np.zeros((400, 2), dtype=np.int16)
    levels[:200] = (1, 1)
    nobody = np.zeros(400, dtype=np.bool_)
    node = (1, 0) if project.recoding is not None and project.recoding.needs_start else None
    made = make_local_release(project, whole, Recoding(levels, nobody), method, node)
    found = AttackTest(targets=150).run(Subject(project, made))
    assert found.attacks[2].statistics.risk_low > 0.5  # the code still finds the record


@pytest.mark.parametrize("function", ["interval", "set", "mode"])
def test_cells_that_are_aggregates_cover_their_values(function: str) -> None:
    project = many(microaggregation=frozen({"age": aggregate_functions[function](grouping=True)}))
    found = AttackTest(targets=150).run(subject_of(project))
    assert found.attacks[2].statistics.risk_low > 0.5


def test_a_cell_that_a_rule_writes_covers_every_value_that_is_written_so() -> None:
    mask = column_rules.create("mask", keep_first=2, keep_last=0)
    subject = subject_of(many(transformation=Transformation(rules=frozen({"code": mask}))))
    assert AttackTest(targets=50).run(subject).columns == ("age", "sex", "ill", "code")
    column, written = subject.input.column("code"), released_column(subject.project, "code")
    (found,) = cover_columns(subject.release, [column], {"code": written}, subject.release, ["code"], "")
    masked = ["**" if i < 10 else f"c{i}"[:2] + "*" * (len(f"c{i}") - 2) for i in range(400)]
    for record in range(0, 400, 7):
        expected = [other != masked[record] for other in masked]
        assert found.uncovered(int(found.values[record])).tolist() == expected
        assert (~found.covers(record, found.values)).tolist() == expected


def test_a_column_of_a_rule_without_true_cells_is_not_compared_and_a_secret_is_inferred_as_written() -> None:
    rules = frozen(
        {"code": column_rules.create("pseudonym"), "ill": column_rules.create("constant", text="x")}
    )
    subject = subject_of(many(transformation=Transformation(rules=rules)))
    found = AttackTest(targets=50).run(subject)
    assert found.columns == ("age", "sex")
    inferred = found.attacks[2]
    assert inferred.counts.successes == inferred.counts.control_successes == 50  # all are x, which is known
    assert inferred.state == FAILED
    assert "released by a rule" in AttackTest(columns=("code",)).why_not(subject)


def test_a_small_table_and_unknown_columns_are_refused_with_a_reason() -> None:
    assert "at least 200 records" in AttackTest().why_not(subject_of(many(n=199)))
    assert AttackTest().why_not(subject_of(many(n=200))) == ""
    assert "'agee'" in AttackTest(columns=("agee",)).why_not(subject_of(many()))
    assert "labels" in AttackTest(secret="age").why_not(subject_of(many()))
    with pytest.raises(InputError, match="no column"):
        AttackTest(first=("x",)).run(subject_of(many()))
