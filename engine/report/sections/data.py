"""Data of the report: records, columns, their types, missing values and roles."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from engine.advice.spellings import given_spelling_notes, spelling_notes
from engine.findings.blocks import Block, Fact, Facts, Figure, FigureColumn, FigureTable, Paragraph
from engine.findings.disclosure import WITHHELD
from engine.findings.format_value import format_value
from engine.findings.given_facts import NOT_COUNTED
from engine.monitor import SILENT, Monitor
from engine.project import Project
from engine.project.deciding import WITHHOLD, by_recipe
from engine.qi_detection.suggest import RoleSuggestion, suggest_roles
from engine.recoding.ruled import rule_of
from engine.recoding.transformation import RULED
from engine.records import Decider, Role, Table, role_word
from engine.report.sections.material import FileMark, ReportedFile, ReportedRelease, ReportInput
from engine.words import N_, _, ngettext


def blocks(material: ReportInput, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield records and columns."""
    if isinstance(material, ReportedRelease):
        table, further = material.project.records, _of_release(material)
        hidden = [name for name in table.names if material.project.role(name) in RULED]
        hidden = hidden if material.hides_totals else []
        n_records, title = table.n_records, _("Records of the input")
    else:
        table, further, hidden = material.given.table, _of_file(material), []
        n_records, title = material.given.n_records, _("Records")
    facts = (
        Fact("records", title, n_records, "records"),
        Fact("columns", _("Columns"), len(table.columns), "columns"),
        *further,
    )
    yield Facts("data", "", facts)
    yield _columns(table, hidden)


def _of_release(material: ReportedRelease) -> Iterator[Fact]:
    project, disclosure, n_records = material.project, material.disclosure, material.project.records.n_records
    if project.subset is not None:
        yield Fact(
            "table_records",
            _("Records of the whole table"),
            disclosure.total(project.table.n_records, n_records),
            "records",
            _("Only a subset of the table is released; its other records are not in this report."),
        )
    if not material.settings.is_public:
        yield from _source(material)
    if (people := material.release.problem.people) is not None:
        yield Fact(
            "population",
            _("Population"),
            disclosure.total(round(people.size), n_records),
            "people",
            _("As given; journalist risk and risk in the population are based on it."),
        )


def _of_file(material: ReportedFile) -> Iterator[Fact]:
    given, disclosure = material.given, material.disclosure
    yield from file_facts("file", _("Assessed file"), material.mark)
    if given.n_suppressed:
        what = (
            _("Only * in the quasi-identifying columns; excluded from all values.")
            if material.leaves_out_suppressed
            else _("Only * in the quasi-identifying columns; counted as one class.")
        )
        yield Fact(
            "stars", _("Suppressed records"), given.n_suppressed, "records", what, total=given.n_records
        )
    if given.n_blank:
        yield Fact("blank_rows", _("Blank rows"), given.n_blank, "records", _(NOT_COUNTED))
    if material.raw is not None:
        total = disclosure.total(material.raw.n_records, given.n_records)
        yield Fact("raw_records", _("Records of the original"), total, "records")
        if material.raw_mark is not None and not material.settings.is_public:
            yield from file_facts("original", _("Original"), material.raw_mark)


def file_facts(key: str, title: str, mark: FileMark) -> list[Fact]:
    """By what a file is known again; a folder on a cluster, or a table of a database, by its place."""
    if not mark.sha256:
        words = _("A table of a database, or a folder that a cluster wrote, which has no checksum.")
        return [Fact(f"{key}_name", title, mark.name, explanation=words)]
    return [
        Fact(
            f"{key}_name",
            title,
            mark.name,
            explanation=_("Identified by its SHA-256 checksum: any other file has a different one."),
        ),
        Fact(f"{key}_size", _("Size"), mark.size, "bytes"),
        Fact(f"{key}_sha256", "SHA-256", mark.sha256),
    ]


def _source(material: ReportedRelease) -> list[Fact]:
    project = material.project
    if project.database:
        return [Fact("source", _("Read from"), project.database)]
    if project.stored is not None and len(project.stored.paths) > 1:
        name = project.name if project.source is None else project.source.name
        return [
            Fact("source", _("Read from"), name),
            Fact("source_files", _("Files"), len(project.stored.paths)),
            Fact("source_size", _("Size"), sum(size for size, _time in project.stored.state), "bytes"),
        ]
    if project.source is None:
        return [Fact("source", _("Read from"), _("the project file"))]
    if not project.source.exists():
        return [Fact("source", _("Read from"), project.source.name, explanation=_("It no longer exists."))]
    return file_facts("source", _("Read from"), FileMark.of(project.source))


def _columns(table: Table, hidden: Collection[str]) -> FigureTable:
    """Return the columns; `hidden` are those whose missing values must not be counted."""
    columns = (
        FigureColumn("column", _("Column")),
        FigureColumn("type", _("Type")),
        FigureColumn(
            "missing", _("Missing"), "records", _("Records without a value."), total=table.n_records
        ),
        FigureColumn(
            "distinct",
            _("Distinct"),
            "values",
            _("Distinct values, without missing ones."),
            is_internal=True,
        ),
    )
    rows: list[tuple[Figure, ...]] = []
    for column in table.columns:
        missing = int(column.counts[-1]) if column.has_missing else 0
        counted = WITHHELD if column.name in hidden else missing
        rows.append((column.name, _(column.data_type.kind.value), counted, column.n_values))
    return FigureTable("columns", _("Columns"), columns, rows)


MEANINGS = {
    Role.IDENTIFYING: N_("Identifies a person directly; its rule defines what replaces the values."),
    Role.QUASI_IDENTIFYING: N_("Outsiders can know it; it is generalized."),
    Role.SENSITIVE: N_(
        "Must not be learned about a person; it is released unchanged, protected by the classes."
    ),
    Role.INSENSITIVE: N_("Neither known to outsiders nor sensitive; it is released unchanged."),
}
_BY_RULE = {
    Role.SENSITIVE: N_(
        "Must not be learned about a person; it is released by a rule, protected by the classes as released."
    ),
    Role.INSENSITIVE: N_("Neither known to outsiders nor sensitive; it is released by a rule."),
}
_UNPROTECTED = {
    True: N_("Must not be learned about a person; it is released by a rule, and no model protects it."),
    False: N_("Must not be learned about a person; it is released unchanged, and no model protects it."),
}
_DECIDERS = {
    Decider.PERSON: N_("a person"),
    Decider.SUGGESTION: N_("a suggestion, accepted without changes"),
    Decider.OTHERS: N_("the recipe"),
}
_GIVEN = {
    Role.QUASI_IDENTIFYING: N_("Assumed to be known to outsiders."),
    Role.SENSITIVE: N_("Assumed to be something that must not be learned about a person."),
    Role.IDENTIFYING: N_("Its values identify people, who are counted."),
    Role.INSENSITIVE: N_("Not examined."),
}
_ROLES = (
    FigureColumn("column", N_("Column")),
    FigureColumn("role", N_("Role")),
    FigureColumn("meaning", N_("Meaning")),
)
_REASONS = (
    FigureColumn("decided", N_("Decided by")),
    FigureColumn("reason", N_("Reason"), is_internal=True),
)


def roles(material: ReportInput, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield roles with their reasons."""
    if isinstance(material, ReportedFile):
        yield from _of_given(material)
        return
    project, table = material.project, material.project.records
    if by_others := by_recipe(project):
        yield Paragraph(_said_by_recipe(project, by_others), "strong")
    rows: list[tuple[Figure, ...]] = [
        (*_row(project, suggestion.column), _reason(suggestion, project.role(suggestion.column)))
        for suggestion in suggest_roles(table, monitor)
    ]
    yield FigureTable("roles", "", (*_ROLES, *_REASONS), rows)
    if not material.settings.is_public:
        yield from map(Paragraph, spelling_notes(project))
    if project.others_as_qi:
        yield Paragraph(
            _(
                "An attacker on one sensitive column is assumed to know the others: each is measured "
                "among records that are equal in the others too."
            )
        )
    if (persons := material.release.persons) is not None:
        column = persons.persons.column
        words = _("'{column}' identifies the person of each record: classes, models and risks count people.")
        yield Paragraph(words.format(column=column))
    if (target := project.target) is not None:
        words = _("The release should still predict '{target}', its target column.")
        yield Paragraph(words.format(target=target))


def _of_given(material: ReportedFile) -> Iterator[Block]:
    """Yield the roles that a file is assessed with, which no user decided."""
    given = material.given
    roles = dict.fromkeys(given.quasi_identifying, Role.QUASI_IDENTIFYING)
    roles |= dict.fromkeys(given.sensitive, Role.SENSITIVE)
    roles |= dict.fromkeys([given.person] if given.person else [], Role.IDENTIFYING)
    rows = [
        (name, role_word(role), _(_GIVEN[role]))
        for name in given.table.names
        for role in (roles.get(name, Role.INSENSITIVE),)
    ]
    words = _("As given for this report; it does not protect a column that was forgotten.")
    yield FigureTable("roles", "", _ROLES, rows)
    if not material.settings.is_public:
        yield from map(Paragraph, given_spelling_notes(given.table, given.person, given.sensitive))
    yield Paragraph(words, "note")


def _row(project: Project, name: str) -> tuple[Figure, ...]:
    role, decider = project.role(name), project.decider(name)
    if role is None or decider is None:
        return (name, role_word(None), _("Not decided; it is not released."), _("no one"))
    if decider is not Decider.OTHERS:
        by_rule, requirement = role in RULED and rule_of(project, name) is not None, project.requirement
        meaning = (_BY_RULE if by_rule else MEANINGS)[role]
        covered = {column for model in requirement.models for column in model.columns}
        if role is Role.SENSITIVE and name not in covered and requirement.sampling is None:
            meaning = _UNPROTECTED[by_rule]
        return (name, role_word(role), _(meaning), _(_DECIDERS[decider]))
    words = _('the recipe: others = "{others}"').format(others=project.others)
    if role is Role.IDENTIFYING:
        return (name, _("withheld"), _("It is not written."), words)
    if rule_of(project, name) is not None:
        return (name, role_word(role), _("Not examined; it is released by a rule."), words)
    return (name, role_word(role), _("Not examined; it is released unchanged."), words)


def _said_by_recipe(project: Project, names: Sequence[str]) -> str:
    """Say how the columns that the recipe does not name were released, without a choice for each."""
    if project.others == WITHHOLD:
        text = ngettext(
            'The recipe has others = "{others}", so {n} column that it does not name is not written: '
            "{names}. "
            "This column was not decided individually.",
            'The recipe has others = "{others}", so {n} columns that it does not name are not written: '
            "{names}. "
            "These columns were not decided one by one.",
            len(names),
        )
    else:
        text = ngettext(
            'The recipe has others = "{others}", so {n} column that it does not name is released unchanged: '
            "{names}. This column was not decided individually.",
            'The recipe has others = "{others}", so {n} columns that it does not name are released '
            "unchanged: "
            "{names}. These columns were not decided one by one.",
            len(names),
        )
    listed = ", ".join(_("'{name}'").format(name=name) for name in names)
    return text.format(others=project.others, n=format_value(len(names)), names=listed)


def _reason(suggestion: RoleSuggestion, role: Role | None) -> str:
    if suggestion.role is role:
        return _("As suggested ({confidence_word}): {reason}").format(
            confidence_word=_(suggestion.confidence_word), reason=suggestion.reason
        )
    return _("Suggestion: {value} ({confidence_word}): {reason}").format(
        value=role_word(suggestion.role),
        confidence_word=_(suggestion.confidence_word),
        reason=suggestion.reason,
    )
