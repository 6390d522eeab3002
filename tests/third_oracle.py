"""The tables of `tests/data/third` as files and recipes, for tests by command and in memory."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "third" / "suppressed.json").read_text(encoding="utf-8")
)["cases"]
PERSON = "person"


def write_table(path: Path, case: Mapping[str, Any]) -> Path:
    """Write the records of a case as a CSV file, with a column of persons if it has some."""
    names = [*case["quasi_identifying"], *case["sensitive"]]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*names, *([PERSON] if case["persons"] else [])])
        for number, record in enumerate(case["records"]):
            writer.writerow([*record, *([case["persons"][number]] if case["persons"] else [])])
    return path


def write_recipe(folder: Path, case: Mapping[str, Any], *transformation: str) -> Path:
    """Write a table and a recipe for it into a folder, with further lines of `[transformation]`."""
    folder.mkdir(exist_ok=True)
    table = write_table(folder / "table.csv", case)
    lines = ["format = 1", "[data]", f"path = {json.dumps(table.name)}", "[roles]"]
    lines += [f"{role} = {json.dumps(case[role])}" for role in ("quasi_identifying", "sensitive")]
    if case["persons"]:
        lines += [f"identifying = [{json.dumps(PERSON)}]", f"person = {json.dumps(PERSON)}"]
    if case["others_as_qi"]:
        lines += ["[sensitive]", "others_as_qi = true"]
    for name, rows in case["hierarchies"].items():
        (folder / f"{name}.csv").write_text("\n".join(map(",".join, rows)) + "\n", encoding="utf-8")
        lines += [f"[hierarchies.{name}]", f"path = {json.dumps(name + '.csv')}"]
    for model in case["models"]:
        lines.append("[[privacy]]")
        for key, value in model.items():
            is_number = key in ("k", "l", "t", "beta", "delta", "alpha", "c")
            lines.append(f"{key} = {value if is_number else json.dumps(value)}")
    lines += ["[transformation]", f"suppression_limit = {case['suppression_limit']}", *transformation]
    recipe = folder / "recipe.toml"
    recipe.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return recipe
