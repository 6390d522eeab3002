"""A project: a table, the meaning of its columns, and the requirement for a release; frozen."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self, TypeVar

import numpy as np

from engine.errors import InputError
from engine.frequency.counted import Noun, who
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.base import HierarchyBuilder
from engine.monitor import SILENT, Monitor
from engine.notebook import Brief, Facts, listed
from engine.params import LARGEST, Choice, Integer, MemberKey, Real, param
from engine.privacy import Requirement
from engine.privacy.earlier import Written
from engine.privacy.k_anonymity import KAnonymity
from engine.project.answers import Answers
from engine.project.attack_settings import AttackSettings
from engine.project.population import Population
from engine.project.statement import StatementAnswers
from engine.project.subset import Subset, new_key, subset_of
from engine.recoding import RecodingMethod, Transformation
from engine.recoding.aggregation import AggregateFunction
from engine.recoding.rules import ColumnRule
from engine.records import Column, Decider, Role, Table
from engine.records.counting import counted_rows
from engine.records.databases.address import is_placed, parse_address, table_at
from engine.records.options import JSON_LINES, PARQUET, ExportOptions, ReadOptions, kind_of
from engine.records.places import has_column_folders
from engine.records.remote import RecordSource, source_of
from engine.records.stored import StoredFiles, refuse_cut
from engine.records.table_files import exists
from engine.structured_params import NumbersByColumn
from engine.words import N_

# when models of sensitive columns are enforced
DURING, AFTERWARDS, BY_SIZE, CHECK = "during", "afterwards", "by_size", "check"

K = TypeVar("K")
V = TypeVar("V")


def frozen(values: Mapping[K, V]) -> Mapping[K, V]:
    """Return a read-only copy of a mapping."""
    return MappingProxyType(dict(values))


def _nothing() -> Mapping[str, Any]:
    return frozen({})


@dataclass(frozen=True, eq=False)
class AttributeHierarchy(Brief):
    """The hierarchy of a column, its origin, and the levels that a search may use.

    Attributes
    ----------
    path : Path or None
        File it was read from, if that is unchanged.
    builder : HierarchyBuilder or None
        Builder that built it from the column, if it was not changed since.
    max_level : int or None
        None for the height.
    """

    hierarchy: Hierarchy
    path: Path | None = None
    builder: HierarchyBuilder | None = None
    min_level: int = 0
    max_level: int | None = None

    @property
    def top_level(self) -> int:
        """Highest allowed level."""
        return self.hierarchy.height if self.max_level is None else self.max_level


@dataclass(frozen=True)
class SearchSettings:
    """Metric, weights and algorithm of a search.

    Attributes
    ----------
    algorithm, metric : str
        Registered keys.
    steps : int
        Maximum number of nodes to score; 0 for no limit.
    seconds : float
        Maximum time to spend; 0 for no limit.
    weights : mapping of str to float
        By quasi-identifying column; columns without one weigh 1.
    options, metric_options : mapping of str to value
        Parameters of the algorithm and of the metric that differ from their defaults.
    enforce : str
        "during" if a search enforces all models; "afterwards" if it enforces only those of class sizes, and
        the classes of its result that fail the others are suppressed within the same limit. This suppresses
        more records than a search that enforces all models, and if the limit is exceeded, no other node is
        tried. "by_size" if only classes that are too small are suppressed, and a node fails if another one
        does; "check" if the search enforces the models of class sizes, and its result is refused if a class
        fails the others.
    selection_gain : float or None
        Largest gain of an attacker from the choice of the node and from suppression; None for no limit.
    """

    algorithm: str = param(
        "exhaustive",
        MemberKey(
            label=N_("Algorithm"),
            help=N_("Algorithm that searches for a node."),
            family="engine.search.search_algorithms",
            options="options",
            is_always_written=True,
        ),
    )
    metric: str = param(
        "loss",
        MemberKey(
            label=N_("Utility metric"),
            help=N_("Metric that the search minimizes."),
            family="engine.utility.base.utility_metrics",
            options="metric_options",
            is_always_written=True,
        ),
    )
    steps: int = param(
        0,
        Integer(
            label=N_("Nodes"),
            help=N_("Maximum number of nodes to score; 0 for no limit."),
            maximum=LARGEST,
            rule=N_("a whole number of at least 0"),
        ),
    )
    seconds: float = param(
        0.0,
        Real(
            label=N_("Seconds"),
            help=N_("Maximum time to spend; 0 for no limit."),
            maximum=math.inf,
            rule=N_("a number of at least 0"),
        ),
    )
    weights: Mapping[str, float] = param(
        _nothing,
        NumbersByColumn(
            label=N_("Weights"),
            help=N_("Importance of each column in the metric."),
            maximum=1_000_000,
        ),
    )
    options: Mapping[str, Any] = field(default_factory=_nothing)
    metric_options: Mapping[str, Any] = field(default_factory=_nothing)
    enforce: str = param(
        DURING,
        Choice(
            label=N_("Models of sensitive columns"),
            help=N_(
                "During: the search finds nodes that meet all models. Afterwards: it looks at "
                "class sizes only, and classes of its result that fail the other models are "
                "suppressed within the limit. By size: only classes that are too small are suppressed. "
                "Checked: the search looks at class sizes only, and its result is refused if a class fails."
            ),
            options=(
                (DURING, N_("Enforced during the search")),
                (AFTERWARDS, N_("Enforced afterwards")),
                (BY_SIZE, N_("Enforced without suppression")),
                (CHECK, N_("Only checked")),
            ),
        ),
    )
    selection_gain: float | None = param(
        None,
        Real(
            label=N_("Accepted selection leak"),
            help=N_(
                "Largest gain of an attacker, as a probability, from the choice of the node and from "
                "suppression. The first node within it is released; without one, nothing is."
            ),
            usual=(0.05, 0.1, 0.2),
            switch=N_("Limit the selection leak"),
        ),
    )


@dataclass(frozen=True, eq=False)
class Project(Brief):
    """All decisions of the user about one table.

    Attributes
    ----------
    source : Path or None
        File of the table; None if the table is only in the project file.
    options : ReadOptions
        How the file was read, with everything detected filled in.
    roles : mapping of str to Role
        A column without an entry has no role, and nothing is released until every column has one.
    decided_by : mapping of str to Decider
        Who decided the role of a column, if not the user.
    others : {"refuse", "withhold", "insensitive"}
        Rule of its recipe for columns that it does not name; existing columns already have their role from
        it.
    answers : Answers
        Answers to the questions about the recipients, from which thresholds follow.
    qi_order : tuple of str
        Quasi-identifying columns in the order of the lattice's attributes.
    target : str or None
        Column that a recipient wants to predict.
    person : str or None
        Identifying column whose values are persons: classes, risks and limits then count persons. None if
        every record is one person.
    weight : str or None
        Numeric column with the people of the population whom each record stands for; None without survey
        weights.
    household : str or None
        Column whose values are households; None if they are unknown.
    hierarchies : mapping of str to AttributeHierarchy
        Stays with a column whatever its role, so that a role can be tried and undone.
    export : ExportOptions
        How a release is written to a file; the kind is that of the file's ending.
    recoding : RecodingMethod or None
        Method by which levels vary by record, after the search or instead of it; None for one level per
        column.
    microaggregation : mapping of str to AggregateFunction
        Aggregate that is released for a class instead of a label, by quasi-identifying column.
    others_as_qi : bool
        Whether attackers who target one sensitive column are assumed to know the others.
    population : Population or None
        Population that the records were sampled from, for models and risks that need it.
    subset : Subset or None
        Selection of the released records, if not all; the table is then the population, and `population` is
        None. A model that draws records decides it.
    database : str
        URL of the table or query that the records were read from, without a password; empty if they came from
        a file. With a URL there is no source.
    attack_test : AttackSettings or None
        Settings of the attack test that reports contain; None if they contain none.
    statement : StatementAnswers
        Answers that de-identification statements ask for; no release depends on them.
    sampling_key : str
        Secret of the random draw of differential privacy, in hexadecimal, so that a release can be made
        again. It is stored in project files only.
    """

    name: str
    source: Path | None
    options: ReadOptions
    table: Table
    roles: Mapping[str, Role] = field(default_factory=lambda: frozen({}))
    qi_order: tuple[str, ...] = ()
    target: str | None = None
    person: str | None = None
    weight: str | None = None
    household: str | None = None
    hierarchies: Mapping[str, AttributeHierarchy] = field(default_factory=lambda: frozen({}))
    requirement: Requirement = Requirement((KAnonymity(5),), 0.05)
    transformation: Transformation = Transformation()
    export: ExportOptions = ExportOptions()
    search: SearchSettings = SearchSettings()
    recoding: RecodingMethod | None = None
    microaggregation: Mapping[str, AggregateFunction] = field(default_factory=lambda: frozen({}))
    others_as_qi: bool = False
    population: Population | None = None
    subset: Subset | None = None
    database: str = ""
    decided_by: Mapping[str, Decider] = field(default_factory=lambda: frozen({}))
    others: str = "refuse"
    answers: Answers = Answers()
    attack_test: AttackSettings | None = None
    statement: StatementAnswers = StatementAnswers()
    sampling_key: str = field(default="", repr=False)

    def _facts(self) -> Facts:
        roles = {role: [name for name in self.table.names if self.roles.get(name) is role] for role in Role}
        facts = [("", self.name), ("", repr(self.table))]
        facts += [(role.value, listed(names)) for role, names in roles.items() if names]
        return [*facts, ("models", listed([model.key for model in self.requirement.models]))]

    def __post_init__(self) -> None:
        """Let the requirement follow from how suppressed records are written, and the subset, and how
        records are written, from a model that draws records.

        Each change of the model draws a new sample, so that releases are independent and their losses add up.
        """
        model, subset = self.requirement.sampling, self.subset
        holds_group = self.transformation.holds_group and model is None
        if self.requirement.holds_group != holds_group:
            object.__setattr__(self, "requirement", replace(self.requirement, holds_group=holds_group))
        large = self.search.enforce in (BY_SIZE, CHECK) and any(
            own.columns for own in self.requirement.models
        )
        if self.requirement.large_must_hold != large:
            object.__setattr__(self, "requirement", replace(self.requirement, large_must_hold=large))
        self._know_written()
        drawn_for = None if subset is None else subset.draw
        if model is None:
            object.__setattr__(self, "sampling_key", "")
            if drawn_for is not None:
                object.__setattr__(self, "subset", None)
            return
        if not self.sampling_key or drawn_for not in (None, model):
            object.__setattr__(self, "sampling_key", new_key())
        drawn = Subset(draw=model, key=self.sampling_key)
        if subset is None or (drawn_for is not None and subset != drawn):
            object.__setattr__(self, "subset", drawn)
        written = replace(self.transformation, suppressed_records="remove", shuffle=True)
        if written != self.transformation:
            object.__setattr__(self, "transformation", written)

    def _know_written(self) -> None:
        """Let what a release has to withstand beside earlier ones follow from how it is written."""
        earlier, how = self.requirement.earlier, self.transformation
        if earlier is None:
            return
        rules = (how.identifier_rule(column.name) for column in self.columns_of(Role.IDENTIFYING))
        codes = tuple(rule.key for rule in rules if not rule.is_constant)
        written = Written(how.way, how.suppressed_group, how.shuffle, codes)
        if written != earlier.written:
            changed = replace(self.requirement, earlier=replace(earlier, written=written))
            object.__setattr__(self, "requirement", changed)

    def with_ledger(self, change: Callable[[str], str]) -> Self:
        """Return it with another path of its ledger, if it has one, as for files seen from another folder."""
        earlier = self.requirement.earlier
        if earlier is None:
            return self
        return replace(self, requirement=replace(self.requirement, earlier=earlier.with_paths(change)))

    @property
    def file(self) -> Path | None:
        """File on this computer that the records were read from, if any; a database may be one."""
        if self.source is not None or not self.database:
            return self.source
        address = parse_address(self.database)[0]
        return address.path if address.is_file and address.path.is_absolute() else None

    def export_to(self, path: Path | str) -> ExportOptions:
        """Return how a release is written to a file, a folder for parts, or a table of a database."""
        if table_at(path):
            return replace(self.export, kind=JSON_LINES)
        has_folders = self.export.partition_by or has_column_folders(Path(path))
        return replace(self.export, kind=PARQUET if has_folders else kind_of(Path(path)))

    @property
    def is_in_database(self) -> bool:
        """Return whether the records can be fetched again from the database they were read from."""
        return self.source is None and is_placed(self.database)

    @property
    def has_original(self) -> bool:
        """Return whether the file that was read exists; otherwise the table in memory replaces it."""
        return self.source is not None and exists(self.source)

    @property
    def stored(self) -> StoredFiles | None:
        """The files that the records stay in; None if they are in memory."""
        home = self.table.home
        return home if isinstance(home, StoredFiles) else None

    @property
    def releases_files(self) -> bool:
        """Return whether the released records stay in files of this machine."""
        return isinstance(self.records.home, StoredFiles)

    @property
    def remote(self) -> RecordSource | None:
        """The server or cluster that the records stay in; None if they are on this machine."""
        return source_of(self.table)

    @property
    def place(self) -> str:
        """Place of the records, in a few words for headings; empty if they are in memory."""
        return "" if self.table.home is None else self.table.home.place

    @property
    def records(self) -> Table:
        """Records that are released: the table, or its subset.

        Raises
        ------
        InputError
            The subset selects no record, or cannot be read any longer since a column changed.
        """
        return self.table if self.subset is None else subset_of(self.table, self.subset)

    @property
    def rows(self) -> Table:
        """Table to score; see `count_rows`."""
        return self.count_rows()

    def count_rows(self, monitor: Monitor = SILENT) -> Table:
        """Return the table to score: the records, or their distinct tuples if records stay in files.

        The monitor is asked while these are counted, which is done once.

        Raises
        ------
        InputError
            As `records`; also if a column has more values than are listed.
        """
        records = self.records
        for name in self.quasi_identifying:
            refuse_cut(records.column(name), is_quasi_identifying=True)
        return counted_rows(records, self.scored, monitor)

    @property
    def scored(self) -> tuple[str, ...]:
        """Columns that scores depend on, in table order."""
        others = (self.target, self.weight, self.household, self.person)
        roles = (Role.QUASI_IDENTIFYING, Role.SENSITIVE)
        return tuple(name for name in self.table.names if self.role(name) in roles or name in others)

    @property
    def fixed_node(self) -> str:
        """Reason why differential privacy determines the node; empty if it may be chosen."""
        model = self.requirement.sampling
        return model.node if model is not None and model.is_node_fixed else ""

    @property
    def counted(self) -> Noun:
        """Unit of sizes and risks: people if the person column repeats a value, otherwise records."""
        repeats = self.person is not None and self.table.column(self.person).counts.max(initial=0) > 1
        return who(counts_people=bool(repeats))

    @property
    def n_records(self) -> int:
        """Number of released records; those of the table while its subset cannot be found."""
        try:
            return self.records.n_records
        except InputError:
            return self.table.n_records

    @property
    def n_people(self) -> int:
        """Number of persons in the released records; the number of records if each is one person."""
        if self.person is None:
            return self.n_records
        return int(np.count_nonzero(self.records.column(self.person).counts))

    @property
    def blank(self) -> str:
        """Text of a missing cell."""
        return self.options.missing[0] if self.options.missing else ""

    @property
    def target_column(self) -> str | None:
        """Column that a recipient wants to predict: the named target, else the first sensitive one."""
        return self.target or next(iter(self.sensitive), None)

    @property
    def rules(self) -> Mapping[str, ColumnRule]:
        """Rules of sensitive and insensitive columns; models measure the values that they write."""
        return self.transformation.rules

    def role(self, column: str) -> Role | None:
        """Return the role of a column; None if it has none."""
        return self.roles.get(column)

    def decider(self, column: str) -> Decider | None:
        """Return who decided the role of a column; None if it has none."""
        return self.decided_by.get(column, Decider.PERSON) if column in self.roles else None

    @property
    def undecided(self) -> tuple[str, ...]:
        """Names of the columns without a role, in table order; with any of them, nothing is released."""
        return tuple(name for name in self.table.names if name not in self.roles)

    def columns_of(self, role: Role) -> tuple[Column, ...]:
        """Return the columns of a role: quasi-identifying ones in lattice order, others in table order."""
        names = self.qi_order if role is Role.QUASI_IDENTIFYING else self.table.names
        return tuple(self.table.column(name) for name in names if self.role(name) is role)

    @property
    def quasi_identifying(self) -> tuple[str, ...]:
        """Names of the quasi-identifying columns in lattice order."""
        return tuple(column.name for column in self.columns_of(Role.QUASI_IDENTIFYING))

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Names of the sensitive columns in table order."""
        return tuple(column.name for column in self.columns_of(Role.SENSITIVE))

    @property
    def identifying(self) -> tuple[str, ...]:
        """Names of the identifying columns in table order."""
        return tuple(column.name for column in self.columns_of(Role.IDENTIFYING))
