"""A verified release of a DataFrame, with its values and verified statements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.cached import cached_property
from engine.errors import InputError, nearest
from engine.findings.base import analysis_of
from engine.findings.blocks import Block, Chart, Paragraph
from engine.findings.plot import Plot
from engine.findings.selection_gate import required_of
from engine.findings.subject import Subject
from engine.lattice import Node
from engine.lattice.hasse import hasse
from engine.monitor import SILENT, Monitor
from engine.notebook import Facts, table_html
from engine.pipeline import Outcome, export_release
from engine.privacy.required import Measured, Requirements
from engine.project import Project
from engine.project.compile import compile_problem, objective_of
from engine.project.edits import set_export
from engine.project.recipe.files import recipe_text, write_recipe
from engine.records.column_selection import names_of
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
from engine.report.charts import shade
from engine.report.sections import reason, risks
from engine.scoring import Evaluation, score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.in_parts import ListedNodes, listed_nodes
from engine.scratch import scratch_folder
from engine.search.exhaustive import check_size
from engine.verification import Verdict
from engine.words import _

if TYPE_CHECKING:
    import pandas as pd


_COLOURS = f"background:{palette.SURFACE};color:{palette.TEXT}"
_WIDTH, _ROW, _RADIUS = 46, 44, 7  # of a node with its space, in pixels


def lattice_svg(evaluation: Evaluation, metric: str, chosen: Node | None = None) -> str:
    """Return the drawing of a small lattice.

    The lowest node is at the bottom. Nodes that satisfy are filled by the metric, the others are outlines;
    the chosen one has a ring. Each node has its levels as text, and its values when pointed at.
    """
    levels = np.asarray(evaluation.levels)
    values = evaluation.metric_at(metric, np.arange(len(levels)))
    known = values[np.asarray(evaluation.satisfies) & ~np.isnan(values)]
    ends = (known.min(initial=np.inf), known.max(initial=-np.inf))
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
    pairs = zip(values.tolist(), evaluation.satisfies, strict=True)
    fills = [shade(value, *ends) if satisfies else "none" for value, satisfies in pairs]
    nodes = "".join(_node(evaluation, number, *place[number], fills[number], chosen) for number in place)
    title = f"Lattice of {len(levels)} nodes, {evaluation.n_satisfying} satisfy"
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' role='img' width='{width}' height='{height}' "
        f"viewBox='0 0 {width} {height}' style='max-width:100%;{_COLOURS}'><title>{escape(title)}</title>"
        f"{edges}{nodes}</svg>"
    )


def _node(evaluation: Evaluation, number: int, x: float, y: float, fill: str, chosen: Node | None) -> str:
    levels, suppressed = evaluation.levels[number].tolist(), int(evaluation.suppressed[number])
    names = ", ".join(f"{name} {level}" for name, level in zip(evaluation.problem.names, levels, strict=True))
    words = f"{names}: {'satisfies' if evaluation.satisfies[number] else 'fails'}, {suppressed} suppressed"
    ring = (
        f"<circle cx='{x:.1f}' cy='{y:.1f}' r='{_RADIUS + 4}' fill='none' stroke='{palette.OPTIMUM}' "
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


class _Scored(Measured):
    """Base of releases, whose scores are what conditions name."""

    scores: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Return the values of the release by name."""
        return self.scores

    def totals(self) -> dict[str, int]:
        """Return the number of records that suppressed ones are some of."""
        return {"suppressed": self.scores["records"]}


@dataclass(frozen=True, eq=False)
class StoredRelease(_Scored):
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

    def _facts(self) -> Facts:
        return self.verdict._facts()


@dataclass(frozen=True, eq=False)
class Released(_Scored):
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

    def export(self, path: Path | str, monitor: Monitor = SILENT, *, partition_by: str = "") -> Verdict:
        """Write the release to a file, or to a new table named by its URL, and verify what was written.

        The ending gives the format: .csv, .xlsx, .sav, .dta, .jsonl or .parquet. Names of columns that SPSS
        or Stata do not allow are changed, as `Verdict.renamed` says.

        Parameters
        ----------
        partition_by : str
            A column whose values name folders such as region=N in `path`, with Parquet files of the others.

        Raises
        ------
        ExportError
            The file cannot be written.
        """
        project = set_export(self.project, replace(self.project.export, partition_by=partition_by))
        return export_release(project, self.outcome.release, path, monitor, in_parts=bool(partition_by))

    def report(
        self, path: Path | str, settings: ReportSettings | None = None, monitor: Monitor = SILENT
    ) -> Path:
        """Write a report on the release: .pdf, .html or .json; return its path."""
        path = Path(path)
        refuse_report_ending(path)
        with scratch_folder("reporting") as folder:
            file = folder / "release.csv"
            verification = Verification.of(file, self.export(file, monitor), is_kept=False)
            own = settings or ReportSettings()
            material = self._reported(verification=verification, folder=path.parent, settings=own)
            write_report(report_of(material, monitor), path, monitor)
        return path

    def plot(
        self, kind: str = "lattice", columns: str | Sequence[str] = (), monitor: Monitor = SILENT
    ) -> Plot:
        """Return a drawing for notebooks, which can be saved as SVG.

        Parameters
        ----------
        kind : {"lattice", "prices", "risk", "distributions"}
            "lattice" has the nodes with their levels, those that satisfy coloured by the metric; of more than
            120 nodes it is the map of a report, by suppressed records and metric. "prices" is what more
            detail would cost, "risk" the share of records by risk and by class size, and "distributions" the
            values of columns before and after.
        columns : str or sequence of str
            Of distributions; by default the quasi-identifying ones.

        Raises
        ------
        InputError
            There is no such plot of this release.
        """
        if kind not in _PLOTS:
            raise InputError(_("There is no plot '{kind}'.").format(kind=kind), hint=nearest(kind, _PLOTS))
        if kind == "lattice" and self._is_small:
            problem = compile_problem(self.project)
            objective = objective_of(self.project, problem)
            evaluation = evaluate(score_lattice(problem, monitor), self.project.requirement, objective)
            return Plot(kind, lattice_svg(evaluation, self.project.search.metric, self.outcome.release.node))
        search = replace(SearchFacts.of_outcome(self.outcome), nodes_checked=self.outcome.nodes_total)
        material = self._reported(search=search)  # all nodes are scored for it
        found = list(_drawn(kind, material, names_of(columns), monitor))
        charts = [block for block in found if isinstance(block, Chart)]
        if not charts:
            why = ["", *(block.text for block in found if isinstance(block, Paragraph))]
            raise InputError(_("This release has no plot '{kind}'.").format(kind=kind), hint=why[-1])
        return Plot.of(kind, charts)

    def _reported(self, **further: Any) -> ReportedRelease:
        subject, search = Subject(self.project, self.outcome.release), SearchFacts.of_outcome(self.outcome)
        return replace(ReportedRelease(subject, ReportSettings(), search, None, Path()), **further)

    @property
    def _is_small(self) -> bool:
        return self.node is not None and self.outcome.problem.lattice.n_nodes <= _MOST_DRAWN

    def _required(self, conditions: Sequence[str]) -> Requirements:
        """Evaluate conditions; "selection_gain <= 0.1" is measured only if it is named."""
        return required_of(conditions, self.project, self.outcome)[1]

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
        """Return what notebooks show: the values, and the lattice if its nodes were scored by the search."""
        is_drawn = self._is_small or not reason.why_not(self._reported())
        return table_html(("release", ""), self._facts()) + (self._lattice_svg if is_drawn else "")

    @cached_property
    def _lattice_svg(self) -> str:
        return self.plot().svg


_PLOTS = {"lattice": "nodes", "prices": "prices", "risk": "", "distributions": ""}
"""Each plot, and the key of its chart in the comparison of nodes if it is one of these."""


def _drawn(kind: str, material: ReportedRelease, columns: Sequence[str], monitor: Monitor) -> Iterator[Block]:
    """Yield the blocks of a report whose charts are a plot, or that say why it has none."""
    if kind == "risk":
        yield from risks.blocks(material, monitor)
        yield from risks.class_sizes(material)
    elif kind == "distributions":
        for name in columns or material.subject.quasi_identifying:
            yield from analysis_of("distribution", column=name).run(material.subject, monitor).blocks()
    for block in reason.blocks(material, monitor) if _PLOTS[kind] else ():
        if isinstance(block, Paragraph) or (isinstance(block, Chart) and block.key == _PLOTS[kind]):
            yield block


def _listed(levels: dict[str, int]) -> str:
    return ", ".join(f"{name} {level}" for name, level in levels.items())
