"""A verified release of a DataFrame, with its values and verified statements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from engine.cached import cached_property
from engine.findings.selection_gate import required_of
from engine.findings.subject import Subject
from engine.lattice import Node
from engine.lattice.hasse import hasse
from engine.monitor import SILENT, Monitor
from engine.notebook import Brief, Facts, table_html
from engine.pipeline import Outcome, export_release
from engine.privacy.required import Measured
from engine.project import Project
from engine.project.compile import compile_problem, objective_of
from engine.project.recipe.files import recipe_text, write_recipe
from engine.records.opening import memory_of
from engine.report import (
    ReportedRelease,
    ReportSettings,
    SearchFacts,
    Verification,
    palette,
    refuse_report_ending,
    report_of,
    write_report,
)
from engine.scoring import Evaluation, score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.in_parts import ListedNodes, listed_nodes
from engine.scratch import scratch_folder
from engine.search.exhaustive import check_size
from engine.verification import Verdict

if TYPE_CHECKING:
    import pandas as pd


_WIDTH, _ROW, _RADIUS = 46, 44, 7  # of a node with its space, in pixels


def lattice_svg(evaluation: Evaluation, chosen: Node | None = None) -> str:
    """Return the drawing of a small lattice.

    The lowest node is at the bottom. Nodes that satisfy are filled, the others are outlines; the chosen one
    has a ring. Each node has its levels as text, and its values when pointed at.
    """
    levels = np.asarray(evaluation.levels)
    drawn = hasse(levels)
    widest = max(len(row) for row in drawn.rows)
    width, height = widest * _WIDTH, len(drawn.rows) * _ROW
    place: dict[int, tuple[float, float]] = {}
    for depth, row in enumerate(drawn.rows):
        for at, node in enumerate(row.tolist()):
            x = width / 2 + (at - (len(row) - 1) / 2) * _WIDTH
            place[node] = (x, height - (depth + 0.6) * _ROW)
    parts = [
        f"<line x1='{place[a][0]:.1f}' y1='{place[a][1]:.1f}' x2='{place[b][0]:.1f}' y2='{place[b][1]:.1f}'/>"
        for a, b in drawn.edges.tolist()
    ]
    edges = f"<g stroke='currentColor' stroke-opacity='0.25'>{''.join(parts)}</g>"
    nodes = "".join(
        _node(evaluation, number, levels[number].tolist(), *place[number], chosen) for number in place
    )
    title = f"Lattice of {len(levels)} nodes, {evaluation.n_satisfying} satisfy"
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' role='img' width='{width}' height='{height}' "
        f"viewBox='0 0 {width} {height}' style='max-width:100%'><title>{escape(title)}</title>"
        f"{edges}{nodes}</svg>"
    )


def _node(
    evaluation: Evaluation, number: int, levels: Sequence[int], x: float, y: float, chosen: Node | None
) -> str:
    satisfies = bool(evaluation.satisfies[number])
    suppressed = int(evaluation.suppressed[number])
    names = ", ".join(f"{name} {level}" for name, level in zip(evaluation.problem.names, levels, strict=True))
    words = f"{names}: {'satisfies' if satisfies else 'fails'}, {suppressed} suppressed"
    fill = palette.OK if satisfies else "none"
    ring = (
        f"<circle cx='{x:.1f}' cy='{y:.1f}' r='{_RADIUS + 4}' fill='none' stroke='{palette.WARN}' "
        "stroke-width='2'/>"
        if chosen is not None and tuple(levels) == tuple(chosen)
        else ""
    )
    text = ",".join(map(str, levels))
    return (
        f"<g>{ring}<circle cx='{x:.1f}' cy='{y:.1f}' r='{_RADIUS}' fill='{fill}' stroke='currentColor'>"
        f"<title>{escape(words)}</title></circle>"
        f"<text x='{x:.1f}' y='{y + _RADIUS + 11:.1f}' font-size='9' text-anchor='middle' "
        f"fill='currentColor'>{text}</text></g>"
    )


_MOST_DRAWN = 120  # nodes of a lattice in a notebook


@dataclass(frozen=True, eq=False)
class StoredRelease(Measured):
    """What a pickled release is loaded as: its frame and values, without the original table.

    Attributes
    ----------
    frame, scores, verdict, node
        See `Released`.
    """

    frame: Any
    scores: dict[str, Any]
    verdict: Verdict
    node: dict[str, int] | None

    def as_dict(self) -> dict[str, Any]:
        """Return the values of the release by name."""
        return self.scores

    def totals(self) -> dict[str, int]:
        """Return the number of records that suppressed ones are some of."""
        return {"suppressed": self.scores["records"]}

    def _facts(self) -> Facts:
        return self.verdict._facts()


@dataclass(frozen=True, eq=False)
class Released(Brief):
    """A release that was verified; pickled, it becomes a `StoredRelease`, without the original table.

    Attributes
    ----------
    project : Project
        All settings, as window and recipes have them.
    verdict : Verdict
        Result of the verification of the release as a written file.
    frame : DataFrame
        The released records, of the kind that came in, in their order. Unchanged columns keep their types.
        It has nothing that the verified file does not have, except for an index that was asked for.
    scores : dict
        Values of the release by name, as `anonymizer anonymize --format json` prints them.
    """

    project: Project
    outcome: Outcome
    verdict: Verdict
    frame: Any
    scores: dict[str, Any] = field(default_factory=dict)

    @property
    def node(self) -> dict[str, int] | None:
        """Level of every quasi-identifying column; None if levels vary by record."""
        return self.outcome.release.levels if self.outcome.release.recoding is None else None

    def __reduce__(self) -> tuple[Any, ...]:
        return StoredRelease, (self.frame, self.scores, self.verdict, self.node)

    def lattice(self) -> pd.DataFrame:
        """Return all nodes with their values, as `anonymizer lattice` writes them.

        Raises
        ------
        InputError
            The lattice is too large to score completely.
        """
        import pandas as pd

        return pd.DataFrame(self._nodes.columns)

    @cached_property
    def _nodes(self) -> ListedNodes:
        project, problem = self.project, compile_problem(self.project)
        check_size(problem.lattice.n_nodes)
        objective, memory = objective_of(project, problem), memory_of(project.options)
        return listed_nodes(problem, project.requirement, project.search.metric, objective, memory)

    def export(self, path: Path | str, monitor: Monitor = SILENT) -> Verdict:
        """Write the release to a file, or to a new table named by its URL, and verify what was written.

        The ending gives the format: .csv, .xlsx, .sav, .dta, .jsonl or .parquet. Names of columns that SPSS
        or Stata do not allow are changed, as `Verdict.renamed` says.

        Raises
        ------
        ExportError
            The file cannot be written.
        """
        return export_release(self.project, self.outcome.release, path, monitor)

    def report(
        self, path: Path | str, settings: ReportSettings | None = None, monitor: Monitor = SILENT
    ) -> Path:
        """Write a report on the release: .pdf, .html or .json; return its path."""
        path = Path(path)
        refuse_report_ending(path)
        with scratch_folder("reporting") as folder:
            file = folder / "release.csv"
            verification = Verification.of(file, self.export(file, monitor), is_kept=False)
            material = ReportedRelease(
                Subject(self.project, self.outcome.release),
                settings or ReportSettings(),
                SearchFacts.of_outcome(self.outcome),
                verification,
                path.parent,
            )
            write_report(report_of(material, monitor), path, monitor)
        return path

    def require(self, *conditions: str) -> Self:
        """Return the release if it meets all conditions, in the grammar and names of `--require`.

        Parameters
        ----------
        *conditions : str
            Such as "k >= 5" or "t(illness) <= 0.2". "selection_gain <= 0.1" is measured only if it is named.

        Raises
        ------
        RequirementNotMetError
            It lists every condition that is not met.
        InputError
            A condition cannot be read, or names a value that is not measured.
        """
        required_of(conditions, self.project, self.outcome)
        return self

    def recipe(self, path: Path | str | None = None, *, with_table: bool = False) -> str:
        """Return the settings as a recipe, and write them to a file if one is given.

        Parameters
        ----------
        path : Path or str, optional
            Hierarchies are written to a folder next to the recipe.
        with_table : bool
            Whether the original table is written to that folder too, so that the recipe can be run.
        """
        if path is None:
            return recipe_text(self.project, Path.cwd())
        path = Path(path)
        write_recipe(self.project, path, with_tables=with_table)
        return path.read_text(encoding="utf-8")

    def _facts(self) -> Facts:
        """Return what a reader looks at first, and what the verdict does not cover."""
        scores = self.scores
        node = "levels vary by record" if self.node is None else _listed(self.node)
        facts = [("node", node), ("k", str(scores["k"]))]
        facts += [(f"{name} of {column}", f"{value:.4g}") for name in ("l", "t") for column, value in
                  scores[name].items() if value is not None]  # fmt: skip
        facts.append(("suppressed", f"{scores['suppressed']} of {scores['records']} records"))
        if scores["value"] is not None:
            facts.append((scores["metric"], f"{scores['value']:.4g}"))
        facts += [("guarantee", scores["guarantee"]), ("verified", "yes" if self.verdict.ok else "no")]
        facts.append(("verdict", self.outcome.release.verdict))
        facts += [("note", note) for note in self.outcome.notes]
        return [fact for fact in (*facts, *self.verdict.not_covered) if fact[1]]

    def _repr_html_(self) -> str:
        """Return what notebooks show: the values, and the lattice if it is small."""
        html = table_html(("release", ""), self._facts())
        levels = self.outcome.problem.lattice
        if self.node is None or levels.n_nodes > _MOST_DRAWN:
            return html
        evaluation = evaluate(score_lattice(compile_problem(self.project)), self.project.requirement)
        return html + lattice_svg(evaluation, self.outcome.release.node)


def _listed(levels: dict[str, int]) -> str:
    return ", ".join(f"{name} {level}" for name, level in levels.items())
