"""A project: a table, what its columns mean, and what a release of it must meet. Frozen."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from engine.errors import InputError
from engine.frequency.counted import Noun, who
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.base import HierarchyBuilder
from engine.params import LARGEST, Choice, Integer, MemberKey, NumbersByColumn, Real, param
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project.population import Population
from engine.project.subset import Subset, subset_of
from engine.recoding import RecodingMethod, Transformation
from engine.recoding.aggregation import AggregateFunction
from engine.table import Column, Decider, Role, Table
from engine.table.database_address import is_placed, parse_address
from engine.table.options import ReadOptions
from engine.table.sources import exists
from engine.words import N_

DURING, AFTERWARDS = "during", "afterwards"  # when models of sensitive columns are enforced

K = TypeVar("K")
V = TypeVar("V")


def frozen(values: Mapping[K, V]) -> Mapping[K, V]:
    """Return a read-only copy of a mapping."""
    return MappingProxyType(dict(values))


def _nothing() -> Mapping[str, Any]:
    return frozen({})


@dataclass(frozen=True, eq=False)
class AttributeHierarchy:
    """The hierarchy of a column, where it came from, and the levels a search may use.

    Attributes
    ----------
    hierarchy : Hierarchy
    path : Path or None
        The file it was read from, if it stands there unchanged.
    builder : HierarchyBuilder or None
        What built it from the column, if it was not changed since.
    min_level : int
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
        """The highest level allowed."""
        return self.hierarchy.height if self.max_level is None else self.max_level


@dataclass(frozen=True)
class SearchSettings:
    """Which metric decides, how attributes weigh, and which algorithm looks.

    Attributes
    ----------
    algorithm, metric : str
        Registered keys.
    steps : int
        Nodes to score at most; 0 for no limit.
    seconds : float
        Time to spend at most; 0 for no limit.
    weights : mapping of str to float
        By quasi-identifier; those not named weigh 1.
    options, metric_options : mapping of str to value
        Parameters of the algorithm and of the metric that are not the ones they declare as usual.
    enforce : str
        "during" where a search holds nodes to all models, "afterwards" where it looks at those by class
        size alone, and classes of its answer that miss the others are suppressed, within the same limit.
        That costs more records than a search that knows all models, and where the limit is passed no
        other node is tried.
    """

    algorithm: str = param(
        "exhaustive",
        MemberKey(
            label=N_("Algorithm"),
            help=N_("How the search looks for a node."),
            family="engine.search.search_algorithms",
            options="options",
            is_always_written=True,
            is_placed=True,
        ),
    )
    metric: str = param(
        "loss",
        MemberKey(
            label=N_("Utility metric"),
            help=N_("What the search makes small."),
            family="engine.utility.base.utility_metrics",
            options="metric_options",
            is_always_written=True,
            is_placed=True,
        ),
    )
    steps: int = param(
        0,
        Integer(
            label=N_("Nodes"),
            help=N_("Nodes to score at most; 0 for no limit."),
            maximum=LARGEST,
            rule=N_("a whole number of at least 0"),
            is_placed=True,
        ),
    )
    seconds: float = param(
        0.0,
        Real(
            label=N_("Time (s)"),
            help=N_("Time to spend at most; 0 for no limit."),
            maximum=math.inf,
            rule=N_("a number of at least 0"),
            is_placed=True,
        ),
    )
    weights: Mapping[str, float] = param(
        _nothing,
        NumbersByColumn(
            label=N_("Weights"), help=N_("How much each column counts."), maximum=1_000_000, is_placed=True
        ),
    )
    options: Mapping[str, Any] = field(default_factory=_nothing)
    metric_options: Mapping[str, Any] = field(default_factory=_nothing)
    enforce: str = param(
        DURING,
        Choice(
            label=N_("Models of sensitive columns"),
            help=N_(
                "During: a search finds nodes that meet all models. Afterwards: it looks at class sizes "
                "alone, and classes of its answer that miss the others are suppressed, within the limit."
            ),
            options=((DURING, N_("Enforced during the search")), (AFTERWARDS, N_("Enforced afterwards"))),
        ),
    )


@dataclass(frozen=True, eq=False)
class Project:
    """Everything a person decides about one table.

    Attributes
    ----------
    name : str
    source : Path or None
        The table's file; None for a project whose table lives in the project file only.
    options : ReadOptions
        How the file was read, everything detected filled in.
    table : Table
    roles : mapping of str to Role
        A column not named has no role, and nothing is released before each has one.
    decided_by : mapping of str to Decider
        Who decided the role of a column, where it was not a person.
    others : {"refuse", "withhold", "insensitive"}
        What its recipe says of columns that it does not name; those that are there already have their role
        by it.
    qi_order : tuple of str
        Quasi-identifiers in the order of the lattice's attributes.
    target : str or None
        Column that a classifier will be asked for.
    person : str or None
        Identifying column whose values are persons: classes, risks and limits then count persons. None
        where every record is a person of its own.
    hierarchies : mapping of str to AttributeHierarchy
        Kept for a column whatever its role, so that a role can be tried and taken back.
    requirement : Requirement
    transformation : Transformation
    search : SearchSettings
    recoding : RecodingMethod or None
        What makes levels differ by record, after the search or instead of it; None where every column
        has one level.
    microaggregation : mapping of str to AggregateFunction
        What is released of a class instead of a label, by quasi-identifier.
    others_as_qi : bool
        Whether the other sensitive columns may be known to whoever looks for one of them.
    population : Population or None
        The people the records were drawn from, for models and risks that need it.
    subset : Subset or None
        Which records are released, if not all; the whole table is the population then, and `population`
        is None.
    database : str
        URL of the table or query the records were read from, never with a password; empty where they
        came from a file. Then there is no source.
    """

    name: str
    source: Path | None
    options: ReadOptions
    table: Table
    roles: Mapping[str, Role] = field(default_factory=lambda: frozen({}))
    qi_order: tuple[str, ...] = ()
    target: str | None = None
    person: str | None = None
    hierarchies: Mapping[str, AttributeHierarchy] = field(default_factory=lambda: frozen({}))
    requirement: Requirement = Requirement((KAnonymity(5),), 0.05)
    transformation: Transformation = Transformation()
    search: SearchSettings = SearchSettings()
    recoding: RecodingMethod | None = None
    microaggregation: Mapping[str, AggregateFunction] = field(default_factory=lambda: frozen({}))
    others_as_qi: bool = False
    population: Population | None = None
    subset: Subset | None = None
    database: str = ""
    decided_by: Mapping[str, Decider] = field(default_factory=lambda: frozen({}))
    others: str = "refuse"

    @property
    def file(self) -> Path | None:
        """The file on this computer that the records were read from, if any; a database may be one."""
        if self.source is not None or not self.database:
            return self.source
        address = parse_address(self.database)[0]
        return address.path if address.is_file and address.path.is_absolute() else None

    @property
    def is_in_database(self) -> bool:
        """Whether the records can be fetched again from the database they were read from."""
        return self.source is None and is_placed(self.database)

    @property
    def has_original(self) -> bool:
        """Whether the file that was read is there; else the table as it was read stands in for it."""
        return self.source is not None and exists(self.source)

    @property
    def records(self) -> Table:
        """The records that are released: the table, or its subset.

        Raises
        ------
        InputError
            If the subset chooses none, or cannot be read any more since a column changed.
        """
        return self.table if self.subset is None else subset_of(self.table, self.subset)

    @property
    def counted(self) -> Noun:
        """What sizes and risks count: people where the column that names them repeats one."""
        repeats = self.person is not None and self.table.column(self.person).counts.max(initial=0) > 1
        return who(counts_people=bool(repeats))

    @property
    def n_records(self) -> int:
        """How many records are released; those of the table while its subset cannot be found."""
        try:
            return self.records.n_records
        except InputError:
            return self.table.n_records

    @property
    def n_people(self) -> int:
        """How many different persons the records are about; records where each is a person of its own."""
        if self.person is None:
            return self.n_records
        return int(np.count_nonzero(self.records.column(self.person).counts))

    @property
    def blank(self) -> str:
        """The text of a missing cell."""
        return self.options.missing[0] if self.options.missing else ""

    @property
    def target_column(self) -> str | None:
        """The column that the release should still tell: the target named, else the first sensitive one."""
        return self.target or next(iter(self.sensitive), None)

    def role(self, column: str) -> Role | None:
        """The role of a column; None while nobody has decided."""
        return self.roles.get(column)

    def decider(self, column: str) -> Decider | None:
        """Who decided the role of a column; None while nobody has."""
        return self.decided_by.get(column, Decider.PERSON) if column in self.roles else None

    @property
    def undecided(self) -> tuple[str, ...]:
        """Names of the columns without a role, in table order; while there are any, nothing is released."""
        return tuple(name for name in self.table.names if name not in self.roles)

    def columns_of(self, role: Role) -> tuple[Column, ...]:
        """Columns of a role: quasi-identifiers in lattice order, others in table order."""
        names = self.qi_order if role is Role.QUASI_IDENTIFYING else self.table.names
        return tuple(self.table.column(name) for name in names if self.role(name) is role)

    @property
    def quasi_identifying(self) -> tuple[str, ...]:
        """Names of the quasi-identifiers in lattice order."""
        return tuple(column.name for column in self.columns_of(Role.QUASI_IDENTIFYING))

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Names of the sensitive columns in table order."""
        return tuple(column.name for column in self.columns_of(Role.SENSITIVE))

    @property
    def identifying(self) -> tuple[str, ...]:
        """Names of the identifying columns in table order."""
        return tuple(column.name for column in self.columns_of(Role.IDENTIFYING))
