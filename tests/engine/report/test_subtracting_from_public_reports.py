"""What cannot be worked out of a report for the public by somebody who calculates with all it tells."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from string import ascii_letters
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.findings.disclosure import Disclosure
from engine.findings.format_value import level_words
from engine.findings.given_table import given_table
from engine.findings.subject import Subject
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.t_closeness import TCloseness
from engine.project.compile import compile_problem
from engine.recoding import Transformation, make_release
from engine.records import Kind
from engine.records.opening.files import read_csv
from engine.report import (
    PUBLIC,
    ReportContent,
    ReportedFile,
    ReportedRelease,
    ReportSettings,
    Verification,
    rendered,
    report_of,
)
from engine.report.sections.material import FileMark
from engine.verification import Verdict
from tests.engine.findings.risk.subjects import Released, letters, released
from tests.engine.report.reports import material_of
from tests.strategies import Attributes, Case

FEW, WITHHELD = "fewer than 5", "withheld"
SUBSET = """
format = 1
[data]
path = "some.csv"
[roles]
quasi_identifying = ["a"]
insensitive = ["b"]
[hierarchies."a"]
builder = "suppress"
[[privacy]]
model = "k_anonymity"
k = 2
[subset]
filter = "b = 'x'"
"""


def classes(*sizes: int) -> str:
    """A column with values of these frequencies."""
    return "".join(letter * size for letter, size in zip(ascii_letters, sizes, strict=False))


class Read:
    """A public report as a reader has it."""

    def __init__(self, content: ReportContent) -> None:
        report = json.loads(rendered(content, ".json"))
        self.blocks = [block for section in report["sections"] for block in section["blocks"]]
        self.facts: dict[str, Any] = {
            fact["key"]: fact["value"]
            for block in self.blocks
            if block["type"] == "facts"
            for fact in block["facts"]
        }
        self.keys = [block.get("key") for block in self.blocks]

    def rows(self, key: str) -> list[list[Any]]:
        return next(list(block["rows"]) for block in self.blocks if block.get("key") == key)

    def model(self, symbol: str) -> Any:
        return next(row[3] for row in self.rows("models") if row[2] == symbol)

    def figures(self) -> list[Any]:
        """Everything that is told in a table, a fact or a chart."""
        found = [*self.facts.values()]
        for block in self.blocks:
            found += [value for row in block.get("rows", ()) for value in row]
            found += [value for series in block.get("series", ()) for value in series["values"]]
        return found


def read(found: Released, verification: Verification | None = None, **settings: Any) -> Read:
    own = ReportSettings(audience=PUBLIC, **settings)
    return Read(report_of(ReportedRelease(found.subject, own, None, verification)))


@pytest.mark.parametrize("accepted", [0.2, 0.05, 0.5])
def test_kept_records_that_are_all_at_risk_are_not_counted(accepted: float) -> None:
    found = letters(k=3, limit=0.05, node=(0,), a=classes(*[3] * 32, 1, 1), s=("fgh" * 40)[:98])
    assert found.subject.release.n_suppressed == 2
    report = read(found, accepted_risk=accepted)
    assert 96 not in report.figures()
    assert not {row[5] for row in report.rows("attackers")} & {96, 98}


def test_the_only_class_does_not_tell_how_many_are_kept() -> None:
    found = letters(k=5, limit=0.05, node=(0,), a=classes(98, 1, 1), s="fg" * 49 + "ff")
    report = read(found)
    assert report.facts["k"] == report.facts["highest_risk"] == WITHHELD
    assert not [value for value in report.figures() if value in (98, "k = 98", 0.0102, 0.0204, 0.0202)]
    assert report.model("β") == 0  # the only class, compared with all kept records


@pytest.mark.parametrize("sizes", [(48, 49, 1, 1, 1), (33, 33, 32, 1, 1), (49, 49, 1, 1)])
def test_k_is_told_where_it_leaves_the_number_of_kept_open(sizes: tuple[int, ...]) -> None:
    found = letters(k=5, limit=0.05, node=(0,), a=classes(*sizes), s="fg" * 50)
    k = min(size for size in sizes if size >= 5)
    leaves_open = 2 * k <= found.subject.n_records - 5 + 1
    assert read(found).facts["k"] == (k if leaves_open else WITHHELD)


@pytest.mark.parametrize("sizes", [(3, 17), (3, 8, 9), (4, 20, 30, 40), (2, 100)])
def test_a_small_class_cannot_be_worked_out_of_the_sizes_of_the_others(sizes: tuple[int, ...]) -> None:
    report = read(letters(k=1, limit=0.0, node=(0,), a=classes(*sizes), s=("fg" * 60)[: sum(sizes)]))
    assert (
        "Utility is withheld: the size of the smallest class could be derived, "
        "because it has few records, and the classes are few or similar."
    ) in " ".join(block.get("text", "") for block in report.blocks)
    labels = [label for block in report.blocks for label in block.get("labels", ())]
    told = " ".join(labels)
    assert not [size for size in sizes[1:] if str(size) in told.split()]
    assert not [value for value in report.figures() if value in sizes[1:] and value > 1]


def test_of_an_input_with_a_small_class_neither_the_largest_nor_the_median_size_is_told() -> None:
    # After hiding there is a single class, of which everything may be told.
    report = read(letters(k=5, limit=0.0, node=(1,), a=classes(3, *[20] * 11, 37), s="fg" * 130))
    before, after = report.rows("class_size_figures")
    assert before[1:] == [13, FEW, WITHHELD, 20.0, WITHHELD]
    assert after[1:] == [1, 260, 260, 260.0, 260.0]
    few = read(letters(k=5, limit=0.0, node=(1,), a=classes(3, 80, 97), s="fg" * 90))
    assert [row[1:] for row in few.rows("class_size_figures")] == [[1, 180, 180, 180.0, 180.0]]


def test_classes_before_and_after_do_not_tell_few_suppressed_records() -> None:
    found = letters(k=5, limit=0.1, node=(0,), a=classes(*[10] * 6, *[1] * 4), s="fg" * 32)
    release = found.subject.release
    verdict = Verdict(True, (), {"classes": release.n_classes, "k": release.k})
    report = read(found, Verification(FileMark("released.csv", 1, ""), verdict))
    assert next(row for row in report.rows("verification") if "Classes" in row[0])[2:] == [WITHHELD] * 2
    assert report.rows("levels.a")[0][3:] == [WITHHELD] * 3
    assert {row[3] for row in report.rows("attackers")} == {WITHHELD}
    assert report.facts["k"] == 10


def test_records_at_risk_before_less_those_suppressed_do_not_tell_few_at_risk_after() -> None:
    found = letters(k=3, limit=1.0, node=(0,), a=classes(*[1] * 9, 3, 20, 30), s="fg" * 31)
    assert found.subject.release.n_suppressed == 9
    rows = read(found).rows("attackers")
    assert rows[0][1:] == ["input", "more than 1 in 5", WITHHELD, WITHHELD, WITHHELD]  # 12, of which 9
    assert rows[1][5] in (FEW, WITHHELD)


def test_no_group_has_few_more_on_one_side_than_on_the_other() -> None:
    disclosure = Disclosure(is_public=True, threshold=5)
    assert disclosure.joined([[12, 40], [8, 40]]) == [(0, 1)]
    assert disclosure.joined([[12, 40], [12, 35]]) == [(0, 0), (1, 1)]


def test_a_rare_value_in_classes_of_known_size_is_not_told() -> None:
    report = read(letters(k=5, limit=0.0, node=(1,), a="ab" * 50, s="n" * 99 + "y"))
    assert (report.model("α"), report.model("l"), report.model("c")) == ("more than 0.9", 2, WITHHELD)
    entropy = next(row[3] for row in report.rows("models") if row[0] == "entropy l-diversity")
    assert entropy == "less than 2"  # not 1, which would say that there is a single value
    small = read(letters(k=5, limit=0.0, node=(0,), a=classes(7, 8, 85), s="n" * 99 + "y"))
    assert {small.model(symbol) for symbol in ("α", "c", "β", "t", "δ")} <= {WITHHELD, "inf", None}
    assert small.facts["t.s"] == WITHHELD


def test_the_error_of_a_target_does_not_tell_the_few_that_classes_miss() -> None:
    found = letters(k=5, limit=0.2, node=(0,), a=classes(40, 50, *[1] * 10), s="n" * 39 + "y" * 49 + "n" * 12)
    project = replace(found.subject.project, target="s")
    release = make_release(project, compile_problem(project), (0,))
    report = read(Released(found.case, Subject(project, release)))
    error = next(row for row in report.rows("metrics") if row[0].startswith("Classification"))
    assert (error[1], error[3]) == (0.1, 0.1)  # of 0.13, 10 suppressed


def test_few_stars_that_are_left_out_of_a_file_are_not_worked_out(tmp_path: Path) -> None:
    cells = [("A", "x")] * 5 + [("B", "y")] * 7 + [("C", "x")] * 86 + [("*", "q")] * 2
    path = tmp_path / "released.csv"
    path.write_text("\n".join(["a,s", *map(",".join, cells)]) + "\n", encoding="utf-8")
    table, mark = read_csv(path), FileMark.of(path)
    settings = ReportSettings(audience=PUBLIC)
    for leaves_out in (True, False):
        material = ReportedFile(given_table(table, ["a"], ["s"]), mark, settings, table, mark, leaves_out)
        report = Read(report_of(material))
        assert "class_sizes" not in report.keys
        assert not [value for value in report.figures() if value in (0.122, 0.878, 13.0, 98, 0.98)]


def test_few_people_of_a_population_beside_the_records_are_not_worked_out(tmp_path: Path) -> None:
    rows = [f"{'pq'[i % 2]},{'x' if i < 98 else 'y'}" for i in range(100)]
    (tmp_path / "some.csv").write_text("\n".join(["a,b", *rows]) + "\n", encoding="utf-8")
    (tmp_path / "some.toml").write_text(SUBSET, encoding="utf-8")
    material = material_of(tmp_path / "some.toml", ReportSettings(audience=PUBLIC))
    report = Read(report_of(material))
    assert report.facts["table_records"] == f"{FEW} more"
    assert report.model("km") == WITHHELD
    of_others = [row for row in report.rows("attackers") if not row[0].startswith("Prosecutor")]
    assert {value for row in of_others for value in row[2:]} == {None, WITHHELD}


def test_bands_are_not_described_by_their_width_where_it_is_the_range_of_the_data() -> None:
    values = ("17", "53", "90", "200", "300", "400")
    rows = tuple((value, "[17, 90]" if i < 3 else value, "*") for i, value in enumerate(values))
    case = Case((Attributes("income", values * 6, Kind.INTEGER, rows),))
    found = released(case, Requirement((KAnonymity(2),), 0.0), (1,))
    attribute = found.subject.release.problem.attributes[0]
    assert "74" in level_words(attribute, 1, is_public=False)
    assert level_words(attribute, 1, is_public=True) == "4 groups"


def test_a_share_that_is_withheld_is_no_share_of_its_own() -> None:
    report = read(letters(k=2, limit=1.0, node=(0,), a=classes(1, 1, 30, 30), s="fg" * 31))
    assert report.facts["suppressed_share"] == f"{FEW} records"


@given(st.floats(0, 1), st.integers(1, 40_000), st.integers(2, 20))
def test_a_rounded_figure_is_never_an_end_of_its_scale_that_is_not_reached(
    value: float, n_records: int, threshold: int
) -> None:
    disclosure = Disclosure(is_public=True, threshold=threshold, n_records=n_records)
    for told in (
        disclosure.lost(value),
        disclosure.of_class(value),
        disclosure.of_class(value, is_least=True),
    ):
        if isinstance(told, float):
            assert told not in (0, 1) or told == pytest.approx(value, abs=1e-6)
            assert told == pytest.approx(value, abs=0.1)
        else:
            assert str(told).startswith(("less than", "more than", WITHHELD))
    if isinstance(worse := disclosure.of_class(value), float):
        assert worse >= value - 1e-6


def test_only_the_stars_of_suppressed_records_are_pointed_out_to_those_who_sign() -> None:
    found = letters(k=5, limit=0.2, node=(0,), a=classes(50, 49, 1), s="fg" * 50)
    assert any("* in all columns" in block.get("text", "") for block in read(found).blocks)
    nothing = letters(k=5, limit=0.2, node=(0,), a=classes(50, 50), s="fg" * 50)
    assert not any("* in all columns" in block.get("text", "") for block in read(nothing).blocks)


def partitions(n_records: int, largest: int) -> Iterator[tuple[int, ...]]:
    """All ways to part records into classes, the largest first."""
    if not n_records:
        yield ()
    for size in range(min(n_records, largest), 0, -1):
        yield from ((size, *others) for others in partitions(n_records - size, size))


@pytest.mark.parametrize(("k", "threshold", "accepted"), [(3, 3, 0.34), (4, 4, 0.2), (5, 3, 0.34)])
def test_of_all_tables_that_can_have_a_report_some_differ_in_what_is_withheld(
    k: int, threshold: int, accepted: float
) -> None:
    worlds: dict[bytes, set[int]] = {}
    settings = ReportSettings(
        audience=PUBLIC, threshold=threshold, accepted_risk=accepted, date=datetime(2026, 3, 1, tzinfo=UTC)
    )
    for sizes in partitions(11, 11):
        subject = letters(k=k, limit=1.0, node=(0,), a=classes(*sizes)).subject
        report = rendered(report_of(ReportedRelease(subject, settings)), ".json")
        worlds.setdefault(report, set()).add(subject.release.n_suppressed)
    known = [next(iter(numbers)) for numbers in worlds.values() if len(numbers) == 1]
    assert known  # numbers that are told
    assert not [number for number in known if 0 < number < threshold or 0 < 11 - number < threshold]


@pytest.mark.parametrize("way", [{"suppressed_records": "remove"}, {"blank_suppressed": True}, {}])
def test_values_of_suppressed_records_that_are_not_in_the_file_are_in_no_figure(way: dict[str, Any]) -> None:
    # The suppressed records are few, and fail k in both tables; their values alone differ.
    told = []
    for values in ("xx", "yy"):
        found = letters(k=5, limit=0.2, node=(0,), a=classes(30, 30, 1, 1), s="xyyxyx" * 10 + values)
        project = found.subject.project
        models = (*project.requirement.models, TCloseness(column="s", t=0.9))
        project = replace(
            project,
            requirement=replace(project.requirement, models=models),
            transformation=Transformation(**way),
        )
        release = make_release(project, compile_problem(project), (0,))
        assert (release.n_suppressed, release.cells == "kept") == (2, False)
        subject = Subject(project, release)
        report = report_of(ReportedRelease(subject, ReportSettings(audience=PUBLIC)))
        told.append(json.loads(rendered(report, ".json"))["sections"])
    assert told[0] == told[1]
