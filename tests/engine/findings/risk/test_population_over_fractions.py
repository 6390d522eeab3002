"""Unique people over sampling fractions: the engine's estimators, the project's own fraction, cancelling."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.errors import CancelledError, ParameterError
from engine.findings.risk.of_table import population_uniques
from engine.findings.risk.population_uniqueness import FRACTIONS, PopulationUniqueness
from engine.findings.subject import Subject
from engine.project.compile import compile_problem
from engine.project.population import MANKIND, Population
from engine.recoding import make_release
from tests.engine.findings.risk.subjects import Released, letters
from tests.stopping import Stopping

TEXTS = "aaaabbbccdefgh"


def with_size(made: Released, size: int) -> Subject:
    project = replace(made.subject.project, population=Population(size=size))
    return Subject(project, make_release(project, compile_problem(project), (0,)))


def test_every_point_is_the_estimate_of_the_engine_for_its_population() -> None:
    subject = with_size(letters(q=TEXTS), 140)
    found = PopulationUniqueness().run(subject)
    assert tuple(point.fraction for point in found.points) == FRACTIONS
    for point in (*found.points, found.own):
        wanted = population_uniques(subject.input_sizes, point.population)
        assert dict(point.before) == dict(wanted.estimates)
        assert point.shares("zayatz")[0] == wanted.fraction("zayatz")
    assert found.own.fraction == pytest.approx(0.1)
    marked = [row for row in found.tables()[0].rows if row[2] == "yes"]
    assert [row[1] for row in marked] == [140.0]


def test_without_unique_records_none_are_expected() -> None:
    found = PopulationUniqueness(fractions=(0.01, 0.5)).run(letters(q="aabb").subject)
    assert [point.shares("pitman")[1] for point in found.points] == [0.0, 0.0]
    assert found.own is None
    assert found.sentence.endswith("; the population size is unknown.")


def test_where_nothing_is_kept_only_the_input_has_estimates() -> None:
    found = PopulationUniqueness(fractions=(0.5,)).run(letters(q="abc", k=2).subject)
    assert found.points[0].shares("dankar")[1] is None
    assert found.points[0].shares("dankar")[0] is not None
    assert found.sentence.startswith("3 records of the input are unique, 0 are unique in the kept records")


def test_suppressed_records_are_left_out_of_the_release() -> None:
    subject = letters(q=TEXTS, k=2).subject
    found = PopulationUniqueness(fractions=(0.1,)).run(subject)
    assert found.sentence.startswith("5 records of the input are unique, 0 are unique in the kept records")
    assert found.points[0].shares("zayatz")[1] == 0


@pytest.mark.parametrize("fractions", [(), (0.0, 0.5), (0.5, 1.5)])
def test_fractions_that_are_no_shares_are_refused(fractions: tuple[float, ...]) -> None:
    with pytest.raises(ParameterError):
        PopulationUniqueness(fractions=fractions)


def test_it_can_be_stopped_between_two_estimates() -> None:
    with pytest.raises(CancelledError):
        PopulationUniqueness().run(letters(q=TEXTS).subject, Stopping(done=1))


def test_no_population_is_larger_than_mankind() -> None:
    fractions = (1e-9, 1e-8, 0.5)
    found = PopulationUniqueness(fractions=fractions).run(letters(q="ab" * 20).subject)
    assert [point.fraction for point in found.points] == [1e-8, 0.5]
    assert max(point.population for point in found.points) <= MANKIND
