"""The commands compared with other programs: ARX on Adult, and independently enumerated lattices."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.cli import main

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
ARX = json.loads((DATA / "arx" / "nodes_k5.json").read_text(encoding="utf-8"))
OPTIMA = json.loads((DATA / "arx" / "optima.json").read_text(encoding="utf-8"))
LATTICES = json.loads((DATA / "published" / "lattice.json").read_text(encoding="utf-8"))
ADULT = DATA / "tables" / "adult_arx.csv"
ADULT_QI = tuple(ARX[0]["node"])
ANJANA_FILES = {
    "marital-status": "marital.csv",
    "native-country": "country.csv",
    "salary-class": "salary.csv",
}

HOSPITAL = {
    "age": 'builder = "intervals"\nwidth = 5\nmerge = [2]',
    "gender": 'builder = "suppress"',
    "city": 'builder = "grouping"\n'
    'groups = [{"India north" = ["Tamil Nadu", "Karnataka"], "India south" = ["Kerala"]}]',
}


def write_recipe(
    path: Path,
    table: Path,
    hierarchies: Mapping[str, str],
    privacy: Iterable[str],
    limit: float,
    *,
    metric: str = "loss",
    sensitive: Sequence[str] = (),
) -> Path:
    """Write a recipe with hierarchies given as the lines of their tables."""
    lines = ["format = 1", "[data]", f"path = {json.dumps(str(table))}", "[roles]"]
    lines += [
        f"quasi_identifying = {json.dumps(list(hierarchies))}",
        f"sensitive = {json.dumps(list(sensitive))}",
    ]
    for column, entry in hierarchies.items():
        lines += [f"[hierarchies.{json.dumps(column)}]", entry]
    for model in privacy:
        lines += ["[[privacy]]", model]
    lines += ["[transformation]", f"suppression_limit = {limit}", "[search]", f'metric = "{metric}"']
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def k_anonymity(k: int) -> str:
    return f'model = "k_anonymity"\nk = {k}'


def from_file(path: Path) -> str:
    return f"path = {json.dumps(str(path))}"


def adult_hierarchies(columns: Iterable[str]) -> dict[str, str]:
    folder = DATA / "tables" / "hierarchies" / "adult_arx"
    return {column: from_file(folder / f"adult_hierarchy_{column}.csv") for column in columns}


def nodes_of(recipe: Path, columns: Sequence[str]) -> dict[tuple[int, ...], dict[str, str]]:
    """Run `anonymizer lattice` and return its lines by node."""
    out = recipe.with_suffix(".csv")
    assert main(["lattice", str(recipe), "--out", str(out), "--quiet"]) == 0
    with open(out, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {tuple(int(row[f"level.{column}"]) for column in columns): row for row in rows}


@pytest.mark.parametrize(
    ("limit", "key"),
    [
        (0.05, "s5"),
        pytest.param(0.0, "s0", marks=pytest.mark.thorough),
        pytest.param(1.0, "s100", marks=pytest.mark.thorough),
    ],
)
def test_lattice_gives_the_values_of_arx_on_eighty_nodes_of_adult(
    tmp_path: Path, limit: float, key: str
) -> None:
    recipe = write_recipe(
        tmp_path / "adult.toml", ADULT, adult_hierarchies(ADULT_QI), [k_anonymity(5)], limit
    )
    nodes = nodes_of(recipe, ADULT_QI)
    assert len(nodes) == 12_960
    top = max(nodes)
    assert len(ARX) == 80
    for entry in ARX:
        node = tuple(entry["node"][column] for column in ADULT_QI)
        ours, arx = nodes[node], entry[key]
        output = dict(arx["output"])
        if node == top and limit > 0:
            # ARX reports a record whose cells are all `*` as suppressed, also if nothing is: the
            # top node is one class of every record in its scores, and none in its output.
            assert output["suppressed_rows"] == 30_162
            output |= {"suppressed_rows": 0, "classes": 1, "min_class": 30_162}
        assert int(ours["suppressed"]) == output["suppressed_rows"]
        assert int(ours["kept_classes"]) == output["classes"]
        assert int(ours["kept_k"]) == output["min_class"]
        assert ours["satisfies"] == ("true" if arx["anonymity"] == "ANONYMOUS" else "false")
        for column, name in (
            ("loss", "loss"),
            ("precision", "precision"),
            ("non_uniform_entropy", "entropy"),
            ("aecs", "aecs"),
            ("discernibility", "dm"),
        ):
            assert float(ours[column]) == pytest.approx(arx[name], rel=1e-9, abs=1e-12), (node, column)


@pytest.mark.parametrize("config", OPTIMA, ids=[config["config"] for config in OPTIMA])
def test_anonymize_reaches_the_optimum_of_arx(tmp_path: Path, config: dict[str, Any]) -> None:
    sensitive = [config["sensitive"]] if config["sensitive"] else []
    models = [k_anonymity(config["k"])]
    if config["l_distinct"]:
        models.append(f'model = "distinct_l_diversity"\ncolumn = "occupation"\nl = {config["l_distinct"]}')
    if config["t_equal"]:
        models.append(
            f'model = "t_closeness"\ncolumn = "occupation"\nt = {config["t_equal"]}\ndistance = "equal"'
        )
    recipe = write_recipe(
        tmp_path / "adult.toml",
        ADULT,
        adult_hierarchies(config["optimum"]),
        models,
        config["suppression_limit"],
        metric={"dm": "discernibility"}.get(config["metric"], config["metric"]),
        sensitive=sensitive,
    )
    out, summary = tmp_path / "out.csv", tmp_path / "summary.json"
    assert main(["anonymize", str(recipe), "--out", str(out), "--summary", str(summary), "--quiet"]) == 0
    figures = json.loads(summary.read_text(encoding="utf-8"))
    assert figures["value"] == pytest.approx(float(config["loss_lowest"]), rel=1e-9)
    assert figures["suppressed"] == config["output"]["suppressed_rows"]
    assert figures["classes"] == config["output"]["classes"]
    assert figures["k"] == config["output"]["min_class"]
    assert figures["node"] == config["optimum"]
    assert figures["nodes_total"] == config["nodes_total"]
    assert (figures["guarantee"], figures["satisfies"], figures["verified"]) == ("optimal", True, True)


@pytest.mark.parametrize("case", LATTICES, ids=[case["id"] for case in LATTICES])
def test_the_satisfying_and_minimal_nodes_are_the_published_ones(
    tmp_path: Path, case: dict[str, Any]
) -> None:
    qi = case["qi"]
    recipe = write_recipe(
        tmp_path / "case.toml",
        DATA / "tables" / case["dataset"],
        hierarchies_of(case),
        [k_anonymity(case["k"])],
        case["suppression_percent"] / 100,
    )
    nodes = nodes_of(recipe, qi)
    satisfying = {node for node, row in nodes.items() if row["satisfies"] == "true"}
    assert [max(levels) for levels in zip(*nodes, strict=True)] == case["heights"]
    assert len(nodes) == case["lattice_nodes"]
    assert len(satisfying) == case["satisfying_nodes"]
    minimal = [node for node in sorted(satisfying) if not satisfying.intersection(predecessors(node))]
    assert [list(node) for node in minimal] == sorted(case["minimal_nodes"])
    assert min(map(sum, satisfying)) == case["lowest_height"]
    for key, column in (("best_by_dm", "discernibility"), ("best_by_c_avg", "c_avg")):
        values = {node: float(nodes[node][column]) for node in satisfying}
        least = min(values.values())
        assert least == pytest.approx(case[key]["value"], rel=1e-12)
        best = {node for node, value in values.items() if math.isclose(value, least, rel_tol=1e-12)}
        assert best == {tuple(entry["levels"]) for entry in case[key]["nodes"]}


def hierarchies_of(case: dict[str, Any]) -> dict[str, str]:
    if case["hierarchies"].startswith("inline"):
        return {column: HOSPITAL[column] for column in case["qi"]}
    if case["hierarchies"].endswith("adult_arx"):
        return adult_hierarchies(case["qi"])
    folder = DATA / "tables" / case["hierarchies"]
    return {column: from_file(folder / ANJANA_FILES.get(column, f"{column}.csv")) for column in case["qi"]}


def predecessors(node: tuple[int, ...]) -> set[tuple[int, ...]]:
    return {(*node[:i], level - 1, *node[i + 1 :]) for i, level in enumerate(node) if level}
