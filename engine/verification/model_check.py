"""Models of a release, compared with what its classes meet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from engine.numbers import as_exact_count
from engine.verification.cells import value_paths
from engine.verification.claims import ReleaseClaim
from engine.verification.classes import Classes, Reference
from engine.verification.findings import Findings, UnverifiableError
from engine.verification.models.base import Known, Model, usual_distance
from engine.verification.persons import Population
from engine.verification.readers.collecting import Vocabularies, Vocabulary
from engine.verification.tables.database import Database
from engine.verification.tables.place import listed
from engine.words import _, ngettext


@dataclass(frozen=True)
class ModelCheck:
    """Models of a claim, and what they are measured with.

    Attributes
    ----------
    step : callable
        Called for each model; may raise to stop.
    database : Database
        Where the classes are.
    models : sequence of (Model, bool)
        With whether the release claims to meet them.
    references : mapping of str to Reference
        By sensitive column.
    leaves : mapping of str to mapping, or None
        Values below each label of the node, per quasi-identifier; None if levels vary by record.
    """

    claim: ReleaseClaim
    findings: Findings
    step: Callable[[], None]
    database: Database
    models: Sequence[tuple[Model, bool]]
    references: Mapping[str, Reference]
    leaves: Mapping[str, Mapping[int, int]] | None
    population: Population
    known: Known

    def failing(self, model: Model, classes: Classes) -> set[int]:
        """Return the classes that do not meet a model."""
        verifier, found = model.verifier, set[int]()
        if not len(classes):
            return found
        if reads := verifier.reads(model):
            return self._failing_by_numbers(model, reads, classes)
        sets: Sequence[Sequence[str] | None] = [None]
        if verifier.sets is not None:
            sets = verifier.sets(model.parameters, list(self.claim.forming))
        for columns in sets:
            by = classes.by if columns is None else classes.known(columns)
            if condition := model.condition(verifier.class_met, {}):
                groups = classes.groups(columns)
                if "people" in condition:
                    groups = self._with_people(classes)
                bad = f"SELECT {by} FROM {groups} WHERE NOT coalesce(({condition}), false)"
                found |= classes.failing(bad, by)
            if model.column:
                parts = classes.parts(
                    model.column,
                    self.references[model.column],
                    by,
                    others=self.claim.others_as_qi,
                    distance=model.distance,
                )
                condition = model.condition(verifier.values_met, parts.words)
                bad = (
                    f"SELECT DISTINCT {by} FROM {parts.rows} GROUP BY {parts.alike} "
                    f"HAVING NOT coalesce(({condition}), false)"
                )
                found |= classes.failing(bad, by)
        return found

    def _failing_by_numbers(self, model: Model, reads: Sequence[str], classes: Classes) -> set[int]:
        """Return the classes whose numbers do not meet a model, as Python computes it."""
        verifier = model.verifier
        assert verifier.met is not None, "the model reads numbers"
        numbers = listed(f"'{name}': {name}" for name in reads)
        source = self._with_people(classes) if "people" in reads else f"{classes.name}"
        if "weights" in reads:
            if not self.known.weight_of:
                raise UnverifiableError(
                    _("{title} needs weights, but no column is given.").format(title=model.title)
                )
            source += f" JOIN ({classes.weights}) USING (class)"
        if "covered" in reads:
            source = self._with_covered(source, classes)
        self.database.make("numbers", f"SELECT class, {{{numbers}}} AS value FROM {source}")
        met = verifier.met

        def due(values: Sequence[Any]) -> list[bool]:
            return [met(model, self.known, **value) for value in values]

        self.database.make_map("met", "SELECT DISTINCT value FROM numbers", due, "BOOLEAN")
        return classes.failing("SELECT class FROM numbers JOIN met USING (value) WHERE NOT due")

    def _with_people(self, classes: Classes) -> str:
        """Return classes with the people of the population who have their labels."""
        names = list(self.claim.forming)
        self.database.send("population", self.population.counted(classes.labelled(names)))
        by = classes.known(names)
        return (
            f"(SELECT own.*, coalesce(n_people, 0) AS people FROM {classes.name} AS own "
            f"LEFT JOIN population USING ({by}))"
        )

    def _with_covered(self, source: str, classes: Classes) -> str:
        """Return classes with the numbers of values below each of their labels."""
        if self.leaves is None:
            raise UnverifiableError(_("The information loss is not defined if levels vary by record."))
        joins, covered = [f"{source} AS own"], []
        for name, label in classes.labelled(self.leaves).items():
            below = self.leaves[name]
            table = pd.DataFrame({label: list(below), f"n_{label}": list(below.values())})
            self.database.send(f"leaves_{label}", table)
            joins.append(f"LEFT JOIN leaves_{label} USING ({label})")
            covered.append(f"coalesce(n_{label}, 0)")
        return f"(SELECT own.*, [{listed(covered)}]::BIGINT[] AS covered FROM {' '.join(joins)})"

    def holds_everybody(self, classes: Classes) -> bool:
        """Return whether every person of the population is in one of the classes."""
        query = f"SELECT coalesce(sum(people), 0) FROM {self._with_people(classes)}"
        return bool(len(classes)) and self.database.rows(query) == [(self.population.n_counted,)]

    def judge(self, classes: Classes, kept: pd.DataFrame, known: Vocabularies) -> None:
        """Compare what the kept rows of the file meet with what the release claims."""
        for model, is_met in self.models:
            self.step()
            if model.is_table_wide:
                found = model.holds(classes.kept(self.known.people))
                if found is not None and found != is_met:
                    self._add(
                        _("The file meets {title}, although the release claims not to.")
                        if found
                        else _("The file does not meet {title}, although the release claims to."),
                        model,
                    )
                continue
            failing = self.failing(model, classes)
            if model.verifier.needs_all_members(model):
                self._judge_presence(model, classes)
            if not is_met and not failing:
                self._add(_("The file meets {title}, although the release claims not to."), model)
            if is_met and failing:
                record = kept.iloc[classes.first_row(min(failing))]
                labels = (
                    f"{name} '{known[name].texts[record[name]]}'" for name in self.claim.quasi_identifying
                )
                self.findings.add(
                    ngettext(
                        "{n} of {total} classes does not meet {title}, such as {labels}.",
                        "{n} of {total} classes do not meet {title}, such as {labels}.",
                        len(failing),
                    ).format(
                        n=as_exact_count(len(failing)),
                        total=as_exact_count(len(classes)),
                        title=model.title,
                        labels=", ".join(labels) or _("the class of all records"),
                    )
                )

    def _judge_presence(self, model: Model, classes: Classes) -> None:
        """Check that every person of the population matches a record, as a minimum presence requires."""
        holds = self.holds_everybody(classes)
        if holds != model.is_said_to_hold:
            self._add(
                _(
                    "The file meets {title}, against the claim: every person of the population matches a "
                    "record."
                )
                if holds
                else _(
                    "The file does not meet {title}, against the claim: some persons of the population match "
                    "no record."
                ),
                model,
            )

    def _add(self, words: str, model: Model) -> None:
        self.findings.add(words.format(title=model.title))


def distance_of(claim: ReleaseClaim, name: str, models: Sequence[Model]) -> str:
    """Return the distance used for the claimed t of a column."""
    by_model = next((model.distance for model in models if _is_t_of(model, name)), "")
    usual = by_model or usual_distance(name, claim.order_types)
    return str(claim.distances.get(name, usual))


def reference_of(
    claim: ReleaseClaim,
    name: str,
    counts: pd.Series[int],
    vocabulary: Vocabulary,
    models: Sequence[Model],
) -> Reference:
    """Return the distribution of a sensitive column.

    Parameters
    ----------
    counts : Series of int
        By value; of persons with their weights, if persons count.
    """
    distance = distance_of(claim, name, models)
    used = {distance, *(model.distance for model in models if _is_t_of(model, name))}
    levels = _levels(claim, name, counts, vocabulary) if "hierarchical" in used else ()
    if "ordered" not in used:
        return Reference(counts, levels=levels)
    if name not in claim.order_types:
        raise UnverifiableError(_("The order of the values of '{name}' is missing.").format(name=name))
    order = tuple(vocabulary.code(text) for text in claim.order_types[name])
    if len(set(order)) != len(order) or set(order) != set(counts.index):
        raise UnverifiableError(
            _("The order given for '{name}' does not contain exactly its distinct values.").format(name=name)
        )
    if claim.original.missing and vocabulary.code(claim.original.missing[0]) in order:
        raise UnverifiableError(
            _("'{name}' has missing values, so the ordered distance is not defined.").format(name=name)
        )
    return Reference(counts, order, levels)


def _levels(
    claim: ReleaseClaim, name: str, counts: pd.Series[int], vocabulary: Vocabulary
) -> tuple[dict[int, int], ...]:
    """Return the group of every value of a sensitive column, per level below the root."""
    paths = value_paths(claim, name, list(counts.index), vocabulary)
    levels = [dict(zip(paths, labels, strict=True)) for labels in zip(*paths.values(), strict=True)]
    # A single label on the highest level is the root; several labels get a root above them.
    return tuple(levels[:-1] if len(set(levels[-1].values())) == 1 else levels)


def _is_t_of(model: Model, name: str) -> bool:
    return model.key == "t_closeness" and model.column == name
