"""Writes the scores that the start page draws: .venv/bin/python -m tests.example_lattices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer_gui.perspectives.explore.lattice.raster import FAILS
from anonymizer_gui.perspectives.start.examples import EXAMPLES
from anonymizer_gui.theming import ramp_classes
from engine.project.compile import compile_problem, objective_of
from engine.project.recipe.files import read_recipe
from engine.recoding import make_release
from engine.scoring.in_parts import evaluated_parts
from engine.search.bounds import generalization_loss
from engine.shipped import resources_path

PATH = resources_path() / "examples" / "lattices.npz"


def lattice_of(key: str) -> dict[str, NDArray[Any]]:
    """Return what is stored of an example: highest levels, colours, order in rows, optimum, loss and k."""
    project = read_recipe(resources_path() / "examples" / key / "recipe.toml")
    problem, metric = compile_problem(project), project.search.metric
    (found,) = evaluated_parts(problem, project.requirement, objective_of(project, problem), 1 << 32)
    nodes = np.flatnonzero(found.satisfies)
    values = found.metric_at(metric, nodes)
    classes = np.full(problem.lattice.n_nodes, FAILS, dtype=np.uint8)
    classes[nodes] = ramp_classes(values, float(values.min()), float(values.max()))
    order = np.argsort(np.argsort(generalization_loss(problem), kind="stable"), kind="stable")
    optimum = found.optimum(metric)
    assert optimum is not None, "every example has one"
    k = make_release(project, problem, problem.lattice.node(optimum)).k
    return {
        f"{key}.heights": np.array(problem.lattice.maximum, dtype=np.uint8),
        f"{key}.classes": classes,
        f"{key}.order": order.astype(np.uint16),
        f"{key}.facts": np.array([optimum, values.min(), k]),
    }


if __name__ == "__main__":
    np.savez_compressed(PATH, **{k: v for e in EXAMPLES for k, v in lattice_of(e.key).items()})
