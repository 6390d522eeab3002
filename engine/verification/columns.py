"""Columns of a release, compared with those of its original."""

from __future__ import annotations

from engine.verification.claims import ReleaseClaim
from engine.verification.findings import UnverifiableError
from engine.verification.rules import dropped_columns
from engine.words import _


def check_columns(claim: ReleaseClaim, names: list[str], found: list[str]) -> None:
    """Raise UnverifiableError unless the columns of both tables, and their roles, are as claimed."""
    for name in claim.aggregates:
        if name not in claim.quasi_identifying:
            raise UnverifiableError(
                _("'{name}' is released as an aggregate, but is not quasi-identifying.").format(name=name)
            )
    for name in claim.rules:
        if name in claim.quasi_identifying:
            raise UnverifiableError(
                _("'{name}' is released by a rule, but is quasi-identifying.").format(name=name)
            )
    roles = [*claim.quasi_identifying, *claim.identifying, *claim.sensitive]
    for name in roles:
        if name not in names:
            raise UnverifiableError(_("The original has no column '{name}'.").format(name=name))
        if roles.count(name) > 1:
            raise UnverifiableError(_("The column '{name}' has more than one role.").format(name=name))
    if claim.person and claim.person not in claim.identifying:
        raise UnverifiableError(
            _("The person column '{person}' is not identifying.").format(person=claim.person)
        )
    dropped = dropped_columns(claim)
    due = [name for name in names if name not in dropped]
    if found != due:
        raise UnverifiableError(
            _("The released file has the columns {found}, but {due} are expected.").format(
                found=_listed(found), due=_listed(due)
            )
        )


def _listed(names: list[str]) -> str:
    return ", ".join(f"'{name}'" for name in names) or _("none")
