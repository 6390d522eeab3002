"""From CSV to CSV with a population or a research subset, by commands alone."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from engine.cli import main
from engine.errors import ExportError, VerificationError
from engine.pipeline import anonymize, export_release
from engine.project.edits import set_subset
from engine.project.recipe.files import read_recipe
from engine.project.storage.file import open_project, save_project
from engine.project.subset import Subset

RECIPE = """\
[data]
path = "people.csv"
missing = ["?", ""]
[data.types]
"seen" = {type = "date", format = "%d.%m.%Y"}
"stage" = {type = "ordered", values = ["low", "middle", "high"]}
[roles]
identifying = ["name"]
quasi_identifying = ["age", "sex", "region"]
sensitive = ["illness"]
insensitive = ["seen", "stage"]
[hierarchies."age"]
path = "age.csv"
[hierarchies."sex"]
path = "sex.csv"
[hierarchies."region"]
path = "region.csv"
[transformation]
suppression_limit = 0.3
"""
Row = dict[str, str]
Make = Callable[[str], Path]


def age_labels(age: str) -> list[str]:
    if age == "?":
        return ["?", "?", "?", "*"]
    low = int(age) // 10 * 10
    return [age, f"{low}-{low + 9}", "18-49" if int(age) < 50 else "50-89", "*"]


def people() -> list[Row]:
    source = random.Random(7)
    rows = []
    for number in range(600):
        age = source.choice([str(source.randint(18, 60)), str(source.randint(18, 89))])
        rows.append(
            {
                "name": f"P{number}",
                "age": "?" if source.random() < 0.02 else age,
                "sex": source.choice("fm"),
                "region": source.choice(["north", "south", "east", "west"]),
                "illness": source.choice(["flu", "cold", "asthma", "?"]),
                "seen": f"{source.randint(1, 28):02d}.{source.randint(1, 12):02d}.2024",
                "stage": source.choice(["low", "middle", "high"]),
            }
        )
    return rows


ROWS = people()


def write(path: Path, rows: list[Row], delimiter: str = ";", columns: list[str] | None = None) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        names = columns or list(rows[0])
        writer.writerow(names)
        writer.writerows([row[name] for name in names] for row in rows)


def read(path: Path) -> list[Row]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


@pytest.fixture
def recipe(tmp_path: Path) -> Make:
    """Return a function that writes the recipe with additions, and the files it refers to."""
    write(tmp_path / "people.csv", ROWS)
    ages = [*map(str, range(18, 90)), "?"]
    (tmp_path / "age.csv").write_text("\n".join(";".join(age_labels(a)) for a in ages), encoding="utf-8")
    (tmp_path / "sex.csv").write_text("f;*\nm;*\n", encoding="utf-8")
    (tmp_path / "region.csv").write_text("north;*\nsouth;*\neast;*\nwest;*\n", encoding="utf-8")

    def make(more: str) -> Path:
        path = tmp_path / "recipe.toml"
        path.write_text(RECIPE + more, encoding="utf-8")
        return path

    return make


def run(recipe: Path, capfd: pytest.CaptureFixture[str], code: int = 0) -> tuple[dict[str, Any], list[Row]]:
    out = recipe.with_name("out.csv")
    words = ["anonymize", str(recipe), "--out", str(out), "--format", "json", "--quiet"]
    assert main(words) == code, capfd.readouterr().err
    return json.loads(capfd.readouterr().out or "{}"), read(out) if out.exists() else []


def released(row: Row, node: dict[str, int]) -> tuple[str, ...]:
    return (
        age_labels(row["age"])[node["age"]],
        "*" if node["sex"] else row["sex"],
        "*" if node["region"] else row["region"],
    )


def check_written(rows: list[Row], figures: dict[str, Any], chosen: list[Row], everybody: list[Row]) -> None:
    """Check that the file has the chosen records in order, each on the node's levels or suppressed."""
    assert figures["verified"] is True
    assert figures["satisfies"] is True
    assert figures["records"] == len(rows) == len(chosen)
    in_class = Counter(released(row, figures["node"]) for row in everybody)
    own = Counter(released(row, figures["node"]) for row in chosen)
    n_suppressed = 0
    for row, source in zip(rows, chosen, strict=True):
        labels, found = released(source, figures["node"]), (row["age"], row["sex"], row["region"])
        if found != labels:
            assert found == ("*", "*", "*")
            assert row["illness"] == (source["illness"] if figures["group"]["held"] else "*")
            n_suppressed += 1
        else:
            assert row["illness"] == source["illness"]
            assert in_class[labels] >= own[labels]
    assert figures["suppressed"] == n_suppressed <= 0.3 * len(chosen)


MODELS = '[[privacy]]\nmodel = "k_map"\nk = 8\n[[privacy]]\nmodel = "delta_presence"\nmaximum = 0.6\n'
FILTER = (
    "age >= 30 and not (illness is missing or sex = 'm' and region in ('north', 'west')) "
    "and (seen < '2024-10-15' or stage >= 'middle')"
)


def by_filter(row: Row) -> bool:
    day, month, year = row["seen"].split(".")
    is_left_out = row["illness"] == "?" or (row["sex"] == "m" and row["region"] in ("north", "west"))
    is_late = (year, month, day) >= ("2024", "10", "15")
    return (
        row["age"] != "?"
        and int(row["age"]) >= 30
        and not is_left_out
        and (not is_late or row["stage"] in ("middle", "high"))
    )


def meets(labels: tuple[str, ...], own: Counter[tuple[str, ...]], all_: Counter[tuple[str, ...]]) -> bool:
    return all_[labels] >= 8 and Fraction(own[labels], all_[labels]) <= Fraction(6, 10)


def check_models(rows: list[Row], figures: dict[str, Any], chosen: list[Row], everybody: list[Row]) -> None:
    """Check that a record is suppressed exactly if its class fails a model."""
    in_class = Counter(released(row, figures["node"]) for row in everybody)
    own = Counter(released(row, figures["node"]) for row in chosen)
    for row, source in zip(rows, chosen, strict=True):
        labels = released(source, figures["node"])
        kept = meets(labels, own, in_class)
        assert (row["age"], row["sex"], row["region"]) == (labels if kept else ("*", "*", "*"))


def test_a_subset_by_filter_is_released_alone_and_measured_against_the_table(
    recipe: Make, capfd: pytest.CaptureFixture[str]
) -> None:
    chosen = [row for row in ROWS if by_filter(row)]
    assert 100 < len(chosen) < 400
    figures, rows = run(recipe(f'{MODELS}[subset]\nfilter = "{FILTER}"\n'), capfd)
    check_written(rows, figures, chosen, ROWS)
    check_models(rows, figures, chosen, ROWS)
    assert figures["suppressed"] > 0, "the example shows suppression"


def test_a_subset_by_rows_takes_a_record_for_each_of_them(
    recipe: Make, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    wanted = random.Random(1).sample(ROWS, 200)
    write(tmp_path / "rows.csv", wanted, ",", ["sex", "age", "illness"])
    left = Counter((row["sex"], row["age"], row["illness"]) for row in wanted)
    chosen = []
    for row in ROWS:
        cells = row["sex"], row["age"], row["illness"]
        if left[cells]:
            left[cells] -= 1
            chosen.append(row)
    figures, rows = run(recipe(f'{MODELS}[subset]\npath = "rows.csv"\n'), capfd)
    check_written(rows, figures, chosen, ROWS)
    check_models(rows, figures, chosen, ROWS)


@pytest.mark.parametrize(
    ("way", "size"), [("fraction = 0.3", 180), ("size = 90\nseed = 5", 90), ("size = 90\nseed = 6", 90)]
)
def test_a_random_subset_depends_on_its_seed_only(
    recipe: Make, capfd: pytest.CaptureFixture[str], way: str, size: int
) -> None:
    path = recipe(f"{MODELS}[subset]\n{way}\n")
    first, rows = run(path, capfd)
    assert first["records"] == size
    _, rows_again = run(path, capfd)
    assert rows == rows_again
    # The sensitive cells identify the records: they are unchanged, in the order of the table.
    chosen = read_recipe(path).records
    assert [row["illness"] for row in rows] == [chosen.column("illness").text(i) for i in range(size)]
    others = read_recipe(recipe(f"{MODELS}[subset]\nsize = 90\nseed = 99\n")).records
    assert [others.column("name").text(i) for i in range(90)] != [
        chosen.column("name").text(i) for i in range(90)
    ]


def test_a_population_table_is_counted_with_the_same_hierarchies(
    recipe: Make, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    everybody = ROWS + ROWS[:300] + ROWS[:100]
    write(tmp_path / "all.csv", everybody, ",", ["region", "sex", "age"])
    tight = MODELS.replace("0.6", "0.59")  # 600 of 1,000 is 0.6 for some class
    _, rows = run(recipe(f'{tight}[population]\npath = "all.csv"\n'), capfd, code=1)
    assert rows == []
    loose = MODELS.replace("0.6", "0.75")
    figures, rows = run(recipe(f'{loose}[population]\npath = "all.csv"\n'), capfd)
    check_written(rows, figures, ROWS, everybody)
    in_class = Counter(released(row, figures["node"]) for row in everybody)
    own = Counter(released(row, figures["node"]) for row in ROWS)
    for row, source in zip(rows, ROWS, strict=True):
        labels = released(source, figures["node"])
        kept = in_class[labels] >= 8 and Fraction(own[labels], in_class[labels]) <= Fraction(3, 4)
        assert (row["age"] == "*" != labels[0]) <= (not kept)


@pytest.mark.parametrize("estimator", ["poisson", "zero_truncated_poisson"])
@pytest.mark.parametrize("population", ["size = 6000", "sampling_fraction = 0.1"])
def test_k_map_is_estimated_if_only_the_population_size_is_known(
    recipe: Make, capfd: pytest.CaptureFixture[str], estimator: str, population: str
) -> None:
    model = f'[[privacy]]\nmodel = "k_map"\nk = 40\nestimator = "{estimator}"\n'
    figures, rows = run(recipe(f"{model}[population]\n{population}\n"), capfd)
    check_written(rows, figures, ROWS, ROWS)
    # Mean 40 * 0.1 = 4: P(X >= 10) is 0.0081, P(X >= 9) is 0.0214; truncated 0.0083 and 0.0218.
    kept = Counter((row["age"], row["sex"], row["region"]) for row in rows)
    kept.pop(("*", "*", "*"), None)
    assert min(kept.values()) >= 10
    own = Counter(released(row, figures["node"]) for row in ROWS)
    assert {labels for labels, n in own.items() if n >= 10} - set(kept) <= {("*", "*", "*")}


def test_with_a_lowest_presence_every_class_of_the_population_is_in_the_release(
    recipe: Make, capfd: pytest.CaptureFixture[str]
) -> None:
    model = '[[privacy]]\nmodel = "delta_presence"\nminimum = 0.1\nmaximum = 0.6\n'
    figures, rows = run(recipe(f"{model}[subset]\nfraction = 0.3\n"), capfd)
    in_class = Counter(released(row, figures["node"]) for row in ROWS)
    own: Counter[tuple[str, ...]] = Counter((row["age"], row["sex"], row["region"]) for row in rows)
    assert figures["suppressed"] == 0
    assert set(own) == set(in_class)
    assert all(Fraction(1, 10) <= Fraction(own[c], n) <= Fraction(6, 10) for c, n in in_class.items())


def test_the_table_of_nodes_speaks_of_the_subset(recipe: Make, capfd: pytest.CaptureFixture[str]) -> None:
    path = recipe(f"{MODELS}[subset]\nfraction = 0.3\n")
    out = path.with_name("nodes.csv")
    assert main(["lattice", str(path), "--out", str(out), "--format", "json", "--quiet"]) == 0
    figures = json.loads(capfd.readouterr().out)
    assert (figures["records"], figures["nodes"]) == (180, 16)
    with open(out, encoding="utf-8", newline="") as file:
        nodes = list(csv.DictReader(file))
    found, _ = run(path, capfd)
    levels = {f"level.{name}": str(level) for name, level in found["node"].items()}
    (line,) = [node for node in nodes if levels.items() <= node.items()]
    assert (line["suppressed"], line["satisfies"]) == (str(found["suppressed"]), "true")
    assert all(int(node["suppressed"]) <= 180 for node in nodes)


@pytest.mark.parametrize(
    "more", ['[subset]\nfilter = "age >= 40"\n', "[subset]\nfraction = 0.5\n", "rows", "all"]
)
def test_a_project_file_releases_the_same_as_its_recipe(
    recipe: Make, tmp_path: Path, capfd: pytest.CaptureFixture[str], more: str
) -> None:
    if more == "rows":
        write(tmp_path / "rows.csv", ROWS[50:250], ";", ["name"])
        more = '[subset]\npath = "rows.csv"\nheader = true\n'
    elif more == "all":
        write(tmp_path / "all.csv", ROWS * 2)
        more = '[population]\npath = "all.csv"\n'
    path = recipe(MODELS + more)
    figures, rows = run(path, capfd)
    save_project(read_recipe(path), tmp_path / "kept.anon")
    for name in ("people.csv", "rows.csv", "all.csv"):
        (tmp_path / name).unlink(missing_ok=True)
    project, _, _ = open_project(tmp_path / "kept.anon")
    outcome = anonymize(project)
    verdict = export_release(project, outcome.release, tmp_path / "again.csv")
    assert verdict.ok
    assert read(tmp_path / "again.csv") == rows
    assert figures["records"] == len(rows)


def test_a_release_of_another_subset_than_the_one_claimed_is_not_confirmed(
    recipe: Make, tmp_path: Path
) -> None:
    project = read_recipe(recipe(f"{MODELS}[subset]\nfraction = 0.3\n"))
    release = anonymize(project).release
    other = set_subset(project, Subset(fraction=0.3, seed=1))
    with pytest.raises(VerificationError):
        export_release(other, release, tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


def test_a_population_that_changed_since_is_noticed(recipe: Make, tmp_path: Path) -> None:
    write(tmp_path / "all.csv", ROWS * 2)
    project = read_recipe(recipe(f'{MODELS}[population]\npath = "all.csv"\n'))
    release = anonymize(project).release
    write(tmp_path / "all.csv", ROWS)
    with pytest.raises(ExportError, match=r"'all\.csv' has changed since it was read"):
        export_release(project, release, tmp_path / "out.csv")


def test_a_command_reports_the_needs_of_a_model_and_writes_nothing(
    recipe: Make, capfd: pytest.CaptureFixture[str]
) -> None:
    path = recipe(MODELS)
    assert main(["anonymize", str(path), "--out", str(path.with_name("out.csv")), "--quiet"]) == 2
    error = capfd.readouterr().err
    assert "k-map needs a population: give its table" in error
    assert "[population]" in error
    assert not path.with_name("out.csv").exists()


def test_a_result_never_replaces_the_population_or_the_rows(
    recipe: Make, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "all.csv", ROWS * 2)
    path = recipe('[population]\npath = "all.csv"\n')
    assert main(["anonymize", str(path), "--out", str(tmp_path / "all.csv"), "--quiet"]) == 2
    assert "is an input of this command" in capfd.readouterr().err


@pytest.mark.parametrize("ending", [".csv.gz", ".parquet", ".xlsx"])
def test_the_population_may_be_a_file_of_any_format(
    recipe: Make, tmp_path: Path, capfd: pytest.CaptureFixture[str], ending: str
) -> None:
    frame = pd.DataFrame(ROWS + ROWS)[["sex", "age", "region"]]
    path = tmp_path / f"all{ending}"
    match ending:
        case ".parquet":
            frame.to_parquet(path, index=False)
        case ".xlsx":
            frame.to_excel(path, index=False)
        case _:
            frame.to_csv(path, index=False)
    figures, rows = run(recipe(f'{MODELS}[population]\npath = "{path.name}"\n'), capfd)
    check_written(rows, figures, ROWS, ROWS + ROWS)
