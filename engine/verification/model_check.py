"""Models of a release, compared with what its classes meet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import pandas as pd

from engine.numbers import as_exact_count
from engine.verification.cells import value_paths
from engine.verification.claims import ReleaseClaim
from engine.verification.classes import Classes, Reference
from engine.verification.findings import Findings, UnverifiableError
from engine.verification.information import LabelLeaves
from engine.verification.models.base import Model, usual_distance
from engine.verification.persons import Weights
from engine.verification.population import PopulationClasses
from engine.verification.readers.collecting import Vocabularies, Vocabulary
from engine.words import _, ngettext


@dataclass(frozen=True)
class ModelCheck:
    """Models of a claim, and what they are measured with.

    Attributes
    ----------
    claim : ReleaseClaim
    known : dict of str to Vocabulary
    findings : Findings
    step : callable
        Called for each model; may raise to stop.
    models : sequence of (Model, bool)
        With whether the release claims to meet them.
    references : mapping of str to Reference
        By sensitive column.
    leaves : LabelLeaves
    population : PopulationClasses
    n_people : Fraction or None
        Size of the population, if it is known.
    n_counted : int
        Persons of the original if persons count, else records.
    """

    claim: ReleaseClaim
    known: Vocabularies
    findings: Findings
    step: Callable[[], None]
    models: Sequence[tuple[Model, bool]]
    references: Mapping[str, Reference]
    leaves: LabelLeaves
    population: PopulationClasses
    n_people: Fraction | None
    n_counted: int

    def met(
        self,
        model: Model,
        classes: Classes,
        records: pd.DataFrame,
        labels: pd.DataFrame,
        weights: Weights | None,
    ) -> pd.Series[bool]:
        """Return whether each class meets a model."""
        if model.reads_weights and len(classes):
            if weights is None:
                raise UnverifiableError(
                    _("{title} needs weights, but no column is given.").format(title=model.title)
                )
            assert model.verifier.by_weights is not None, "the model reads weights"
            return model.verifier.by_weights(
                model, classes, weights.people(classes.of_record, classes.sizes.index)
            )
        if model.verifier.by_population is not None and len(classes):
            return model.verifier.by_population(model, self.population, classes, labels, self.n_counted)
        if model.verifier.by_labels is not None and len(classes):
            return model.verifier.by_labels(model, self.leaves, self.population, classes, labels)
        return model.met_by(
            classes,
            records[list(self.claim.sensitive)],
            self.references,
            labels[[name for name in labels.columns if name in self.claim.forming]],
            others_as_qi=self.claim.others_as_qi,
        )

    def judge(self, classes: Classes, kept: pd.DataFrame, weights: Weights | None) -> None:
        """Compare what the kept records of the file meet with what the release claims."""
        for model, is_met in self.models:
            self.step()
            if model.is_table_wide:
                found = model.holds(classes, self.n_people)
                if found is not None and found != is_met:
                    words = (
                        _("The file does not meet {title}, although the release claims to.")
                        if is_met
                        else _("The file meets {title}, although the release claims not to.")
                    )
                    self.findings.add(words.format(title=model.title))
                continue
            released = kept[list(self.claim.quasi_identifying)]
            met = self.met(model, classes, kept, released, weights)
            if model.verifier.needs_all_members(model):
                self._judge_presence(model, classes, released)
            if not is_met and met.all():
                self.findings.add(
                    _("The file meets {title}, although the release claims not to.").format(title=model.title)
                )
            if is_met and not met.all():
                record = classes.first_record_of(met.tolist().index(False))
                labels = (
                    f"{name} '{self.known[name].texts[kept[name].loc[record]]}'"
                    for name in self.claim.quasi_identifying
                )
                n = int((~met).sum())
                self.findings.add(
                    ngettext(
                        "{n} of {total} classes does not meet {title}, such as {labels}.",
                        "{n} of {total} classes do not meet {title}, such as {labels}.",
                        n,
                    ).format(
                        n=as_exact_count(n),
                        total=as_exact_count(len(met)),
                        title=model.title,
                        labels=", ".join(labels) or _("the class of all records"),
                    )
                )

    def _judge_presence(self, model: Model, classes: Classes, labels: pd.DataFrame) -> None:
        """Check that every person of the population matches a record, as a minimum presence requires."""
        holds = bool(len(classes)) and self.population.holds_all(classes, labels)
        if holds != model.is_said_to_hold:
            words = (
                _(
                    "The file meets {title}, against the claim: every person of the population matches a "
                    "record."
                )
                if holds
                else _(
                    "The file does not meet {title}, against the claim: some persons of the population match "
                    "no record."
                )
            )
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
    claim : ReleaseClaim
    name : str
    counts : Series of int
        By value; of persons with their weights, if persons count.
    vocabulary : Vocabulary
    models : sequence of Model
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
    if claim.missing and vocabulary.code(claim.missing[0]) in order:
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
