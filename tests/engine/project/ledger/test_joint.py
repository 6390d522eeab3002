"""Releases of random tables beside earlier ones, against a slow program, and the nodes of the oracle."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.findings.attack.split import release_of_records
from engine.findings.risk.stability import resampled
from engine.monitor import SILENT
from engine.pipeline import export_release
from engine.pipeline.recording import Recording
from engine.pipeline.released_file import snapshot_of_file
from engine.privacy import Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.earlier import Earlier
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project
from engine.project.compile import compile_problem
from engine.project.ledger.attackers import aligned, distinct
from engine.project.ledger.joint import Beside
from engine.project.ledger.ledger_file import Coder, Ledger
from engine.project.ledger.snapshot import entry_of, join_column, snapshot_of_release
from engine.project.recipe.files import read_recipe
from engine.recoding import Release, make_release
from engine.scoring.evaluate import evaluate
from engine.scoring.explored import ExploredProfile
from tests.slow_ledger import slow_candidates, slow_intersection, slow_propagation
from tests.strategies import PERSON, Attributes, Case

ROOT = Path(__file__).parents[4]
CLINIC = ROOT / "resources" / "examples" / "clinic" / "recipe.toml"
LATTICE: dict[str, Any] = json.loads(
    (ROOT / "tests" / "data" / "third" / "ledger_lattice.json").read_text(encoding="utf-8")
)
ROWS = {
    "age": (("1", "1-2", "*"), ("2", "1-2", "*"), ("3", "3-4", "*"), ("4", "3-4", "*")),
    "sex": (("f", "*"), ("m", "*")),
}
EMPTY = Ledger(Path("none.ledger"), Coder(b"0123456789abcdef" * 2))


@dataclass(frozen=True)
class Months:
    """Tables of the same people over time, and the releases made of them."""

    projects: tuple[Project, ...]
    releases: tuple[Release, ...]

    def measured(self) -> dict[str, Any]:
        """Return what the last release reveals beside the others, all of them in a ledger."""
        ledger = EMPTY
        for project, release in zip(self.projects[:-1], self.releases, strict=False):
            snapshot = snapshot_of_release(project, release)
            entry = entry_of(project, snapshot, ledger, CLINIC, "", join_column(project, ledger))
            ledger = replace(ledger, entries=(*ledger.entries, entry))
        beside = Beside(self.projects[-1], ledger)
        return beside.joint_of(self.releases[-1]).as_dict()


@st.composite
def months(draw: st.DrawFn) -> Months:
    n, by_order = draw(st.integers(2, 9)), draw(st.booleans())
    several, n_months = not by_order and draw(st.integers(0, 2)) == 0, draw(st.integers(1, 3))
    age = draw(st.lists(st.sampled_from("1234"), min_size=n, max_size=n))
    sex = draw(st.lists(st.sampled_from("fm"), min_size=n, max_size=n))
    illness = draw(st.lists(st.sampled_from(["flu", "hiv", "gout"]), min_size=n, max_size=n))
    ward = draw(st.lists(st.sampled_from("AB"), min_size=n, max_size=n))
    changes = draw(st.integers(0, 3)) == 0
    projects, releases = [], []
    for _month in range(n_months):
        present = [i for i in range(n) if by_order or draw(st.integers(0, 3))] or [0]
        if several:
            present += draw(st.lists(st.sampled_from(present), max_size=3))
        if changes:
            illness[draw(st.integers(0, n - 1))] = draw(st.sampled_from(["flu", "hiv"]))
        qi = tuple(Attributes(name, tuple(own[i] for i in present), rows=ROWS[name])
                   for name, own in (("age", age), ("sex", sex)))  # fmt: skip
        sensitive = tuple(Attributes(name, tuple(own[i] for i in present))
                          for name, own in (("illness", illness), ("ward", ward)))  # fmt: skip
        persons = () if by_order else tuple(f"p{i}" for i in present)
        models = (KAnonymity(draw(st.integers(1, 3))), DistinctLDiversity("illness", draw(st.integers(1, 3))))
        project = Case(qi, sensitive, persons=persons).under(Requirement(models, 1.0))
        way = draw(st.sampled_from(["kept", "blank", "removed"]))
        written = replace(project.transformation.with_way(way), shuffle=draw(st.booleans()))
        project = replace(project, transformation=written)
        problem = compile_problem(project)
        node = draw(st.sampled_from([(0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (2, 1)]))
        projects.append(project)
        releases.append(make_release(project, problem, node))
    return Months(tuple(projects), tuple(releases))


def told(project: Project, release: Release, *, is_last: bool) -> list[tuple[str, str | None, str, bool]]:
    """Return person, class, tail and whether the tail is shown, for every record, from released texts."""
    found = []
    for record in range(release.n_records):
        person = str(record)
        if project.person is not None:
            column = project.table.column(PERSON)
            person = column.labels[column.codes[record]]
        texts = [release.column(name).text(record) for name in ("age", "sex")]
        own = [project.table.column(name) for name in ("illness", "ward")]
        tail = "|".join(column.labels[column.codes[record]] for column in own)
        shown = not release.suppressed[record] or release.cells == "kept"
        label: str | None = "/".join(texts)
        if texts == ["*", "*"]:
            label = "kept stars" if release.n_suppressed and release.cells != "kept" and shown else "*"
        if not shown and release.cells == "removed" and not is_last:
            label = None
        found.append((person, label, tail, shown))
    return found


def slow_joint(months: Months) -> dict[str, Any]:
    """Return what the joint figures must be, by dictionaries."""
    numbers = range(len(months.projects))
    rows = [told(months.projects[i], months.releases[i], is_last=i == numbers[-1]) for i in numbers]
    classes = []
    for release in rows:
        places, own = Counter[str](), {}
        for person, label, _tail, _shown in release:
            if label is not None:
                own[person, places[person]] = (label, "")
            places[person] += 1
        classes.append(own)
    sizes = {}
    for record in {record for release in classes for record in release}:
        n = len({person for person, _place in slow_candidates(classes, record, presence=False)})
        sizes[record[0]] = min(n, sizes.get(record[0], n))
    sizes = list(sizes.values())
    in_file = [[(p, own, t) for p, own, t, shown in release if shown and own is not None] for release in rows]
    repeated = set()
    for i in numbers:
        in_this = [p for p, own, *_more in told(months.projects[i], months.releases[i], is_last=False) if own]
        repeated |= {person for person in in_this if in_this.count(person) > 1}
    units: dict[str, str] = {}
    shown = []
    for i, release in enumerate(in_file):
        mine = {}
        for place, (person, own, tail) in enumerate(release):
            unit = f"{person}/{i}/{place}" if person in repeated else person
            units[unit], mine[unit] = person, (own, tail)
        shown.append(mine)
    last = months.projects[-1].requirement
    k, least = last.models[0].k, last.models[1].l
    return {
        "aligned": (min(sizes, default=None), sizes.count(1), sum(size < k for size in sizes)),
        "intersection": counted(slow_intersection(shown, [False] * len(shown)), units, least),
        "insider": counted(slow_propagation(shown, [False] * len(shown)), units, least),
    }


def counted(left: Mapping[str, set[str]] | None, units: Mapping[str, str], required: int) -> Any:
    if left is None:
        return (None, {}, {})
    least: dict[str, list[int]] = {}
    for unit, tails in left.items():
        if tails:
            own = [len(tails), *(len({tail.split("|")[place] for tail in tails}) for place in range(2))]
            least[units[unit]] = list(map(min, zip(own, least.get(units[unit], own), strict=True)))
    one = [sum(own[place] == 1 for own in least.values()) for place in range(3)]
    below = sum(own[1] < required for own in least.values())
    return one[0], {"illness": one[1], "ward": one[2]}, {"illness": below}


@given(months())
def test_a_release_beside_earlier_ones_has_the_figures_of_a_slow_program(drawn: Months) -> None:
    found, expected = drawn.measured(), slow_joint(drawn)
    aligned_found = found["aligned"]
    assert (aligned_found["k"], aligned_found["alone"], aligned_found["below_k"]) == expected["aligned"]
    for key in ("intersection", "insider"):
        own = found[key]
        assert (own["one_tail"], own["one_value"], own["below_l"]) == expected[key]
    are_apart = all(r.transformation.shuffle for r in drawn.releases)
    assert found["attacker"] == ("intersection" if are_apart else "aligned")


@pytest.fixture(scope="module")
def clinic() -> Project:
    project = read_recipe(CLINIC)
    # the oracle takes the starred rows for a class whether or not they meet the requirement
    return replace(project, transformation=replace(project.transformation, suppressed_group="ignore"))


@pytest.fixture(scope="module")
def beside(clinic: Project) -> Beside:
    """The ledger with the first release of the oracle."""
    earlier = make_release(clinic, compile_problem(clinic), tuple(LATTICE["earlier"]))
    snapshot = snapshot_of_release(clinic, earlier)
    entry = entry_of(clinic, snapshot, EMPTY, CLINIC, "", join_column(clinic, EMPTY))
    return Beside(clinic, replace(EMPTY, entries=(entry,)))


def check_nodes(clinic: Project, beside: Beside, nodes: Sequence[Mapping[str, Any]]) -> None:
    problem = compile_problem(clinic)
    earlier = make_release(clinic, problem, tuple(LATTICE["earlier"])).labels
    diagnosis = clinic.table.column("diagnosis").codes.astype(np.int64)
    for own in nodes:
        release = make_release(clinic, problem, tuple(own["node"]))
        people = aligned(np.stack((earlier, release.labels))).people
        pairs = np.unique(earlier * 2000 + release.labels, return_inverse=True)[1]
        joint_l = int(distinct(pairs, diagnosis, int(pairs.max()) + 1).min())
        found = [round(float((1 / people).sum())), int(people.min()), int((people == 1).sum()), joint_l]
        assert found == [own["joint_classes"], own["joint_k"], own["alone"], own["joint_l"]]
        if "suppressed" not in own:
            continue
        joint = beside.joint(
            snapshot_of_release(clinic, release), clinic.requirement, ("intersection",)
        ).as_dict()
        assert release.n_suppressed == own["suppressed"]
        assert joint["aligned"]["k"] == own["aligned_k"]
        assert joint["aligned"]["alone"] == own["aligned_alone"]
        assert joint["aligned"]["below_k"] == own["people_below_k"]
        assert joint["intersection"]["one_value"]["diagnosis"] == own["certain_by_intersection"]
        assert joint["intersection"]["l"]["diagnosis"] == own["intersection_l"]
        assert joint["intersection"]["below_l"]["diagnosis"] == own["people_below_l"]


def test_nodes_beside_an_earlier_release_have_the_figures_of_the_oracle(
    clinic: Project, beside: Beside
) -> None:
    check_nodes(clinic, beside, LATTICE["nodes"][::20])
    satisfying = [own for own in LATTICE["nodes"] if "suppressed" in own]
    check_nodes(clinic, beside, satisfying[::8])


@pytest.mark.thorough
def test_all_nodes_beside_an_earlier_release_have_the_figures_of_the_oracle(
    clinic: Project, beside: Beside
) -> None:
    check_nodes(clinic, beside, LATTICE["nodes"])


@pytest.mark.parametrize("ending", ["csv", "sav"])
@pytest.mark.parametrize("is_shuffled", [False, True])
@pytest.mark.parametrize("way", ["kept", "blank", "removed"])
def test_a_file_shows_what_the_release_showed(
    clinic: Project, beside: Beside, tmp_path: Path, way: str, is_shuffled: bool, ending: str
) -> None:
    written = replace(clinic.transformation.with_way(way), shuffle=is_shuffled)
    project = replace(clinic, transformation=written)
    release = make_release(project, compile_problem(project), (3, 1, 1, 5, 0))
    path = tmp_path / f"released.{ending}"
    export_release(project, release, path)
    shown, read = snapshot_of_release(project, release), snapshot_of_file(project, path)
    assert (read.way, read.shuffled, read.codes) == (way, is_shuffled, ())
    found = [beside.joint(own, clinic.requirement).as_dict() for own in (read, shown)]
    assert found[0] == found[1]


def test_other_records_than_those_of_the_table_are_not_measured_beside_earlier_releases(
    clinic: Project, tmp_path: Path
) -> None:
    earlier = Earlier(str(tmp_path / "clinic.ledger"))
    project = replace(clinic, requirement=replace(clinic.requirement, earlier=earlier))
    first = Recording(project, make_release(project, compile_problem(project), tuple(LATTICE["earlier"])))
    first.prepare()
    first.record(CLINIC)
    problem = compile_problem(project)
    release = make_release(project, problem, (3, 1, 1, 5, 0))
    assert release.misses_earlier
    assert not release.satisfies
    profile = ExploredProfile(resampled(problem, 0), project.requirement)
    place = profile.score(release.node)
    assert evaluate(profile.part(place, place + 1), project.requirement).scored.all()
    chosen = np.arange(0, 2000, 2)
    made = release_of_records(project, project.records, release, chosen, SILENT, choose_again=True)
    assert (made.n_records, made.misses_earlier) == (1000, False)
