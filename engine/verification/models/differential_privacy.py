"""Differential privacy by sampling: classes of at least k drawn records, from its parameters."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache

from engine.verification.claims import ReleaseClaim
from engine.verification.findings import UnverifiableError
from engine.verification.models.base import Model, ModelVerifier
from engine.verification.rules import rule_of
from engine.words import N_, _

_WHOLE = 1e-12  # relative; where gamma n is a whole number, rounding must not lower k
_CONSTANT = ("star", "drop", "constant")
_NODES = (
    "chosen",
    "levels",
    "none",
    "low",
    "low_medium",
    "medium",
    "medium_high",
    "high",
    "complete",
)


def _class_met(model: Model) -> str:
    epsilon, beta = float(model.threshold), beta_of(model)
    return f"size >= {least_size(epsilon, float(model.reals['delta']), beta)}"


def beta_of(model: Model) -> float:
    """Return the probability of drawing a record that the parameters of the model give."""
    return float(model.reals["share"]) * (1 - math.exp(-float(model.threshold)))


@lru_cache(maxsize=64)
def least_size(epsilon: float, delta: float, beta: float) -> int:
    """Return the least k for which P(Bin(n, beta) > gamma n) < delta for all n >= k / gamma - 1.

    Raises
    ------
    UnverifiableError
        A parameter is out of bounds.
    """
    if not (epsilon > 0 and 0 < delta < 1 and 0 < beta < 1):
        raise UnverifiableError(_("The parameters of differential privacy are out of bounds."))
    others = math.exp(-epsilon) * (1 - beta)  # 1 - gamma
    gamma = 1 - others
    # Chernoff's bound is below delta from here on
    rate = gamma * math.log(gamma / beta) + others * math.log(others / (1 - beta))
    n = int(-math.log(delta) / rate * (1 + 1e-6)) + 2
    while n > 0 and _exceeds(n, beta, gamma) < delta:
        n -= 1
    k = 1
    if n:
        k = max(int(n * gamma) - 1, 1)
        while math.ceil(k / gamma - 1 - _WHOLE * k) <= n:
            k += 1
    return k


def _exceeds(n: int, beta: float, gamma: float) -> float:
    """Return P(Bin(n, beta) > gamma n), term by term from the largest."""
    j = math.floor(n * gamma * (1 - _WHOLE)) + 1
    logarithm = math.lgamma(n + 1) - math.lgamma(j + 1) - math.lgamma(n - j + 1)
    term = math.exp(logarithm + j * math.log(beta) + (n - j) * math.log1p(-beta))
    terms: list[float] = []
    while j <= n and (not terms or term > terms[0] * 1e-18):
        terms.append(term)
        term *= (n - j) / (j + 1) * beta / (1 - beta)
        j += 1
    return math.fsum(terms)


def _unmet(model: Model, claim: ReleaseClaim, released: Sequence[str]) -> Iterator[str]:
    """Yield what the guarantee requires of a release besides class sizes, and the claim does not have."""
    drawn = claim.subset
    if drawn is None or not drawn.key or not math.isclose(drawn.beta, beta_of(model), rel_tol=1e-9):
        yield _("The records were not drawn with the probability that differential privacy requires.")
    covered = {*claim.quasi_identifying, *claim.identifying}
    covered |= {name for name, rule in claim.rules.items() if rule.rule in _CONSTANT}
    for name in released:
        if name not in covered:
            yield _("'{column}' is released unchanged, which differential privacy does not cover.").format(
                column=name
            )
    for name in claim.identifying:
        rule = rule_of(claim, name)
        if rule is None or rule.rule not in _CONSTANT:
            yield _("'{column}' differs by record, which differential privacy does not cover.").format(
                column=name
            )
    if claim.node is None or claim.aggregates:
        yield _("Differential privacy requires one level per column and the labels of the hierarchies.")
    if claim.suppressed_records != "remove" or not claim.shuffled:
        yield _("Differential privacy requires that suppressed records are removed and the others shuffled.")


def _unchecked(model: Model) -> tuple[str, ...]:
    """Return what no file can show."""
    chosen = (
        _("The guarantee does not cover the choice of the node, which was chosen on the lattice.")
        if model.words["node"] == "chosen"
        else _("It cannot be checked that the node was declared before looking at the data.")
    )
    return (
        _("It cannot be checked that the secret of the draw is random and was used only once."),
        chosen,
        _("It cannot be checked that the hierarchies were made without looking at the data."),
    )


VERIFIER = ModelVerifier(
    title=N_("differential privacy with ε = {epsilon}, δ = {delta}"),
    threshold="epsilon",
    words={"node": _NODES},
    reals=("delta", "share"),
    class_met=_class_met,
    unmet=_unmet,
    unchecked=_unchecked,
)
