"""What few columns tell, before and after: a recount of every set by what is written."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from statistics import mean

import pytest
from hypothesis import given

from engine.errors import InputError
from engine.findings.risk import column_subsets
from engine.findings.risk.column_subsets import ColumnSubsets
from tests.engine.findings.risk.subjects import Released, letters, releases
from tests.strategies import few


@few
@given(releases())
def test_every_set_of_columns_has_the_figures_of_a_recount(made: Released) -> None:
    found = ColumnSubsets().run(made.subject)
    names = [attribute.name for attribute in made.case.qi]
    wanted = [s for size in range(1, min(3, len(names)) + 1) for s in combinations(range(len(names)), size)]
    by_columns = {entry.columns: entry for entry in found.sets}
    assert len(by_columns) == len(wanted)
    for subset in wanted:
        entry = by_columns[tuple(names[i] for i in subset)]
        for figures, rows in ((entry.before, made.before), (entry.after, made.after)):
            assert (figures is None) == (not rows)
            if figures is None:
                continue
            counts = Counter(tuple(row[i] for i in subset) for row in rows)
            n = len(rows)
            assert figures.n_uniques == sum(count == 1 for count in counts.values())
            assert figures.n_distinct == len(counts)
            assert figures.distinction == len(counts) / n
            alike = sum(count * (count - 1) for count in counts.values())
            assert figures.separation == pytest.approx(1 - alike / (n * (n - 1)) if n > 1 else 1.0)
            assert figures.highest == 1 / min(counts.values())
    for known in found.known:
        sets = [entry for entry in found.sets if len(entry.columns) == known.n_columns]
        _size, n_sets, most, _most, _mean, mean_after, _highest, highest_after, risk, risk_after = known.row()
        assert n_sets == len(sets)
        assert most == max(entry.before.n_uniques for entry in sets)
        assert risk == pytest.approx(mean(entry.before.distinction for entry in sets))
        after = [entry.after for entry in sets if entry.after is not None]
        if after:
            assert highest_after == max(figures.highest for figures in after)
            assert mean_after == pytest.approx(mean(f.n_uniques for f in after))
        else:
            assert risk_after is None


def test_sets_are_sorted_by_the_release_and_then_by_the_input() -> None:
    made = letters(q="aabb", r="abcd", u="aaab", node=(0, 1, 0))
    found = ColumnSubsets(most_columns=1).run(made.subject)
    assert [entry.columns for entry in found.sets] == [("u",), ("r",), ("q",)]
    by_distinction = ColumnSubsets(most_columns=1, target="distinction").run(made.subject)
    assert [entry.columns for entry in by_distinction.sets] == [("q",), ("u",), ("r",)]


def test_a_sentence_says_what_somebody_can_do_who_knows_so_many_columns() -> None:
    made = letters(q="aaaaabbbbb", r="xyxyxyxyxz")
    known = ColumnSubsets().run(made.subject).known
    assert known[0].sentence == (
        "Knowing only one column: an attacker can identify up to 1 kept record with certainty ('r')."
    )
    hidden = letters(q="aaaaabbbbb", r="xyxyxyxyxz", node=(0, 1))
    assert ColumnSubsets().run(hidden.subject).known[1].sentence == (
        "Knowing only two columns: an attacker can match no kept record with a certainty "
        "above 20.0\u202f% (worst: 'q' and 'r'); on average, 20.0\u202f% of guesses are right."
    )


def test_nothing_kept_leaves_the_figures_of_the_input() -> None:
    found = ColumnSubsets().run(letters(q="abc", k=2).subject)
    assert [entry.after for entry in found.sets] == [None]
    assert found.known[0].sentence == "No kept record can be distinguished by one column."
    assert found.tables()[1].rows[0][2:4] == (3, None)


def test_more_sets_than_anybody_reads_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_subsets, "MOST_SETS", 2)
    with pytest.raises(InputError, match="3 sets of up to 2 columns"):
        ColumnSubsets().run(letters(q="ab", r="ab").subject)
