"""What classes reveal of a sensitive column: a slow recount, limits, comparisons, and awkward columns."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.findings.risk.attribute_disclosure import CLASS_MEASURES, AttributeDisclosure
from engine.findings.risk.bins import bins_of
from engine.findings.subject import Subject
from engine.privacy import Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.t_closeness import TCloseness
from engine.project.compile import compile_problem
from engine.recoding import make_release
from engine.records import Column, DataType, Kind
from engine.records.values import make_column
from tests.engine.findings.risk.subjects import Released, letters, releases
from tests.slow_reference import distance
from tests.strategies import few


@few
@given(releases(min_sensitive=1, max_sensitive=1))
def test_every_class_has_the_measures_of_its_records_against_the_whole_input(made: Released) -> None:
    attribute = made.case.sensitive[0]
    if not made.after:
        assert AttributeDisclosure().why_not(made.subject).startswith("Every record is suppressed")
        return
    found = AttributeDisclosure().run(made.subject)
    table, n = Counter(attribute.texts), made.case.n_records
    groups: dict[tuple[str, ...], list[str]] = {}
    for record, row in zip(made.kept, made.after, strict=True):
        groups.setdefault(row, []).append(attribute.texts[record])
    assert len(found.numbers) == len(groups)
    for place, number in enumerate(found.numbers.tolist()):
        values = groups[tuple(text for _, text in found.cells(number))]
        counts = Counter(values)
        shares = {value: count / len(values) for value, count in counts.items()}
        measured = {key: float(of[place]) for key, of in found.measured.items()}
        assert found.sizes[place] == len(values)
        assert measured["distinct_l"] == len(counts)
        entropy = -math.fsum(share * math.log(share) for share in shares.values())
        assert measured["entropy_l"] == pytest.approx(math.exp(entropy), rel=1e-9)
        assert measured["largest_share"] == max(shares.values())
        gains = [share / (table[value] / n) - 1 for value, share in shares.items()]
        assert measured["beta"] == pytest.approx(max([0.0, *gains]), abs=1e-9)
        caps = {value: -math.log(count / n) for value, count in table.items()}
        breaks = any(gain > caps[value] * (1 + 1e-9) for value, gain in zip(shares, gains, strict=True))
        assert math.isinf(measured["enhanced_beta"]) == breaks
        ratios = [abs(math.log(shares[v] / (table[v] / n))) if v in shares else math.inf for v in table]
        assert measured["delta"] == pytest.approx(max(ratios), abs=1e-9)
        if found.distance != "hierarchical":
            numeric = attribute.kind is Kind.INTEGER
            wanted = distance(values, attribute.texts, found.distance, numeric=numeric)
            assert measured["t"] == pytest.approx(float(wanted), abs=1e-12)
        compared = found.compare(number)
        assert compared.n_people == len(values)
        assert dict(zip([b.label for b in compared.bins], compared.class_counts, strict=True)) == {
            value: counts[value] for value in table
        }
        assert compared.table_counts == tuple(table[b.label] for b in compared.bins)
    if made.after:
        assert found.worst_value("distinct_l") == min(len(set(values)) for values in groups.values())
        assert found.n_single == sum(len(v) for v in groups.values() if len(set(v)) == 1)
    else:
        assert found.worst_value("t") is None


def test_the_worst_classes_come_first_and_of_equal_ones_the_larger() -> None:
    found = AttributeDisclosure().run(letters(q="aabbbbccc", s="xyxxxxxyy").subject)
    cells = [found.cells(number)[0][1] for number in found.numbers[found.worst("distinct_l", 3)].tolist()]
    assert cells == ["b", "c", "a"]
    assert found.worst("t", 1).tolist() == found.worst("t", 2)[:1].tolist()


def test_limits_are_those_of_the_requirement_for_this_column_and_distance() -> None:
    made = letters(q="aabb", s="xyxy")
    models = (
        KAnonymity(2),
        DistinctLDiversity("s", 2),
        TCloseness("s", 0.3),
        TCloseness("s", 0.1, "equal"),
    )
    project = replace(made.subject.project, requirement=Requirement(models, 0.0))
    subject = Subject(project, make_release(project, compile_problem(project), (0,)))
    found = AttributeDisclosure("s").run(subject)
    assert dict(found.limits) == {"distinct_l": 2.0, "t": 0.1}
    assert [row[4] for row in found.tables()[0].rows] == [2.0, None, None, 0.1, None, None, None]


def test_where_others_may_be_known_the_worst_part_of_a_class_is_shown() -> None:
    made = letters(q="aaaaaa", s="xyxyxy")
    project = made.subject.project
    column = project.table.column("s")
    other = make_column("u", ["p", "r"], np.array([0, 1, 1, 1, 1, 1], dtype=np.int32), DataType(), "")
    project = replace(
        project,
        table=replace(project.table, columns=(*project.table.columns, other)),
        roles={**project.roles, "u": project.role("s")},
        others_as_qi=True,
    )
    subject = Subject(project, make_release(project, compile_problem(project), (0,)))
    found = AttributeDisclosure("s").run(subject)
    # Who knows that u is p finds a single record, whose s is x.
    assert found.worst_value("distinct_l") == 1
    compared = found.compare(int(found.numbers[0]), "distinct_l")
    assert (compared.n_people, compared.class_counts) == (1, (1, 0))
    assert compared.table_shares == (0.5, 0.5)
    assert column.labels == ("x", "y")


def test_without_a_sensitive_column_it_is_refused_in_words() -> None:
    made = letters(q="aabb")
    assert "No column is sensitive" in AttributeDisclosure().why_not(made.subject)
    with pytest.raises(InputError, match="No column is sensitive"):
        AttributeDisclosure().run(made.subject)


def test_a_column_that_is_not_sensitive_and_a_class_that_is_not_kept_are_refused() -> None:
    made = letters(q="aabbb", s="xyxyx", k=3)
    with pytest.raises(InputError, match="'q' is not a sensitive column"):
        AttributeDisclosure("q").run(made.subject)
    found = AttributeDisclosure("s").run(made.subject)
    gone = set(range(len(made.subject.release.kept))) - set(found.numbers.tolist())
    with pytest.raises(InputError, match=r"Kept class .* does not exist"):
        found.compare(gone.pop())


def test_every_measure_says_what_is_usual_and_who_defined_it() -> None:
    usual = {measure.key: measure.usual for measure in CLASS_MEASURES}
    assert usual["t"] == (
        "Largest allowed distance; 0.1 to 0.3 is usual. t-closeness: Li, Li, Venkatasubramanian 2007."
    )
    assert all("is usual" in words for words in usual.values())


# -- bins ------------------------------------------------------------------------------------------


def numbers(values: list[int]) -> Column:
    texts = sorted(set(map(str, values)))
    codes = np.array([texts.index(str(v)) for v in values], dtype=np.int32)
    return make_column("n", texts, codes, DataType(Kind.INTEGER), "")


@few
@given(st.lists(st.integers(-50, 150), min_size=1, max_size=200), st.integers(2, 12))
def test_bins_hold_every_value_once_and_in_order(values: list[int], most: int) -> None:
    column = numbers(values)
    found = bins_of(column, most)
    assert sorted(set(found.codes.tolist())) == list(range(len(found.bins)))
    assert (np.diff(found.codes) >= 0).all()
    for label, code in zip(column.numbers.tolist(), found.codes.tolist(), strict=True):
        entry = found.bins[code]
        assert entry.low is not None
        assert entry.high is not None
        assert entry.low <= label <= entry.high
        assert entry.is_range == (entry.low != entry.high)


def test_a_number_that_most_records_have_stands_alone() -> None:
    column = numbers([*range(1, 40), *[40] * 200, *range(41, 80)])
    assert "40" in [entry.label for entry in bins_of(column).bins]
    assert len(bins_of(column).bins) <= 14


def test_rare_texts_are_joined_and_missing_stays_apart() -> None:
    texts = [*"aaabbbcc", *map(str, range(20)), ""]
    labels = sorted(set(texts))
    codes = np.array([labels.index(text) for text in texts], dtype=np.int32)
    column = make_column("c", labels, codes, DataType(), "")
    assert [entry.label for entry in bins_of(column, 4).bins] == ["a", "b", "c", "other values", ""]
