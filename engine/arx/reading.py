"""An ARX project as a project of this program, with a list of everything that was not taken over."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.arx.archive import MOST_UNPACKED, ArxArchive, damaged, open_arx
from engine.arx.intervals import counts_as_outside, states_alphabet, with_whole_alphabet, with_whole_range
from engine.arx.java_stream import JavaEnum, JavaObject, plain
from engine.arx.measures import (
    BY_CLASS,
    BY_SHARE,
    Measure,
    disagreeing,
    measure_of,
    nodes_of,
    weighs,
    words_of_weights,
)
from engine.arx.models import INCLUSION, arx_words, models_of, suppressing_size
from engine.arx.settings import ArxColumn, ArxSettings, read_settings, sample_of, texts_in_order, type_of
from engine.errors import HierarchyError, InputError, RequirementNotMetError, TableError
from engine.hierarchies import Hierarchy
from engine.hierarchies.files import read_hierarchy
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count, as_general
from engine.pipeline import refuse_impossible
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project.compile import check_metric, compile_problem
from engine.project.deciding import refuse_undecided
from engine.project.edits import set_aggregate, set_column, set_columns, set_population, set_roles, set_subset
from engine.project.population import Population
from engine.project.project import AttributeHierarchy, Project, SearchSettings, frozen
from engine.project.storage.opened_project import Loss, OpenedProject
from engine.project.subset import Subset
from engine.recoding import Transformation, recoding_methods
from engine.recoding.aggregation import aggregate_functions
from engine.recoding.base import refuse_unjudgeable
from engine.recoding.microaggregation import refuse_grouped
from engine.records import DataType, Kind, ReadOptions, Role, retype
from engine.records.opening.files import read
from engine.records.table_files import ARX_HIERARCHY_ENDING, OTHER_HINTS
from engine.scoring.limits import LARGEST_LATTICE
from engine.scratch import scratch_folder
from engine.words import _, ngettext

TABLE = "data/input.csv"
_ROLES = {
    "IDENTIFYING_ATTRIBUTE": Role.IDENTIFYING,
    "QUASI_IDENTIFYING_ATTRIBUTE": Role.QUASI_IDENTIFYING,
    "SENSITIVE_ATTRIBUTE": Role.SENSITIVE,
    "INSENSITIVE_ATTRIBUTE": Role.INSENSITIVE,
}
_AGGREGATES = {
    "Arithmetic mean": "mean",
    "Geometric mean": "geometric_mean",
    "Median": "median",
    "Interval": "interval",
    "Mode": "mode",
    "Set": "set",
}
WESTERN = "cp1252"  # of Windows, where ARX writes no UTF-8
NO_LIMIT, USUAL_SECONDS = (1 << 31) - 1, 30.0  # how ARX states no limit, and its usual one
_MISSING = "NULL"  # in ARX's tables


def read_arx(path: Path | str, monitor: Monitor = SILENT, *, suppresses: bool = False) -> OpenedProject:
    """Read an ARX project.

    Parameters
    ----------
    path : Path or str
        A file with the ending .deid.
    suppresses : bool
        Whether records are suppressed for models of the whole release, as ARX does: k-anonymity is added with
        a class size at which these are met.

    Returns
    -------
    OpenedProject
        The project, whose table is only in memory; its losses are settings without a counterpart here,
        settings that ARX's file does not state, and differences in measurement.

    Raises
    ------
    ProjectFileError
        It is not an ARX project, is damaged, or exceeds a bound.
    TableError
        Its table cannot be read.
    """
    path = Path(path)
    if path.suffix.lower() == ARX_HIERARCHY_ENDING:
        raise InputError(
            _("'{name}' is a hierarchy that only ARX can read.").format(name=path.name),
            hint=_(OTHER_HINTS[ARX_HIERARCHY_ENDING]),
            file=path.name,
        )
    with open_arx(path) as archive:
        settings = read_settings(archive)
        return _Reader(archive, settings, path.stem, monitor, suppresses).read()


@dataclass
class _Reader:
    archive: ArxArchive
    settings: ArxSettings
    stem: str
    monitor: Monitor
    suppresses: bool
    losses: list[Loss] = field(default_factory=list)
    unlike: dict[str, str] = field(default_factory=dict)  # how ARX measures hierarchies, by column
    outside: list[str] = field(default_factory=list)  # those that ARX measured as outside their range

    def read(self) -> OpenedProject:
        """Read everything; the order of the losses is that of ARX's window."""
        project = self._table()
        project = self._types(project)
        project = self._roles(project)
        project = self._hierarchies(project)
        project = self._aggregates(project)
        models, lost = models_of(self.settings)
        self.losses += lost
        measure = measure_of(self.settings)
        project = replace(project, requirement=self._requirement(project, models))
        project = self._ordered(project)
        project = self._search(project, measure)
        project = self._transformation(project)
        project = self._recoding(project)
        project = self._people(project)
        self._measures(project, measure)
        self._others()
        self._refusal(project)
        self._compare(project, measure)
        return OpenedProject(project, losses=tuple(self.losses))

    def _lose(self, what: str, why: str, hint: str = "") -> None:
        self.losses.append(Loss(what, why, hint))

    def _table(self) -> Project:
        options = ReadOptions(
            delimiter=self.settings.delimiter,
            header=True,
            missing=(_MISSING,),
            quote='"',
            decimal=".",
            types={column.name: DataType(Kind.TEXT) for column in self.settings.columns},
        )
        with scratch_folder("arx") as folder:
            place = folder / "input.csv"
            place.write_bytes(self.archive.read(TABLE, MOST_UNPACKED))
            reading = read(place, options, self.monitor, guess=True)
        named = [column.name for column in self.settings.columns]
        if sorted(named) != sorted(reading.table.names):
            raise damaged(self.archive.file, _("its table has other columns than its settings"))
        if reading.encoding_is_guessed:
            self._lose(
                _("Encoding of the table"),
                _("ARX's file does not state it; {encoding} was taken").format(
                    encoding=reading.options.encoding
                ),
                _("Look at letters with accents in the table."),
            )
        return Project(
            name=self.settings.name.strip() or self.stem,
            source=None,
            options=replace(reading.options, guessed=()),
            table=reading.table,
            requirement=Requirement((), 0.0),
        )

    def _types(self, project: Project) -> Project:
        for column in self.settings.columns:
            values = project.table.column(column.name)
            kind = type_of(column, values, self.settings.vocabulary)
            words = " ".join(filter(None, (column.kind, column.form, column.locale)))
            if kind is None:
                self._lose(
                    _("Type of “{column}”").format(column=column.name),
                    _("this program has no type “{words}”").format(words=words),
                    _("The column contains texts; choose a type."),
                )
                continue
            try:
                project = set_column(project, retype(values, kind))
            except TableError as error:
                self._lose(
                    _("Type of “{column}”").format(column=column.name),
                    _("{problem} (ARX: {words})").format(problem=error.problem.rstrip("."), words=words),
                    _("The column contains texts; choose a type."),
                )
        return project

    def _roles(self, project: Project) -> Project:
        targets = [column.name for column in self.settings.columns if column.is_target]
        for column in self.settings.columns:
            role = _ROLES.get(column.role)
            if role is None:
                self._lose(
                    _("Role of “{column}”").format(column=column.name),
                    _("this program has no role “{words}”").format(words=column.role),
                    _("Give the column a role."),
                )
            else:
                project = set_roles(project, (column.name,), role)
        kept = [name for name in targets if project.role(name) is not Role.IDENTIFYING]
        if len(kept) > 1:
            self._lose(
                _("Target variables"),
                _("this program has one target; {columns} were not taken over").format(
                    columns=", ".join(kept[1:])
                ),
            )
        return replace(project, target=kept[0]) if kept else project

    def _hierarchies(self, project: Project) -> Project:
        found: dict[str, AttributeHierarchy] = {}
        with scratch_folder("arx") as folder:
            for number, column in enumerate(self.settings.columns):
                entry = f"input/{column.hierarchy}"
                if not column.hierarchy:
                    continue
                if entry not in self.archive:  # ARX does not store a hierarchy that leaves values unchanged
                    self._lose_hierarchy(column, _("it is not in ARX's file"))
                    continue
                place = folder / f"{number:03d}.csv"
                data = self.archive.read(entry)
                place.write_bytes(data)
                encoding = self._encoding(column.name, data)
                try:
                    hierarchy = read_hierarchy(place, delimiter=self.settings.delimiter, encoding=encoding)
                except HierarchyError as error:
                    problem = error.problem.replace(place.name, entry.rpartition("/")[2])
                    self._lose_hierarchy(column, problem.rstrip("."))
                    continue
                hierarchy = self._measured(column.name, hierarchy)
                found[column.name] = self._bounded(column, AttributeHierarchy(hierarchy))
        return replace(project, hierarchies=frozen(found))

    def _measured(self, column: str, hierarchy: Hierarchy) -> Hierarchy:
        """Return a hierarchy whose labels cover as many values as ARX counts in them."""
        builder = self.settings.of_columns("hierarchyBuilders").get(column)
        if isinstance(builder, JavaObject) and states_alphabet(builder):
            all_texts = with_whole_alphabet(hierarchy, builder)
            if all_texts is None:
                self.unlike[column] = _("by the alphabet and the length of its texts")
            return all_texts or hierarchy
        if not isinstance(builder, JavaObject) or not builder.name.endswith("IntervalBased"):
            return hierarchy
        whole = with_whole_range(hierarchy, builder)
        if counts_as_outside(builder):
            self.outside.append(column)
        if whole is None:
            self.unlike[column] = _("by the width of its intervals")
        return whole or hierarchy

    def _encoding(self, column: str, data: bytes) -> str:
        """Return the encoding of a hierarchy, which ARX writes in that of the computer."""
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            self._lose(
                _("Encoding of the hierarchy of “{column}”").format(column=column),
                _("ARX's file does not state it; {encoding} was taken").format(encoding=WESTERN),
                _("Look at letters with accents in the hierarchy."),
            )
            return WESTERN
        return "utf-8"

    def _lose_hierarchy(self, column: ArxColumn, why: str) -> None:
        self._lose(
            _("Hierarchy of “{column}”").format(column=column.name),
            why,
            _("The column has no hierarchy here: its values stay unchanged until it gets one."),
        )

    def _bounded(self, column: ArxColumn, entry: AttributeHierarchy) -> AttributeHierarchy:
        height = entry.hierarchy.height
        try:
            low = 0 if column.lowest == "All" else int(column.lowest)
            high = height if column.highest == "All" else int(column.highest)
        except ValueError:
            low, high = -1, -1
        if not 0 <= low <= high <= height:
            self._lose(
                _("Levels of “{column}”").format(column=column.name),
                _("from {low} to {high}, but its hierarchy ends at {height}").format(
                    low=column.lowest, high=column.highest, height=height
                ),
                _("All levels are allowed; restrict them if you need to."),
            )
            return entry
        return replace(entry, min_level=low, max_level=None if high == height else high)

    def _aggregates(self, project: Project) -> Project:
        modes = self.settings.of_columns("transformationModes")
        for column in self.settings.columns:
            if not column.aggregate or project.role(column.name) is not Role.QUASI_IDENTIFYING:
                continue
            what = _("Aggregate “{words}” of “{column}”").format(words=column.aggregate, column=column.name)
            key = _AGGREGATES.get(column.aggregate)
            if key is None:
                self._lose(what, _("this program has no such aggregate"), _("Choose another one."))
                continue
            mode = modes.get(column.name)
            is_grouping = isinstance(mode, JavaEnum) and mode.constant.startswith("CLUSTERING")
            if not isinstance(mode, JavaEnum):
                hint = _("Set “Also use it to form classes” if ARX clusters.")
                self._lose(what, _("ARX's file does not state whether its hierarchy forms classes"), hint)
            function = aggregate_functions.create(
                key, grouping=is_grouping, ignore_missing=not column.counts_missing
            )
            if problem := function.why_not(project.table.column(column.name)):
                self._lose(what, problem.rstrip("."), _("Choose another one."))
                continue
            project = set_aggregate(project, column.name, function)
        return project

    def _requirement(self, project: Project, models: tuple[PrivacyModel, ...]) -> Requirement:
        kept = []
        for model in models:
            wrong = [name for name in model.columns if project.role(name) is not Role.SENSITIVE]
            if wrong:
                self._lose(
                    _("Privacy model {model} of “{column}”").format(model=model.title, column=wrong[0]),
                    _("the column is not sensitive"),
                    _("Make it sensitive and add the model."),
                )
            else:
                kept.append(model)
        sizes = [(model, size) for model in kept if (size := suppressing_size(model)) is not None]
        if self.suppresses and sizes:
            kept.append(KAnonymity(max(size for _model, size in sizes)))
        for model, size in sizes:
            self._lose(
                _("Privacy model “{words}”").format(words=arx_words(model) or model.title),
                _(
                    "ARX suppresses the smallest classes until it is met; this program suppresses no records "
                    "for it and selects a node that meets it"
                ),
                _("k-anonymity was added, which suppresses the records.")
                if self.suppresses
                else _(
                    "To suppress as ARX does, add k-anonymity with k = {k}, or convert with "
                    "--suppress-as-arx: the remaining classes then meet it."
                ).format(k=as_exact_count(size)),
            )
        return Requirement(tuple(kept), self.settings.limit)

    def _ordered(self, project: Project) -> Project:
        """Order the texts of columns whose distance is by order, as ARX does by their characters."""
        for model in project.requirement.models:
            if getattr(model, "distance", None) != "ordered":
                continue
            (name,) = model.columns
            column = project.table.column(name)
            if column.data_type.kind is Kind.TEXT:
                order = texts_in_order(column)
                project = set_columns(project, (name,), kind=Kind.ORDERED, order=order)
                self._lose(
                    _("Type of “{column}”").format(column=name),
                    _("ARX orders its texts by their characters for t-closeness"),
                    _("It contains ordered categories in this order; check it."),
                )
        return project

    def _search(self, project: Project, measure: Measure) -> Project:
        self.losses += measure.losses
        weights = self.settings.weights_of(project.quasi_identifying)
        weights = weights if len(set(weights.values())) > 1 else {}
        if weights and not weighs(measure):
            self._lose(
                _("Weights of the columns"),
                _("they do not change ARX's result with this measure and aggregate: {weights}").format(
                    weights=words_of_weights(weights)
                ),
                _("Set them if they should matter here."),
            )
            weights = {}
        if self.settings.is_practical:
            self._lose(
                _("Practical monotonicity"),
                _("ARX may miss better nodes with it; this program always measures exactly"),
            )
        search = SearchSettings(
            metric=measure.key, metric_options=frozen(measure.options), weights=frozen(weights)
        )
        return self._searched(replace(project, search=search))

    def _searched(self, project: Project) -> Project:
        """Set the algorithm of a lattice that is too large for all of its nodes, and ARX's time for it."""
        algorithm = self.settings.of_configuration("algorithm")
        is_heuristic = self.settings.of_configuration("heuristicSearchEnabled") is True or (
            isinstance(algorithm, JavaEnum) and algorithm.constant.startswith("BEST_EFFORT")
        )
        what, why = _("Heuristic search"), _("ARX may have stopped before it found the best node")
        try:
            n_nodes = compile_problem(project).lattice.n_nodes
        except InputError:
            n_nodes = 0  # checks before a run say what is wrong
        if n_nodes <= LARGEST_LATTICE:
            if is_heuristic:
                self._lose(what, why, _("All nodes are scored here, so that the best one is found."))
            return project
        limit = self.settings.of_configuration("heuristicSearchTimeLimit")
        seconds = limit / 1000 if isinstance(limit, int) and 0 < limit < NO_LIMIT else USUAL_SECONDS
        self._lose(
            what,
            why,
            _(
                "The best nodes of {n} are searched here for {seconds} s; raise the limit for better ones."
            ).format(n=as_exact_count(n_nodes), seconds=as_general(seconds)),
        )
        return replace(project, search=replace(project.search, algorithm="best_first", seconds=seconds))

    def _recoding(self, project: Project) -> Project:
        """Set the method of a local transformation."""
        stored = None if self.settings.project is None else self.settings.project.fields
        chosen = None if stored is None else stored.get("anonymizationConfiguration")
        kind = chosen.fields.get("transformationType") if isinstance(chosen, JavaObject) else None
        if not isinstance(kind, JavaEnum) or kind.constant != "LOCAL" or stored is None:
            return project
        local = stored.get("localRecodingModel")
        iterations = plain(local.fields.get("numIterations")) if isinstance(local, JavaObject) else None
        options = {"iterations": iterations} if isinstance(iterations, int) and iterations > 0 else {}
        try:
            method = recoding_methods.create("iterated", lower_labels=False, **options)
            refuse_unjudgeable(project.requirement)
            refuse_grouped(project, method.title)
        except InputError as error:
            self._lose(
                _("Local transformation with clustering and microaggregation")
                if project.microaggregation
                else _("Local transformation"),
                error.problem.rstrip("."),
                _("One level per column is set for all records."),
            )
            return project
        self._lose(
            _("Local transformation"),
            _("its order of searches differs from that of ARX"),
            _("Iterated generalization is set, with the same number of iterations."),
        )
        return replace(project, recoding=method)

    def _transformation(self, project: Project) -> Project:
        roles = set(self.settings.suppressed_roles)
        others = {"SENSITIVE_ATTRIBUTE", "INSENSITIVE_ATTRIBUTE"}
        if roles & others and not others <= roles:
            self._lose(
                _("Cells of suppressed records"),
                _("ARX removes only the {role} ones").format(
                    role=_("sensitive") if "SENSITIVE_ATTRIBUTE" in roles else _("insensitive")
                ),
                _("Here, sensitive and insensitive cells are removed together."),
            )
        if self.settings.suppression_text != "*":
            self._lose(
                _("Text of suppressed cells"),
                _("ARX writes “{text}”, this program *").format(text=self.settings.suppression_text),
            )
        return replace(project, transformation=Transformation(blank_suppressed=bool(roles & others)))

    def _people(self, project: Project) -> Project:
        """Set the research sample, or the population."""
        n_records = project.table.n_records
        sample = sample_of(self.settings, n_records)
        needs = any(model.needs_members for model in project.requirement.models)
        if sample is None and (INCLUSION in self.settings.models or needs or self.settings.configuration):
            self._lose(
                _("Research sample"),
                _("ARX's file does not state it"),
                _("Choose the sample under Population: without it, all records are released."),
            )
        if sample is not None and len(sample) < n_records and project.requirement.sampling is None:
            return set_subset(project, Subset(rows=project.table.take(sample)))
        population = self._population()
        if population is None:
            return project
        try:
            return set_population(project, population)
        except InputError as error:
            self._lose(_("Population"), error.problem.rstrip("."))
            return project

    def _population(self) -> Population | None:
        stored = None
        for kind in ("KMap", "PopulationUniqueness"):
            found = self.settings.criterion(kind)
            stored = stored or (found and found.fields.get("populationModel"))
        if stored is None and self.settings.project is not None:
            risk = self.settings.project.fields.get("riskModel")
            stored = risk.fields.get("populationModel") if isinstance(risk, JavaObject) else None
        if not isinstance(stored, JavaObject):
            if any(model.needs_people for model in models_of(self.settings)[0]):
                hint = _("Give the size of the population under Population.")
                self._lose(_("Population"), _("ARX's file does not state it"), hint)
            return None
        size = plain(stored.fields.get("populationSize"))
        if isinstance(size, int) and size > 0:
            return Population(size=size)
        share = plain(stored.fields.get("sampleFraction"))
        return Population(sampling_fraction=share) if isinstance(share, float) and 0 < share <= 1 else None

    def _measures(self, project: Project, measure: Measure) -> None:
        """List what ARX's measure counts and that of this program does not."""
        hint = _("The optimum may be another node than in ARX.")
        known = project.quasi_identifying if measure.key in BY_SHARE else ()
        for column, how in ((name, self.unlike[name]) for name in known if name in self.unlike):
            self._lose(
                _("Hierarchy of “{column}” in the measure").format(column=column),
                _("ARX measures it {how}, this program by the values in its groups").format(how=how),
                hint,
            )
        if project.microaggregation and measure.key not in BY_CLASS:
            self._lose(
                _("Aggregates in the measure"),
                _("ARX measures the error of {columns}, which count as hidden here").format(
                    columns=", ".join(project.microaggregation)
                ),
                hint,
            )

    def _others(self) -> None:
        if self.settings.configuration is None:
            self._lose(
                _("Settings that ARX stores as Java objects"),
                _("they are missing or damaged"),
                _("Check aggregate, coding model, sample and population."),
            )
        self._lose(
            _("Results of ARX"),
            _("its nodes, clipboard, filter and output are not needed: everything is scored again"),
        )

    def _refusal(self, project: Project) -> None:
        """List why the settings as a whole cannot be released, if so."""
        try:
            refuse_undecided(project)
            problem = compile_problem(project)
            check_metric(problem, project.search.metric)
            refuse_impossible(project, problem)
        except (InputError, RequirementNotMetError) as error:
            key = error.context.get("model")
            words = [arx_words(model) for model in project.requirement.models if model.key == key]
            what = _("Release with “{words}”").format(words=words[0]) if words else _("Release")
            self._lose(what, error.problem.rstrip("."), error.hint)

    def _compare(self, project: Project, measure: Measure) -> None:
        nodes = nodes_of(self.archive)
        if not measure.is_known or project.requirement.sampling is not None or project.recoding is not None:
            return
        n_wrong = disagreeing(project, nodes, self.settings)
        if not n_wrong:
            return
        why = ngettext(
            "{n} compared node has another score here than in ARX",
            "{n} compared nodes have another score here than in ARX",
            n_wrong,
        ).format(n=as_exact_count(n_wrong))
        causes = []
        if self.outside:
            causes.append(
                _(
                    "this version of ARX measured the intervals of {columns} as values outside their range"
                ).format(columns=", ".join(self.outside))
            )
        self._lose(_("Scores"), "; ".join((why, *causes)), _("The optimum may be another node than in ARX."))
