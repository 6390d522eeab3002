"""The verdict on a release: three clauses, each rated alone, and the worst for the whole."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction

import pytest
from hypothesis import given

from engine.findings.risk.attackers import Attackers, AttackersFound
from engine.findings.risk.verdict import Clause, worst
from engine.findings.subject import Subject
from tests.engine.findings.risk.subjects import Released, letters, releases


def found_in(subject: Subject, threshold: float = 0.2) -> AttackersFound:
    return Attackers(threshold=threshold).run(subject)


def clause(found: AttackersFound, key: str) -> Clause:
    return next(clause for clause in found.clauses if clause.key == key)


@pytest.mark.parametrize(
    ("sensitive", "tone", "words"),
    [
        ("xyzwv" + "vwxyz", "ok", "no sensitive value reaches half of a class"),
        ("xxxyz" + "xyzwv", "warn", "60.0\u202f% of the 5 records of a class have the same 's'"),
        ("xxxxx" + "xyzwv", "danger", "all 5 records of a class have the same 's'"),
        ("xxyyz" + "xyzwv", "ok", "no sensitive value reaches half of a class"),
    ],
)
def test_what_a_class_reveals_is_rated_by_its_most_frequent_value(
    sensitive: str, tone: str, words: str
) -> None:
    found = found_in(letters(k=5, a="aaaaabbbbb", s=sensitive).subject)
    assert clause(found, "class") == Clause("class", words, tone)  # type: ignore[arg-type]
    assert clause(found, "identity").tone == "ok"


def test_identity_is_in_danger_as_soon_as_one_kept_record_exceeds_the_accepted_risk() -> None:
    subject = letters(k=1, a="aaaabbbbb", s="xyzwxyzwv").subject
    assert clause(found_in(subject, 0.25), "identity").tone == "ok"
    assert clause(found_in(subject, 0.2), "identity").tone == "danger"


def test_a_column_released_unchanged_has_a_clause_of_its_own() -> None:
    found = found_in(letters(k=5, a="aaaaabbbbb", s="xyzwvxyzwq").subject)
    unchanged = clause(found, "unchanged")
    assert unchanged.tone == "warn"  # v and q occur once
    assert "2" in unchanged.sentence
    assert found.statement().tone == "warn"
    assert found.statement().sentence == "; ".join(c.sentence for c in found.clauses) + "."


def test_the_whole_takes_the_worst_of_its_parts() -> None:
    ok, warn, danger = (Clause("identity", "", tone) for tone in ("ok", "warn", "danger"))  # type: ignore[arg-type]
    assert worst([ok, ok, ok]) == "ok"
    assert worst([ok, warn, ok]) == "warn"
    assert worst([warn, ok, danger]) == "danger"


def test_without_sensitive_columns_nothing_is_said_about_classes() -> None:
    found = found_in(letters(k=5, a="aaaaabbbbb").subject)
    assert [clause.key for clause in found.clauses] == ["identity", "unchanged"]


@given(releases())
def test_the_most_revealing_class_is_that_of_a_recount(released: Released) -> None:
    subject = released.subject
    found = found_in(subject).reveals
    if not subject.sensitive or not released.kept or subject.counts_people:
        return
    classes: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for cells, record in zip(released.after, released.kept, strict=True):
        classes[cells].append(record)
    shares = []
    for name in subject.sensitive:
        column = subject.project.table.column(name)
        for members in classes.values():
            values = Counter(column.text(i) for i in members)
            shares.append(Fraction(max(values.values()), len(members)))
    assert found.share == pytest.approx(float(max(shares)))
