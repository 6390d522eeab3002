"""Facts about the data and the recipients that a project knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.findings.blocks import Block, Fact, Facts, Figure, FigureColumn, FigureTable, Paragraph
from engine.findings.words import listed, quoted
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.project.answers import QUESTIONS
from engine.records import Role, role_word
from engine.report.sections import data, suppressed
from engine.report.sections.material import ReportedRelease
from engine.report.sections.transformation import used_levels
from engine.words import N_, _, ngettext

_ROLES = {
    Role.IDENTIFYING: (
        N_("Identifying people directly: {columns}."),
        N_("None of the {n} columns identifies people directly."),
    ),
    Role.QUASI_IDENTIFYING: (
        N_("Identifying people in combination: {columns}."),
        N_("None of the {n} columns is quasi-identifying."),
    ),
    Role.SENSITIVE: (N_("Sensitive: {columns}."), N_("None of the {n} columns is sensitive.")),
    Role.INSENSITIVE: (N_("Insensitive: {columns}."), N_("None of the {n} columns is insensitive.")),
}


def table(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the number of records and columns, and the source."""
    yield from (block for block in data.blocks(material, monitor) if isinstance(block, Facts))


def cells(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield type and missing values of each column."""
    yield from (block for block in data.blocks(material, monitor) if isinstance(block, FigureTable))


def of_role(role: Role) -> Callable[[ReportedRelease, Monitor], Iterator[Block]]:
    """Return the fact on the columns of a role."""

    def blocks(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
        names = [column.name for column in material.project.columns_of(role)]
        some, none = _ROLES[role]
        n_columns = as_exact_count(len(material.project.records.names))
        words = _(some).format(columns=listed(quoted(names))) if names else _(none).format(n=n_columns)
        yield Paragraph(words)

    return blocks


def roles(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the columns of each role."""
    for role in _ROLES:
        yield from of_role(role)(material, monitor)


def persons(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield whose records they are."""
    if material.subject.person:
        yield from suppressed.people(material, monitor)
        return
    words = ngettext(
        "The {n} record counts as one person, because no column names persons.",
        "Each of the {n} records counts as a person of its own, because no column names persons.",
        material.project.records.n_records,
    )
    yield Paragraph(words.format(n=as_exact_count(material.project.records.n_records)))


def population(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the size of the reference population, if it is known."""
    people, given = material.release.problem.people, material.project.population
    if people is None:
        return
    n_records = material.project.records.n_records
    size = material.disclosure.total(round(people.size), n_records)
    facts = [Fact("population", _("Reference population"), size, "people")]
    if given is not None and given.sampling_fraction is not None:
        facts.append(Fact("fraction", _("Sampling fraction"), str(given.sampling_fraction), is_internal=True))
    if given is not None and given.path is not None:
        facts.append(Fact("table", _("Read from"), given.path.name, is_internal=True))
    yield Facts("population", "", tuple(facts))


def answered(*keys: str) -> Callable[[ReportedRelease, Monitor], Iterator[Block]]:
    """Return the fact on answers to the questionnaire, without any if no question was answered."""

    def blocks(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
        answers = material.project.answers
        for question in QUESTIONS:
            answer = question.answer(getattr(answers, question.key))
            if question.key in keys and answer is not None:
                yield Paragraph(f"{question.asks} {answer.title}.", basis=answer.effect)
        if "knowledge" in keys and answers.known:
            words = _("Columns that an attacker could know: {columns}.")
            yield Paragraph(words.format(columns=listed(quoted(answers.known))))

    return blocks


def availability(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield for each column whether outsiders are assumed to have it."""
    project, known = material.project, material.project.answers.known
    columns = (
        FigureColumn("column", _("Column")),
        FigureColumn("role", _("Role")),
        FigureColumn("available", _("Available to outsiders")),
    )
    words = {
        Role.IDENTIFYING: _("yes, it names people; its rule replaces the values"),
        Role.QUASI_IDENTIFYING: _("assumed: it is generalized"),
        Role.SENSITIVE: _("assumed not to be"),
        Role.INSENSITIVE: _("assumed not to be"),
    }
    rows: list[tuple[Figure, ...]] = []
    for name in project.records.names:
        role = project.role(name)
        said = _("yes, by the questionnaire") if name in known else words.get(role) if role else None
        rows.append((name, role_word(role), said or _("not decided; it is not released")))
    yield FigureTable("availability", "", columns, rows)


def distinguishability(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield how far each quasi-identifying column tells people apart, before and after."""
    columns = (
        FigureColumn("column", _("Quasi-identifying column")),
        FigureColumn("values", _("Values"), "values", is_internal=True),
        FigureColumn(
            "alone", _("Alone"), "records", _("Records whose value no other record has."), is_internal=True
        ),
        FigureColumn("levels", _("Released levels"), explanation=_("Level 0 has the original values.")),
        FigureColumn("height", _("Highest level")),
    )
    rows: list[tuple[Figure, ...]] = []
    for attribute in material.release.problem.attributes:
        counts = attribute.leaf_counts
        levels = ", ".join(map(str, used_levels(material, attribute.name)))
        n_values, n_alone = int((counts > 0).sum()), int((counts == 1).sum())
        rows.append((attribute.name, n_values, n_alone, levels, attribute.hierarchy.height))
    yield FigureTable("distinguishability", "", columns, rows)
