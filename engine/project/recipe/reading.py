"""A parsed recipe as a project: keys and names are checked, and every error names the file."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

from engine.errors import ExportError, InputError, ParameterError, RecipeError
from engine.frequency.population import why_no_weights
from engine.hierarchies.builders.base import HierarchyBuilder, builders
from engine.hierarchies.hierarchy import Hierarchy
from engine.monitor import Monitor
from engine.params import ColumnRef, describe
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.base import privacy_models
from engine.privacy.earlier import Earlier
from engine.privacy.sampling import WHOLE, largest_beta
from engine.project.answers import Answers
from engine.project.attack_settings import AttackSettings
from engine.project.deciding import OTHERS, REFUSE, WITHHOLD, with_others
from engine.project.edits import why_no_person, why_not_of_survey
from engine.project.population import Population, options_beside, with_people, without_other_columns
from engine.project.project import AttributeHierarchy, Project, SearchSettings, frozen
from engine.project.recipe.data import read_data_options, read_data_path
from engine.project.recipe.plugins import check_plugins
from engine.project.recipe.section import BESIDE, BESIDE_BUILDERS, FORMAT, KEYS, Section, check_column
from engine.project.recipe.settings import read_member, read_members, read_settings
from engine.project.statement import StatementAnswers
from engine.project.subset import Subset, records_of
from engine.recoding import RecodingMethod, Transformation, recoding_methods
from engine.recoding.aggregation import aggregate_functions
from engine.recoding.rules import column_rules
from engine.records import Column, Role, Table
from engine.records.options import ExportOptions, ReadOptions
from engine.words import _

T = TypeVar("T")

_RULES = ("identifiers", "rules")  # of identifying columns, and of the others


class Origin(Protocol):
    """Source of the table and the hierarchies that a recipe names.

    Attributes
    ----------
    judges_choices : bool
        Whether a subset or a population that does not fit the table is refused. Those that the program stored
        itself are not: edits of the table can cause this, and compiling reports it.
    """

    judges_choices: ClassVar[bool]

    def table(self, path: str, options: ReadOptions, monitor: Monitor) -> tuple[Table, ReadOptions]:
        """Return the table and the options with everything detected filled in."""

    def other_table(
        self, path: str, options: ReadOptions, monitor: Monitor
    ) -> tuple[Table, ReadOptions, Path | None]:
        """Return an additional table, its options with everything detected, and its path."""

    def from_file(self, column: Column, path: str) -> AttributeHierarchy:
        """Return the hierarchy in a file."""

    def from_builder(self, column: Column, builder: HierarchyBuilder, table: Table) -> AttributeHierarchy:
        """Return the hierarchy that a builder makes of a column of the table."""


def parse(text: str, file: str) -> Section:
    """Parse the text of a recipe and check its keys, before any file that it names is read.

    Raises
    ------
    RecipeError
        It is not TOML, has a newer format, contains an unknown key, or needs a plug-in that is missing.
    """
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also for a number of thousands of digits
        raise RecipeError(
            _("'{file}' is not a valid TOML file: {error}.").format(file=file, error=error),
            hint=_("Check that line: texts need quotation marks, and a key may occur only once."),
            file=file,
        ) from None
    recipe = _renamed(Section(file, "", values))
    version = recipe.get("format", int, FORMAT)
    if version > FORMAT:
        raise recipe.error(
            _("it has format {version}, but this version supports formats up to {limit}.").format(
                version=version, limit=FORMAT
            ),
            _("Open it with a newer version of the program."),
            "format",
        )
    if version < 1:
        raise recipe.wrong("format", _("a whole number of at least 1"))
    recipe.check_keys(KEYS[""])
    for name in KEYS:
        if name:
            recipe.section(name)
    check_plugins(recipe)
    return recipe


def build(recipe: Section, name: str, origin: Origin, monitor: Monitor) -> Project:
    """Fetch everything that a parsed recipe names, and build the project."""
    transformation, limits = _transformation(recipe)
    export = _export(recipe.section("release"))
    search = SearchSettings(**read_settings(recipe.section("search"), SearchSettings)[0])
    recoding = _recoding(recipe)
    answers = Answers(**read_settings(recipe.section("questionnaire"), Answers)[0])
    statement = StatementAnswers(**read_settings(recipe.section("statement"), StatementAnswers)[0])
    aggregates = read_members(recipe.section("microaggregation"), aggregate_functions, "function")
    models = tuple(_models(recipe))
    data = recipe.section("data")
    table, options = origin.table(read_data_path(data), read_data_options(data), monitor)
    for model, where in models:
        for column in (*model.columns, *getattr(model, "known", ())):
            check_column(recipe, column, table, where)
    for where, columns in (
        ("[questionnaire] known", answers.known),
        ("[statement] replicability", statement.replicability),
        ("[search.weights]", search.weights),
        ("[identifiers]", transformation.identifiers),
        ("[rules]", transformation.rules),
    ):
        for column in columns:
            check_column(recipe, column, table, where)
    roles, order, target = _roles(recipe, table)
    person = _person(recipe, table, roles)
    weight, household = (_of_survey(recipe, table, roles, key) for key in ("weight", "household"))
    transformation = _placed_rules(recipe, transformation, roles)
    for column in aggregates:
        check_column(recipe, column, table, "[microaggregation]")
        if column not in order:
            raise recipe.error(
                _("[microaggregation]: '{column}' is not quasi-identifying.").format(column=column),
                _("Add it to quasi_identifying under [roles], or remove its table."),
                column,
            )
    population = _population(recipe, table, options, origin, monitor)
    subset = _subset(recipe, table, options, origin, monitor)
    project = Project(
        name=name,
        source=None,
        options=options,
        table=table,
        roles=frozen(roles),
        qi_order=order,
        target=target,
        person=person,
        weight=weight,
        household=household,
        hierarchies=frozen(_hierarchies(recipe, table, population, origin, monitor)),
        requirement=replace(
            limits, models=tuple(model for model, _unused in models), earlier=_earlier(recipe)
        ),
        transformation=transformation,
        export=export,
        search=search,
        recoding=recoding,
        microaggregation=frozen(aggregates),
        others_as_qi=recipe.section("sensitive").get("others_as_qi", bool, False),
        population=population,
        subset=subset,
        answers=answers,
        attack_test=_attack_test(recipe, table),
        statement=statement,
    )
    return with_others(project, _others(recipe, project))


def _roles(recipe: Section, table: Table) -> tuple[dict[str, Role], tuple[str, ...], str | None]:
    section = recipe.section("roles")
    named: dict[str, Role] = {}
    for role in Role:
        for column in section.texts(role.value.replace("-", "_")):
            check_column(recipe, column, table, section.title)
            if column in named:
                if named[column] is role:
                    problem = _("[roles]: '{column}' is listed twice as {role}.")
                else:
                    problem = _("[roles]: '{column}' is listed as {first} and as {role}.")
                raise section.error(
                    problem.format(column=column, first=named[column].value, role=role.value),
                    _("List every column once."),
                    column,
                )
            named[column] = role
    target = section.get("target", str, None)
    if target is not None:
        check_column(recipe, target, table, section.title)
    order = tuple(column for column, role in named.items() if role is Role.QUASI_IDENTIFYING)
    return named, order, target


def _others(recipe: Section, project: Project) -> str:
    """Return the rule for the columns that a recipe does not name."""
    section = recipe.section("roles")
    others = section.one_of("others", _("rule for other columns"), OTHERS, REFUSE)
    if others == WITHHOLD and project.target in project.undecided:
        raise section.error(
            _("[roles]: the target '{target}' has no role, so others = \"{withhold}\" excludes it.").format(
                target=project.target, withhold=WITHHOLD
            ),
            _("Add it to one of the roles."),
            "target",
        )
    return others


def _single(recipe: Section, table: Table, key: str, why_not: Callable[[str], str], hint: str) -> str | None:
    """Return the column of a key of [roles] that names one, if `why_not` finds nothing against it."""
    section = recipe.section("roles")
    column: str | None = section.get(key, str, None)
    if column is None:
        return None
    check_column(recipe, column, table, f"{section.title} {key}")
    if problem := why_not(column):
        text = _("[roles] {key}: {problem}").format(key=key, problem=problem)
        raise section.error(text, hint, column)
    return column


def _person(recipe: Section, table: Table, roles: Mapping[str, Role]) -> str | None:
    hint = _("Add it to identifying too. Its rule determines how it is released.")
    return _single(recipe, table, "person", lambda name: why_no_person(name, roles.get(name)), hint)


def _of_survey(recipe: Section, table: Table, roles: dict[str, Role], key: str) -> str | None:
    """Return the column of weights or of households; one without a role becomes identifying in `roles`."""

    def why_not(name: str) -> str:
        problem = why_not_of_survey(name, roles.setdefault(name, Role.IDENTIFYING))
        if not problem and key == "weight" and not table.column(name).data_type.is_numeric:
            problem = why_no_weights(table.column(name))
        return problem

    return _single(recipe, table, key, why_not, _("Add it to insensitive or identifying."))


def _hierarchies(
    recipe: Section, table: Table, population: Population | None, origin: Origin, monitor: Monitor
) -> dict[str, AttributeHierarchy]:
    section = recipe.section("hierarchies")
    found = {}
    for number, column in enumerate(section.values):
        check_column(recipe, column, table, "[hierarchies]")
        monitor.step(
            number, len(section.values), _("Preparing the hierarchy of {column}").format(column=column)
        )
        entry = Section(recipe.file, f'hierarchies."{column}"', section.get(column, dict, {}))
        found[column] = _hierarchy(entry, column, table, population, origin)
    return found


def _hierarchy(
    entry: Section, name: str, table: Table, population: Population | None, origin: Origin
) -> AttributeHierarchy:
    bounds = (
        entry.count("min_level", 0),
        entry.count("max_level", 0) if "max_level" in entry.values else None,
    )
    if "builder" in entry.values:
        given = {key: value for key, value in entry.values.items() if key not in BESIDE_BUILDERS}
        builder = read_member(Section(entry.file, entry.name, given), builders, "builder")
        for other in builder.looks_at:
            check_column(entry, other, table, f"{entry.title} ({builder.key})")
        try:
            built = origin.from_builder(with_people(table.column(name), population), builder, table)
        except ParameterError as error:
            raise entry.error(f"{entry.title} ({builder.key}): {error.problem}", error.hint) from None
        return AttributeHierarchy(_named(built.hierarchy, entry), None, built.builder, *bounds)
    entry.check_keys(("path", "builder", *BESIDE_BUILDERS))
    path = entry.get("path", str, "")
    if not path:
        raise entry.error(
            _("{title} has neither a path nor a builder.").format(title=entry.title),
            _('Add path = "{name}.csv", or a builder: {builders}.').format(
                name=name, builders=", ".join(builders)
            ),
            "path",
        )
    from_file = origin.from_file(table.column(name), path)
    return AttributeHierarchy(_named(from_file.hierarchy, entry), from_file.path, None, *bounds)


def _named(hierarchy: Hierarchy, entry: Section) -> Hierarchy:
    """Name the levels; a column's next table may have fewer, so that surplus names are passed over."""
    if "level_names" not in entry.values:
        return hierarchy
    return hierarchy.with_level_names(entry.texts("level_names"))


def _models(recipe: Section) -> list[tuple[PrivacyModel, str]]:
    models = []
    for number, values in enumerate(recipe.get("privacy", list, []), start=1):
        section = Section(recipe.file, "privacy", values if isinstance(values, dict) else {})
        where = _("[[privacy]] number {n}").format(n=number)
        model = read_member(section, privacy_models, "model", where)
        for descriptor in describe(type(model)):
            if not isinstance(descriptor, ColumnRef) or descriptor.may_be_empty:
                continue
            if not section.values.get(descriptor.name):
                raise recipe.error(
                    _("{where} ({key}) needs a {role} column.").format(
                        where=where, key=model.key, role=descriptor.role
                    ),
                    _('Add {key} = "...".').format(key=descriptor.name),
                    descriptor.name,
                )
        models.append((model, where))
    return models


def _earlier(recipe: Section) -> Earlier | None:
    """Read [[earlier]], the ledger of the table; None if the recipe has none."""
    tables = recipe.get("earlier", list, [])
    if not tables:
        return None
    entry = Section(recipe.file, "earlier", tables[0] if isinstance(tables[0], dict) else {})
    (values,) = read_settings(entry, Earlier)
    if len(tables) > 1 or "path" not in values:
        raise recipe.error(
            _("[[earlier]] must name one ledger."),
            _('Keep one [[earlier]] with path = "releases.ledger".'),
            "earlier",
        )
    return Earlier(**values)


def read_requirement(section: Section) -> Requirement:
    """Return a `privacy` list and the limits next to it; raise `RecipeError` if it cannot be read."""
    known = {setting.stored for setting in describe(Requirement)}
    limits = Section(section.file, section.name, {k: v for k, v in section.values.items() if k in known})
    (given,) = read_settings(limits, Requirement)
    models = tuple(model for model, _unused in _models(section))
    return Requirement(models, **{"suppression_limit": 0.0, **given})


def _transformation(recipe: Section) -> tuple[Transformation, Requirement]:
    """Return how a node becomes a release, and the suppression limits, which are in the same table."""
    limits, chosen = read_settings(recipe.section("transformation"), Requirement, Transformation)
    own, rules = (read_members(recipe.section(name), column_rules, "rule") for name in _RULES)
    return Transformation(**chosen, identifiers=frozen(own), rules=frozen(rules)), Requirement(**limits)


def _export(section: Section) -> ExportOptions:
    """Return how a release is written to a file."""
    export = ExportOptions(**read_settings(section, ExportOptions)[0])
    try:
        export.refuse_impossible()
    except ExportError as error:
        raise section.error(f"{section.title}: {error.problem}", error.hint) from None
    return export


def _placed_rules(
    recipe: Section, transformation: Transformation, roles: Mapping[str, Role]
) -> Transformation:
    """Return the transformation with each rule where its role has it; [rules] may name any of them.

    Raises
    ------
    RecipeError
        A rule is of a quasi-identifying column, or both tables have a rule for a column.
    """
    own, rules = dict(transformation.identifiers), dict(transformation.rules)
    for column, rule in transformation.rules.items():
        if roles.get(column) is Role.QUASI_IDENTIFYING:
            raise recipe.error(
                _(
                    "[rules]: '{column}' is quasi-identifying, so its hierarchy determines how it is "
                    "released."
                ).format(column=column),
                _("Remove its rule, or give it another role."),
                column,
            )
        if roles.get(column) is Role.IDENTIFYING:
            if own.setdefault(column, rule) != rule:
                raise recipe.error(
                    _("[rules]: '{column}' has another rule in [identifiers].").format(column=column),
                    _("Keep one of them."),
                    column,
                )
            del rules[column]
    return replace(transformation, identifiers=frozen(own), rules=frozen(rules))


def _attack_test(recipe: Section, table: Table) -> AttackSettings | None:
    if "attack_test" not in recipe.values:
        return None
    section = recipe.section("attack_test")
    settings = AttackSettings(**read_settings(section, AttackSettings)[0])
    for column in settings.named_columns:
        check_column(recipe, column, table, section.title)
    return settings


def _recoding(recipe: Section) -> RecodingMethod | None:
    section = recipe.section("recoding")
    method = section.get("method", str, "none")
    if method == "none":
        section.check_keys(("method",))
        return None
    section.check_member(method, recoding_methods, "method")
    section.check_keys(("method", *(descriptor.name for descriptor in describe(recoding_methods[method]))))
    return read_member(section, recoding_methods, "method")


_LEAST_SHARE = 0.01  # of the largest probability of drawing a record

# By table: the model of [[privacy]] that it is, and its parameters that have another name in it.
MODEL_TABLES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "attackers": ("known_columns", {"name": "attacker", "columns": "known"}),
    "attackers_any": ("any_columns", {"columns": "m"}),
    "differential_privacy": ("differential_privacy", {}),
}
OF_SEARCH = "payout"  # table of [search] whose keys are parameters of this metric


def _renamed(recipe: Section) -> Section:
    """Return a recipe with its tables and keys by the names under which they are declared.

    Raises
    ------
    RecipeError
        A table is not of the expected kind, or a value is given under both names.
    """
    values = dict(recipe.values)
    models = [model for name in MODEL_TABLES if name in values for model in _renamed_models(recipe, name)]
    if models:
        values["privacy"] = [*recipe.get("privacy", list, []), *models]
    if OF_SEARCH in (search := recipe.get("search", dict, {})):
        inner = Section(recipe.file, "search", search)
        sums = inner.get(OF_SEARCH, dict, {})
        for key in sums:
            if key in search:
                raise inner.error(
                    _("[search]: '{key}' is also in [search.payout].").format(key=key),
                    _("Keep one of them."),
                    key,
                )
        others = {key: value for key, value in search.items() if key != OF_SEARCH}
        values["search"] = {"metric": OF_SEARCH, **others, **sums}
    return Section(recipe.file, "", {key: value for key, value in values.items() if key not in MODEL_TABLES})


def _renamed_models(recipe: Section, name: str) -> list[dict[str, Any]]:
    """Return the models that a table means."""
    key, parameters = MODEL_TABLES[name]
    tables = recipe.get(name, list, []) if name == "attackers" else [recipe.get(name, dict, {})]
    found = []
    for table in tables:
        entry = Section(recipe.file, name, table if isinstance(table, dict) else {})
        own = {parameters.get(word, word): value for word, value in entry.values.items()}
        if "beta" in own:
            own["share"] = _share(entry)
            del own["beta"]
        sensitive = recipe.section("roles").texts("sensitive")
        if "confidence" in own and "column" not in own and len(sensitive) == 1:
            own["column"] = sensitive[0]
        found.append({"model": key, **own})
    return found


def _share(entry: Section) -> float:
    """Return the probability of drawing a record as a share of the largest one."""
    most = largest_beta(max(entry.get("epsilon", float, 1.0), 0.001))
    share: float = entry.get("beta", float, most) / most
    if not _LEAST_SHARE <= share <= 1 + WHOLE:
        rule = _("a number from {least:.4g} to {most:.6g}, which is 1 - exp(-epsilon)")
        raise entry.wrong("beta", rule.format(least=_LEAST_SHARE * most, most=most))
    return min(share, 1.0)


WAYS = {
    "population": ("size", "sampling_fraction", "path"),
    "subset": ("filter", "path", "fraction", "size"),
}


def _population(
    recipe: Section, table: Table, options: ReadOptions, origin: Origin, monitor: Monitor
) -> Population | None:
    """Read [population]; None if the recipe has none.

    Parameters
    ----------
    table : Table
        The records.
    options : ReadOptions
        How they were read: missing tokens, trimming and decimal mark apply to the population table too.

    Raises
    ------
    RecipeError
        It gives none or several of size, fraction and path, or an invalid value; or there is a subset too.
    TableError
        The population table cannot be read.
    """
    section = recipe.section("population")
    if not section.values:
        return None
    if recipe.section("subset").values:
        raise section.error(
            _(
                "[population] and [subset] exclude each other: for a subset, the complete table "
                "is the population."
            ),
            _("Use only one of the two."),
            "population",
        )
    way = _way(section)
    if way == "path":
        how = _options(section, options)
        people, found, path = origin.other_table(section.get("path", str, ""), how, monitor)
        if origin.judges_choices:
            people = _checked(section, lambda: without_other_columns(people, table))
        return _checked(section, lambda: Population(table=people, path=path, options=found))
    size, fraction = section.get("size", int, None), section.get("sampling_fraction", float, None)
    return _checked(section, lambda: Population(size, fraction))


def _subset(
    recipe: Section, table: Table, options: ReadOptions, origin: Origin, monitor: Monitor
) -> Subset | None:
    """Read [subset]; None if the recipe has none. Parameters and errors as `_population`."""
    section = recipe.section("subset")
    if not section.values:
        return None
    way = _way(section)
    if "seed" in section.values and way not in ("fraction", "size"):
        raise section.error(
            _("[subset]: 'seed' is only used for a random sample."),
            _("Remove it, or give a fraction or a size instead."),
            "seed",
        )
    if way == "path":
        how = _options(section, options)
        rows, found, path = origin.other_table(section.get("path", str, ""), how, monitor)
        subset = Subset(rows=rows, path=path, options=found)
    else:
        subset = _checked(
            section,
            lambda: Subset(
                section.get("filter", str, ""),
                fraction=section.get("fraction", float, None),
                size=section.get("size", int, None),
                seed=section.count("seed", 0),
            ),
        )
    if origin.judges_choices:
        _checked(section, lambda: records_of(subset, table))
    return subset


def _way(section: Section) -> str:
    ways = WAYS[section.name]
    given = [way for way in ways if way in section.values]
    if len(given) != 1:
        problem = (
            _("{title}: {keys} exclude each other.") if given else _("{title}: none of {known} is given.")
        )
        raise section.error(
            problem.format(title=section.title, keys=", ".join(given), known=", ".join(ways)),
            _("Give exactly one of {keys}.").format(keys=", ".join(ways)),
            given[1] if given else ways[0],
        )
    if given[0] != "path":
        for key in BESIDE:
            if key in section.values:
                raise section.error(
                    _("{title}: '{key}' is only used with a path.").format(title=section.title, key=key),
                    _("Remove it."),
                    key,
                )
    elif not section.get("path", str, ""):
        raise section.wrong("path", _("the path of a table"))
    return given[0]


def _options(section: Section, options: ReadOptions) -> ReadOptions:
    known = [setting for setting in describe(ReadOptions) if setting.stored in BESIDE]
    given = {d.name: section.checked(d) for d in known if d.stored in section.values}
    return replace(options_beside(options), **given)


def _checked(section: Section, make: Callable[[], T]) -> T:
    try:
        return make()
    except RecipeError:
        raise
    except InputError as error:
        raise section.error(f"{section.title}: {error.problem}", error.hint) from None
