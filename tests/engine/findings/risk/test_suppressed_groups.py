"""Who is suppressed: every group recounted, small ones left out, and nothing or everything suppressed."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given

from engine.findings.risk.suppressed_groups import SuppressedGroups
from tests.engine.findings.risk.subjects import Released, letters, releases
from tests.strategies import few


@few
@given(releases())
def test_groups_that_lose_more_than_others_are_those_of_a_recount(made: Released) -> None:
    found = SuppressedGroups(most=10_000, least_records=2).run(made.subject)
    n = made.case.n_records
    gone = set(range(n)) - set(made.kept)
    columns = {a.name: a.texts for a in (*made.case.qi, *made.case.sensitive)}

    def counted(cells: dict[str, str]) -> tuple[int, int]:
        inside = [i for i in range(n) if all(columns[c][i] == v for c, v in cells.items())]
        return len(inside), len(gone.intersection(inside))

    overall = len(gone) / n
    assert found.share == overall
    single = {}
    for name, texts in columns.items():
        for value in set(texts):
            size, lost = counted({name: value})
            if size >= 2 and lost and lost / size > overall:
                single[name, value] = (size, lost)
    assert {(g.columns[0], g.values[0]): (g.n_records, g.n_suppressed) for g in found.single} == single
    shares = [group.share for group in found.single]
    assert shares == sorted(shares, reverse=True)
    pairs = {}
    for first, second in combinations(columns, 2):
        for values in set(zip(columns[first], columns[second], strict=True)):
            size, lost = counted({first: values[0], second: values[1]})
            singles = [counted({first: values[0]}), counted({second: values[1]})]
            most = max(overall, *(lost / size for size, lost in singles))
            if size >= 2 and lost and lost / size > most:
                pairs[first, second, *values] = (size, lost)
    assert {(*g.columns, *g.values): (g.n_records, g.n_suppressed) for g in found.pairs} == pairs


def test_the_sentence_names_the_group_that_loses_most() -> None:
    made = letters(q="aaaaaaaabb", r="xxxxxxxxyz", k=2)
    found = SuppressedGroups(least_records=2).run(made.subject)
    assert found.sentence == (
        "2 of 10 records are suppressed (20.0\u202f%); of q b it is 100.0\u202f%, 5.0 times as often."
    )
    assert found.single[0].lift == pytest.approx(5.0)
    assert found.tables()[0].rows == (("q", "b", 2, 2, 1.0, 0.2, pytest.approx(5.0)),)


def test_small_groups_are_left_out() -> None:
    found = SuppressedGroups(least_records=3).run(letters(q="aaaaaaaabb", r="xxxxxxxxyz", k=2).subject)
    assert found.single == ()
    assert found.sentence.endswith("; no group of sufficient size loses more than others.")


def test_nothing_suppressed_and_everything_suppressed_are_said() -> None:
    assert SuppressedGroups().run(letters(q="aabb").subject).sentence == "No record is suppressed."
    found = SuppressedGroups(least_records=1).run(letters(q="ab", k=2).subject)
    assert found.sentence == "2 of 2 records are suppressed (100.0\u202f%): the release contains no one."
    assert (found.single, found.pairs) == ((), ())
