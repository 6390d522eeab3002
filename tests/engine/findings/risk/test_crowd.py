"""The crowd: places without overlap, dots that sum to records or people, and the headline from numbers."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.findings.base import all_analyses
from engine.findings.blocks import INPUT, RELEASE
from engine.findings.given_table import Side
from engine.findings.risk.crowd import MOST_DOTS, Crowd, CrowdSide, class_words, member
from engine.frequency.measured import MeasuredClasses
from engine.kernels.crowd import packed, thinned
from tests.engine.findings.risk.subjects import Released, letters, releases
from tests.engine.findings.test_persons import VISITS, subject_of
from tests.imports import ROOT

SIZES = st.lists(st.integers(1, 60), min_size=1, max_size=120)


@given(SIZES, st.integers(1, 900))
def test_circles_do_not_overlap_and_every_dot_is_in_its_own(sizes: list[int], largest: int) -> None:
    n_dots = np.sort(np.array([*sizes, largest]))[::-1]
    disc = packed(n_dots)
    apart = np.hypot(disc.x[:, None] - disc.x, disc.y[:, None] - disc.y)
    np.fill_diagonal(apart, np.inf)
    assert (apart >= disc.radii[:, None] + disc.radii - 1e-9).all()
    assert (np.hypot(disc.x, disc.y) + disc.radii <= disc.radius + 1e-9).all()
    x, y, circles = disc.dots()
    assert (np.bincount(circles) == n_dots).all()
    assert (np.hypot(x - disc.x[circles], y - disc.y[circles]) < disc.radii[circles]).all()
    distances = np.hypot(disc.x, disc.y)
    assert (np.diff(distances) > -1e-9).all(), "the smallest are at the rim"
    assert disc.at(disc.x[-1], disc.y[-1]) == len(n_dots) - 1
    assert disc.at(2 * disc.radius + 1, 0.0) is None


@given(SIZES, st.integers(1, 9))
def test_dots_that_stand_for_several_are_exact_within_one_per_size(sizes: list[int], per_dot: int) -> None:
    members = np.sort(np.array(sizes))[::-1]
    dots = thinned(members, members, per_dot)
    for size, n in Counter(sizes).items():
        assert abs(int(dots[members == size].sum()) - n * size / per_dot) <= 0.5
    assert (dots >= members // per_dot).all(), "each class of at least as many has a dot"


def test_a_million_records_are_placed_in_three_seconds_and_alike_again() -> None:
    source = np.random.default_rng(5)
    labels = np.r_[np.arange(600_000), 600_000 + source.integers(0, 30_000, 400_000)]
    records = np.bincount(labels)
    side = Side.of_all(MeasuredClasses(records[records > 0], (), lambda _number: None))  # type: ignore[arg-type, return-value]
    labels = np.cumsum(records > 0)[labels] - 1
    begun = time.perf_counter()
    one = CrowdSide.of(side, labels, 5)
    found = one.disc.dots()
    assert time.perf_counter() - begun < 3
    assert abs(len(found[0]) - MOST_DOTS) < len(np.unique(one.sizes))
    again = CrowdSide.of(side, labels, 5)
    assert [a.tobytes() for a in again.disc.dots()] == [a.tobytes() for a in found]
    assert again.numbers.tobytes() == one.numbers.tobytes()


@given(releases())
def test_dots_and_table_have_all_records_of_any_release(case: Released) -> None:
    subject = case.subject
    found = Crowd().run(subject)
    n_people = subject.before.people.n_people, subject.after.people.n_people
    for side, n in zip((found.before, found.after), n_people, strict=True):
        assert side.total == int(side.disc.n_dots.sum()) == n
    assert found.n_suppressed == n_people[0] - n_people[1]
    (table,) = found.tables()
    assert sum(row[2] or 0 for row in table.rows) == n_people[0]  # type: ignore[misc]
    assert sum(row[5] for row in table.rows) == n_people[0]  # type: ignore[misc]
    for key in (INPUT, RELEASE):
        side = found.side(key)
        cells = (
            case.before if key == INPUT else [case.after[case.kept.index(row)] for row in side.rows.tolist()]
        )
        for circle, row in enumerate(side.rows.tolist()):
            own = cells[row if key == INPUT else circle]
            assert all(str(value) in class_words(found, key, circle) for value in own if value)
            one = member(found, key, circle, place=1)
            labels = subject.input_labels if key == INPUT else subject.release.labels
            assert labels[one.record.record] == side.numbers[circle]


def test_a_person_is_one_dot_in_the_smallest_of_their_classes(tmp_path: Path) -> None:
    subject = subject_of(tmp_path, VISITS)
    side = Crowd().run(subject).before
    people = subject.input.column(subject.person)
    classes = defaultdict(set)
    for row, label in enumerate(subject.input_labels.tolist()):
        classes[people.text(row)].add((int(subject.input_sizes[label]), label))
    wanted = Counter(min(own)[1] for own in classes.values())
    assert dict(zip(side.numbers.tolist(), side.disc.n_dots.tolist(), strict=True)) == wanted


@pytest.mark.parametrize(
    ("k", "node", "columns", "sentence"),
    [
        (2, (1,), "abcc", "In the input 2 records were unique. In the release no class has fewer than 4."),
        (1, (0,), "abcc", "2 records are still unique, 2 in the input."),
        (2, (1,), "aabb", "The smallest class grew from 2 to 4 records."),
        (2, (0,), "aabb", "The smallest class has 2 records, in the input 2."),
        (9, (1,), "abcc", "Every record is suppressed."),
    ],
)
def test_the_headline_is_the_first_that_holds(k: int, node: tuple[int], columns: str, sentence: str) -> None:
    found = Crowd().run(letters(k=k, node=node, q=columns, s=columns).subject)
    assert found.statement().sentence == sentence
    assert len(sentence) <= 96


def test_nothing_of_the_engine_that_writes_reads_the_crowd() -> None:
    """Reports, bundles and commands have only registered analyses, or what they import."""
    assert "crowd" not in {kind.key for kind in all_analyses()}
    sources = [path for path in (ROOT / "engine").rglob("*.py") if "risk.crowd" in path.read_text()]
    assert sources == []
