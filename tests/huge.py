"""Recipe with a lattice too large to list: twelve columns of ten levels, 10^12 nodes, few records."""

from __future__ import annotations

import json
from pathlib import Path

N_COLUMNS, N_LEVELS, N_RECORDS = 12, 10, 120
N_NODES = N_LEVELS**N_COLUMNS


def write_huge_recipe(folder: Path, search: str = "") -> Path:
    """Write table, hierarchy and recipe; `search` are the lines of its [search] section."""
    names = [f"q{j}" for j in range(N_COLUMNS)]
    rows = [[str((i**3 // 7 * (j + 1) + i * j) % 16) for j in range(N_COLUMNS)] for i in range(N_RECORDS)]
    header = ",".join([*names, "illness"])
    lines = [header, *(",".join([*row, ("flu", "cold", "gout")[i % 3]]) for i, row in enumerate(rows))]
    (folder / "huge.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    tree = [";".join([str(i), *(f"{i >> g}/{g}" for g in range(1, N_LEVELS - 1)), "*"]) for i in range(16)]
    (folder / "tree.csv").write_text("\n".join(tree) + "\n", encoding="utf-8")
    hierarchies = "".join(f'[hierarchies."{name}"]\npath = "tree.csv"\n' for name in names)
    path = folder / "huge.toml"
    path.write_text(
        f'format = 1\n[data]\npath = "huge.csv"\n[roles]\nquasi_identifying = {json.dumps(names)}\n'
        f'sensitive = ["illness"]\n{hierarchies}[[privacy]]\nmodel = "k_anonymity"\nk = 3\n'
        f"[transformation]\nsuppression_limit = 0.05\n[search]\n{search}\n",
        encoding="utf-8",
    )
    return path
