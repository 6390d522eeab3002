"""Nine models of one table by pyCANON, timed; run by the Python of an environment with the library.

Arguments are the file, the quasi-identifying columns and the sensitive one; prints JSON. Imports no module of
the program.
"""

from __future__ import annotations

import json
import math
import sys
import time
import warnings

import pandas as pd
from pycanon import anonymity


def main() -> None:
    """Read the table, measure, print."""
    path, *qi, sensitive = sys.argv[1:]
    table = pd.read_csv(path)
    names = [
        "alpha_k_anonymity",
        "l_diversity",
        "entropy_l_diversity",
        "recursive_c_l_diversity",
        "basic_beta_likeness",
        "enhanced_beta_likeness",
        "t_closeness",
        "delta_disclosure",
    ]
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {"k_anonymity": anonymity.k_anonymity(table, qi)}
        found |= {name: getattr(anonymity, name)(table, qi, [sensitive]) for name in names}
    spent = time.process_time() - start
    figures = {name: [_plain(part) for part in _parts(value)] for name, value in found.items()}
    sys.stdout.write(json.dumps({"seconds": spent, "figures": figures, "pandas": pd.__version__}))


def _parts(value: object) -> tuple[object, ...]:
    return value if isinstance(value, tuple) else (value,)


def _plain(value: object) -> float | None:
    number = float(value)  # type: ignore[arg-type]
    return None if math.isnan(number) else number


if __name__ == "__main__":
    main()
