"""Differential privacy: its parameters, their scope, and for the owner the sample."""

from __future__ import annotations

from collections.abc import Iterator

from engine.findings.blocks import Block, Fact, Facts, Paragraph
from engine.monitor import SILENT, Monitor
from engine.privacy.differential_privacy import DifferentialPrivacy
from engine.project.trade_off import complete_problem, expected_records
from engine.report.sections.material import ReportedRelease
from engine.words import _


def blocks(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the guarantee by sampling."""
    model = material.release.requirement.sampling
    if model is None:
        return
    yield Paragraph(model.summary)
    yield Paragraph(model.covers, "strong")
    yield Facts("differential_privacy", "", tuple(_parameters(material, model)))
    yield Paragraph(
        _(
            "Each record was drawn independently with probability β. The drawn records were "
            "generalized, and classes of fewer than k of them suppressed. The file has only the "
            "kept records. The guarantee compares tables that differ in one record."
        )
    )
    yield Paragraph(_("Every further release of the same table adds its ε and δ to those of this release."))
    if material.verification is not None:
        yield from (Paragraph(words, "note") for words in material.verification.verdict.unchecked)
    if not material.settings.is_public:
        yield from _of_owner(material)


def _parameters(material: ReportedRelease, model: DifferentialPrivacy) -> Iterator[Fact]:
    yield Fact("epsilon", "ε", model.epsilon)
    yield Fact("delta", "δ", model.delta)
    yield Fact("beta", "β", model.beta, explanation=_("Probability that a record is drawn."))
    yield Fact(
        "k",
        "k",
        material.release.requirement.k,
        explanation=_("Smallest number of drawn records in a class that is kept."),
    )
    declared = model.node_words if model.is_node_fixed else _("chosen on the lattice")
    yield Fact("node", _("Node"), declared)
    found = material.verification
    if found is None:
        words = _("no: not yet written to a file")
    else:
        words = _("yes, from the written file") if found.verdict.ok else _("no")
    yield Fact("verified", _("Verified"), words)


def _of_owner(material: ReportedRelease) -> Iterator[Block]:
    """Yield numbers of the data, which the guarantee does not cover."""
    release, project = material.release, material.project
    yield Paragraph(
        _("The following numbers are not covered by the guarantee. Do not publish them."), "strong"
    )
    facts = [
        Fact("table_records", _("Records of the whole table"), project.table.n_records, "records"),
        Fact("drawn", _("Drawn"), release.n_records, "records"),
        Fact("suppressed_of_drawn", _("Suppressed of the drawn records"), release.n_suppressed, "records"),
        Fact("kept", _("Kept"), release.n_records - release.n_suppressed, "records"),
    ]
    if release.node is not None:
        expected = expected_records(complete_problem(project), release.node, release.requirement)
        facts.append(Fact("expected_kept", _("Expected to be kept, before drawing"), expected, "records"))
    yield Facts("drawn", "", tuple(facts))
    yield Paragraph(
        _(
            "The secret of the draw is in the project file only. It shows which records were drawn: keep the "
            "project file as confidential as the table."
        )
    )
