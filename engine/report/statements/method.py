"""Facts about the method that a project knows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from engine.findings.blocks import Block, Fact, Facts, FigureColumn, FigureTable, Paragraph, Shown
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.project.recipe.files import recipe_text
from engine.recoding.release_status import ReleaseStatus
from engine.recoding.ruled import rule_of
from engine.recoding.rules import ColumnRule
from engine.report.sections import decision, purpose, transformation, verification
from engine.report.sections.material import ReportedRelease
from engine.words import _


def changed(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the remaining detail of each quasi-identifying column."""
    yield transformation.node(material)


def rules(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the rules of identifying and other columns."""
    found: list[Block] = [*transformation.identifying(material), *transformation.ruled(material)]
    n_columns = as_exact_count(len(material.project.records.names))
    words = _("None of the {n} columns is released by a rule of its own.").format(n=n_columns)
    yield from found or [Paragraph(words)]


def codes(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the columns released as codes, and whether a key leads back."""
    project = material.project
    names = ReleaseStatus.of(project, material.release).codes
    found = [(name, rule) for name in names if (rule := rule_of(project, name)) is not None]
    if not found:
        words = _("None of the {n} columns is released as codes, so there is no key.")
        yield Paragraph(words.format(n=as_exact_count(len(project.records.names))))
        return
    columns: Sequence[Shown[tuple[str, ColumnRule]]] = (
        (FigureColumn("column", _("Column")), lambda pair: pair[0]),
        (FigureColumn("rule", _("Rule")), lambda pair: pair[1].title),
        (FigureColumn("key", _("Key")), lambda pair: _key(pair[1])),
        (FigureColumn("unprotected", _("Not protected")), lambda pair: pair[1].unprotected),
    )
    yield FigureTable.of_items("codes", "", columns, found)


def _key(rule: ColumnRule) -> str:
    return _("in a file of its own, which is not released") if rule.paths else _("none: codes are drawn")


def utility(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the detail and the records kept, and the loss of each column."""
    kept = ("detail_kept", "records_kept")
    facts = tuple(fact for fact in decision.figures(material, monitor) if fact.key in kept)
    yield Facts("kept", "", facts)
    yield from decision.changed(material, monitor)


def verified(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the verification record, if a file was verified."""
    if material.verification is not None:
        yield from verification.blocks(material, monitor)


def program(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the program, and the checksum of the recipe that makes the release again."""
    text = recipe_text(material.project, material.folder.absolute()).encode()
    digest = hashlib.sha256(text).hexdigest()
    of_recipe = Fact("recipe_sha256", _("SHA-256 of the recipe"), digest, is_internal=True)
    name = Fact("project", _("Project"), material.project.name)
    yield Facts("program", "", (*purpose.code_of(material), name, of_recipe))
