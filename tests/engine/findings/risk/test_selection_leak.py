"""Selection leak: exact values, random problems against a slow program, and samples against exact values."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations, product
from math import comb, log2, prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.errors import RequirementNotMetError
from engine.findings import sampled_worlds
from engine.findings.exact_worlds import enumerate_worlds
from engine.findings.risk.selection_leak import SelectionLeak, SelectionLeakFound
from engine.findings.sampled_worlds import sample_worlds
from engine.findings.subject import Subject
from engine.findings.worlds import FIXED, OPTIMUM, PATH, SIZE_ONLY, Worlds, worlds_of
from engine.kernels import worlds as interpreted
from engine.lattice import Node
from engine.pipeline import anonymize
from engine.project.compile import compile_problem
from engine.project.recipe.files import read_recipe
from engine.recoding import make_release
from engine.scoring import acceleration
from tests.third_oracle import write_recipe

ROOT = Path(__file__).parents[4]
CASES: list[dict[str, Any]] = json.loads(
    (ROOT / "tests" / "data" / "third" / "selection.json").read_text(encoding="utf-8")
)["cases"]
SEARCHED = [case for case in CASES if case["expected"]]
ENFORCED = {"afterwards": "afterwards", "blind_check": "check", "size_only": "by_size"}
PROBLEMS = int(os.environ.get("ANONYMIZER_SELECTION_PROBLEMS", "40"))  # random ones


def recipe_of(case: dict[str, Any], folder: Path) -> Path:
    """Write a case as a recipe that chooses its node by its rule."""
    lines = ["[search]", 'metric = "loss"']
    if case["rule"] == "path":
        lines.append('algorithm = "datafly"')
    if case["rule"] in ENFORCED:
        lines.append(f'enforce = "{ENFORCED[case["rule"]]}"')
    return write_recipe(folder, {"persons": None, "others_as_qi": False, **case}, *lines)


def measured(recipe: Path, node: Node | None = None) -> tuple[Subject, SelectionLeakFound]:
    """Make the release of a recipe, and measure its leak."""
    project = read_recipe(recipe)
    subject = Subject(project, anonymize(project, node).release)
    return subject, SelectionLeak().run(subject)


@pytest.mark.parametrize("case", SEARCHED, ids=lambda case: str(case["name"]))
def test_figures_are_those_of_the_definition(case: dict[str, Any], tmp_path: Path) -> None:
    subject, found = measured(recipe_of(case, tmp_path / "a"))
    expected, values = case["expected"], found.named_values()
    assert subject.release.node == tuple(expected["node"])
    assert np.flatnonzero(subject.release.suppressed).tolist() == expected["suppressed_records"]
    assert values["exact"]
    assert values["worlds"] == expected["worlds"]
    assert values["worlds_same_file"] == expected["worlds_same_file"]
    assert expected["worlds_same_suppression"] in (None, values["worlds_same_suppression"])
    assert values["bits"] == pytest.approx(expected["bits"], rel=1e-9, abs=1e-12)
    assert values["certain"] == expected["certain"]
    gains = [own for own in found.gains if len(case["sensitive"]) == 1 or "|" in own.column]
    largest = max((own.exact[0] - own.exact[1] for own in gains if own.exact), default=Fraction())
    assert largest == Fraction(expected["gain"])


@pytest.mark.parametrize("case", SEARCHED, ids=lambda case: str(case["name"]))
def test_every_posterior_is_exact(case: dict[str, Any], tmp_path: Path) -> None:
    worlds = worlds_of_case(case, tmp_path)
    if not worlds.n_open:
        return
    exact = enumerate_worlds(worlds)
    several = len(case["sensitive"]) > 1
    for number, atom in enumerate(exact.atoms):
        texts = [
            worlds.tails.text(1 + several, tail)
            if several
            else worlds.tails.text(0, int(worlds.tails.values[tail, 0]))
            for tail in atom.tails.tolist()
        ]
        for record in atom.records.tolist():
            expected = case["expected"]["posterior"][str(record)]
            posterior = exact.posterior(number)
            assert dict(zip(texts, posterior, strict=True)) == {
                text: Fraction(expected[text][0]) for text in texts
            }


def worlds_of_case(case: dict[str, Any], folder: Path) -> Worlds:
    project = read_recipe(recipe_of(case, folder / "w"))
    node = tuple(case["expected"]["node"])
    release = make_release(project, compile_problem(project), node)
    path = [tuple(own) for own in case.get("path", ())]
    rule = {"optimum": OPTIMUM, "path": PATH, "size_only": SIZE_ONLY}.get(case["rule"], FIXED)
    return worlds_of(project, release, rule, path[: path.index(node)] if path else ())


def test_a_release_that_is_only_checked_is_refused_with_the_classes_that_fail(tmp_path: Path) -> None:
    case = next(own for own in CASES if own["name"] == "blind_check_refused")
    with pytest.raises(RequirementNotMetError, match=r"1 class is large enough .*: \(A\): \d+\."):
        measured(recipe_of(case, tmp_path / "a"))


@dataclass(frozen=True)
class Slow:
    """A table judged in plain Python by exact fractions, for every world by itself."""

    case: dict[str, Any]

    def label(self, record: int, node: Node) -> tuple[str, ...]:
        chains = self.case["hierarchies"].values()
        return tuple(
            next(chain[level] for chain in chains_of if chain[0] == cell)
            for chains_of, cell, level in zip(chains, self.case["records"][record], node, strict=False)
        )

    def classes(self, node: Node) -> dict[tuple[str, ...], list[int]]:
        found: dict[tuple[str, ...], list[int]] = {}
        for record in range(len(self.case["records"])):
            found.setdefault(self.label(record, node), []).append(record)
        return found

    def meets(self, members: list[int], tails: list[tuple[str, ...]]) -> bool:
        for model in self.case["models"]:
            if len(members) < model.get("k", 1):
                return False
            if "column" not in model:
                continue
            place = self.case["sensitive"].index(model["column"])
            counts = Counter(tails[record][place] for record in members)
            whole = Counter(tail[place] for tail in tails)
            if len(counts) < model.get("l", 1):
                return False
            if Fraction(max(counts.values()), len(members)) > Fraction(str(model.get("alpha", 1))):
                return False
            apart = sum(
                abs(Fraction(counts[value], len(members)) - Fraction(n, len(tails)))
                for value, n in whole.items()
            )
            if apart / 2 > Fraction(str(model.get("t", 1))):
                return False
        return True

    def suppressed(
        self, node: Node, tails: list[tuple[str, ...]], *, is_searched: bool = False
    ) -> tuple[int, ...]:
        """Return the suppressed records; those that a search sees, or the final ones."""
        rule, found = self.case["rule"], list(self.classes(node).values())
        by_size = rule in ("size_only", "blind_check") or (is_searched and rule == "afterwards")
        models = [own for own in self.case["models"] if rule != "afterwards" or "column" not in own]
        least = max(own.get("k", 1) for own in models)
        fails = [own for own in found if (len(own) < least if by_size else not self.meets(own, tails))]
        return tuple(sorted(record for own in fails for record in own))

    def satisfies(self, node: Node, tails: list[tuple[str, ...]], *, is_searched: bool = True) -> bool:
        lost = self.suppressed(node, tails, is_searched=is_searched)
        is_strict = self.case["rule"] == "size_only" or (
            self.case["rule"] == "blind_check" and not is_searched
        )
        kept = [own for own in self.classes(node).values() if own[0] not in lost]
        most = int(Fraction(self.case["suppression_limit"]) * len(tails))
        return len(lost) <= most and not (is_strict and not all(self.meets(own, tails) for own in kept))

    def order(self, node: Node, suppressed: tuple[int, ...]) -> tuple[Any, ...]:
        """Return the place of a node: its loss, as a product, suppressed records, levels."""
        n, value = len(self.case["records"]), Fraction(1)
        for q, chains in enumerate(self.case["hierarchies"].values()):
            covered = 0
            for record in range(n):
                label = self.label(record, node)[q]
                covered += len(chains) if record in suppressed else sum(c[node[q]] == label for c in chains)
            value *= 1 + Fraction(covered - n, n * (len(chains) - 1))
        return value, len(suppressed), sum(node), node

    @property
    def nodes(self) -> list[Node]:
        return list(product(*(range(len(chains[0])) for chains in self.case["hierarchies"].values())))

    def chosen(self, tails: list[tuple[str, ...]]) -> tuple[Node, tuple[int, ...]] | None:
        """Return the released node and its suppressed records; None if nothing is released."""
        found = [own for own in self.nodes if self.satisfies(own, tails)]
        ordered = sorted(
            found, key=lambda own: self.order(own, self.suppressed(own, tails, is_searched=True))
        )
        if not ordered or not self.satisfies(ordered[0], tails, is_searched=False):
            return None
        return ordered[0], self.suppressed(ordered[0], tails)

    def blocks(self, node: Node, suppressed: tuple[int, ...]) -> list[list[int]]:
        kept = [own for own in self.classes(node).values() if own[0] not in suppressed]
        return [*kept, *([list(suppressed)] if suppressed else [])]

    def later(self, node: Node, tails: list[tuple[str, ...]]) -> tuple[int, int]:
        """Return the worlds of a node, and those of its suppressed records in which all better nodes fail."""
        suppressed, n_worlds, n_same = self.suppressed(node, tails), 0, 0
        own = self.order(node, suppressed)
        for dealt in self.deals(self.blocks(node, suppressed), tails):
            n_worlds += 1
            n_same += self.suppressed(node, dealt) == suppressed and not any(
                self.satisfies(other, dealt) and self.order(other, self.suppressed(other, dealt)) < own
                for other in self.nodes
            )
        return n_worlds, n_same

    def deals(self, blocks: list[list[int]], tails: list[tuple[str, ...]]) -> Iterator[list[tuple[str, ...]]]:
        ways = [sorted(set(permutations([tails[r] for r in own]))) for own in blocks]
        for chosen in product(*ways):
            dealt = list(tails)
            for members, own in zip(blocks, chosen, strict=True):
                for record, tail in zip(members, own, strict=True):
                    dealt[record] = tail
            yield dealt


def random_case(seed: int) -> dict[str, Any]:
    """Return a small problem with random records, models and limit."""
    draw = random.Random(seed)
    ages = [["21", "20-29", "*"], ["27", "20-29", "*"], ["32", "30-39", "*"], ["38", "30-39", "*"]]
    towns = [["A", "*"], ["B", "*"], ["C", "*"]]
    sensitive = ["illness", "faith"] if draw.random() < 0.3 else ["illness"]
    values = {"illness": ["HIV", "HIV", "flu", "b"], "faith": ["x", "x", "y"]}
    records = [
        [draw.choice(ages)[0], draw.choice(towns)[0], *(draw.choice(values[name]) for name in sensitive)]
        for _record in range(draw.randint(4, 7))
    ]
    models: list[dict[str, Any]] = [{"model": "k_anonymity", "k": draw.choice((1, 2, 2, 3))}]
    kinds = [
        {"model": "distinct_l_diversity", "l": 2},
        {"model": "alpha_k_anonymity", "alpha": draw.choice(("0.5", "0.7")), "k": 2},
        {"model": "t_closeness", "t": draw.choice(("0.2", "0.3")), "distance": "equal"},
    ]
    models += [{**draw.choice(kinds), "column": name} for name in sensitive]
    return {
        "rule": ("optimum", "size_only", "afterwards", "blind_check")[seed % 4],
        "quasi_identifying": ["age", "town"],
        "hierarchies": {"age": ages, "town": towns},
        "sensitive": sensitive,
        "records": records,
        "models": models,
        "suppression_limit": draw.choice(("0", "0.2", "0.3", "0.45")),
    }


@pytest.mark.parametrize("seed", range(PROBLEMS))
def test_random_problems_have_the_figures_of_a_slow_program(seed: int, tmp_path: Path) -> None:
    case = random_case(seed)
    slow, tails = Slow(case), [tuple(record[2:]) for record in case["records"]]
    truth = slow.chosen(tails)
    if truth is None or len(truth[1]) == len(tails):
        return
    node, suppressed = truth
    subject, found = measured(recipe_of(case, tmp_path / "a"))
    assert subject.release.node == node
    blocks = slow.blocks(node, suppressed)
    worlds = list(slow.deals(blocks, tails))
    suppressing = [own for own in worlds if slow.suppressed(node, own) == suppressed]
    same = [own for own in suppressing if slow.chosen(own) == truth]
    values = found.named_values()
    counts = values["worlds"], values["worlds_same_suppression"], values["worlds_same_file"]
    assert counts == (len(worlds), len(suppressing), len(same))
    assert values["bits"] == pytest.approx(log2(len(worlds) / len(same)), abs=1e-12)
    gains = {True: Fraction(0), False: Fraction(0)}
    certain = 0
    for members in blocks:
        for record in members:
            certain += len({own[record] for own in same}) == 1 < len({tails[other] for other in members})
            for place in (*range(len(case["sensitive"])), slice(None)):
                share = Counter(tails[other][place] for other in members)
                after = Counter(own[record][place] for own in same)
                gain = max(
                    Fraction(after[v], len(same)) - Fraction(n, len(members)) for v, n in share.items()
                )
                is_starred = record in suppressed
                gains[is_starred] = max(gains[is_starred], gain)
    assert values["certain"] == certain
    for is_starred, expected in gains.items():
        own = found.largest(is_suppressed=is_starred)
        known = Fraction(0) if own is None or own.exact is None else own.exact[0] - own.exact[1]
        assert known == expected


@pytest.mark.parametrize("name", ["alpha_half", "t_ordered", "suppression_tells", "two_columns", "random_34"])
def test_samples_are_within_their_bounds(name: str, tmp_path: Path) -> None:
    case = next(own for own in CASES if own["name"] == name)
    worlds = worlds_of_case(case, tmp_path)
    exact, sample = enumerate_worlds(worlds), sample_worlds(worlds, 80)
    assert sample.dealt == 2000
    assert sample.same / sample.dealt == pytest.approx(exact.n_same / exact.n_worlds, abs=0.05)
    live = np.flatnonzero(worlds.live[worlds.blocks])
    for estimate in (sample.kept, sample.starred):
        assert estimate is not None
        pairs = estimate.pairs
        for place in np.flatnonzero(pairs.columns == worlds.tails.values.shape[1] - 1).tolist():
            record, value = int(live[pairs.first[place]]), int(pairs.values[place])
            number = next(i for i, atom in enumerate(exact.atoms) if record in atom.records)
            own = worlds.tails.values[exact.atoms[number].tails, pairs.columns[place]] == value
            after = float(sum(np.array(exact.posterior(number))[own]))
            assert abs(after - estimate.posterior[place]) <= estimate.radius[place]


@pytest.fixture(scope="module")
def chained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Worlds, Fraction, Fraction]:
    """A table of which few worlds are alike, their share, and that of towns which fail in them, too."""
    towns, records = [], []
    for letter in "ABCDE":
        towns += [[f"{letter}{n}", letter, "*"] for n in range(1, 10)]
        records += [[f"{letter}1", "HIV"], [f"{letter}1", "HIV"], *([f"{letter}2", f"{n}"] for n in range(3))]
    case = {
        "rule": "optimum",
        "quasi_identifying": ["town"],
        "hierarchies": {"town": towns},
        "sensitive": ["illness"],
        "records": records,
        "models": [
            {"model": "k_anonymity", "k": 2},
            {"model": "distinct_l_diversity", "column": "illness", "l": 2},
        ],
        "suppression_limit": "0.32",
        "expected": {"node": [1]},
    }
    worlds = worlds_of_case(case, tmp_path_factory.mktemp("chained"))
    # level 0 loses less, unless in at least three of five letters the first town has both HIV
    fails = Fraction(1, 10)
    counts = {k: comb(5, k) * fails**k * (1 - fails) ** (5 - k) for k in (3, 4, 5)}
    return worlds, sum(counts.values()), sum(k * share for k, share in counts.items()) / 5


def test_chains_and_splitting_find_what_is_rare(chained: tuple[Worlds, Fraction, Fraction]) -> None:
    worlds, share, failing = chained
    sample = sample_worlds(worlds, 1600)
    assert sample.suppression_bits == 0.0
    assert sample.sweeps == 1600
    assert sample.choice_bits == pytest.approx(-log2(share), abs=1.0)
    assert sample.kept is not None
    certain = worlds.tails.problem.sensitive[0].column.labels.index("HIV")
    pairs = sample.kept.pairs
    at = np.flatnonzero((pairs.values == certain) & (pairs.sizes == 2))
    part = failing / share  # the other towns have an HIV in one of three records
    assert np.mean(sample.kept.posterior[at]) == pytest.approx(float(part + (1 - part) / 3), abs=0.05)


def test_kernels_draw_the_same_compiled_and_interpreted(
    chained: tuple[Worlds, Fraction, Fraction], monkeypatch: pytest.MonkeyPatch
) -> None:
    if not acceleration.is_possible():
        pytest.skip("without numba")
    acceleration.warm_up(("worlds",))
    for name, few in {"DEALS": 40, "FEW_DEALS": 16, "SPLITTING": 16, "WARM": 8}.items():
        monkeypatch.setattr(sampled_worlds, name, few)
    found = []
    for kernels in (interpreted, acceleration.required("worlds")):
        monkeypatch.setattr(acceleration, "kernels", lambda _name, kernels=kernels: kernels)
        found.append(sample_worlds(chained[0], 80))
    assert found[0].choice_bits == found[1].choice_bits
    assert found[0].kept is not None
    assert found[1].kept is not None
    assert np.allclose(found[0].kept.posterior, found[1].kept.posterior, rtol=0, atol=1e-12)


def test_clinic_gives_away_one_suppressed_class_and_hospital_nothing() -> None:
    examples = ROOT / "resources" / "examples"
    subject, found = measured(examples / "clinic" / "recipe.toml")
    values = found.named_values()
    assert (values["choice_bits"], values["competitors"], values["open_classes"]) == (0.0, 0, 1)
    assert 8.164 <= values["bits"] <= 8.220
    largest = values["largest_gain"]
    assert (largest["column"], largest["value"], largest["records"]) == ("diagnosis", "Heart failure", 7)
    assert largest["record"] == 594
    assert largest["posterior"] == pytest.approx(0.3057, abs=0.02)
    assert values["kept"]["upper"] == 0.0
    assert subject.release.n_suppressed == 57
    found = measured(examples / "hospital" / "recipe.toml")[1]
    assert (found.bits, found.is_exact, found.named_values()["gain_upper"]) == (0.0, True, 0.0)


def test_a_node_picked_by_hand_has_no_known_rule(tmp_path: Path) -> None:
    case = next(own for own in CASES if own["name"] == "good_table")
    found = measured(recipe_of(case, tmp_path / "a"), (1,))[1]
    assert found.choice_bits is None
    assert found.suppression_bits == 0.0
    assert found.why_no_choice in found.statement().sentence


def test_a_declared_node_gives_nothing_away_by_its_choice(tmp_path: Path) -> None:
    case = next(own for own in CASES if own["name"] == "ayas_brusson")
    project = read_recipe(recipe_of(case, tmp_path / "a"))
    town = replace(project.hierarchies["town"], min_level=1)
    project = replace(project, hierarchies={"town": town})
    found = SelectionLeak().run(Subject(project, anonymize(project).release))
    assert (found.bits, found.gains) == (0.0, ())
    assert prod(range(3, 11)) == found.worlds


@pytest.mark.parametrize("enforce", ["during", "check"])
def test_a_metric_that_looks_at_sensitive_cells_is_no_choice_by_size(enforce: str, tmp_path: Path) -> None:
    # In half of all deals hiding the town would predict as well, and come first.
    cells = {"20,X": "ff", "30,X": "fh", "20,Y": "hh", "30,Y": "fh"}
    rows = [f"{cell},{value}" for cell, values in cells.items() for value in values]
    (tmp_path / "t.csv").write_text("\n".join(["age,town,illness", *rows]) + "\n", encoding="utf-8")
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        'format = 1\n[data]\npath = "t.csv"\n[roles]\ntarget = "illness"\n'
        'quasi_identifying = ["age", "town"]\nsensitive = ["illness"]\n'
        '[hierarchies.age]\nbuilder = "intervals"\nwidth = 5\norigin = 0\n[hierarchies.town]\n'
        'builder = "suppress"\n[[privacy]]\nmodel = "k_anonymity"\nk = 4\n'
        "[transformation]\nsuppression_limit = 0.0\n[search]\n"
        f'metric = "classification"\nenforce = "{enforce}"\n',
        encoding="utf-8",
    )
    subject, found = measured(recipe)
    assert (subject.release.node or ())[1] == 0, "the town is kept"
    assert found.bits is None
    assert found.selection_gain is None
    assert "Not measurable" in found.claim
