"""A second table linked with input and release: a slow recount, values written otherwise, wrong use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.errors import CancelledError, InputError
from engine.findings.risk.linkage import LinkageFound, LinkCounts, common_columns, link
from engine.findings.subject import Subject
from engine.project import Transformation
from engine.project.compile import compile_problem
from engine.project.project import Project
from engine.recoding import make_release
from engine.recoding.aggregation.functions import Interval, Mean, SetOfValues
from engine.records import Column, DataType, Kind, Role, Table
from engine.records.values import make_column
from tests.engine.findings.risk.subjects import Released, letters, releases
from tests.slow_reference import paths
from tests.stopping import Stopping
from tests.strategies import few


def column(name: str, texts: Sequence[str], kind: Kind = Kind.TEXT) -> Column:
    labels = sorted(set(texts))
    codes = np.array([labels.index(text) for text in texts], dtype=np.int32)
    return make_column(name, labels, codes, DataType(kind), "")


def people(**columns: Sequence[str]) -> Table:
    return Table(tuple(column(name, texts) for name, texts in columns.items()))


def counted(matches: list[list[int]], classes: Sequence[object]) -> LinkCounts:
    """Who matches one record, several of one class, of several, none."""
    found = Counter(
        "none"
        if not m
        else "one"
        if len(m) == 1
        else "class"
        if len({classes[i] for i in m}) == 1
        else "several"
        for m in matches
    )
    return LinkCounts(found["one"], found["class"], found["several"], found["none"])


@few
@given(st.data())
def test_people_match_the_records_whose_labels_cover_their_values(data: st.DataObject) -> None:
    made = data.draw(releases(max_sensitive=1))
    assume(not made.subject.release.aggregates)
    attributes = [*made.case.qi, *made.case.sensitive]
    chosen = data.draw(st.lists(st.sampled_from(attributes), min_size=1, unique_by=lambda a: a.name))
    n_people = data.draw(st.integers(1, 12))
    known = [
        data.draw(st.lists(st.sampled_from([*a.texts, "9999"]), min_size=n_people, max_size=n_people))
        for a in chosen
    ]
    other = people(**{a.name: texts for a, texts in zip(chosen, known, strict=True)})
    found = link(made.subject, other, {a.name: a.name for a in chosen})
    before = [
        [
            i
            for i in range(made.case.n_records)
            if all(a.texts[i] == k[p] for a, k in zip(chosen, known, strict=True))
        ]
        for p in range(n_people)
    ]
    assert found.matches_before.tolist() == [len(m) for m in before]
    assert found.before == counted(before, made.before)
    released = dict(zip(made.kept, made.after, strict=True))
    names = [a.name for a in made.case.qi]

    def fits(record: int, person: int) -> bool:
        for attribute, texts in zip(chosen, known, strict=True):
            if attribute.name not in names:
                if attribute.texts[record] != texts[person]:
                    return False
                continue
            text = released[record][names.index(attribute.name)]
            labels = paths(attribute)
            levels = zip(*labels.values(), strict=True)
            hides_all = text not in labels and any(set(level) == {text} for level in levels)
            covers = text in labels.get(texts[person], ()) or text == "*"
            if not covers and not hides_all:
                return False
        return True

    after = [[i for i in made.kept if fits(i, p)] for p in range(n_people)]
    stay = [(a, k) for a, k in zip(chosen, known, strict=True) if a.name not in names]
    if stay:
        gone = [i for i in range(made.case.n_records) if i not in released]
        stars = [[i for i in gone if all(a.texts[i] == k[p] for a, k in stay)] for p in range(n_people)]
        after = [m or hidden for m, hidden in zip(after, stars, strict=True)]
    classes = made.subject.release.labels.tolist()
    assert found.matches_after.tolist() == [len(m) for m in after]
    assert found.after == counted(after, classes)
    for class_, matches in zip(found.classes_after.tolist(), after, strict=True):
        wanted = {classes[i] for i in matches}
        assert class_ == (-1 if not wanted else wanted.pop() if len(wanted) == 1 else -2)


def again(made: Released, change: Callable[[Project], Project], node: tuple[int, ...]) -> Subject:
    project = change(made.subject.project)
    return Subject(project, make_release(project, compile_problem(project), node))


def test_hiding_a_column_makes_a_unique_match_ambiguous() -> None:
    made = letters(q="aabb", r="xyxy", node=(0, 1))
    found = link(made.subject, people(Q="ab", R="xz"), {"q": "Q", "r": "R"})
    assert found.before == LinkCounts(1, 0, 0, 1)
    assert found.after == LinkCounts(0, 2, 0, 0)
    assert found.left_out == (("r", "hidden"),)
    assert found.sentence == (
        "Linked by 'q' and 'r', 1 of 2 people match exactly one record of the input (50.0\u202f%); in "
        "the release, no one matches exactly one."
    )
    assert found.tables()[1].rows == (("q", "Q", "compared"), ("r", "R", "hidden"))


def with_insensitive(project: Project, column: Column) -> Project:
    roles = {**project.roles, column.name: Role.INSENSITIVE}
    return replace(project, table=Table((*project.table.columns, column)), roles=roles)


def test_numbers_are_equal_however_they_are_written() -> None:
    made = letters(q="aab")
    numbers = column("n", ["1", "2", "3"], Kind.INTEGER)

    def change(project: Project) -> Project:
        return with_insensitive(project, numbers)

    other = Table((column("n", ["1.0", "2.00", "1e0", "x"]), column("m", ["001", "3", "4", "5"], Kind.TEXT)))
    subject = again(made, change, (0,))
    assert link(subject, other, {"n": "n"}).matches_before.tolist()[:2] == [1, 1]
    decimals = Table((column("n", ["1.0", "3.5"], Kind.DECIMAL),))
    assert link(subject, decimals, {"n": "n"}).matches_before.tolist() == [1, 0]


def test_missing_matches_missing_whatever_stands_for_it() -> None:
    made = letters(q="ab")
    own = column("n", ["", "7"], Kind.INTEGER)
    other = make_column("n", ["7", "?"], np.array([0, 1], dtype=np.int32), DataType(Kind.INTEGER), "?")

    def change(project: Project) -> Project:
        return with_insensitive(project, own)

    assert link(again(made, change, (0,)), Table((other,)), {"n": "n"}).matches_after.tolist() == [1, 1]


AGES = ["20", "30", "40", "50"]


def aggregated(function: object) -> Subject:
    made = letters(q="aabb")
    ages = column("age", AGES, Kind.INTEGER)

    def change(project: Project) -> Project:
        return replace(
            project,
            table=Table((*project.table.columns, ages)),
            roles={**project.roles, "age": Role.QUASI_IDENTIFYING},
            qi_order=("q", "age"),
            microaggregation={"age": function},
        )

    project = change(made.subject.project)
    problem = compile_problem(project)
    return Subject(project, make_release(project, problem, tuple(a.minimum for a in problem.attributes)))


@pytest.mark.parametrize(
    ("function", "matches"),
    [
        (Interval(), [2, 2, 0, 2, 0]),  # 20 to 30 and 40 to 50
        (SetOfValues(), [2, 0, 0, 2, 0]),
    ],
)
def test_intervals_and_sets_match_what_lies_in_them(function: object, matches: list[int]) -> None:
    other = Table((column("age", ["20.0", "25", "35", "45", "60"], Kind.DECIMAL),))
    if isinstance(function, SetOfValues):
        other = Table((column("age", ["20.0", "25", "35", "40", "60"], Kind.DECIMAL),))
    assert link(aggregated(function), other, {"age": "age"}).matches_after.tolist() == matches


def test_other_aggregates_rule_nobody_out() -> None:
    found = link(aggregated(Mean()), Table((column("age", ["20", "99"], Kind.INTEGER),)), {"age": "age"})
    assert found.left_out == (("age", "an aggregate of each class (mean)"),)
    assert found.matches_after.tolist() == [4, 4]
    assert found.after == LinkCounts(0, 0, 2, 0)
    assert found.sentence.endswith(
        "the release cannot be compared by these columns, so every kept record matches everyone."
    )


def with_names(rule: str, **transformation: object) -> Subject:
    made = letters(k=2, q="aab", s="xyz")
    names = column("name", ["Ann", "Bob", "Eve"])

    def change(project: Project) -> Project:
        return replace(
            project,
            table=Table((*project.table.columns, names)),
            roles={**project.roles, "name": Role.IDENTIFYING},
            transformation=Transformation(identifying=rule, **transformation),  # type: ignore[arg-type]
        )

    return again(made, change, (0,))


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ("star", "hides every value (star)"),
        ("pseudonym", "hides every value (pseudonym)"),
        ("drop", "not in the release"),
    ],
)
def test_names_that_are_replaced_or_dropped_cannot_be_compared(rule: str, reason: str) -> None:
    found = link(with_names(rule), people(name=["Ann", "Eve"], q="ab"), {"name": "name", "q": "q"})
    assert found.left_out == (("name", reason),)
    assert found.before == LinkCounts(2, 0, 0, 0)
    assert found.after == LinkCounts(0, 1, 0, 1)


def test_a_suppressed_record_is_found_by_what_is_left_of_it() -> None:
    other = people(q="b", s="z")
    pairs = {"q": "q", "s": "s"}
    kept = with_names("star", suppressed_group="ignore")
    assert link(kept, other, pairs).after == LinkCounts(1, 0, 0, 0)
    assert link(with_names("star"), other, pairs).after == LinkCounts(0, 0, 0, 1)  # alone, it is blank
    assert link(with_names("star", blank_suppressed=True), other, pairs).after == LinkCounts(0, 0, 0, 1)
    assert link(with_names("star", suppressed_records="remove"), other, pairs).after == LinkCounts(0, 0, 0, 1)


def test_nothing_kept_leaves_nobody_to_be_found() -> None:
    made = letters(k=3, q="ab", s="xy")
    assert link(made.subject, people(q="ab"), {"q": "q"}).after == LinkCounts(0, 0, 0, 2)


def test_columns_of_the_same_name_are_proposed_quasi_identifying_ones_first() -> None:
    made = letters(q="ab", r="xy", s="uv")
    assert list(common_columns(made.subject, people(S="u", R=" ", other="z")).items()) == [
        ("r", "R"),
        ("s", "S"),
    ]


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ({}, "No columns are paired"),
        ({"q": "x"}, "second table has no column 'x'"),
        ({"nobody": "q"}, "input has no column 'nobody'"),
        ({"q": "q", "s": "q"}, "paired twice"),
    ],
)
def test_wrong_pairs_are_refused_in_words(pairs: dict[str, str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        link(letters(q="ab", s="xy").subject, people(q="a"), pairs)


def test_a_table_without_a_common_column_says_what_to_do() -> None:
    with pytest.raises(InputError) as caught:
        link(letters(q="ab").subject, people(z="a"), {})
    assert "The second table has no column with the same name: pair two that correspond." in caught.value.hint
    with pytest.raises(InputError) as caught:
        link(letters(q="ab").subject, people(q="a"), {})
    assert "such as q" in caught.value.hint


def test_a_second_table_without_rows_is_refused() -> None:
    with pytest.raises(InputError, match="no rows"):
        link(letters(q="ab").subject, people(q=""), {"q": "q"})


def test_more_combinations_than_fit_a_number_are_counted_all_the_same() -> None:
    texts = [chr(97 + i) for i in range(24)]
    made = letters(**{f"q{i}": "".join(texts) for i in range(15)})
    other = people(**{f"q{i}": texts for i in range(15)})
    found: LinkageFound = link(made.subject, other, {f"q{i}": f"q{i}" for i in range(15)})
    assert found.before == LinkCounts(24, 0, 0, 0)
    assert found.after == LinkCounts(24, 0, 0, 0)


def test_linking_can_be_stopped() -> None:
    with pytest.raises(CancelledError):
        link(letters(q="ab").subject, people(q="a"), {"q": "q"}, Stopping())
