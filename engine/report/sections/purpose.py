"""What a report is for, what its readers may see, how to make it again, and who signs it."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping

from engine.findings.blocks import Block, Fact, Facts, Paragraph, Source
from engine.findings.format_value import format_value
from engine.findings.settings import ReportSettings
from engine.monitor import SILENT, Monitor
from engine.plugins import titled
from engine.project.recipe.files import own_files, recipe_text
from engine.project.recipe.plugins import plugins_of, plugins_of_file
from engine.project.storage.file import hierarchy_text
from engine.report.sections.material import ReportedRelease, ReportInput
from engine.shipped import program_name
from engine.words import N_, _

NOT_GIVEN = N_("not given")


def blocks(material: ReportInput, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield who may read the report, and what it therefore contains."""
    settings = material.settings
    audience = _("everyone") if settings.is_public else _("readers who may see the input")
    yield Facts("audience", "", (Fact("audience", _("Audience"), audience),))
    yield Paragraph(_readable(material, settings), "note")


def _readable(material: ReportInput, settings: ReportSettings) -> str:
    if material.hides_data:
        return _("This report describes settings only: no number of it was computed from the data.")
    if not settings.is_public:
        return _(
            "This report contains values of the input, small groups and the recipe. It is as "
            "confidential as the input itself; a public report can be written instead."
        )
    words = _(
        "Counts of fewer than {threshold} people are withheld, as is anything from which they could be "
        "derived: a count is also withheld if the rest of a known total is that small, and "
        "so is a share of such a total. Distributions are shown in groups merged until each "
        "has that many records. Values computed from all records are rounded to a step of at "
        "least {threshold} records, and to three digits. This report contains no value of "
        "the data, no single record or class, and no recipe."
    ).format(threshold=settings.threshold)
    if material.disclosure.hides_kept:
        few = _(
            "Because fewer than {threshold} records are suppressed, or kept, this report shows only the "
            "smallest class and the values of the models. Average risks, records at risk, utility and the "
            "rest are withheld."
        ).format(threshold=settings.threshold)
        return f"{words} {few}"
    return words


_MOST_LINES = 2000  # of a hierarchy


def reproduction(material: ReportInput, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield program and recipe."""
    if isinstance(material, ReportedRelease):
        yield from _of_release(material)
        return
    yield Facts("program", "", _code(plugins_of_file(material.mark.name)))
    yield Source("command", _("Command"), material.command)


def _of_release(material: ReportedRelease) -> Iterator[Block]:
    is_drawn = material.release.requirement.sampling is not None
    code = code_of(material)
    if material.settings.is_public:
        yield Facts("program", "", code)
        words = _(
            "The recipe is in the internal report: with it, this version of the program and the "
            "same table, anyone who may see the table gets the same release, byte by byte."
        )
        if is_drawn:
            words = _("The records were drawn with a secret. Only its owner can make the same release again.")
        yield Paragraph(words)
        return
    words = _(
        "With this recipe, the same table and this version of the program, the command "
        "'anonymizer anonymize RECIPE --out FILE{material}' gives the same release, byte by "
        "byte. Paths are relative to the folder of the recipe."
    ).format(material=_node(material))
    text = recipe_text(material.project, material.folder.absolute())
    if is_drawn:
        words = _(
            "The recipe does not contain the secret by which records were drawn: a command with it draws "
            "other records. The project file makes the same release again, as does a command with the "
            "same file after --sampling-key. Paths are relative to the folder of the recipe."
        )
    facts = (*code, Fact("python", _("Python"), platform.python_version()))
    yield Facts("program", "", facts)
    yield Paragraph(words)
    yield Source("recipe", _("Recipe"), text)
    yield from _own_hierarchies(material)


def _own_hierarchies(material: ReportedRelease) -> Iterator[Block]:
    """Hierarchies edited by hand, whose files the recipe names before an export writes them."""
    for name, file in own_files(material.project).items():
        if name not in material.subject.quasi_identifying:
            continue
        text = hierarchy_text(material.project.hierarchies[name].hierarchy).decode("utf-8")
        lines = text.split("\n")
        title = _("Hierarchy of '{name}', files/{file} of the recipe").format(name=name, file=file)
        yield Source(f"hierarchy.{name}", title, "\n".join(lines[:_MOST_LINES]))
        if len(lines) > _MOST_LINES:
            more = format_value(len(lines) - _MOST_LINES)
            yield Paragraph(
                _("And {more} further lines; an export with hierarchies writes them.").format(more=more),
                "note",
            )


def code_of(material: ReportedRelease) -> tuple[Fact, ...]:
    """Return the program and the plug-ins of a release."""
    return _code(plugins_of(material.project))


def _code(packages: Mapping[str, str]) -> tuple[Fact, ...]:
    """Return the program and the plug-ins that take part, each with its version."""
    facts = (Fact("program", _("Program"), program_name()),)
    if not packages:
        return facts
    listed = ", ".join(titled(*package) for package in packages.items())
    return (*facts, Fact("plugins", _("Plug-ins"), listed))


def _node(material: ReportedRelease) -> str:
    """Return the option that names the node if the user chose it."""
    if material.search is None or material.search.given is None:
        given = None if material.search is not None else material.release.node
    else:
        given = material.search.given
    if given is None or material.release.method:
        return ""
    return f" --node {','.join(map(str, given))}"
