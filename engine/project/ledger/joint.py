"""What a release reveals beside the earlier ones of a ledger, and whether that is too much."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import AnonymizerError, InputError, RequirementNotMetError
from engine.frequency import Problem
from engine.frequency.earlier import Left as LeftOfOne
from engine.kernels.arrays import BoolArray, Counts, IntArray
from engine.lattice import Node
from engine.numbers import as_exact_count, as_people
from engine.privacy import Requirement
from engine.privacy.earlier import ALIGNED, INSIDER, INTERSECTION, Earlier, Written
from engine.project.ledger.attackers import (
    ABSENT,
    GROUP,
    ClassTails,
    Left,
    aligned,
    distinct,
    insider,
    intersection,
    numbered,
)
from engine.project.ledger.ledger_file import Coder, Entry, Ledger, open_ledger, refuse_vanished
from engine.project.ledger.sequential import MInvariance, m_invariance
from engine.project.ledger.snapshot import (
    Snapshot,
    is_unchanged,
    join_column,
    refuse_elsewhere,
    snapshot_of_release,
)
from engine.project.project import Project
from engine.recoding import Release, make_release
from engine.recoding.transformation import REMOVED
from engine.words import N_, _, ngettext

_CERTAIN = {
    INTERSECTION: N_("By the classes of one person, '{name}' of {certain} is certain."),
    INSIDER: N_("By the classes of everybody, '{name}' of {certain} is certain."),
}
_CERTAIN_AND_BELOW = {
    INTERSECTION: N_(
        "By the classes of one person, '{name}' of {certain} is certain; {below} keep fewer than {required} "
        "values."
    ),
    INSIDER: N_(
        "By the classes of everybody, '{name}' of {certain} is certain; {below} keep fewer than {required} "
        "values."
    ),
}
_NOTHING_CERTAIN = {
    INTERSECTION: N_("By the classes of one person, no value is certain."),
    INSIDER: N_("By the classes of everybody, no value is certain."),
}
_UNMEASURED = {
    INTERSECTION: N_("What the classes of one person reveal was not measured."),
    INSIDER: N_("What the classes of everybody reveal was not measured."),
}


@dataclass(frozen=True, eq=False)
class Joint:
    """What a release reveals beside the earlier ones.

    Attributes
    ----------
    earlier, not_joined : tuple of int
        Numbers of the earlier releases that were joined, and of those that cannot be.
    attacker : {"aligned", "intersection", "insider"}
        The attacker that the release has to withstand.
    requirement : Requirement
        What is required of it beside them.
    people : ndarray of int64, shape (n_people,)
        Candidates of every person of any of the releases, for the attacker to whom rows are aligned.
    values : mapping of str to ndarray of int64
        Different values of these, of each record of this release; of each record that only earlier ones have,
        whose values are not known, the most that are possible.
    left : mapping of str to Left or None
        Of the attackers "intersection" and "insider"; None if they cannot be measured.
    unique_tails : int
        Rows whose tail occurs once in this and every earlier release, by which these can be joined; 0 if only
        rows that are aligned were asked for.
    invariance : mapping of str to MInvariance
        How far the releases are m-invariant, by sensitive column.
    """

    earlier: tuple[int, ...]
    not_joined: tuple[int, ...]
    attacker: str
    requirement: Requirement
    people: Counts
    values: Mapping[str, Counts]
    left: Mapping[str, Left | None]
    unique_tails: int
    invariance: Mapping[str, MInvariance]

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "earlier": list(self.earlier),
            "not_joined": list(self.not_joined),
            "attacker": self.attacker,
            "met": self.is_met,
            "people": len(self.people),
            ALIGNED: {
                "k": self.joint_k,
                "alone": self.alone,
                "below_k": self.below_k,
                "l": {name: _least(own) for name, own in self.values.items()},
            },
            **{attacker: self._left(left) for attacker, left in self.left.items()},
            "unique_tails": self.unique_tails,
            "m_invariance": {
                name: {"m": own.m, "changed": int(own.changed.sum())} for name, own in self.invariance.items()
            },
        }

    def _left(self, left: Left | None) -> dict[str, Any]:
        if left is None:
            return {"one_tail": None, "one_value": {}, "below_l": {}, "l": {}}
        return {
            "one_tail": int((left.tails == 1).sum()),
            "one_value": {name: int((own == 1).sum()) for name, own in left.values.items()},
            "below_l": {
                name: _below(left.values[name], n) for name, n in self.l.items() if name in left.values
            },
            "l": {name: _least(own) for name, own in left.values.items()},
        }

    @property
    def joint_k(self) -> int | None:
        """Fewest people whose rows are in the same classes; None if nobody is in a release."""
        return _least(self.people)

    @property
    def alone(self) -> int:
        """People whose rows are in classes of their own."""
        return int((self.people == 1).sum())

    @property
    def below_k(self) -> int:
        """People with fewer candidates than required."""
        return int((self.people < self.k).sum())

    @property
    def k(self) -> int:
        """Required number of people."""
        return self.requirement.joint_k

    @property
    def l(self) -> dict[str, int]:  # noqa: E743  the model's name
        """Required number of values by column."""
        asked = {name: self.requirement.joint_l(name) for name in self.values}
        return {name: n for name, n in asked.items() if n is not None}

    @property
    def least(self) -> LeftOfOne:
        """What is left of the person whom it protects least; nothing if that cannot be measured."""
        if self.attacker == ALIGNED:
            people, values = self.joint_k, self.values
        elif (left := self.left[self.attacker]) is None:
            return LeftOfOne(None, dict.fromkeys(self.values, 0))
        else:
            people, values = None, left.values
        return LeftOfOne(people, {name: int(own.min()) for name, own in values.items() if len(own)})

    @property
    def is_met(self) -> bool:
        """Return whether the release withstands its attacker; the first release has no earlier one."""
        return not self.earlier or self.requirement.withstands(self.attacker, self.least)

    @property
    def lines(self) -> list[str]:
        """Sentences on what each attacker finds, for the owner."""
        text = _("By rows that belong together, as few as {k} match.")
        if self.below_k or self.alone:
            text = _(
                "By rows that belong together, as few as {k} match; {alone} match nobody else, {below} fewer "
                "than {required}."
            )
        found = [
            text.format(
                k=as_people(self.joint_k or 0),
                alone=as_people(self.alone),
                below=as_people(self.below_k),
                required=as_exact_count(self.k),
            )
        ]
        for attacker, left in self.left.items():
            if left is None:
                found.append(_(_UNMEASURED[attacker]))
                continue
            sentences = []
            for name, own in left.values.items():
                required = self.l.get(name, 1)
                n_certain, n_below = int((own == 1).sum()), _below(own, required)
                if n_certain or n_below:
                    text = _((_CERTAIN if required == 1 else _CERTAIN_AND_BELOW)[attacker])
                    certain, below = as_people(n_certain), as_people(n_below)
                    sentences.append(text.format(name=name, certain=certain, below=below, required=required))
            found += sentences or [_(_NOTHING_CERTAIN[attacker])] * bool(left.values)
        return found

    def refuse_unmet(self, subject: str) -> None:
        """Raise `RequirementNotMetError` with the figures if the release does not withstand its attacker."""
        if self.is_met:
            return
        numbers = ", ".join(map(str, self.earlier))
        first = ngettext(
            "{subject} reveals too much beside release {numbers} of the ledger.",
            "{subject} reveals too much beside releases {numbers} of the ledger.",
            len(self.earlier),
        ).format(subject=subject, numbers=numbers)
        raise RequirementNotMetError(
            " ".join([first, *self.lines]),
            hint=self.remedies,
        )

    @property
    def remedies(self) -> str:
        """What to do if it is not met."""
        return _(
            "Raise levels, or keep codes out of all releases and shuffle them, or forget a release that "
            "nobody has any longer."
        )


class Beside:
    """The earlier releases of a ledger, joined with the records of a project.

    Parameters
    ----------
    project : Project
        Its records are in memory.
    """

    def __init__(self, project: Project, ledger: Ledger) -> None:
        refuse_elsewhere(project)
        self._source, self.path = project, str(ledger.path)
        self.state = hashlib.sha256(ledger.content).hexdigest()
        self.join, self.ledger = join_column(project, ledger), ledger
        coder = ledger.coder
        by = coder.name(self.join) if self.join else ""
        self.joined = [own for own in ledger.entries if not own.is_forgotten and own.joined_by == by]
        self.not_joined = tuple(own.number for own in ledger.entries if own not in self.joined)
        names = [name for name in project.table.names if is_unchanged(project, name)]
        known = [set(entry.columns) for entry in self.joined]
        self._names = tuple(name for name in names if all(coder.name(name) in own for own in known))
        self._tail_of: dict[tuple[int, ...], int] = {}
        self._value_of: dict[str, dict[str, int]] = {name: {} for name in self._names}
        self._number_of: dict[str, dict[str, int]] = {name: {} for name in self._names}
        self._contents_before = [self._contents(entry, self._names) for entry in self.joined]
        people: dict[str, int] = {}
        if self.join:
            column = project.records.column(self.join)
            for code in coder.codes(self.join, column.labels):
                people.setdefault(code, len(people))
            self._own = column.codes.astype(np.int64)
        else:
            self._own = np.arange(project.records.n_records, dtype=np.int64)
        self._earlier = [self._records(entry, people) for entry in self.joined]
        largest = max((int(own.max(initial=-1)) for own, _classes in self._earlier), default=-1)
        self.n_people = max(len(people), largest + 1, int(self._own.max(initial=-1)) + 1)
        nowhere = np.full(len(self._own), ABSENT)
        records, self._owners, self._places = _joined_records([*self._earlier, (self._own, nowhere)])
        self._earlier_vector = numbered(records[:-1])[1]  # a column of the table that is never raised
        self._was_there = (records[:-1] != ABSENT).any(axis=0)
        self._sensitive = project.sensitive
        self._record_values = {
            name: project.records.column(name).codes.astype(np.int64) for name in self._sensitive
        }

    def refuse_apart(self) -> None:
        """Raise `InputError` if a release that is not forgotten was joined by another column."""
        joined = {own.number for own in self.joined}
        apart = [own.number for own in self.ledger.entries if not (own.is_forgotten or own.number in joined)]
        if apart:
            text = ngettext(
                "Release {numbers} of the ledger '{name}' is joined by another column, so that this one "
                "cannot be measured beside it.",
                "Releases {numbers} of the ledger '{name}' are joined by another column, so that this one "
                "cannot be measured beside them.",
                len(apart),
            )
            raise InputError(
                text.format(numbers=", ".join(map(str, apart)), name=self.ledger.path.name),
                hint=_(
                    "Name the same person column or record key, or forget what nobody has any longer, or use "
                    "another ledger."
                ),
            )

    def _records(self, entry: Entry, people: dict[str, int]) -> tuple[IntArray, IntArray]:
        """Return the person and the class of each record of an earlier release."""
        classes = np.array([ABSENT if own is None else own for own in entry.classes or []], dtype=np.int64)
        if entry.people is None:
            return np.arange(len(classes), dtype=np.int64), classes
        codes = [people.setdefault(code, len(people)) for code in entry.people]
        return np.array(codes, dtype=np.int64), classes

    def joint(
        self,
        snapshot: Snapshot,
        requirement: Requirement,
        attackers: Sequence[str] = (INTERSECTION, INSIDER),
    ) -> Joint:
        """Measure what a release reveals beside the earlier ones.

        Parameters
        ----------
        requirement : Requirement
            What is required of it.
        attackers : sequence of str
            Which of those that only see classes to measure.
        """
        is_removed = (snapshot.classes == ABSENT) & (snapshot.way == REMOVED)
        now = np.full(len(self._owners), ABSENT, dtype=np.int64)
        now[self._places] = np.where(is_removed, GROUP, snapshot.classes)
        records = np.stack((self._earlier_vector, now))
        some = self._was_there | (now != ABSENT)
        owners = self._owners[some]
        people = _fewest(aligned(records, owners=self._owners).people[some], owners, self.n_people)
        there = np.isin(np.arange(self.n_people), owners)
        patterns = numbered(records)[1]
        pattern_of, alike = patterns[self._places], np.bincount(patterns)[patterns]
        some[self._places] = False
        values = {
            name: np.append(
                distinct(pattern_of, own, int(pattern_of.max(initial=0)) + 1)[pattern_of], alike[some]
            )
            for name, own in self._record_values.items()
            if name in snapshot.names
        }
        names, contents = self._names, list[ClassTails]()
        left: dict[str, Left | None] = {}
        invariance: dict[str, MInvariance] = {}
        if attackers:
            contents = [*self._contents_before, self._own_contents(snapshot, names)]
            units, of_units = _units([*self._earlier, (self._own, snapshot.classes)], self.n_people)
            tail_values = self._values_of_tails(names)
            for attacker in attackers:
                measure = intersection if attacker == INTERSECTION else insider
                found = measure(units, contents, tail_values)
                left[attacker] = None if found is None else _of_people(found, of_units, self.n_people, there)
            for name, own in tail_values.items():
                invariance[name] = m_invariance(units, [rows.of_values(own) for rows in contents])
        return Joint(
            tuple(entry.number for entry in self.joined),
            self.not_joined,
            self.attacker(replace(requirement.earlier or Earlier(self.path), written=_written(snapshot))),
            requirement,
            people[there],
            values,
            left,
            _unique_in_all(contents),
            invariance,
        )

    def joint_of(self, release: Release) -> Joint:
        """Measure what a release reveals beside the earlier ones, to all attackers."""
        return self.joint(snapshot_of_release(self._source, release), release.requirement)

    def attacker(self, earlier: Earlier) -> str:
        """Return the attacker that a release has to withstand, by how it and the earlier ones are written."""
        is_apart = earlier.written.is_apart and all(own.shuffled and not own.codes for own in self.joined)
        return earlier.attacker or (INTERSECTION if is_apart else ALIGNED)

    def left_by(self, release: Release) -> LeftOfOne:
        """Return what a release leaves of the person whom it protects least."""
        assert release.requirement.earlier is not None, "asked for only then"
        attacker = self.attacker(release.requirement.earlier)
        snapshot = snapshot_of_release(self._source, release)
        needed = () if attacker == ALIGNED else (attacker,)
        return replace(self.joint(snapshot, release.requirement, needed), attacker=attacker).least

    def left_at(self, problem: Problem, node: Node, requirement: Requirement) -> LeftOfOne:
        """Return what a release of a node leaves of the person whom it protects least."""
        assert requirement.earlier is not None, "asked for only then"
        source, written = self._source, requirement.earlier.written
        how = replace(
            source.transformation.with_way(written.way),
            suppressed_group=written.group,
            shuffle=written.shuffled,
        )
        if how != source.transformation:
            self._source = source = replace(source, transformation=how)
        return self.left_by(make_release(source, problem, node, requirement))

    def _contents(self, entry: Entry, names: Sequence[str]) -> ClassTails:
        coder = self.ledger.coder
        places = [entry.columns.index(coder.name(name)) for name in names]
        numbers = [
            [self._value_of[name].setdefault(code, len(self._value_of[name])) for code in entry.values[place]]
            for name, place in zip(names, places, strict=True)
        ]
        tails = [
            tuple(own[tail[place]] for own, place in zip(numbers, places, strict=True))
            for tail in entry.tails
        ]
        rows = np.array(entry.rows, dtype=np.int64).reshape(-1, 3)
        return self._merged(ClassTails(*rows.T), tails)

    def _own_contents(self, snapshot: Snapshot, names: Sequence[str]) -> ClassTails:
        coder = self.ledger.coder
        places = [snapshot.names.index(name) for name in names]
        numbers = []
        for name, place in zip(names, places, strict=True):
            known = self._value_of[name]
            texts, of_text = snapshot.values[place], self._number_of[name]
            for text in texts:
                if text not in of_text:
                    of_text[text] = known.setdefault(coder.code(name, text), len(known))
            numbers.append([of_text[text] for text in texts])
        tails = [
            tuple(own[tail[place]] for own, place in zip(numbers, places, strict=True))
            for tail in snapshot.tails.tolist()
        ]
        return self._merged(snapshot.rows, tails)

    def _merged(self, rows: ClassTails, tails: Sequence[tuple[int, ...]]) -> ClassTails:
        """Return rows with tails of the common columns, numbered alike in all releases; none without any."""
        if not self._names:
            return ClassTails(*np.zeros((3, 0), dtype=np.int64))
        numbers = np.array([self._tail_of.setdefault(own, len(self._tail_of)) for own in tails] or [0])
        return rows.of_values(numbers)

    def _values_of_tails(self, names: Sequence[str]) -> dict[str, IntArray]:
        tails = np.array(list(self._tail_of), dtype=np.int64).reshape(len(self._tail_of), len(names))
        return {name: tails[:, place] for place, name in enumerate(names) if name in self._sensitive}


def earlier_of(project: Project) -> Beside | None:
    """Return the earlier releases of the ledger of a project, none if it is not there yet.

    Returns
    -------
    Beside or None
        None for a project without a ledger.

    Raises
    ------
    InputError
        The file is no ledger, or the records cannot be joined.
    ExportError
        Its key is not there. The ledger is the context's `ledger`, as of the others.
    """
    earlier = project.requirement.earlier
    if earlier is None or not earlier.path:
        return None
    path = Path(earlier.path)
    is_there = path.exists() and path.stat().st_size > 0
    try:
        refuse_vanished(path)
        found = Beside(project, open_ledger(path) if is_there else Ledger(path, Coder(b"")))
        found.refuse_apart()
        return found
    except AnonymizerError as error:
        error.context["ledger"] = earlier.path
        raise


def earlier_releases(project: Project) -> int:
    """Return how many releases the ledger of a project remembers; 0 without a ledger."""
    found = earlier_of(project)
    return 0 if found is None else len(found.ledger.entries)


def _written(snapshot: Snapshot) -> Written:
    return Written(snapshot.way, shuffled=snapshot.shuffled, codes=snapshot.codes)


def _joined_records(
    releases: Sequence[tuple[IntArray, IntArray]],
) -> tuple[IntArray, IntArray, IntArray]:
    """Return classes by release of all records, their persons, and the place of each record of the last.

    A record is known by its person and by its place among the records of this person.
    """
    keys = []
    span = max(int(np.bincount(people).max(initial=0)) for people, _classes in releases) + 1
    for people, _classes in releases:
        order = np.argsort(people, kind="stable")
        counts = np.bincount(people)
        place = np.empty(len(people), dtype=np.int64)
        place[order] = np.arange(len(people)) - np.repeat(np.cumsum(counts) - counts, counts)
        keys.append(people * span + place)
    different = np.unique(np.concatenate(keys))
    records = np.full((len(releases), len(different)), ABSENT, dtype=np.int64)
    for number, (own, (_people, classes)) in enumerate(zip(keys, releases, strict=True)):
        records[number, np.searchsorted(different, own)] = classes
    return records, different // span, np.searchsorted(different, keys[-1])


def _fewest(values: Counts, owners: IntArray, n_people: int) -> Counts:
    """Return the smallest value of the records of each person."""
    fewest = np.full(n_people, np.iinfo(np.int64).max)
    np.minimum.at(fewest, owners, values)
    return fewest


def _units(releases: Sequence[tuple[IntArray, IntArray]], n_people: int) -> tuple[IntArray, IntArray]:
    """Return classes by release of people, and of each record of those with several in one; and their owners.

    The tails of several records of a person differ, so each is a person of one release to those who see
    classes only.
    """
    several = np.zeros(n_people, dtype=np.bool_)
    for people, classes in releases:
        several |= np.bincount(people[classes != ABSENT], minlength=n_people) > 1
    own = np.full((len(releases), n_people), ABSENT, dtype=np.int64)
    further, owners = [own], [np.arange(n_people)]
    for number, (people, classes) in enumerate(releases):
        single = (classes != ABSENT) & ~several[people]
        own[number, people[single]] = classes[single]
        others = np.flatnonzero((classes != ABSENT) & several[people])
        block = np.full((len(releases), len(others)), ABSENT, dtype=np.int64)
        block[number] = classes[others]
        further.append(block)
        owners.append(people[others])
    return np.concatenate(further, axis=1), np.concatenate(owners)


def _of_people(left: Left, owners: IntArray, n_people: int, there: BoolArray) -> Left:
    """Return the fewest candidates over the records of each person about whom something is known."""
    known = left.tails > 0
    tails = _fewest(left.tails[known], owners[known], n_people)
    chosen = there & (tails < np.iinfo(np.int64).max)
    values = {name: _fewest(own[known], owners[known], n_people) for name, own in left.values.items()}
    return Left(tails[chosen], {name: own[chosen] for name, own in values.items()})


def _unique_in_all(contents: Sequence[ClassTails]) -> int:
    """Return the number of tails that occur exactly once in every release."""
    n_tails = max((int(rows.tails.max(initial=-1)) for rows in contents), default=-1) + 1
    unique = np.ones(n_tails, dtype=np.bool_)
    for rows in contents:
        unique &= np.bincount(rows.tails, rows.counts, n_tails) == 1
    return int(unique.sum())


def _least(values: Counts) -> int | None:
    return int(values.min()) if len(values) else None


def _below(values: Counts, required: int) -> int:
    return int((values < required).sum())
